void f(int n, double A[n])
{
    for (int i = 0; i < n; i++ {
        A[i] = 0;
    }
    A[0 = 1;
    A[0] = (1 + 2;
    else A[1] = 2;
}
