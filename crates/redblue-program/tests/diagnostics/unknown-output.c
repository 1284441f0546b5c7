// options: --outputs B,A
void f(int N, double A[N], const double B[N], double A1[N])
{
    for (int i = 0; i < N; i++) {
        A1[i] = 2;
        A[i] = B[i];
    }
}
