void f(int S, int p, int max, double A[S][p], double q[max])
{
    for (int i = 0; i < S; i++)
        for (int j = 0; j < p; j++)
            A[i][j] = q[max - 1];
}
