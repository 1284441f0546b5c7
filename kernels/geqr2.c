// redblue: name = geqr2
// redblue: summary = Householder QR factorisation, unblocked: from A to the vectors V below the diagonal and R above
// redblue: group = qr
// redblue: reference = LAPACK GEQR2; Golub and Van Loan, Matrix Computations, section 5.2
// redblue: sizes = M=1200, N=1000
// redblue: small = M=7, N=4; M=6, N=5

#include <math.h>

void kernel_geqr2(int M, int N, double A[M][N], double tau[N])
{
    double norma, norma2;

#pragma redblue assume M >= N
#pragma scop
    for (int k = 0; k < N; k++) {
        // The reflector that annihilates column k below the diagonal; its vector has a unit head.
        norma2 = 0.0;
        for (int i = k + 1; i < M; i++)
            norma2 += A[i][k] * A[i][k];
        norma = sqrt(A[k][k] * A[k][k] + norma2);
        A[k][k] = A[k][k] > 0.0 ? A[k][k] + norma : A[k][k] - norma;
        tau[k] = 2.0 / (1.0 + norma2 / (A[k][k] * A[k][k]));
        for (int i = k + 1; i < M; i++)
            A[i][k] /= A[k][k];
        A[k][k] = A[k][k] > 0.0 ? -norma : norma;

        // Apply it to the columns on the right; tau[j] is free until step j and holds the product.
        for (int j = k + 1; j < N; j++) {
            tau[j] = A[k][j];
            for (int i = k + 1; i < M; i++)
                tau[j] += A[i][k] * A[i][j];
            tau[j] *= tau[k];
            A[k][j] -= tau[j];
            for (int i = k + 1; i < M; i++)
                A[i][j] -= A[i][k] * tau[j];
        }
    }
#pragma endscop
}
