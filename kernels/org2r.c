// redblue: name = org2r
// redblue: summary = Forms Q from the Householder vectors of geqr2, in place and backwards
// redblue: group = qr
// redblue: reference = LAPACK ORG2R; Golub and Van Loan, Matrix Computations, section 5.1
// redblue: sizes = M=1200, N=1000
// redblue: small = M=7, N=4; M=6, N=5

void kernel_org2r(int M, int N, double A[M][N], double tau[N])
{
#pragma redblue assume M >= N
#pragma scop
    for (int k = N - 1; k >= 0; k--) {
        // tau[j] of a reflector that has been applied is free and holds the product.
        for (int j = k + 1; j < N; j++) {
            tau[j] = 0.0;
            for (int i = k + 1; i < M; i++)
                tau[j] += A[i][k] * A[i][j];
            tau[j] *= tau[k];
        }
        A[k][k] = 1.0 - tau[k];
        for (int j = k + 1; j < N; j++)
            A[k][j] = -tau[j];
        for (int j = k + 1; j < N; j++)
            for (int i = k + 1; i < M; i++)
                A[i][j] -= A[i][k] * tau[j];
        for (int i = k + 1; i < M; i++)
            A[i][k] = -A[i][k] * tau[k];
    }
#pragma endscop
}
