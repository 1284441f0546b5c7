// redblue: name = cholesky
// redblue: summary = Cholesky factorisation A = L*L^T in the lower triangle of A, row by row
// redblue: group = solver
// redblue: reference = Golub and Van Loan, Matrix Computations, section 4.2
// redblue: sizes = N=2000
// redblue: small = N=7; N=4

#include <math.h>

void kernel_cholesky(int N, double A[N][N])
{
#pragma scop
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            for (int k = 0; k < j; k++)
                A[i][j] -= A[i][k] * A[j][k];
            A[i][j] /= A[j][j];
        }
        for (int k = 0; k < i; k++)
            A[i][i] -= A[i][k] * A[i][k];
        A[i][i] = sqrt(A[i][i]);
    }
#pragma endscop
}
