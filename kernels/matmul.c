// redblue: name = matmul
// redblue: summary = Matrix product from zero, C = A*B
// redblue: group = basic
// redblue: reference = Hong and Kung, I/O complexity: the red-blue pebble game, STOC (1981)
// redblue: sizes = M=1024, N=1024, K=1024
// redblue: small = M=4, N=5, K=6; M=5, N=3, K=2

void kernel_matmul(int M, int N, int K, double A[M][K], double B[K][N],
                   double C[M][N])
{
#pragma scop
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            C[i][j] = 0.0;
            for (int k = 0; k < K; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
#pragma endscop
}
