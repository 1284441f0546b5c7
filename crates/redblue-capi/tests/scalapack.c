/* A ScaLAPACK program that knows nothing of redblue: it multiplies distributed matrices by PBLAS and compares the
   results with three loops. Usage, under a launcher:

       scalapack random SEED COUNT    random shapes, blocks, sub-matrices, operations and factors, all four types
       scalapack table                the volumes of a table of descriptors, if volume.c is preloaded
       scalapack full                 the same for large matrices, without comparing the results
       scalapack lu                   a factorisation, whose products are sub-matrices of one array
       scalapack error CASE           an illegal argument
       scalapack time                 seconds of products, the best of a few

   Every process holds the whole matrices, too, as functions of row and column. */

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void Cblacs_pinfo(int *, int *);
void Cblacs_get(int, int, int *);
void Cblacs_gridinit(int *, const char *, int, int);
void Cblacs_gridinfo(int, int *, int *, int *, int *);
void Cblacs_gridexit(int);
void Cblacs_exit(int);
int numroc_(const int *, const int *, const int *, const int *, const int *);
void pdgetrf_(const int *, const int *, double *, const int *, const int *, const int *, int *, int *);
#define PRODUCT(name)                                                                                            \
    void name(const char *, const char *, const int *, const int *, const int *, const void *, const void *,     \
              const int *, const int *, const int *, const void *, const int *, const int *, const int *,        \
              const void *, void *, const int *, const int *, const int *)
PRODUCT(psgemm_);
PRODUCT(pdgemm_);
PRODUCT(pcgemm_);
PRODUCT(pzgemm_);

static int me, processes;

static unsigned long long state;

static int draw(int low, int high)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (int)((state >> 33) % (unsigned)(high - low + 1));
}

/* A block-cyclic matrix, and a sub-matrix of it. */
struct matrix {
    int m, n, mb, nb, rsrc, csrc, lld, i, j, rows, cols;
    int desc[9];
    int local_rows, local_cols;
    char type;
    void *words;
};

struct grid {
    int context, rows, cols, row, col;
};

static size_t size_of(char type)
{
    return type == 's' ? 4 : type == 'z' ? 16 : 8;
}

static double complex get(const struct matrix *x, size_t place)
{
    switch (x->type) {
    case 's':
        return ((float *)x->words)[place];
    case 'd':
        return ((double *)x->words)[place];
    case 'c':
        return ((float complex *)x->words)[place];
    default:
        return ((double complex *)x->words)[place];
    }
}

static void put(char type, void *words, size_t place, double complex value)
{
    switch (type) {
    case 's':
        ((float *)words)[place] = (float)creal(value);
        break;
    case 'd':
        ((double *)words)[place] = creal(value);
        break;
    case 'c':
        ((float complex *)words)[place] = (float complex)value;
        break;
    default:
        ((double complex *)words)[place] = value;
    }
}

/* Small numbers, exact in every type. */
static double complex element(int seed, int i, int j, char type)
{
    int mixed = (i * 31 + j * 17 + seed * 7) % 11;
    double complex value = mixed - 5;
    return type == 's' || type == 'd' ? value : value + (mixed * 3 % 7 - 3) * I;
}

static int global(int local, int block, int place, int source, int places)
{
    return (local / block * places + (place - source + places) % places) * block + local % block;
}

static void make(struct matrix *x, const struct grid *grid, char type, int seed, int poison)
{
    x->local_rows = numroc_(&x->m, &x->mb, &grid->row, &x->rsrc, &grid->rows);
    x->local_cols = numroc_(&x->n, &x->nb, &grid->col, &x->csrc, &grid->cols);
    x->lld = (x->local_rows > 1 ? x->local_rows : 1) + x->lld;
    int desc[9] = {1, grid->context, x->m, x->n, x->mb, x->nb, x->rsrc, x->csrc, x->lld};
    memcpy(x->desc, desc, sizeof desc);
    x->type = type;
    x->words = malloc(size_of(type) * ((size_t)x->lld * (x->local_cols + 1) + 1));
    for (int j = 0; j < x->local_cols; j++)
        for (int i = 0; i < x->lld; i++) {
            int row = global(i, x->mb, grid->row, x->rsrc, grid->rows);
            int col = global(j, x->nb, grid->col, x->csrc, grid->cols);
            double complex value = i < x->local_rows ? element(seed, row, col, type) : 77;
            int inside = row >= x->i - 1 && row < x->i - 1 + x->rows && col >= x->j - 1 && col < x->j - 1 + x->cols;
            if (poison && i < x->local_rows && inside)
                value = type == 's' || type == 'd' ? NAN : NAN + NAN * I;
            put(type, x->words, (size_t)j * x->lld + i, value);
        }
}

