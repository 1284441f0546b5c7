void initialisers(int n, double A[n])
{
    double acc[2][3] = {0};
    for (int i = 0; i < n; i++) {
        double zero[4] = {0.0};
        A[i] = acc[i % 2][i % 3] + zero[i & 3];
    }
}
