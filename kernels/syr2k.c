// redblue: name = syr2k
// redblue: summary = Symmetric rank-2M update of a lower triangle, C = alpha*(A*B^T + B*A^T) + beta*C
// redblue: group = blas
// redblue: reference = Dongarra et al., A set of level 3 Basic Linear Algebra Subprograms, ACM TOMS 16 (1990)
// redblue: sizes = M=1000, N=1200
// redblue: small = M=6, N=7; M=5, N=3

void kernel_syr2k(int N, int M, double alpha, double beta, double C[N][N],
                  double A[N][M], double B[N][M])
{
#pragma scop
    for (int i = 0; i < N; i++) {
        for (int j = 0; j <= i; j++)
            C[i][j] *= beta;
        for (int k = 0; k < M; k++)
            for (int j = 0; j <= i; j++)
                C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
    }
#pragma endscop
}
