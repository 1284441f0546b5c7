void f(int n, double A[n], double eps)
{
    double x = 1;
    while (x > eps)
        x = x / 2;
    do { A[0] = x; } while (x > 1);
}
