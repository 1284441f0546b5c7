// redblue: name = 3mm
// redblue: summary = Three matrix products, G = (A*B)*(C*D)
// redblue: group = linear-algebra
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki
// redblue: sizes = NI=800, NJ=900, NK=1000, NL=1100, NM=1200
// redblue: small = NI=3, NJ=4, NK=5, NL=6, NM=7; NI=5, NJ=3, NK=4, NL=2, NM=3

void kernel_3mm(int NI, int NJ, int NK, int NL, int NM, double E[NI][NJ],
                double A[NI][NK], double B[NK][NJ], double F[NJ][NL],
                double C[NJ][NM], double D[NM][NL], double G[NI][NL])
{
#pragma scop
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            E[i][j] = 0.0;
            for (int k = 0; k < NK; k++)
                E[i][j] += A[i][k] * B[k][j];
        }

    for (int i = 0; i < NJ; i++)
        for (int j = 0; j < NL; j++) {
            F[i][j] = 0.0;
            for (int k = 0; k < NM; k++)
                F[i][j] += C[i][k] * D[k][j];
        }

    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NL; j++) {
            G[i][j] = 0.0;
            for (int k = 0; k < NJ; k++)
                G[i][j] += E[i][k] * F[k][j];
        }
#pragma endscop
}
