// redblue: name = durbin
// redblue: summary = Yule-Walker system with a symmetric Toeplitz matrix by Durbin's recursion
// redblue: group = solver
// redblue: reference = Golub and Van Loan, Matrix Computations, section 4.7
// redblue: sizes = N=2000
// redblue: small = N=7; N=4

void kernel_durbin(int N, double r[N], double y[N])
{
    double z[N];
    double alpha;
    double beta;
    double sum;

#pragma redblue assume N >= 1
#pragma scop
    y[0] = -r[0];
    beta = 1.0;
    alpha = -r[0];
    for (int k = 1; k < N; k++) {
        beta = (1 - alpha * alpha) * beta;
        sum = 0.0;
        for (int i = 0; i < k; i++)
            sum += r[k - i - 1] * y[i];
        alpha = -(r[k] + sum) / beta;
        for (int i = 0; i < k; i++)
            z[i] = y[i] + alpha * y[k - i - 1];
        for (int i = 0; i < k; i++)
            y[i] = z[i];
        y[k] = alpha;
    }
#pragma endscop
}
