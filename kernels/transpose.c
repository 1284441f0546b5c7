// redblue: name = transpose
// redblue: summary = Out-of-place transposition, B = A^T: a pure copy, nothing is computed
// redblue: group = basic
// redblue: reference = Aggarwal and Vitter, The input/output complexity of sorting and related problems, CACM 31 (1988)
// redblue: sizes = M=4000, N=4000
// redblue: small = M=6, N=7; M=5, N=3

void kernel_transpose(int M, int N, double A[M][N], double B[N][M])
{
#pragma scop
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            B[j][i] = A[i][j];
#pragma endscop
}
