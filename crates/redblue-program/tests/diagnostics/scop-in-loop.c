void f(int n, double A[n])
{
    for (int t = 0; t < n; t++) {
#pragma scop
        for (int i = 0; i < n; i++) A[i] = 0;
    }
#pragma endscop
}
