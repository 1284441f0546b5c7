// redblue: name = dot
// redblue: summary = Inner product of two vectors
// redblue: group = basic
// redblue: reference = Lawson et al., Basic Linear Algebra Subprograms for Fortran usage, ACM TOMS 5 (1979)
// redblue: sizes = N=1000000
// redblue: small = N=9; N=4

void kernel_dot(int N, double x[N], double y[N], double result[1])
{
    double sum;

#pragma scop
    sum = 0.0;
    for (int i = 0; i < N; i++)
        sum += x[i] * y[i];
    result[0] = sum;
#pragma endscop
}
