#define MODE 2
#if MODE == 1 || !defined(MODE)
#error wrong branch
#elif defined MODE && MODE > 1
#define ROWS 10 /* rows */
#else
#error wrong branch
#endif
#define CAT(a, b) a##b
#define APPLY(f, x) f(x)
#define TWICE(x) \
    ((x) + (x))
#define GET(A, i) A[i]
#undef UNUSED
#ifdef UNUSED
#include "nothing.h"
#endif
#define LEN (ROWS + 1)
void preprocessor(double CAT(ve, c)[LEN], double out[ROWS])
{
    for (int i = 0; i < ROWS; i++)
        GET(out, i) = APPLY(TWICE, GET(vec, i + 1)); // twice
}
