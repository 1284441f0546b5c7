// redblue: name = stencil-2d
// redblue: summary = 5-point stencil in one statement, the two time steps alive folded by t % 2
// redblue: group = stencil
// redblue: reference = Hong and Kung, I/O complexity: the red-blue pebble game, STOC (1981)
// redblue: sizes = T=1000, N=2000
// redblue: small = T=3, N=5; T=2, N=6

void kernel_stencil_2d(int T, int N, double A[2][N][N])
{
#pragma scop
    for (int t = 0; t < T; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                A[(t + 1) % 2][i][j] = 0.5 * A[t % 2][i][j]
                                       + 0.125 * (A[t % 2][i - 1][j] + A[t % 2][i + 1][j]
                                                  + A[t % 2][i][j - 1] + A[t % 2][i][j + 1]);
#pragma endscop
}
