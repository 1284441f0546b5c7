void pointer_to_array(int n, int m, double (*A)[m], float _Complex z[restrict static n], double (*B)[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            A[i][j] = (*B)[i][j] + *(*(A + i) + j);
            z[i] = 0;
        }
}
