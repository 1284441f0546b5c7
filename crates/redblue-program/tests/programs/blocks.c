#define B 16
void blocks(int n, double A[n])
{
    int count = (n + B - 1) / B;
    for (int b = 0; b < count; b++) {
        int first = b * B, last = first + B < n ? first + B : n;
        for (int i = first; i < last; i++)
            A[i] = b;
    }
}
