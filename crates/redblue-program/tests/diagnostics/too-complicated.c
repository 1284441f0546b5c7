#define min(a, b) ((a) < (b) ? (a) : (b))
void f(int n, int m, int k, double A[n])
{
    for (int i = 0; i < n; i++)
        A[((i % 3 + m % 5) % 7 + (n % 3 + k % 5) % 11 + (m * 2 + i) % 13) % 4] = 0;
}
