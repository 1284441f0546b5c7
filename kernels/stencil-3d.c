// redblue: name = stencil-3d
// redblue: summary = 7-point stencil in one statement, the two time steps alive folded by t % 2
// redblue: group = stencil
// redblue: reference = Hong and Kung, I/O complexity: the red-blue pebble game, STOC (1981)
// redblue: sizes = T=200, N=200
// redblue: small = T=2, N=5; T=3, N=4

void kernel_stencil_3d(int T, int N, double A[2][N][N][N])
{
#pragma scop
    for (int t = 0; t < T; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    A[(t + 1) % 2][i][j][k] = 0.25 * A[t % 2][i][j][k]
                                              + 0.125 * (A[t % 2][i - 1][j][k] + A[t % 2][i + 1][j][k]
                                                         + A[t % 2][i][j - 1][k] + A[t % 2][i][j + 1][k]
                                                         + A[t % 2][i][j][k - 1] + A[t % 2][i][j][k + 1]);
#pragma endscop
}
