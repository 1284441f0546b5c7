// redblue: name = lcs
// redblue: summary = Length of the longest common subsequence of all prefixes of two sequences
// redblue: group = medley
// redblue: reference = Wagner and Fischer, The string-to-string correction problem, JACM 21 (1974)
// redblue: sizes = M=4000, N=4000
// redblue: small = M=5, N=7; M=6, N=4

#define MAX(a, b) ((a) >= (b) ? (a) : (b))

void kernel_lcs(int M, int N, int x[M], int y[N], int length[M + 1][N + 1])
{
#pragma scop
    for (int i = 0; i <= M; i++)
        length[i][0] = 0;
    for (int j = 1; j <= N; j++)
        length[0][j] = 0;
    for (int i = 1; i <= M; i++)
        for (int j = 1; j <= N; j++)
            length[i][j] = x[i - 1] == y[j - 1] ? length[i - 1][j - 1] + 1
                                                : MAX(length[i - 1][j], length[i][j - 1]);
#pragma endscop
}
