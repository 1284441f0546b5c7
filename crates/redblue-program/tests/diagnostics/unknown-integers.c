void f(int n, double A[n])
{
    int k = 0, i;
    for (i = 0; i < n; i++) {
        A[k] = 0;
        k += 2;
    }
    A[i] = 1;
    int m = n;
    if (n > 3)
        m = 3;
    for (int j = 0; j < m; j++)
        A[j] = m;
}
