// options: --assume M>=N --assume N*N>3 --assume N+
#pragma redblue assume N > 5
#pragma redblue assume
#pragma redblue ignore
void f(int N, double A[N])
{
    for (int i = 0; i < N; i++)
        A[i] = 0;
}
