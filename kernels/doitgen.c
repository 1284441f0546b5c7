// redblue: name = doitgen
// redblue: summary = Multiresolution kernel: every row A[r][q] is multiplied by C4, in place
// redblue: group = linear-algebra
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki (from the MADNESS code)
// redblue: sizes = NQ=140, NR=150, NP=160
// redblue: small = NQ=3, NR=4, NP=5; NQ=4, NR=2, NP=6

void kernel_doitgen(int NR, int NQ, int NP, double A[NR][NQ][NP],
                    double C4[NP][NP], double sum[NP])
{
#pragma scop
    for (int r = 0; r < NR; r++)
        for (int q = 0; q < NQ; q++) {
            for (int j = 0; j < NP; j++) {
                sum[j] = 0.0;
                for (int k = 0; k < NP; k++)
                    sum[j] += A[r][q][k] * C4[k][j];
            }
            for (int j = 0; j < NP; j++)
                A[r][q][j] = sum[j];
        }
#pragma endscop
}
