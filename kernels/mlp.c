// redblue: name = mlp
// redblue: summary = Two dense layers with a ReLU between them, Y = max(X*W1, 0)*W2; the hidden layer is temporary
// redblue: group = ml
// redblue: reference = Goodfellow, Bengio and Courville, Deep Learning, chapter 6 (2016)
// redblue: sizes = B=512, NI=1024, NH=4096, NO=1024
// redblue: small = B=3, NI=4, NH=5, NO=2; B=2, NI=3, NH=2, NO=4

void kernel_mlp(int B, int NI, int NH, int NO, double X[B][NI],
                double W1[NI][NH], double W2[NH][NO], double Y[B][NO])
{
    double hidden[B][NH];

#pragma scop
    for (int b = 0; b < B; b++)
        for (int h = 0; h < NH; h++) {
            hidden[b][h] = 0.0;
            for (int i = 0; i < NI; i++)
                hidden[b][h] += X[b][i] * W1[i][h];
            hidden[b][h] = hidden[b][h] > 0.0 ? hidden[b][h] : 0.0;
        }

    for (int b = 0; b < B; b++)
        for (int o = 0; o < NO; o++) {
            Y[b][o] = 0.0;
            for (int h = 0; h < NH; h++)
                Y[b][o] += hidden[b][h] * W2[h][o];
        }
#pragma endscop
}
