void f(int n, double A[n], double B[n])
{
    for (int i = 0; i < n; i++) {
        if (A[i] > 0)
            B[i] = A[i];
        else
            B[i] = 0;
    }
}
