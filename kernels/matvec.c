// redblue: name = matvec
// redblue: summary = Matrix-vector product from zero, y = A*x
// redblue: group = basic
// redblue: reference = Golub and Van Loan, Matrix Computations, section 1.1
// redblue: sizes = M=4000, N=4000
// redblue: small = M=6, N=7; M=5, N=3

void kernel_matvec(int M, int N, double A[M][N], double x[N], double y[M])
{
#pragma scop
    for (int i = 0; i < M; i++) {
        y[i] = 0.0;
        for (int j = 0; j < N; j++)
            y[i] += A[i][j] * x[j];
    }
#pragma endscop
}
