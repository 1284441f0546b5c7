// redblue: name = trmm
// redblue: summary = Product with a transposed unit lower triangular matrix, B = alpha*A^T*B in place
// redblue: group = blas
// redblue: reference = Dongarra et al., A set of level 3 Basic Linear Algebra Subprograms, ACM TOMS 16 (1990)
// redblue: sizes = M=1000, N=1200
// redblue: small = M=6, N=7; M=5, N=3

void kernel_trmm(int M, int N, double alpha, double A[M][M], double B[M][N])
{
#pragma scop
    // Row i needs the old rows below it, so going down the rows overwrites nothing too early.
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            for (int k = i + 1; k < M; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] = alpha * B[i][j];
        }
#pragma endscop
}
