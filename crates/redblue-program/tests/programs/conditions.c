void conditions(int n, double A[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j)
                A[i][j] = 1;
            else if (i < j && !(j % 2 == 0 || i > 5))
                A[i][j] = 2;
            else
                A[i][j] = i + j != n ? 3 : 4;
            A[j][i] += (i > j ? A[i][j] : 0) * (A[i][i] > 0 ? 1 : -1);
        }
}
