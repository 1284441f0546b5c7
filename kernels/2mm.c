// redblue: name = 2mm
// redblue: summary = Two matrix products in a chain, D = alpha*A*B*C + beta*D
// redblue: group = linear-algebra
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki
// redblue: sizes = NI=800, NJ=900, NK=1100, NL=1200
// redblue: small = NI=4, NJ=5, NK=6, NL=7; NI=3, NJ=6, NK=2, NL=4

void kernel_2mm(int NI, int NJ, int NK, int NL, double alpha, double beta,
                double tmp[NI][NJ], double A[NI][NK], double B[NK][NJ],
                double C[NJ][NL], double D[NI][NL])
{
#pragma scop
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            tmp[i][j] = 0.0;
            for (int k = 0; k < NK; k++)
                tmp[i][j] += alpha * A[i][k] * B[k][j];
        }

    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NL; j++) {
            D[i][j] *= beta;
            for (int k = 0; k < NJ; k++)
                D[i][j] += tmp[i][k] * C[k][j];
        }
#pragma endscop
}
