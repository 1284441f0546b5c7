void f(int n, int B, double A[n])
{
    for (int i = 0; i < n; i += B)
        A[i] = 0;
    for (int i = 0; i < n / B; i++)
        A[i] = i % B == 0 ? 1 : 2;
    for (int i = 0; i < n; i++)
        A[i / 0] = 1;
}