static void multiply(char type, const char *ta, const char *tb, int m, int n, int k, const void *alpha,
                     const struct matrix *a, const struct matrix *b, const void *beta, const struct matrix *c)
{
#define CALL(name)                                                                                               \
    name(ta, tb, &m, &n, &k, alpha, a->words, &a->i, &a->j, a->desc, b->words, &b->i, &b->j, b->desc, beta,      \
         c->words, &c->i, &c->j, c->desc)
    switch (type) {
    case 's':
        CALL(psgemm_);
        break;
    case 'd':
        CALL(pdgemm_);
        break;
    case 'c':
        CALL(pcgemm_);
        break;
    default:
        CALL(pzgemm_);
    }
}

static double complex operand(char op, int seed, const struct matrix *x, int i, int j)
{
    if (op == 'N')
        return element(seed, x->i - 1 + i, x->j - 1 + j, x->type);
    double complex value = element(seed, x->i - 1 + j, x->j - 1 + i, x->type);
    return op == 'C' ? conj(value) : value;
}

/* Compares this process's part of C with three loops, and everything around it with what it was. All numbers are small
   integers, so results are exact. */
static int check(const struct grid *grid, char ta, char tb, int k, double complex alpha, double complex beta,
                 const struct matrix *a, const struct matrix *b, const struct matrix *c)
{
    int wrong = 0;
    for (int j = 0; j < c->local_cols; j++)
        for (int i = 0; i < c->lld; i++) {
            int row = global(i, c->mb, grid->row, c->rsrc, grid->rows) - (c->i - 1);
            int col = global(j, c->nb, grid->col, c->csrc, grid->cols) - (c->j - 1);
            double complex old = element(3, row + c->i - 1, col + c->j - 1, c->type);
            double complex expected = old;
            if (i >= c->local_rows)
                expected = 77;
            else if (row >= 0 && row < c->rows && col >= 0 && col < c->cols) {
                double complex sum = 0;
                for (int t = 0; t < k; t++)
                    sum += operand(ta, 1, a, row, t) * operand(tb, 2, b, t, col);
                expected = alpha * sum + (beta == 0 ? 0 : beta * old);
            }
            double complex found = get(c, (size_t)j * c->lld + i);
            if (!(cabs(found - expected) <= 1e-12 * cabs(expected)))
                wrong++;
        }
    return wrong;
}

static void sub_matrix(struct matrix *x, const struct grid *grid, int rows, int cols)
{
    x->rows = rows;
    x->cols = cols;
    x->i = draw(1, 12);
    x->j = draw(1, 12);
    x->m = x->i - 1 + rows + draw(0, 5);
    x->n = x->j - 1 + cols + draw(0, 5);
    x->mb = draw(1, 9);
    x->nb = draw(1, 9);
    x->rsrc = draw(0, grid->rows - 1);
    x->csrc = draw(0, grid->cols - 1);
    x->lld = draw(0, 2);
}

static void start(struct grid *grid, int rows, int cols, const char *order)
{
    grid->rows = rows;
    grid->cols = cols;
    Cblacs_get(-1, 0, &grid->context);
    Cblacs_gridinit(&grid->context, order, rows, cols);
    grid->row = grid->col = -1;
    Cblacs_gridinfo(grid->context, &rows, &cols, &grid->row, &grid->col);
}

