// redblue: name = matmul-tiled
// redblue: summary = The same matrix product with square tiles of 32, as one finds it in tuned code
// redblue: group = basic
// redblue: reference = Lam, Rothberg and Wolf, The cache performance and optimizations of blocked algorithms (1991)
// redblue: sizes = M=1024, N=1024, K=1024
// redblue: small = M=4, N=5, K=6; M=5, N=3, K=34

#define T 32
#define MIN(a, b) ((a) < (b) ? (a) : (b))

void kernel_matmul_tiled(int M, int N, int K, double A[M][K], double B[K][N],
                         double C[M][N])
{
#pragma scop
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            C[i][j] = 0.0;

    for (int it = 0; it < M; it += T)
        for (int jt = 0; jt < N; jt += T)
            for (int kt = 0; kt < K; kt += T)
                for (int i = it; i < MIN(it + T, M); i++)
                    for (int j = jt; j < MIN(jt + T, N); j++)
                        for (int k = kt; k < MIN(kt + T, K); k++)
                            C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
