// redblue: name = atax
// redblue: summary = Normal-equation product, y = A^T*(A*x)
// redblue: group = linear-algebra
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki
// redblue: sizes = M=1900, N=2100
// redblue: small = M=6, N=7; M=5, N=3

void kernel_atax(int M, int N, double A[M][N], double x[N], double y[N],
                 double tmp[M])
{
#pragma scop
    for (int j = 0; j < N; j++)
        y[j] = 0.0;
    for (int i = 0; i < M; i++) {
        tmp[i] = 0.0;
        for (int j = 0; j < N; j++)
            tmp[i] = tmp[i] + A[i][j] * x[j];
        for (int j = 0; j < N; j++)
            y[j] = y[j] + A[i][j] * tmp[i];
    }
#pragma endscop
}