static int random_products(int seed, int count)
{
    int wrong = 0;
    for (int number = 0; number < count; number++) {
        state = 1000ULL * seed + number;
        for (int i = 0; i < 4; i++)
            draw(0, 1);
        /* Any grid, also one that leaves processes out. */
        int rows = draw(1, processes);
        int cols = draw(1, processes / rows);
        struct grid grid;
        start(&grid, rows, cols, draw(0, 1) ? "R" : "C");
        if (grid.row < 0)
            continue;
        char type = "sdcz"[draw(0, 3)];
        char ta = "NTC"[draw(0, 2)], tb = "NTC"[draw(0, 2)];
        /* Now and then nothing at all. */
        int m = draw(0, 9) ? draw(1, 40) : 0, n = draw(0, 9) ? draw(1, 40) : 0, k = draw(0, 9) ? draw(1, 40) : 0;
        double complex alpha = draw(-2, 2), beta = draw(-1, 1);
        if (type == 'c' || type == 'z')
            alpha += draw(-1, 1) * I;
        struct matrix a, b, c;
        ta == 'N' ? sub_matrix(&a, &grid, m, k) : sub_matrix(&a, &grid, k, m);
        tb == 'N' ? sub_matrix(&b, &grid, k, n) : sub_matrix(&b, &grid, n, k);
        sub_matrix(&c, &grid, m, n);
        make(&a, &grid, type, 1, 0);
        make(&b, &grid, type, 2, 0);
        make(&c, &grid, type, 3, beta == 0);
        char factors[2][16];
        put(type, factors[0], 0, alpha);
        put(type, factors[1], 0, beta);
        multiply(type, &ta, &tb, m, n, k, factors[0], &a, &b, factors[1], &c);
        int bad = check(&grid, ta, tb, k, alpha, beta, &a, &b, &c);
        if (bad) {
            printf("WRONG: seed %d number %d type %c %c%c %dx%dx%d grid %dx%d process (%d,%d): %d elements\n", seed,
                   number, type, ta, tb, m, n, k, rows, cols, grid.row, grid.col, bad);
            wrong++;
        }
        free(a.words);
        free(b.words);
        free(c.words);
        Cblacs_gridexit(grid.context);
    }
    return wrong;
}

/* m, n, k, rows and columns of the grid, block, operations, corner of every sub-matrix. */
struct row {
    int m, n, k, rows, cols, block;
    const char *ops;
    int corner;
};

static void plain(struct matrix *x, const struct row *row, int rows, int cols)
{
    x->rows = rows;
    x->cols = cols;
    x->i = x->j = 1 + row->corner;
    x->m = rows + 2 * row->corner;
    x->n = cols + 2 * row->corner;
    x->mb = x->nb = row->block;
    x->rsrc = x->csrc = x->lld = 0;
}

static void one_product(const struct row *row, const struct grid *grid, struct matrix x[3], int poison)
{
    char ta = row->ops[0], tb = row->ops[1];
    ta == 'N' ? plain(&x[0], row, row->m, row->k) : plain(&x[0], row, row->k, row->m);
    tb == 'N' ? plain(&x[1], row, row->k, row->n) : plain(&x[1], row, row->n, row->k);
    plain(&x[2], row, row->m, row->n);
    make(&x[0], grid, 'd', 1, 0);
    make(&x[1], grid, 'd', 2, 0);
    make(&x[2], grid, 'd', 3, poison);
}

static void (*begin)(void);
static void (*end)(long long *, long long *);

static int counters(void)
{
    begin = (void (*)(void))dlsym(RTLD_DEFAULT, "volume_start");
    end = (void (*)(long long *, long long *))dlsym(RTLD_DEFAULT, "volume_stop");
    if (begin && end)
        return 1;
    printf("WRONG: volume.c is not preloaded\n");
    return 0;
}

/* Prints what the busiest process moves; whether the result is wrong, if that is asked. */
static int volume(const struct row *row, const struct grid *grid, int compare)
{
    struct matrix x[3];
    double one = 1, zero = 0;
    long long sent, received, most;
    int wrong = 0;
    one_product(row, grid, x, 1);
    begin();
    multiply('d', &row->ops[0], &row->ops[1], row->m, row->n, row->k, &one, &x[0], &x[1], &zero, &x[2]);
    end(&sent, &received);
    if (compare)
        wrong = check(grid, row->ops[0], row->ops[1], row->k, 1, 0, &x[0], &x[1], &x[2]) > 0;
    most = sent > received ? sent : received;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0)
        printf("volume %dx%dx%d grid %dx%d block %d %s corner %d: %lld\n", row->m, row->n, row->k, row->rows, row->cols,
               row->block, row->ops, row->corner, most / 8);
    for (int i = 0; i < 3; i++)
        free(x[i].words);
    return wrong;
}

