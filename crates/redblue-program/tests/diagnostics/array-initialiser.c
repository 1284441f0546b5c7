void f(int n, double A[n])
{
    double w[3] = {1, 2, 1};
    for (int i = 1; i < n - 1; i++)
        A[i] = w[0] * A[i - 1];
}
