// redblue: name = gebd2
// redblue: summary = Reduction to upper bidiagonal form by Householder reflectors from the left and the right, unblocked
// redblue: group = qr
// redblue: reference = LAPACK GEBD2; Golub and Kahan, Calculating the singular values and pseudo-inverse of a matrix (1965)
// redblue: sizes = M=1200, N=1000
// redblue: small = M=6, N=4; M=5, N=5

#include <math.h>

void kernel_gebd2(int M, int N, double A[M][N], double tauq[N], double taup[N])
{
    double work[M];
    double norma, norma2;

#pragma redblue assume M >= N
#pragma scop
    for (int k = 0; k < N; k++) {
        // Left reflector: annihilates column k below the diagonal.
        norma2 = 0.0;
        for (int i = k + 1; i < M; i++)
            norma2 += A[i][k] * A[i][k];
        norma = sqrt(A[k][k] * A[k][k] + norma2);
        A[k][k] = A[k][k] > 0.0 ? A[k][k] + norma : A[k][k] - norma;
        tauq[k] = 2.0 / (1.0 + norma2 / (A[k][k] * A[k][k]));
        for (int i = k + 1; i < M; i++)
            A[i][k] /= A[k][k];
        A[k][k] = A[k][k] > 0.0 ? -norma : norma;
        for (int j = k + 1; j < N; j++) {
            tauq[j] = A[k][j];
            for (int i = k + 1; i < M; i++)
                tauq[j] += A[i][k] * A[i][j];
            tauq[j] *= tauq[k];
            A[k][j] -= tauq[j];
            for (int i = k + 1; i < M; i++)
                A[i][j] -= A[i][k] * tauq[j];
        }

        // Right reflector: annihilates row k beyond the superdiagonal, where there is something left of it.
        if (k < N - 2) {
            norma2 = 0.0;
            for (int j = k + 2; j < N; j++)
                norma2 += A[k][j] * A[k][j];
            norma = sqrt(A[k][k + 1] * A[k][k + 1] + norma2);
            A[k][k + 1] = A[k][k + 1] > 0.0 ? A[k][k + 1] + norma : A[k][k + 1] - norma;
            taup[k] = 2.0 / (1.0 + norma2 / (A[k][k + 1] * A[k][k + 1]));
            for (int j = k + 2; j < N; j++)
                A[k][j] /= A[k][k + 1];
            A[k][k + 1] = A[k][k + 1] > 0.0 ? -norma : norma;
            for (int i = k + 1; i < M; i++) {
                work[i] = A[i][k + 1];
                for (int j = k + 2; j < N; j++)
                    work[i] += A[i][j] * A[k][j];
                work[i] *= taup[k];
                A[i][k + 1] -= work[i];
                for (int j = k + 2; j < N; j++)
                    A[i][j] -= work[i] * A[k][j];
            }
        } else {
            taup[k] = 0.0;
        }
    }
#pragma endscop
}
