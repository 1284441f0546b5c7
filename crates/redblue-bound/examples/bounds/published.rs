//! What others have published, as data: the table of `docs/bounds.md` and the tests of strength compare with it.
//!
//! Sources: Olivry et al. 2020 and 2021 (PolyBench, contractions, convolutions), Chen et al. 2023 (hourglass, with the corrections
//! of theory H-13), Dinh and Demmel 2020 (regimes of products), Saha and Ye 2024 (attention, with the constants of ).

/// A kernel of PolyBench.
pub(crate) struct Row {
    /// Its name in the catalogue.
    pub(crate) kernel: &'static str,
    /// The published leading term: loads, no recomputation.
    pub(crate) published: &'static str,
    /// The leading term that must be proved here.
    pub(crate) proved: &'static str,
    /// What to know about it.
    pub(crate) note: &'static str,
}

const fn met(kernel: &'static str, published: &'static str) -> Row {
    Row {
        kernel,
        published,
        proved: published,
        note: "",
    }
}

const fn beaten(
    kernel: &'static str,
    published: &'static str,
    proved: &'static str,
    note: &'static str,
) -> Row {
    Row {
        kernel,
        published,
        proved,
        note,
    }
}

const SYMMETRY: &str = "two accesses of one array, exchanged by a symmetry";

/// The 30 kernels of PolyBench/C 4.2.1.
pub(crate) const POLYBENCH: &[Row] = &[
    met("2mm", "2*NI*NJ*(NK+NL)/sqrt(S)"),
    met("3mm", "2*NJ*(NI*NK+NI*NL+NL*NM)/sqrt(S)"),
    beaten(
        "adi",
        "N^2*TSTEPS",
        "2*N^2*TSTEPS",
        "S ≪ N: what a sweep computes forwards waits until it comes back, in both directions",
    ),
    beaten(
        "atax",
        "M*N",
        "2*M*N",
        "S ≪ N: a row is needed before and after its sum",
    ),
    met("bicg", "M*N"),
    beaten(
        "cholesky",
        "N^3/(6*sqrt(S))",
        "N^3/(3*sqrt(2)*sqrt(S))",
        SYMMETRY,
    ),
    beaten(
        "correlation",
        "M^2*N/(2*sqrt(S))",
        "M^2*N/(sqrt(2)*sqrt(S))",
        SYMMETRY,
    ),
    beaten(
        "covariance",
        "M^2*N/(2*sqrt(S))",
        "M^2*N/(sqrt(2)*sqrt(S))",
        SYMMETRY,
    ),
    beaten(
        "deriche",
        "H*W",
        "5*H*W",
        "opposite recurrences wait for each other",
    ),
    met("doitgen", "2*NQ*NR*NP^2/sqrt(S)"),
    beaten("durbin", "N^2/2", "N^2", "y and r must survive every step"),
    beaten(
        "fdtd-2d",
        "NX*NY*TMAX/(2*sqrt(2)*sqrt(S))",
        "2*NX*NY*TMAX/(3*sqrt(3)*sqrt(S))",
        "",
    ),
    beaten("floyd-warshall", "N^3/sqrt(S)", "2*N^3/sqrt(S)", ""),
    met("gemm", "2*NI*NJ*NK/sqrt(S)"),
    beaten(
        "gemver",
        "N^2",
        "2*N^2",
        "S ≪ N: A is needed for x and then for w",
    ),
    met("gesummv", "2*N^2"),
    beaten(
        "gramschmidt",
        "M*N^2/sqrt(S)",
        "M*N^2/2",
        "S ≪ M: every column must survive its scalar product",
    ),
    beaten(
        "heat-3d",
        "9*3^(1/3)*N^3*TSTEPS/(16*S^(1/3))",
        "9*3^(1/3)*N^3*TSTEPS/(16*S^(1/3))",
        "",
    ),
    beaten("jacobi-1d", "N*TSTEPS/(4*S)", "N*TSTEPS/(2*S)", ""),
    beaten(
        "jacobi-2d",
        "2*N^2*TSTEPS/(3*sqrt(3)*sqrt(S))",
        "4*N^2*TSTEPS/(3*sqrt(3)*sqrt(S))",
        "",
    ),
    met("lu", "2*N^3/(3*sqrt(S))"),
    met("ludcmp", "2*N^3/(3*sqrt(S))"),
    met("mvt", "N^2"),
    met("nussinov", "N^3/(6*sqrt(S))"),
    met("seidel-2d", "2*N^2*TSTEPS/(3*sqrt(3)*sqrt(S))"),
    beaten(
        "symm",
        "2*M^2*N/sqrt(S)",
        "2*M^2*N/sqrt(S)",
        "published as a sum of two statements that share words, which proves nothing; proved jointly here",
    ),
    beaten("syr2k", "M*N^2/sqrt(S)", "sqrt(2)*M*N^2/sqrt(S)", SYMMETRY),
    beaten(
        "syrk",
        "M*N^2/(2*sqrt(S))",
        "M*N^2/(sqrt(2)*sqrt(S))",
        SYMMETRY,
    ),
    met("trisolv", "N^2/2"),
    met("trmm", "M^2*N/sqrt(S)"),
];

