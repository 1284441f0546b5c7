// redblue: name = correlation
// redblue: summary = Correlation matrix of M variables from N observations
// redblue: group = datamining
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki
// redblue: sizes = M=1200, N=1400
// redblue: small = M=5, N=7; M=4, N=3

#include <math.h>

void kernel_correlation(int M, int N, double float_n, double data[N][M],
                        double corr[M][M], double mean[M], double stddev[M])
{
    double eps = 0.1;

#pragma redblue assume M >= 1
#pragma scop
    for (int j = 0; j < M; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }

    // A deviation close to zero counts as one, so that constant columns do not divide by zero.
    for (int j = 0; j < M; j++) {
        stddev[j] = 0.0;
        for (int i = 0; i < N; i++)
            stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
        stddev[j] /= float_n;
        stddev[j] = sqrt(stddev[j]);
        stddev[j] = stddev[j] <= eps ? 1.0 : stddev[j];
    }

    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            data[i][j] -= mean[j];
            data[i][j] /= sqrt(float_n) * stddev[j];
        }

    for (int i = 0; i < M - 1; i++) {
        corr[i][i] = 1.0;
        for (int j = i + 1; j < M; j++) {
            corr[i][j] = 0.0;
            for (int k = 0; k < N; k++)
                corr[i][j] += data[k][i] * data[k][j];
            corr[j][i] = corr[i][j];
        }
    }
    corr[M - 1][M - 1] = 1.0;
#pragma endscop
}
