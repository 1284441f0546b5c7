#define T 32
#define min(a, b) ((a) < (b) ? (a) : (b))
void tiled(int n, double C[n][n], double A[n][n], double B[n][n])
{
    for (int ii = 0; ii < n; ii += T)
        for (int jj = 0; jj < n; jj += T) {
            int last = min(jj + T, n);
            for (int i = ii; i < min(ii + T, n); i++)
                for (int j = jj; j < last; ++j)
                    for (int k = 0; k < n; k++)
                        C[i][j] += A[i][k] * B[k][j];
        }
}