/// Catalogue name and published lower bound of the eight classes of contractions.
pub(crate) const CONTRACTIONS: &[(&str, &str)] = &[
    (
        "abcde-efbad-cf",
        "-2+f-S+2*c+2*a*b*d*e+2*a*b*c*d*e*(f-1)/sqrt(S)",
    ),
    ("abcd-dbea-ec", "-2+e-S+2*c+2*a*b*d+2*a*b*c*d*(e-1)/sqrt(S)"),
    ("abc-bda-dc", "-2+d-S+2*c+2*a*b+2*a*b*c*(d-1)/sqrt(S)"),
    (
        "abcdef-dega-gfbc",
        "-2+g-S+2*a*d*e+2*b*c*f+2*a*b*c*d*e*f*(g-1)/sqrt(S)",
    ),
    (
        "abc-adec-ebd",
        "-3+d*e-S+3*a*c+3*b-a*b*c+2*a*b*c*(d*e-1)/sqrt(S)",
    ),
    ("ab-cad-dcb", "-3+c*d-S+3*a+3*b-a*b+2*a*b*(c*d-1)/sqrt(S)"),
    ("ab-ac-cb", "-2+c-S+2*a+2*b+2*a*b*(c-1)/sqrt(S)"),
    (
        "abcd-aebf-fdec",
        "-3+e*f-S+3*a*b+3*c*d-a*b*c*d+2*a*b*c*d*(e*f-1)/sqrt(S)",
    ),
];

/// Layers of a convolutional network, one image: F, C, X = Y, W = H.
pub(crate) const LAYERS: &[(i64, i64, i64, i64)] = &[
    (32, 3, 544, 3),
    (64, 32, 272, 3),
    (128, 64, 136, 3),
    (64, 128, 136, 1),
    (256, 128, 68, 3),
    (512, 256, 34, 3),
    (1024, 512, 17, 3),
    (28272, 1024, 17, 1),
];

/// The regimes of a product (D-9): S, M, N, K, and the traffic up to a constant.
pub(crate) const PRODUCTS: &[(i64, i64, i64, i64, i64)] = &[
    (4096, 1000, 1000, 1000, 15_625_000),
    (4096, 1000, 1000, 16, 1_000_000),
    (4096, 1000, 1000, 1, 1_000_000),
    (4096, 32, 100, 100, 10_000),
    (4096, 8, 1000, 8, 8_000),
    (4096, 64, 64, 64, 4_096),
    (4096, 16, 16, 16, 4_096),
    (65536, 100_000, 10, 10, 1_000_000),
];

/// Attention: N, d, S, the loads of A-4 (recomputation allowed), the words of A-5 (not allowed).
pub(crate) const ATTENTION: &[(i64, i64, i64, i64, i64)] = &[
    (1024, 64, 256, 1_016_320, 5_548_032),
    (1024, 64, 1024, 968_704, 2_253_312),
    (1024, 64, 4096, 778_240, 781_312),
    (1024, 64, 8192, 524_288, 430_080),
    (1024, 64, 16384, 262_144, 229_376),
    (1024, 64, 65536, 65_536, 49_152),
    (8192, 64, 51200, 5_368_709, 5_120_000),
];

/// M, N and S.
type Point = (i64, i64, i64);

/// Hourglass kernels: catalogue name, the sound form of the published theorem (H-11, H-13), and sizes M, N, S.
pub(crate) const HOURGLASSES: &[(&str, &str, &[Point])] = &[
    ("mgs", "M^2*N*(N-1)/(8*(S+M))", TALL),
    ("geqr2", "N*(N-1)*(3*M-N-1)*(M-N+1)/(24*(S+M-N+1))", TALL),
    ("org2r", "N*(N-1)*(3*M-2*N+1)*(M-N+1)/(24*(S+M-N+1))", TALL),
    ("gebd2", "N*(N-1)*(3*M-N-1)*(M-N+1)/(24*(S+M-N+1))", TALL),
    (
        "gehd2",
        "7*N^4/(96*(N+2*S))",
        &[(100, 100, 64), (1000, 1000, 1024), (1000, 1000, 16384)],
    ),
];

const TALL: &[Point] = &[
    (100, 50, 64),
    (100, 50, 400),
    (1000, 200, 1024),
    (1000, 200, 8192),
    (4096, 512, 32768),
];
