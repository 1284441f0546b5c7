// options: -D MINI=1 -D WIDE=1
#if !defined(MINI) && !defined(LARGE)
#define LARGE
#endif
#ifdef MINI
#define N 20
#endif
#ifdef LARGE
#define N 2000
#endif
#ifdef WIDE
#define REAL double
#else
#define REAL float
#endif
#if N < 100
#define REACH 1
#else
#define REACH 2
#endif
void datasets(REAL A[N], REAL B[N])
{
    for (int i = REACH; i < N - REACH; i++)
        B[i] = A[i - REACH] + A[i + REACH];
}
