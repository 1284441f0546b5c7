// redblue: name = heat-3d
// redblue: summary = Explicit 3-D heat equation, 7-point stencil between two arrays
// redblue: group = stencil
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki
// redblue: sizes = TSTEPS=500, N=120
// redblue: small = TSTEPS=2, N=5; TSTEPS=3, N=4

void kernel_heat_3d(int TSTEPS, int N, double A[N][N][N], double B[N][N][N])
{
#pragma scop
    for (int t = 1; t <= TSTEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    B[i][j][k] = 0.125 * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k])
                                 + 0.125 * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k])
                                 + 0.125 * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1])
                                 + A[i][j][k];
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                for (int k = 1; k < N - 1; k++)
                    A[i][j][k] = 0.125 * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k])
                                 + 0.125 * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k])
                                 + 0.125 * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1])
                                 + B[i][j][k];
    }
#pragma endscop
}
