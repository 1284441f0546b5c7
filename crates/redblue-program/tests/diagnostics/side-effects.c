void f(int n, double A[n], double B[n])
{
    int k = 0;
    for (int i = 0; i < n; i++) {
        A[i] = B[k++];
        A[i] = (B[i] = 2) + 1;
    }
}
