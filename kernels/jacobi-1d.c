// redblue: name = jacobi-1d
// redblue: summary = 1-D Jacobi iteration, 3-point average between two arrays
// redblue: group = stencil
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki
// redblue: sizes = TSTEPS=500, N=2000
// redblue: small = TSTEPS=3, N=9; TSTEPS=5, N=6

void kernel_jacobi_1d(int TSTEPS, int N, double A[N], double B[N])
{
#pragma scop
    for (int t = 0; t < TSTEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        for (int i = 1; i < N - 1; i++)
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
#pragma endscop
}
