void flat(int n, int m, double *restrict a, const double *b, double *c, double d[(n + 2) * m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            a[i * m + j] = b[j * n + (n - 1 - i)];
            a[i * m + m - 1 - j] += 1;
            for (int k = 0; k < 4; k++)
                c[(i * m + j) * 4 + k] = 0;
            d[(i + 1) * m + j] = *(a + (i * m + j));
        }
    for (int i = 0; i < n; i++)
        if (i < m)
            d[i * m + i] = b[i * n + i];
}
