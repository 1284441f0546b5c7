// redblue: name = attention
// redblue: summary = Attention with materialised scores, O = softmax(scale*Q*K^T)*V, one whole-matrix step after another
// redblue: group = ml
// redblue: reference = Vaswani et al., Attention is all you need, NeurIPS (2017)
// redblue: sizes = N=4096, M=4096, D=64
// redblue: small = N=4, M=5, D=3; N=3, M=2, D=4

#include <math.h>

void kernel_attention(int N, int M, int D, double scale, double Q[N][D],
                      double K[M][D], double V[M][D], double O[N][D])
{
    double P[N][M];
    double top[N], sum[N];

#pragma redblue assume M >= 1
#pragma scop
    // Scores of every query (row) and key (column).
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            P[i][j] = 0.0;
            for (int d = 0; d < D; d++)
                P[i][j] += Q[i][d] * K[j][d];
            P[i][j] *= scale;
        }

    // Softmax of every row, shifted by its maximum.
    for (int i = 0; i < N; i++) {
        top[i] = P[i][0];
        for (int j = 1; j < M; j++)
            top[i] = fmax(top[i], P[i][j]);
    }
    for (int i = 0; i < N; i++) {
        sum[i] = 0.0;
        for (int j = 0; j < M; j++) {
            P[i][j] = exp(P[i][j] - top[i]);
            sum[i] += P[i][j];
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            P[i][j] /= sum[i];

    // Weighted sums of the values.
    for (int i = 0; i < N; i++)
        for (int d = 0; d < D; d++) {
            O[i][d] = 0.0;
            for (int j = 0; j < M; j++)
                O[i][d] += P[i][j] * V[j][d];
        }
#pragma endscop
}
