// redblue: name = gemm
// redblue: summary = General matrix product, C = alpha*A*B + beta*C
// redblue: group = blas
// redblue: reference = Dongarra et al., A set of level 3 Basic Linear Algebra Subprograms, ACM TOMS 16 (1990)
// redblue: sizes = NI=1000, NJ=1100, NK=1200
// redblue: small = NI=6, NJ=7, NK=8; NI=4, NJ=3, NK=5

void kernel_gemm(int NI, int NJ, int NK, double alpha, double beta,
                 double C[NI][NJ], double A[NI][NK], double B[NK][NJ])
{
#pragma scop
    for (int i = 0; i < NI; i++) {
        for (int j = 0; j < NJ; j++)
            C[i][j] *= beta;
        for (int k = 0; k < NK; k++)
            for (int j = 0; j < NJ; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
#pragma endscop
}
