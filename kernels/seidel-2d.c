// redblue: name = seidel-2d
// redblue: summary = 2-D Gauss-Seidel iteration, 9-point average in place
// redblue: group = stencil
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki
// redblue: sizes = TSTEPS=500, N=2000
// redblue: small = TSTEPS=2, N=6; TSTEPS=3, N=5

void kernel_seidel_2d(int TSTEPS, int N, double A[N][N])
{
#pragma scop
    for (int t = 0; t < TSTEPS; t++)
        for (int i = 1; i <= N - 2; i++)
            for (int j = 1; j <= N - 2; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                           + A[i][j - 1] + A[i][j] + A[i][j + 1]
                           + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1])
                          / 9.0;
#pragma endscop
}
