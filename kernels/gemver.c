// redblue: name = gemver
// redblue: summary = Two rank-1 updates of A, then x = beta*A^T*y + x + z and w = alpha*A*x + w
// redblue: group = blas
// redblue: reference = Blackford et al., An updated set of Basic Linear Algebra Subprograms, ACM TOMS 28 (2002)
// redblue: sizes = N=2000
// redblue: small = N=7; N=4

void kernel_gemver(int N, double alpha, double beta, double A[N][N],
                   double u1[N], double v1[N], double u2[N], double v2[N],
                   double w[N], double x[N], double y[N], double z[N])
{
#pragma scop
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            x[i] = x[i] + beta * A[j][i] * y[j];

    for (int i = 0; i < N; i++)
        x[i] = x[i] + z[i];

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            w[i] = w[i] + alpha * A[i][j] * x[j];
#pragma endscop
}
