// redblue: name = floyd-warshall
// redblue: summary = All-pairs shortest paths, path[i][j] = min(path[i][j], path[i][k] + path[k][j])
// redblue: group = medley
// redblue: reference = Floyd, Algorithm 97: shortest path, CACM 5 (1962)
// redblue: sizes = N=2800
// redblue: small = N=6; N=4

void kernel_floyd_warshall(int N, int path[N][N])
{
#pragma scop
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                path[i][j] = path[i][j] < path[i][k] + path[k][j]
                                 ? path[i][j]
                                 : path[i][k] + path[k][j];
#pragma endscop
}
