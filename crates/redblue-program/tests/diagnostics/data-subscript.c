void spmv(int rows, int nonzeros, int start[rows + 1], int col[nonzeros],
          double a[nonzeros], double x[rows], double y[rows])
{
    for (int i = 0; i < rows; i++)
        for (int j = start[i]; j < start[i + 1]; j++)
            y[i] += a[j] * x[col[j]];
}