static int volumes(void)
{
    static const int shapes[][3] = {{96, 96, 96},  {128, 128, 128}, {64, 64, 1024}, {1024, 64, 64}, {64, 1024, 64},
                                    {256, 256, 32}, {97, 61, 83},    {40, 200, 7}};
    static const int blocks[] = {8, 32};
    static const char *const ops[] = {"NN", "TN", "NT", "TT"};
    int wrong = 0;
    if (!counters())
        return 1;
    for (int rows = 1; rows <= processes; rows++) {
        if (processes % rows)
            continue;
        struct grid grid;
        start(&grid, rows, processes / rows, "R");
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
                for (size_t o = 0; o < 4; o++)
                    for (int corner = 0; corner <= 5; corner += 5) {
                        /* Operations and sub-matrices with two shapes only, to keep the table short. */
                        if ((o || corner) && (b || (s != 0 && s != 6)))
                            continue;
                        struct row row = {shapes[s][0], shapes[s][1], shapes[s][2], grid.rows, grid.cols,
                                          blocks[b],    ops[o],       corner};
                        wrong += volume(&row, &grid, 1);
                    }
        Cblacs_gridexit(grid.context);
    }
    return wrong;
}

static int full_volumes(void)
{
    static const int shapes[][3] = {
        {1024, 1024, 1024}, {2048, 2048, 2048}, {256, 256, 65536}, {65536, 256, 256}, {4096, 4096, 256}};
    if (!counters())
        return 1;
    for (int rows = 1; rows <= processes; rows++) {
        if (processes % rows)
            continue;
        struct grid grid;
        start(&grid, rows, processes / rows, "R");
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            struct row row = {shapes[s][0], shapes[s][1], shapes[s][2], grid.rows, grid.cols, 64, "NN", 0};
            volume(&row, &grid, 0);
        }
        Cblacs_gridexit(grid.context);
    }
    return 0;
}

/* L U = P A to rounding, for a matrix with a heavy diagonal. */
static int factorisation(void)
{
    int rows = 1;
    for (int i = 1; i * i <= processes; i++)
        if (processes % i == 0)
            rows = i;
    struct grid grid;
    start(&grid, rows, processes / rows, "R");
    int n = 150, one = 1, info;
    struct row row = {n, n, n, grid.rows, grid.cols, 16, "NN", 0};
    struct matrix a;
    plain(&a, &row, n, n);
    make(&a, &grid, 'd', 1, 0);
    double *words = a.words;
    for (int j = 0; j < a.local_cols; j++)
        for (int i = 0; i < a.local_rows; i++)
            if (global(i, a.mb, grid.row, 0, grid.rows) == global(j, a.nb, grid.col, 0, grid.cols))
                words[(size_t)j * a.lld + i] += 50 * n;
    int *pivots = malloc(sizeof(int) * (a.local_rows + a.mb));
    pdgetrf_(&n, &n, words, &one, &one, a.desc, pivots, &info);
    double *whole = calloc((size_t)n * n, sizeof *whole);
    for (int j = 0; j < a.local_cols; j++)
        for (int i = 0; i < a.local_rows; i++) {
            int r = global(i, a.mb, grid.row, 0, grid.rows), c = global(j, a.nb, grid.col, 0, grid.cols);
            whole[(size_t)c * n + r] = words[(size_t)j * a.lld + i];
        }
    MPI_Allreduce(MPI_IN_PLACE, whole, n * n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    /* The diagonal is so heavy that nothing is exchanged. */
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int t = 0; t <= i && t <= j; t++)
                sum += (t == i ? 1 : whole[(size_t)t * n + i]) * whole[(size_t)j * n + t];
            double expected = creal(element(1, i, j, 'd')) + (i == j ? 50 * n : 0);
            if (fabs(sum - expected) > worst)
                worst = fabs(sum - expected);
        }
    if (info || !(worst < 1e-9)) {
        printf("WRONG: factorisation: info %d, error %g\n", info, worst);
        return 1;
    }
    return 0;
}

