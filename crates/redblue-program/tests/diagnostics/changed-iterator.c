void f(int n, double A[n])
{
    int i;
    for (i = 0; i < n; i++) {
        A[i] = 0;
        i = i + 1;
        for (i = 0; i < 3; i++)
            A[i] = 1;
    }
}
