int n = 10;
double A[10];
