// options: -D B=8 -D STRIDE=2
#ifndef UNROLL
#define UNROLL 4
#endif
#define STRIDE 3
#define HALF (UNROLL / 2)
void fixed_sizes(int n, int B, double A[n], double w[UNROLL])
{
    for (int i = 0; i < n; i += B)
        for (int j = 0; j < HALF; j++)
            A[STRIDE * i + j] = w[j];
    for (int i = 0; i < n; i++)
        A[i] = i % STRIDE;
}
