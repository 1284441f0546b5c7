void init(double *x);
void captured(int n, double A[n])
{
    double eps = 0.1, scratch[10], unset;
    int half = n / 2, m;
    init(scratch);
    m = half + 1;
    {
#pragma scop
        for (int i = 0; i < m; i++) {
            A[i] = A[i] < eps ? eps : scratch[0];
            unset = A[i];
            A[i + 1] = unset + m;
        }
#pragma endscop
    }
}
