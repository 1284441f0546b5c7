#ifndef BLOCK
#error please choose a block size with -D BLOCK=32
#endif
void f(int n, double A[n])
{
    A[0] = 0;
}
