// redblue: name = attention-online
// redblue: summary = Attention with a running maximum: keys and values are visited once per row, nothing is materialised
// redblue: group = ml
// redblue: reference = Milakov and Gimelshein, Online normalizer calculation for softmax (2018); Dao et al., FlashAttention (2022)
// redblue: sizes = N=4096, M=4096, D=64
// redblue: small = N=4, M=5, D=3; N=3, M=2, D=4

#include <math.h>

void kernel_attention_online(int N, int M, int D, double scale, double Q[N][D],
                             double K[M][D], double V[M][D], double O[N][D])
{
    double score, top, raised, shrink, weight, sum;

#pragma scop
    for (int i = 0; i < N; i++) {
        for (int d = 0; d < D; d++)
            O[i][d] = 0.0;
        top = -1.0e300;
        sum = 0.0;
        for (int j = 0; j < M; j++) {
            score = 0.0;
            for (int d = 0; d < D; d++)
                score += Q[i][d] * K[j][d];
            score *= scale;

            // What has been summed so far was relative to the old maximum.
            raised = fmax(top, score);
            shrink = exp(top - raised);
            weight = exp(score - raised);
            top = raised;
            sum = sum * shrink + weight;
            for (int d = 0; d < D; d++)
                O[i][d] = O[i][d] * shrink + weight * V[j][d];
        }
        for (int d = 0; d < D; d++)
            O[i][d] /= sum;
    }
#pragma endscop
}
