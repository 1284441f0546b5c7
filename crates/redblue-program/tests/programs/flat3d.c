void flat3d(int n, int m, int l, double *a, double *out)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < l; k++)
                out[0] += a[i * m * l + j * l + k] * a[(i * m + j) * l + k];
}
