#include <stdlib.h>
void heap(int n, const double *x, double *y)
{
    double *t = (double *)malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
        t[i] = x[n - 1 - i];
    for (int i = 0; i < n; i++)
        y[i] = t[i];
    free(t);
}
