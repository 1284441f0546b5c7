// options: -D NX=100
void f(int NI, int NJ, double A[NI][NJ])
{
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++)
            A[i][j] = 0;
}
