// redblue: name = adi
// redblue: summary = Alternating direction implicit solver for the 2-D heat equation
// redblue: group = stencil
// redblue: reference = Peaceman and Rachford, The numerical solution of parabolic and elliptic differential equations (1955)
// redblue: sizes = TSTEPS=500, N=1000
// redblue: small = TSTEPS=2, N=6; TSTEPS=3, N=5

void kernel_adi(int TSTEPS, int N, double u[N][N], double v[N][N],
                double p[N][N], double q[N][N])
{
    double DX, DY, DT;
    double B1, B2;
    double mul1, mul2;
    double a, b, c, d, e, f;

#pragma scop
    DX = 1.0 / (double)N;
    DY = 1.0 / (double)N;
    DT = 1.0 / (double)TSTEPS;
    B1 = 2.0;
    B2 = 1.0;
    mul1 = B1 * DT / (DX * DX);
    mul2 = B2 * DT / (DY * DY);

    a = -mul1 / 2.0;
    b = 1.0 + mul1;
    c = a;
    d = -mul2 / 2.0;
    e = 1.0 + mul2;
    f = d;

    for (int t = 1; t <= TSTEPS; t++) {
        // Implicit in the first direction: one tridiagonal system per column.
        for (int i = 1; i < N - 1; i++) {
            v[0][i] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = v[0][i];
            for (int j = 1; j < N - 1; j++) {
                p[i][j] = -c / (a * p[i][j - 1] + b);
                q[i][j] = (-d * u[j][i - 1] + (1.0 + 2.0 * d) * u[j][i] - f * u[j][i + 1]
                           - a * q[i][j - 1])
                          / (a * p[i][j - 1] + b);
            }
            v[N - 1][i] = 1.0;
            for (int j = N - 2; j >= 1; j--)
                v[j][i] = p[i][j] * v[j + 1][i] + q[i][j];
        }

        // Implicit in the second direction: one per row.
        for (int i = 1; i < N - 1; i++) {
            u[i][0] = 1.0;
            p[i][0] = 0.0;
            q[i][0] = u[i][0];
            for (int j = 1; j < N - 1; j++) {
                p[i][j] = -f / (d * p[i][j - 1] + e);
                q[i][j] = (-a * v[i - 1][j] + (1.0 + 2.0 * a) * v[i][j] - c * v[i + 1][j]
                           - d * q[i][j - 1])
                          / (d * p[i][j - 1] + e);
            }
            u[i][N - 1] = 1.0;
            for (int j = N - 2; j >= 1; j--)
                u[i][j] = p[i][j] * u[i][j + 1] + q[i][j];
        }
    }
#pragma endscop
}
