// redblue: name = gramschmidt
// redblue: summary = QR factorisation by modified Gram-Schmidt, A = Q*R, as PolyBench writes it
// redblue: group = solver
// redblue: reference = Golub and Van Loan, Matrix Computations, section 5.2
// redblue: sizes = M=1000, N=1200
// redblue: small = M=6, N=5; M=7, N=3

#include <math.h>

void kernel_gramschmidt(int M, int N, double A[M][N], double R[N][N],
                        double Q[M][N])
{
    double nrm;

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
                A[i][j] = A[i][j] - Q[i][k] * R[k][j];
        }
    }
#pragma endscop
}
