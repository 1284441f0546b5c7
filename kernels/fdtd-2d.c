// redblue: name = fdtd-2d
// redblue: summary = Finite-difference time-domain method for a 2-D electromagnetic field
// redblue: group = stencil
// redblue: reference = Yee, Numerical solution of initial boundary value problems involving Maxwell's equations (1966)
// redblue: sizes = TMAX=500, NX=1000, NY=1200
// redblue: small = TMAX=3, NX=5, NY=6; TMAX=2, NX=6, NY=4

void kernel_fdtd_2d(int TMAX, int NX, int NY, double ex[NX][NY],
                    double ey[NX][NY], double hz[NX][NY], double source[TMAX])
{
#pragma redblue assume NX >= 1
#pragma scop
    for (int t = 0; t < TMAX; t++) {
        for (int j = 0; j < NY; j++)
            ey[0][j] = source[t];
        for (int i = 1; i < NX; i++)
            for (int j = 0; j < NY; j++)
                ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (int i = 0; i < NX; i++)
            for (int j = 1; j < NY; j++)
                ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (int i = 0; i < NX - 1; i++)
            for (int j = 0; j < NY - 1; j++)
                hz[i][j] = hz[i][j]
                           - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
#pragma endscop
}
