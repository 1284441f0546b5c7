struct point { double x, y; };
enum color { RED, GREEN };
void f(int n, double **rows, struct point *p, double A[n])
{
    double *row[4];
    long double precise = 0;
    struct point q;
    for (int i = 0; i < n; i++)
        A[i] = rows[i][0] + p[i].x;
}
