// redblue: name = conv-pointwise
// redblue: summary = 1x1 convolution: every pixel's C channels are mixed into F
// redblue: group = ml
// redblue: reference = Lin, Chen and Yan, Network in network, ICLR (2014)
// redblue: sizes = B=1, C=128, F=64, X=136, Y=136
// redblue: small = B=2, C=3, F=4, X=2, Y=3; B=1, C=4, F=2, X=3, Y=2

void kernel_conv_pointwise(int B, int C, int F, int X, int Y,
                           double Out[B][F][X][Y], double In[B][C][X][Y],
                           double Weight[F][C])
{
#pragma scop
    for (int b = 0; b < B; b++)
        for (int f = 0; f < F; f++)
            for (int x = 0; x < X; x++)
                for (int y = 0; y < Y; y++) {
                    Out[b][f][x][y] = 0.0;
                    for (int c = 0; c < C; c++)
                        Out[b][f][x][y] += In[b][c][x][y] * Weight[f][c];
                }
#pragma endscop
}
