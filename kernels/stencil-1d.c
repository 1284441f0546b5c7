// redblue: name = stencil-1d
// redblue: summary = 3-point stencil in one statement, the two time steps alive folded by t % 2
// redblue: group = stencil
// redblue: reference = Hong and Kung, I/O complexity: the red-blue pebble game, STOC (1981)
// redblue: sizes = T=1000, N=4000
// redblue: small = T=4, N=7; T=3, N=6

void kernel_stencil_1d(int T, int N, double A[2][N])
{
#pragma scop
    for (int t = 0; t < T; t++)
        for (int i = 1; i < N - 1; i++)
            A[(t + 1) % 2][i] = 0.25 * A[t % 2][i - 1] + 0.5 * A[t % 2][i] + 0.25 * A[t % 2][i + 1];
#pragma endscop
}
