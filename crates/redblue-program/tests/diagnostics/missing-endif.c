#ifdef FAST
#define STEP 2
#elif 1 +
#define STEP 1
void f(int n, double A[n]) { A[0] = STEP; }
