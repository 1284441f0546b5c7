// redblue: name = nbody-3d
// redblue: summary = Gravitational acceleration of N bodies in space by direct summation over all pairs
// redblue: group = basic
// redblue: reference = Aarseth, Gravitational N-Body Simulations (2003)
// redblue: sizes = N=10000
// redblue: small = N=5; N=3

#include <math.h>

void kernel_nbody_3d(int N, double soft, double x[N][3], double m[N],
                     double a[N][3])
{
    double dx, dy, dz, r2, w;

#pragma scop
    for (int i = 0; i < N; i++) {
        a[i][0] = 0.0;
        a[i][1] = 0.0;
        a[i][2] = 0.0;
        for (int j = 0; j < N; j++) {
            dx = x[j][0] - x[i][0];
            dy = x[j][1] - x[i][1];
            dz = x[j][2] - x[i][2];
            r2 = dx * dx + dy * dy + dz * dz + soft;
            w = m[j] / (r2 * sqrt(r2));
            a[i][0] += w * dx;
            a[i][1] += w * dy;
            a[i][2] += w * dz;
        }
    }
#pragma endscop
}
