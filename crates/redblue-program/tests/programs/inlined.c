static int rows(int n) { return n / 2; }
static inline double half(double x) { return x / 2; }
int least(int a, int b) { return a < b ? a : b; }
void inlined(int n, int m, double A[n][m])
{
    for (int i = 0; i < rows(n); i++)
        for (int j = 0; j < least(i, m); j++)
            A[i][j] = half(A[i][j]) + half(i);
}
