// redblue: name = outer
// redblue: summary = Outer product of two vectors, C = x*y^T
// redblue: group = basic
// redblue: reference = Golub and Van Loan, Matrix Computations, section 1.1
// redblue: sizes = M=4000, N=4000
// redblue: small = M=6, N=7; M=5, N=3

void kernel_outer(int M, int N, double x[M], double y[N], double C[M][N])
{
#pragma scop
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            C[i][j] = x[i] * y[j];
#pragma endscop
}
