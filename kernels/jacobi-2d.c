// redblue: name = jacobi-2d
// redblue: summary = 2-D Jacobi iteration, 5-point average between two arrays
// redblue: group = stencil
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki
// redblue: sizes = TSTEPS=500, N=1300
// redblue: small = TSTEPS=2, N=6; TSTEPS=3, N=5

void kernel_jacobi_2d(int TSTEPS, int N, double A[N][N], double B[N][N])
{
#pragma scop
    for (int t = 0; t < TSTEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                B[i][j] = 0.2 * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                A[i][j] = 0.2 * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
    }
#pragma endscop
}
