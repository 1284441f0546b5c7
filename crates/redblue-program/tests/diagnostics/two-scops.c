void f(int n, double A[n])
{
#pragma scop
    for (int i = 0; i < n; i++) A[i] = 0;
#pragma endscop
#pragma scop
    for (int i = 0; i < n; i++) A[i] += 1;
}
