// redblue: name = axpy
// redblue: summary = Scaled vector addition, y = alpha*x + y
// redblue: group = basic
// redblue: reference = Lawson et al., Basic Linear Algebra Subprograms for Fortran usage, ACM TOMS 5 (1979)
// redblue: sizes = N=1000000
// redblue: small = N=9; N=4

void kernel_axpy(int N, double alpha, double x[N], double y[N])
{
#pragma scop
    for (int i = 0; i < N; i++)
        y[i] += alpha * x[i];
#pragma endscop
}
