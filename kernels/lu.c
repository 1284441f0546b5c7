// redblue: name = lu
// redblue: summary = LU factorisation without pivoting, in place, row by row
// redblue: group = solver
// redblue: reference = Golub and Van Loan, Matrix Computations, section 3.2
// redblue: sizes = N=2000
// redblue: small = N=7; N=4

void kernel_lu(int N, double A[N][N])
{
#pragma scop
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[k][j];
            A[i][j] /= A[j][j];
        }
        for (int j = i; j < N; j++)
            for (int k = 0; k < i; k++)
                A[i][j] -= A[i][k] * A[k][j];
    }
#pragma endscop
}
