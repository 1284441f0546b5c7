// redblue: name = trisolv
// redblue: summary = Lower triangular solve, L*x = b
// redblue: group = solver
// redblue: reference = Golub and Van Loan, Matrix Computations, section 3.1
// redblue: sizes = N=2000
// redblue: small = N=7; N=4

void kernel_trisolv(int N, double L[N][N], double x[N], double b[N])
{
#pragma scop
    for (int i = 0; i < N; i++) {
        x[i] = b[i];
        for (int j = 0; j < i; j++)
            x[i] -= L[i][j] * x[j];
        x[i] = x[i] / L[i][i];
    }
#pragma endscop
}