/* Illegal arguments; those that differ between processes are illegal on the last one only. */
static int error(const char *which)
{
    struct grid grid;
    start(&grid, 1, processes, "R");
    int m = 8, n = 8, k = 8, last = me == processes - 1;
    struct row row = {m, n, k, 1, processes, 2, "NN", 0};
    struct matrix x[3];
    double one = 1, zero = 0, alpha = 1;
    one_product(&row, &grid, x, 0);
    char ta = 'N';
    if (!strcmp(which, "trans"))
        ta = 'X';
    if (!strcmp(which, "size"))
        m = -1;
    if (!strcmp(which, "corner"))
        x[1].j = 2;
    if (!strcmp(which, "lead") && last)
        x[0].desc[8] = 3;
    if (!strcmp(which, "block"))
        x[2].desc[4] = 0;
    if (!strcmp(which, "differs"))
        k = last ? 7 : 8;
    if (!strcmp(which, "alpha"))
        alpha = last ? 2 : 1;
    if (!strcmp(which, "context"))
        x[0].desc[1] = x[1].desc[1] = x[2].desc[1] = 77;
    if (!strcmp(which, "type"))
        x[1].desc[0] = 7;
    multiply('d', &ta, "N", m, n, k, &alpha, &x[0], &x[1], &zero, &x[2]);
    /* With REDBLUE_ON_ERROR=return: nothing has been written. */
    one_product(&row, &grid, x, 0);
    multiply('d', "N", "N", 8, 8, 8, &one, &x[0], &x[1], &zero, &x[2]);
    printf("returned\n");
    return check(&grid, 'N', 'N', 8, 1, 0, &x[0], &x[1], &x[2]);
}

static int times(void)
{
    static const int shapes[][3] = {
        {1024, 1024, 1024}, {2048, 2048, 2048}, {256, 256, 65536}, {65536, 256, 256}, {4096, 4096, 256}};
    int rows = 1;
    for (int i = 1; i * i <= processes; i++)
        if (processes % i == 0)
            rows = i;
    struct grid grid;
    start(&grid, rows, processes / rows, "R");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct row row = {shapes[s][0], shapes[s][1], shapes[s][2], grid.rows, grid.cols, 64, "NN", 0};
        struct matrix x[3];
        double one = 1, zero = 0, best = 1e9;
        one_product(&row, &grid, x, 0);
        for (int i = 0; i < 7; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            multiply('d', "N", "N", row.m, row.n, row.k, &one, &x[0], &x[1], &zero, &x[2]);
            MPI_Barrier(MPI_COMM_WORLD);
            double seconds = MPI_Wtime() - begin;
            best = seconds < best ? seconds : best;
        }
        if (me == 0)
            printf("time %dx%dx%d grid %dx%d: %.4f s, %.1f GFLOP/s\n", row.m, row.n, row.k, row.rows, row.cols, best,
                   2e-9 * row.m * row.n * row.k / best);
        for (int i = 0; i < 3; i++)
            free(x[i].words);
    }
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    Cblacs_pinfo(&me, &processes);
    const char *what = argc > 1 ? argv[1] : "";
    int wrong = 0;
    if (!strcmp(what, "random") && argc > 3)
        wrong = random_products(atoi(argv[2]), atoi(argv[3]));
    else if (!strcmp(what, "table"))
        wrong = volumes();
    else if (!strcmp(what, "full"))
        wrong = full_volumes();
    else if (!strcmp(what, "lu"))
        wrong = factorisation();
    else if (!strcmp(what, "error") && argc > 2)
        wrong = error(argv[2]);
    else if (!strcmp(what, "time"))
        wrong = times();
    else
        wrong = 1;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0 && wrong == 0)
        printf("%d processes: fine\n", processes);
    fflush(stdout);
    Cblacs_exit(1);
    MPI_Finalize();
    return wrong != 0;
}
