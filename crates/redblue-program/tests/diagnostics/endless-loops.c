void f(int n, double A[n])
{
    for (int i = 0; i < n; i--)
        A[i] = 0;
    for (int i = 0; ; i++)
        A[i] = 0;
    for (int i = 0; i != n; i += 2)
        A[i] = 0;
    for (unsigned i = n - 1; i >= 0; i--)
        A[i] = 0;
    for (int i = 0; i < n; i += 0)
        A[i] = 0;
}
