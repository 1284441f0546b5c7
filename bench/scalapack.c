/* Times ScaLAPACK's pdgemm: C = A*B with square blocks on a process grid.

       mpirun -n P scalapack M N K ROWS COLUMNS BLOCK WARMUP RUNS

   ROWS * COLUMNS processes must be P. Elements are the same kind of random numbers on every grid; the result is
   checked with a vector of ones, so that a wrong set-up cannot pass as a fast one. Rank 0 prints one line:

       scalapack M N K ROWS COLUMNS BLOCK seconds... kernel NAME

   with the seconds of the slowest process for every run, and the kernels that OpenBLAS picked. */

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern void Cblacs_pinfo(int *, int *);
extern void Cblacs_get(int, int, int *);
extern void Cblacs_gridinit(int *, const char *, int, int);
extern void Cblacs_gridinfo(int, int *, int *, int *, int *);
extern int numroc_(const int *, const int *, const int *, const int *, const int *);
extern void descinit_(int *, const int *, const int *, const int *, const int *, const int *, const int *, const int *,
                      const int *, int *);
extern void pdgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                    const int *, const int *, const int *, const double *, const int *, const int *, const int *,
                    const double *, double *, const int *, const int *, const int *);
extern char *openblas_get_corename(void) __attribute__((weak));

static int zero = 0, one = 1;

struct matrix {
    int rows, cols, local_rows, local_cols, desc[9];
    double *data;
};

static struct matrix make(int rows, int cols, int block, int context, int grid_rows, int grid_cols, int row, int col)
{
    struct matrix x = {.rows = rows, .cols = cols};
    int info, lead;
    x.local_rows = numroc_(&rows, &block, &row, &zero, &grid_rows);
    x.local_cols = numroc_(&cols, &block, &col, &zero, &grid_cols);
    lead = x.local_rows > 0 ? x.local_rows : 1;
    descinit_(x.desc, &rows, &cols, &block, &block, &zero, &zero, &context, &lead, &info);
    size_t words = (size_t)lead * (x.local_cols > 0 ? x.local_cols : 1);
    x.data = malloc(words * sizeof(double));
    if (info != 0 || x.data == NULL) {
        fprintf(stderr, "scalapack: no room or bad descriptor (%d)\n", info);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (size_t i = 0; i < words; i++)
        x.data[i] = 2.0 * rand() / RAND_MAX - 1.0;
    return x;
}

/* Row sums (along = 1) or column sums (along = 0) of a matrix, on all processes, weighted. */
static double *sums(struct matrix x, int along, const double *weight, int block, int grid_rows, int grid_cols, int row,
                    int col)
{
    int length = along ? x.rows : x.cols;
    double *sum = calloc(length, sizeof(double));
    for (int j = 0; j < x.local_cols; j++)
        for (int i = 0; i < x.local_rows; i++) {
            int gi = (i / block * grid_rows + row) * block + i % block;
            int gj = (j / block * grid_cols + col) * block + j % block;
            double w = weight ? weight[along ? gj : gi] : 1.0;
            sum[along ? gi : gj] += w * x.data[(size_t)j * x.local_rows + i];
        }
    MPI_Allreduce(MPI_IN_PLACE, sum, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 9) {
        fprintf(stderr, "usage: scalapack M N K ROWS COLUMNS BLOCK WARMUP RUNS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]), rows = atoi(argv[4]), cols = atoi(argv[5]);
    int block = atoi(argv[6]), warmup = atoi(argv[7]), runs = atoi(argv[8]);
    int rank, ranks, context, row, col;
    Cblacs_pinfo(&rank, &ranks);
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", rows, cols);
    Cblacs_gridinfo(context, &rows, &cols, &row, &col);
    if (rows * cols != ranks) {
        fprintf(stderr, "scalapack: %d processes are no %d by %d grid\n", ranks, rows, cols);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    srand(1 + rank);
    struct matrix a = make(m, k, block, context, rows, cols, row, col);
    struct matrix b = make(k, n, block, context, rows, cols, row, col);
    struct matrix c = make(m, n, block, context, rows, cols, row, col);
    double alpha = 1.0, beta = 0.0;
    if (rank == 0)
        printf("scalapack %d %d %d %d %d %d", m, n, k, rows, cols, block);
    for (int run = 0; run < warmup + runs; run++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        pdgemm_("N", "N", &m, &n, &k, &alpha, a.data, &one, &one, a.desc, b.data, &one, &one, b.desc, &beta, c.data,
                &one, &one, c.desc);
        double mine = MPI_Wtime() - start, slowest;
        MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0 && run >= warmup)
            printf(" %.6f", slowest);
    }
    double *image = sums(b, 1, NULL, block, rows, cols, row, col);
    double *expected = sums(a, 1, image, block, rows, cols, row, col);
    double *found = sums(c, 1, NULL, block, rows, cols, row, col);
    double worst = 0.0;
    for (int i = 0; i < m; i++)
        worst = fmax(worst, fabs(expected[i] - found[i]));
    if (!(worst <= 1e-10 * k * sqrt(n))) {
        fprintf(stderr, "scalapack: wrong result, %g\n", worst);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0)
        printf(" kernel %s\n", openblas_get_corename ? openblas_get_corename() : "unknown");
    MPI_Finalize();
    return 0;
}
