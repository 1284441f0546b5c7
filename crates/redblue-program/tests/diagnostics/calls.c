#include <stdio.h>
void update(int n, double A[n]);
double norm(int n, double A[n]);
void f(int n, double A[n], double B[n])
{
    for (int i = 0; i < n; i++) {
        update(n, A);
        B[i] = norm(n, A);
        A[i] = rand();
        printf("%f\n", A[i]);
    }
}
