void f(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= n; k++)
            a[i * n + k] = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++)
            b[i * (i + 1) / 2 + k] = 0;
}
