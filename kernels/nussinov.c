// redblue: name = nussinov
// redblue: summary = RNA secondary structure: the most base pairs in every interval of a sequence
// redblue: group = medley
// redblue: reference = Nussinov et al., Algorithms for loop matchings, SIAM J. Appl. Math. 35 (1978)
// redblue: sizes = N=2500
// redblue: small = N=8; N=5

// Bases are 0..3, and complementary ones add up to 3.
#define PAIRS(a, b) ((a) + (b) == 3 ? 1 : 0)
#define MAX(a, b) ((a) >= (b) ? (a) : (b))

void kernel_nussinov(int N, int seq[N], int table[N][N])
{
#pragma scop
    for (int i = N - 1; i >= 0; i--)
        for (int j = i + 1; j < N; j++) {
            table[i][j] = MAX(table[i][j], table[i][j - 1]);
            table[i][j] = MAX(table[i][j], table[i + 1][j]);
            // Neighbours in the sequence cannot bond.
            if (i < j - 1)
                table[i][j] = MAX(table[i][j], table[i + 1][j - 1] + PAIRS(seq[i], seq[j]));
            else
                table[i][j] = MAX(table[i][j], table[i + 1][j - 1]);
            for (int k = i + 1; k < j; k++)
                table[i][j] = MAX(table[i][j], table[i][k] + table[k + 1][j]);
        }
#pragma endscop
}
