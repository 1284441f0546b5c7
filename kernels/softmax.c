// redblue: name = softmax
// redblue: summary = Softmax of every row, shifted by the row's maximum
// redblue: group = ml
// redblue: reference = Goodfellow, Bengio and Courville, Deep Learning, section 4.1 (2016)
// redblue: sizes = M=4096, N=4096
// redblue: small = M=5, N=6; M=4, N=3

#include <math.h>

void kernel_softmax(int M, int N, double X[M][N], double Y[M][N])
{
    double top, sum;

#pragma redblue assume N >= 1
#pragma scop
    for (int i = 0; i < M; i++) {
        top = X[i][0];
        for (int j = 1; j < N; j++)
            top = fmax(top, X[i][j]);
        sum = 0.0;
        for (int j = 0; j < N; j++) {
            Y[i][j] = exp(X[i][j] - top);
            sum += Y[i][j];
        }
        for (int j = 0; j < N; j++)
            Y[i][j] /= sum;
    }
#pragma endscop
}
