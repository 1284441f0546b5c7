// redblue: name = ludcmp
// redblue: summary = Linear system A*x = b by LU factorisation and two triangular solves
// redblue: group = solver
// redblue: reference = Golub and Van Loan, Matrix Computations, section 3.2
// redblue: sizes = N=2000
// redblue: small = N=7; N=4

void kernel_ludcmp(int N, double A[N][N], double b[N], double x[N], double y[N])
{
    double w;

#pragma scop
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            w = A[i][j];
            for (int k = 0; k < j; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w / A[j][j];
        }
        for (int j = i; j < N; j++) {
            w = A[i][j];
            for (int k = 0; k < i; k++)
                w -= A[i][k] * A[k][j];
            A[i][j] = w;
        }
    }

    // Forward substitution, L*y = b.
    for (int i = 0; i < N; i++) {
        w = b[i];
        for (int j = 0; j < i; j++)
            w -= A[i][j] * y[j];
        y[i] = w;
    }

    // Back substitution, U*x = y.
    for (int i = N - 1; i >= 0; i--) {
        w = y[i];
        for (int j = i + 1; j < N; j++)
            w -= A[i][j] * x[j];
        x[i] = w / A[i][i];
    }
#pragma endscop
}
