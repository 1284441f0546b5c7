// options: --assume N<3
#pragma redblue assume N > 5
void f(int N, double A[N])
{
    for (int i = 0; i < N; i++)
        A[i] = 0;
}
