/* redblue: ScaLAPACK's matrix products with the least communication.

   sub(C) = alpha * op(sub(A)) * op(sub(B)) + beta * sub(C)

   Arguments are those of PBLAS: op is chosen by 'N', 'T' or 'C', corners count from 1, descriptors have nine integers,
   integers 32 bits. With beta = 0 the old C is not read, with alpha = 0 neither are A and B. Every process of the
   BLACS context calls the function with the same arguments; only leading dimensions and the numbers of contexts may
   differ.

   The library also exports pdgemm_, psgemm_, pcgemm_ and pzgemm_ (and pdgemm, pdgemm__, PDGEMM, PDGEMM_ ...), so that
   programs that call ScaLAPACK use it when it is linked or preloaded before ScaLAPACK. They need no header. */

#ifndef REDBLUE_H
#define REDBLUE_H

#ifdef __cplusplus
extern "C" {
#endif

/* For C: 0, or -i if argument i is illegal on some process, or -(100 i + j) if entry j of descriptor i is, or 1 if the
   product could not be computed. The reason has been printed then. alpha and beta point to one number of the type of the
   matrices; complex numbers are pairs (real, imaginary). */
#define REDBLUE_DECLARE(name)                                                                                    \
    int name(char transa, char transb, int m, int n, int k, const void *alpha, const void *a, int ia, int ja,    \
             const int *desca, const void *b, int ib, int jb, const int *descb, const void *beta, void *c,       \
             int ic, int jc, const int *descc)
REDBLUE_DECLARE(redblue_psgemm); /* float */
REDBLUE_DECLARE(redblue_pdgemm); /* double */
REDBLUE_DECLARE(redblue_pcgemm); /* complex of float */
REDBLUE_DECLARE(redblue_pzgemm); /* complex of double */
#undef REDBLUE_DECLARE

/* For Fortran, and for C programs with its conventions: illegal arguments are reported as ScaLAPACK does and end the
   program, unless REDBLUE_ON_ERROR=return. */
#define REDBLUE_DECLARE(name)                                                                                    \
    void name(const char *transa, const char *transb, const int *m, const int *n, const int *k,                  \
              const void *alpha, const void *a, const int *ia, const int *ja, const int *desca, const void *b,   \
              const int *ib, const int *jb, const int *descb, const void *beta, void *c, const int *ic,          \
              const int *jc, const int *descc)
REDBLUE_DECLARE(redblue_psgemm_);
REDBLUE_DECLARE(redblue_pdgemm_);
REDBLUE_DECLARE(redblue_pcgemm_);
REDBLUE_DECLARE(redblue_pzgemm_);
#undef REDBLUE_DECLARE

#ifdef __cplusplus
}
#endif

#endif
