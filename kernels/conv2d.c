// redblue: name = conv2d
// redblue: summary = Convolution layer, seven loops: batch, channels in and out, image and filter in two directions
// redblue: group = ml
// redblue: reference = Demmel and Dinh, Communication-optimal convolutional neural nets (2018)
// redblue: sizes = B=1, C=64, F=128, X=136, Y=136, H=3, W=3
// redblue: small = B=2, C=2, F=3, X=3, Y=2, H=2, W=3; B=1, C=3, F=2, X=2, Y=4, H=3, W=1

void kernel_conv2d(int B, int C, int F, int X, int Y, int H, int W,
                   double Out[B][F][X][Y], double In[B][C][X + W - 1][Y + H - 1],
                   double Weight[F][C][W][H])
{
#pragma scop
    for (int b = 0; b < B; b++)
        for (int f = 0; f < F; f++)
            for (int x = 0; x < X; x++)
                for (int y = 0; y < Y; y++) {
                    Out[b][f][x][y] = 0.0;
                    for (int c = 0; c < C; c++)
                        for (int w = 0; w < W; w++)
                            for (int h = 0; h < H; h++)
                                Out[b][f][x][y] += In[b][c][x + w][y + h] * Weight[f][c][w][h];
                }
#pragma endscop
}
