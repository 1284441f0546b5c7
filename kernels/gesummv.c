// redblue: name = gesummv
// redblue: summary = Sum of two matrix-vector products, y = alpha*A*x + beta*B*x
// redblue: group = blas
// redblue: reference = Blackford et al., An updated set of Basic Linear Algebra Subprograms, ACM TOMS 28 (2002)
// redblue: sizes = N=1300
// redblue: small = N=7; N=4

void kernel_gesummv(int N, double alpha, double beta, double A[N][N],
                    double B[N][N], double tmp[N], double x[N], double y[N])
{
#pragma scop
    for (int i = 0; i < N; i++) {
        tmp[i] = 0.0;
        y[i] = 0.0;
        for (int j = 0; j < N; j++) {
            tmp[i] = A[i][j] * x[j] + tmp[i];
            y[i] = B[i][j] * x[j] + y[i];
        }
        y[i] = alpha * tmp[i] + beta * y[i];
    }
#pragma endscop
}
