void names(int n, double max[n], double S0[n], int count)
{
    for (int i = 0; i < n; i++) {
        for (int n = 0; n < 3; n++)
            max[i + n] = count;
        for (int i = 0; i < 5; i++)
            S0[i] = 1;
        double t = 2;
        {
            double t = 3;
            S0[i] = t;
        }
        S0[i] += t;
    }
}
