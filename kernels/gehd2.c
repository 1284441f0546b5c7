// redblue: name = gehd2
// redblue: summary = Reduction to upper Hessenberg form by Householder similarity transformations, unblocked
// redblue: group = qr
// redblue: reference = LAPACK GEHD2; Golub and Van Loan, Matrix Computations, section 7.4
// redblue: sizes = N=1000
// redblue: small = N=6; N=4

#include <math.h>

void kernel_gehd2(int N, double A[N][N], double tau[N])
{
    double tmp[N];
    double norma, norma2;

#pragma scop
    for (int j = 0; j < N - 2; j++) {
        // The reflector that annihilates column j below the subdiagonal.
        norma2 = 0.0;
        for (int i = j + 2; i < N; i++)
            norma2 += A[i][j] * A[i][j];
        norma = sqrt(A[j + 1][j] * A[j + 1][j] + norma2);
        A[j + 1][j] = A[j + 1][j] > 0.0 ? A[j + 1][j] + norma : A[j + 1][j] - norma;
        tau[j] = 2.0 / (1.0 + norma2 / (A[j + 1][j] * A[j + 1][j]));
        for (int i = j + 2; i < N; i++)
            A[i][j] /= A[j + 1][j];
        A[j + 1][j] = A[j + 1][j] > 0.0 ? -norma : norma;

        // From the left: rows j+1 and below.
        for (int i = j + 1; i < N; i++) {
            tmp[i] = A[j + 1][i];
            for (int k = j + 2; k < N; k++)
                tmp[i] += A[k][j] * A[k][i];
        }
        for (int i = j + 1; i < N; i++)
            tmp[i] *= tau[j];
        for (int i = j + 1; i < N; i++)
            A[j + 1][i] -= tmp[i];
        for (int i = j + 2; i < N; i++)
            for (int k = j + 1; k < N; k++)
                A[i][k] -= A[i][j] * tmp[k];

        // From the right: columns j+1 and beyond.
        for (int i = 0; i < N; i++) {
            tmp[i] = A[i][j + 1];
            for (int k = j + 2; k < N; k++)
                tmp[i] += A[i][k] * A[k][j];
        }
        for (int i = 0; i < N; i++)
            tmp[i] *= tau[j];
        for (int i = 0; i < N; i++)
            A[i][j + 1] -= tmp[i];
        for (int i = 0; i < N; i++)
            for (int k = j + 2; k < N; k++)
                A[i][k] -= tmp[i] * A[k][j];
    }
#pragma endscop
}
