#define MAX(a, b) ((a) > (b) ? (a) : (b))
void f(int n, double A[n])
{
    for (int i = 0; i < n; i++)
        A[i] = MAX(A[i]) + MAX(1, 2, 3);
}
