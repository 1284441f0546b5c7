// options: -D PAD=2 -D M=0
#define PAD 0
#define SWITCH 0
#define B 4
#define M 7
void redefined(int n, double A[n + PAD], double C[M])
{
    for (int i = 0; i < n + SWITCH; i++)
        A[i + B] = 0;
#undef B
#define B 8
    for (int i = 0; i < M; i++)
        C[i] = A[i + B + PAD];
}
