// options: --function kernel_gem
void kernel_gemm(int n, double A[n]) { for (int i = 0; i < n; i++) A[i] *= 2; }
void kernel_gemv(int n, double A[n]) { for (int i = 0; i < n; i++) A[i] += 1; }
