void f(int n, double A[n])
{
    int i;
    double x;
    for (i = 1; i < n; i *= 2)
        A[i] = 0;
    for (; i < n; i++)
        A[i] = 0;
    for (i = 0, n = 1; i < n; i++)
        A[i] = 0;
    for (x = 0; x < n; x++)
        A[0] = x;
    for (i = 0; i == 3 || i < n; i++)
        A[i] = 0;
    for (i = 0; i < n;)
        A[i] = 0;
    for (int k = 0, m = 2; k < m; k++)
        A[k] = 0;
}
