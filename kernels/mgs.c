// redblue: name = mgs
// redblue: summary = QR factorisation by modified Gram-Schmidt of a tall matrix, A = Q*R
// redblue: group = qr
// redblue: reference = Björck, Solving linear least squares problems by Gram-Schmidt orthogonalization, BIT 7 (1967)
// redblue: sizes = M=1200, N=1000
// redblue: small = M=7, N=4; M=5, N=5

#include <math.h>

void kernel_mgs(int M, int N, double A[M][N], double Q[M][N], double R[N][N])
{
    double nrm;

#pragma redblue assume M >= N
#pragma scop
    for (int k = 0; k < N; k++) {
        nrm = 0.0;
        for (int i = 0; i < M; i++)
            nrm += A[i][k] * A[i][k];
        R[k][k] = sqrt(nrm);
        for (int i = 0; i < M; i++)
            Q[i][k] = A[i][k] / R[k][k];
        for (int j = k + 1; j < N; j++) {
            R[k][j] = 0.0;
            for (int i = 0; i < M; i++)
                R[k][j] += Q[i][k] * A[i][j];
            for (int i = 0; i < M; i++)
                A[i][j] -= Q[i][k] * R[k][j];
        }
    }
#pragma endscop
}
