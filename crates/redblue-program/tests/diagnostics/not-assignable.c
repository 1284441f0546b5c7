#define N 100
void f(const double A[N], double B[N])
{
    for (int i = 0; i < N; i++) {
        B[i] + 1 = 0;
        A[i] = 2;
        N = 3;
    }
}
