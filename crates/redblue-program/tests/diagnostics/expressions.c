void f(int n, double A[n])
{
    for (int i = 0; i < n; i++) {
        A[i] = sizeof(double);
        A[i] = (A[i], 2);
        A[i] = "text";
    }
}
