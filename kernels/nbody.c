// redblue: name = nbody
// redblue: summary = All pairwise interactions of N bodies on a line, F[i] = sum over j of m[j]*(x[j]-x[i])/r^3
// redblue: group = basic
// redblue: reference = Driscoll et al., A communication-optimal n-body algorithm for direct interactions, IPDPS (2013)
// redblue: sizes = N=10000
// redblue: small = N=6; N=4

#include <math.h>

void kernel_nbody(int N, double soft, double x[N], double m[N], double F[N])
{
#pragma scop
    // Softening keeps the distance above zero, so a body may interact with itself (by exactly zero).
    for (int i = 0; i < N; i++) {
        F[i] = 0.0;
        for (int j = 0; j < N; j++)
            F[i] += m[j] * (x[j] - x[i]) / pow(fabs(x[j] - x[i]) + soft, 3.0);
    }
#pragma endscop
}
