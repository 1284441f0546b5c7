#include <math.h>
#define ceild(n, d) ceil(((double)(n)) / ((double)(d)))
#define floord(n, d) floor(((double)(n)) / ((double)(d)))
#define max(x, y) ((x) > (y) ? (x) : (y))
#define min(x, y) ((x) < (y) ? (x) : (y))
void skewed(int T, int N, double A[N])
{
    int t1, t2, t3;
    for (t1 = 0; t1 <= floord(T + N, 32); t1++)
        for (t2 = max(0, ceild(32 * t1 - T + 1, 32)); t2 <= min(floord(N, 32), t1); t2++)
            for (t3 = max(1, 32 * t2); t3 <= min(N - 2, 32 * t2 + 31); t3++)
                A[t3] = A[t3 - 1] + A[t3 + 1];
}
