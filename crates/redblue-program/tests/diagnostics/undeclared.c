void f(int count, double total[count], double values[count])
{
    for (int i = 0; i < cuont; i++)
        totl[i] = values[i] * scale;
    for (j = 0; j < count; j++)
        total[j] = 0;
}
