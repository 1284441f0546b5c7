void f(int n, int m, double A[n], double B[n][n])
{
    for (int i = 0; i < n * m; i++)
        A[i] = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i * i; j++)
            A[j] = 0;
        A[i * i] = 1;
        if (i * m > 3)
            A[i] = 2;
    }
}
