// redblue: name = attention-fused
// redblue: summary = Attention fused row by row: only one row of scores is alive at a time
// redblue: group = ml
// redblue: reference = Rabe and Staats, Self-attention does not need O(n^2) memory (2021)
// redblue: sizes = N=4096, M=4096, D=64
// redblue: small = N=4, M=5, D=3; N=3, M=2, D=4

#include <math.h>

void kernel_attention_fused(int N, int M, int D, double scale, double Q[N][D],
                            double K[M][D], double V[M][D], double O[N][D])
{
    double P[M];
    double top, sum;

#pragma redblue assume M >= 1
#pragma scop
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < M; j++) {
            P[j] = 0.0;
            for (int d = 0; d < D; d++)
                P[j] += Q[i][d] * K[j][d];
            P[j] *= scale;
        }

        top = P[0];
        for (int j = 1; j < M; j++)
            top = fmax(top, P[j]);
        sum = 0.0;
        for (int j = 0; j < M; j++) {
            P[j] = exp(P[j] - top);
            sum += P[j];
        }

        for (int d = 0; d < D; d++)
            O[i][d] = 0.0;
        for (int j = 0; j < M; j++)
            for (int d = 0; d < D; d++)
                O[i][d] += P[j] * V[j][d];
        for (int d = 0; d < D; d++)
            O[i][d] /= sum;
    }
#pragma endscop
}
