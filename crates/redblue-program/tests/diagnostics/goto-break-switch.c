void f(int n, double A[n])
{
    for (int i = 0; i < n; i++) {
        if (i == 3)
            continue;
        if (i == 5)
            break;
        A[i] = 0;
    }
    goto end;
    switch (n) {
    case 1: A[0] = 1;
    }
end:
    A[1] = 1;
}
