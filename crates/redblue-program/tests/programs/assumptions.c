// options: --assume M>=N
#pragma redblue assume N % 4 == 0 && 1 <= N
void assumptions(int M, int N, double A[M], double *b)
{
    for (int i = 0; i < N / 4; i++)
        A[i] = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[i * M + j] = 0;
}
