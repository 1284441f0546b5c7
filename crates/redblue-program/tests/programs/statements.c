typedef float real;
#define SQUARE(x) ((x) * (x))
static inline real relu(real x) { return x > 0 ? x : 0; }
int counter;
void statements(int n, real a[n], real b[n], int flags[n], real *sum)
{
    real t, u;
    t = u = 0.5f;
    for (int i = 0; i < n; i++) {
        real s = a[i] * a[i];
        t += s, u -= SQUARE(b[i]);
        flags[i] <<= 1;
        flags[i] = flags[i] & 3 | ~flags[i];
    store:
        b[i] = relu(s) + fmax(t, (double)i) + sqrtf(u) / n;
        counter++;
        ;
    }
    *sum = t;
    (void)u;
    return;
}
