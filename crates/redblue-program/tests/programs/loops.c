void loops(long n, double A[n], double B[n])
{
    int i;
    for (i = n - 1; i >= 0; i--)
        A[i] = 0;
    for (i = n; i > 0; i -= 2)
        A[i - 1] = 1;
    for (i = 1; i <= n - 1 && i < 100; i = i + 3)
        A[i] = 2;
    for (i = 0; i != n; ++i)
        A[i] = 3;
    for (i = 0; n > i; i += 1)
        for (int j = i; j >= 0 && j < n; j++)
            B[j] += A[i];
    for (int k = n % 4; k < 2 * (n / 4); k++)
        A[k / 2] = k % 3;
    for (unsigned k = n; k >= 1; k--)
        A[k - 1] = k;
}
