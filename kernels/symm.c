// redblue: name = symm
// redblue: summary = Matrix product with a symmetric A of which only the lower triangle is stored, C = alpha*A*B + beta*C
// redblue: group = blas
// redblue: reference = Dongarra et al., A set of level 3 Basic Linear Algebra Subprograms, ACM TOMS 16 (1990)
// redblue: sizes = M=1000, N=1200
// redblue: small = M=6, N=7; M=5, N=3

void kernel_symm(int M, int N, double alpha, double beta, double C[M][N],
                 double A[M][M], double B[M][N])
{
    double mirrored;

#pragma scop
    // Row i of the stored triangle serves as row i of A (into C[i][j], through `mirrored`) and, mirrored,
    // as column i (into the rows above).
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            mirrored = 0.0;
            for (int k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                mirrored += B[k][j] * A[i][k];
            }
            C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * mirrored;
        }
#pragma endscop
}
