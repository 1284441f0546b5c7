// redblue: name = covariance
// redblue: summary = Covariance matrix of M variables from N observations
// redblue: group = datamining
// redblue: reference = PolyBench/C 4.2.1, Pouchet and Yuki
// redblue: sizes = M=1200, N=1400
// redblue: small = M=5, N=7; M=4, N=3

void kernel_covariance(int M, int N, double float_n, double data[N][M],
                       double cov[M][M], double mean[M])
{
#pragma scop
    for (int j = 0; j < M; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < N; i++)
            mean[j] += data[i][j];
        mean[j] /= float_n;
    }

    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            data[i][j] -= mean[j];

    for (int i = 0; i < M; i++)
        for (int j = i; j < M; j++) {
            cov[i][j] = 0.0;
            for (int k = 0; k < N; k++)
                cov[i][j] += data[k][i] * data[k][j];
            cov[i][j] /= float_n - 1.0;
            cov[j][i] = cov[i][j];
        }
#pragma endscop
}
