void scale(int n, double A[n]) { for (int i = 0; i < n; i++) A[i] *= 2; }
void shift(int n, double A[n]) { for (int i = 0; i < n; i++) A[i] += 1; }
int main(void) { return 0; }
