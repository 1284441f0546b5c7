void f(int n, double A[n][n], double b[n], double x)
{
    for (int i = 0; i < n; i++) {
        A[i] = 0;
        b[i][0] = 1;
        x[i] = A[i][i][i];
        n[i] = i[b];
    }
}
