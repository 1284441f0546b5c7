/* A product of block-cyclic matrices with redblue's own names, from C.

       mpicc -I crates/redblue-capi/include crates/redblue-capi/examples/pdgemm.c -lredblue_capi -lscalapack-openmpi
       mpirun -n 4 ./a.out

   C = 2 A B, where A is 300x500 and B 500x200, all elements of A are 1 and row t of B has the value t. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "redblue.h"

void Cblacs_pinfo(int *, int *);
void Cblacs_get(int, int, int *);
void Cblacs_gridinit(int *, const char *, int, int);
void Cblacs_gridinfo(int, int *, int *, int *, int *);
void Cblacs_gridexit(int);
int numroc_(const int *, const int *, const int *, const int *, const int *);
void descinit_(int *, const int *, const int *, const int *, const int *, const int *, const int *, const int *,
               const int *, int *);

enum { M = 300, N = 200, K = 500, BLOCK = 32 };

static int context, rows, cols, row, col;

/* This process's part of a matrix, and its descriptor. */
static double *allocate(int m, int n, int *descriptor, int *local_rows, int *local_cols)
{
    const int block = BLOCK, zero = 0;
    int info;
    *local_rows = numroc_(&m, &block, &row, &zero, &rows);
    *local_cols = numroc_(&n, &block, &col, &zero, &cols);
    int lead = *local_rows > 1 ? *local_rows : 1;
    descinit_(descriptor, &m, &n, &block, &block, &zero, &zero, &context, &lead, &info);
    return calloc((size_t)lead * (*local_cols + 1), sizeof(double));
}

int main(int argc, char **argv)
{
    int me, processes, lr, lc, desca[9], descb[9], descc[9];
    MPI_Init(&argc, &argv);
    Cblacs_pinfo(&me, &processes);
    for (rows = 1; (rows + 1) * (rows + 1) <= processes; rows++)
        ;
    cols = processes / rows;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "R", rows, cols);
    Cblacs_gridinfo(context, &rows, &cols, &row, &col);
    if (row >= 0) {
        double alpha = 2, beta = 0;
        double *a = allocate(M, K, desca, &lr, &lc);
        for (int i = 0; i < lr * lc; i++)
            a[i] = 1;
        double *b = allocate(K, N, descb, &lr, &lc);
        for (int j = 0; j < lc; j++)
            for (int i = 0; i < lr; i++)
                b[j * lr + i] = (i / BLOCK * rows + row) * BLOCK + i % BLOCK;
        double *c = allocate(M, N, descc, &lr, &lc);
        int info = redblue_pdgemm('N', 'N', M, N, K, &alpha, a, 1, 1, desca, b, 1, 1, descb, &beta, c, 1, 1, descc);
        int wrong = info != 0;
        for (int i = 0; i < lr * lc; i++)
            wrong += c[i] != 2.0 * K * (K - 1) / 2;
        MPI_Comm grid;
        MPI_Comm_split(MPI_COMM_WORLD, 0, me, &grid);
        MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, grid);
        if (me == 0)
            printf("%d processes in a %dx%d grid: %s\n", rows * cols, rows, cols,
                   wrong ? "WRONG" : "all elements as expected");
        free(a);
        free(b);
        free(c);
        MPI_Comm_free(&grid);
        Cblacs_gridexit(context);
    } else {
        MPI_Comm none;
        MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, me, &none);
    }
    MPI_Finalize();
    return 0;
}
