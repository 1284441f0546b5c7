//! What is known about PolyBench when its own header cannot be found.

/// The header's name.
pub(super) const HEADER: &str = "polybench.h";

/// The switch by which the header makes `_PB_N` mean `N`.
pub(super) const SIZES_AS_BOUNDS: &str = "POLYBENCH_USE_SCALAR_LB";

/// Stands for the header: the macros a kernel needs, for sizes as loop bounds and no padding.
pub(super) const STAND_IN: &str = "\
#define POLYBENCH_LOOP_BOUND(size, variable) size
#define POLYBENCH_1D(a, n1, v1) a[n1]
#define POLYBENCH_2D(a, n1, n2, v1, v2) a[n1][n2]
#define POLYBENCH_3D(a, n1, n2, n3, v1, v2, v3) a[n1][n2][n3]
#define POLYBENCH_4D(a, n1, n2, n3, n4, v1, v2, v3, v4) a[n1][n2][n3][n4]
#define POLYBENCH_5D(a, n1, n2, n3, n4, n5, v1, v2, v3, v4, v5) a[n1][n2][n3][n4][n5]
#ifndef DATA_TYPE
#define DATA_TYPE double
#endif
#ifndef SCALAR_VAL
#define SCALAR_VAL(x) x
#define SQRT_FUN(x) sqrt(x)
#define EXP_FUN(x) exp(x)
#define POW_FUN(x, y) pow(x, y)
#endif
";

/// The size that an undefined `_PB_N` means.
pub(super) fn size_of_bound(name: &str) -> Option<&str> {
    name.strip_prefix("_PB_").filter(|size| !size.is_empty())
}
