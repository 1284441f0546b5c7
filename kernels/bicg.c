// redblue: name = bicg
// redblue: summary = The two products of a biconjugate gradient step, s = A^T*r and q = A*p
// redblue: group = linear-algebra
// redblue: reference = Fletcher, Conjugate gradient methods for indefinite systems (1976); PolyBench/C 4.2.1
// redblue: sizes = M=1900, N=2100
// redblue: small = M=6, N=7; M=5, N=3

void kernel_bicg(int M, int N, double A[N][M], double s[M], double q[N],
                 double p[M], double r[N])
{
#pragma scop
    for (int j = 0; j < M; j++)
        s[j] = 0.0;
    for (int i = 0; i < N; i++) {
        q[i] = 0.0;
        for (int j = 0; j < M; j++) {
            s[j] = s[j] + r[i] * A[i][j];
            q[i] = q[i] + A[i][j] * p[j];
        }
    }
#pragma endscop
}
