void f(int n, double A[n])
{
    if (n < 2)
        return;
    for (int i = 0; i < n; i++)
        A[i] = 0;
}
