// options: --function kernel --outputs D
const int N = 64;
static double D[64][64], E[64];
double scale = 2.0;
void other(void) { for (int i = 0; i < N; i++) E[i] = 0; }
void kernel(void)
{
    for (int i = 0; i < N; i++) {
        E[i] = scale;
        scale = 1;
        for (int j = 0; j <= i; j++)
            D[i][j] = E[i];
    }
}
