//! Ratios that are promised, as data: the table of `docs/schedules.md` shows them and a test holds them.
//!
//! Sizes of products are such that every index group, the product of the indices that occur in the same arrays, is at
//! least 20·√S; S is large enough for tiles of whole words to come within a few per cent of real ones.

/// At most so many hundredths of the bound are moved.
pub(crate) struct Promise {
    pub(crate) kernel: &'static str,
    pub(crate) sizes: &'static str,
    pub(crate) words: u64,
    pub(crate) hundredths: u32,
}

const fn promise(
    kernel: &'static str,
    sizes: &'static str,
    words: u64,
    hundredths: u32,
) -> Promise {
    Promise {
        kernel,
        sizes,
        words,
        hundredths,
    }
}

/// The promises.
pub(crate) const PROMISES: &[Promise] = &[
    promise("gemm", "NI=640,NJ=650,NK=660", 1024, 110),
    promise("2mm", "NI=640,NJ=650,NK=660,NL=670", 1024, 110),
    promise("3mm", "NI=640,NJ=650,NK=660,NL=670,NM=680", 1024, 110),
    promise("ab-ac-cb", "a=640,b=650,c=660", 1024, 110),
    promise("abc-bda-dc", "a=40,b=40,c=650,d=650", 1024, 110),
    promise("ab-cad-dcb", "a=640,b=650,c=40,d=40", 1024, 110),
    promise("abcd-dbea-ec", "a=10,b=10,c=650,d=10,e=650", 1024, 110),
    promise("abc-adec-ebd", "a=26,b=650,c=26,d=26,e=26", 1024, 110),
    promise("abcd-aebf-fdec", "a=26,b=26,c=26,d=26,e=26,f=26", 1024, 110),
    promise("abcd-aebf-fdec", "a=32,b=32,c=32,d=32,e=32,f=32", 1024, 110),
    promise(
        "abcdef-dega-gfbc",
        "a=9,b=9,c=9,d=9,e=9,f=9,g=650",
        1024,
        110,
    ),
    promise("abcde-efbad-cf", "a=6,b=5,c=650,d=5,e=5,f=650", 1024, 110),
    promise("doitgen", "NQ=32,NR=32,NP=1000", 1024, 110),
    promise("doitgen", "NQ=20,NR=32,NP=640", 1024, 110),
    promise("doitgen", "NQ=20,NR=20,NP=330", 256, 110),
    promise("trmm", "M=640,N=640", 1024, 200),
    promise("symm", "M=400,N=400", 256, 200),
    promise("lu", "N=640", 1024, 200),
    promise("ludcmp", "N=400", 256, 200),
    promise("syrk", "M=640,N=640", 1024, 210),
    promise("syr2k", "M=640,N=640", 1024, 210),
    promise("cholesky", "N=640", 1024, 210),
    promise("correlation", "M=400,N=400", 256, 210),
    promise("covariance", "M=400,N=400", 256, 210),
    promise("conv2d", "B=1,C=64,F=128,X=136,Y=136,H=3,W=3", 2048, 300),
    promise("conv2d", "B=1,C=3,F=32,X=544,Y=544,H=3,W=3", 2048, 300),
    promise("mgs", "M=50,N=40", 800, 500),
    promise("mgs", "M=50,N=40", 200, 700),
    promise("gramschmidt", "M=50,N=40", 800, 500),
    promise("geqr2", "M=50,N=40", 800, 500),
    promise("geqr2", "M=50,N=40", 200, 700),
    promise("org2r", "M=50,N=40", 800, 500),
    promise("org2r", "M=50,N=40", 200, 700),
    promise("attention-online", "N=8192,M=8192,D=32", 4096, 450),
    promise("attention-fused", "N=8192,M=8192,D=32", 4096, 450),
    promise("attention-fused", "N=20000,M=20000,D=32", 10000, 450),
    promise("attention-fused", "N=16384,M=16384,D=64", 16384, 450),
    promise("attention", "N=8192,M=8192,D=32", 4096, 450),
    promise("attention", "N=16384,M=16384,D=64", 16384, 450),
    promise("attention", "N=20000,M=5000,D=128", 65536, 450),
    promise("atax", "M=400,N=400", 256, 210),
    promise("bicg", "M=400,N=400", 256, 210),
    promise("mvt", "N=400", 256, 210),
    promise("gemver", "N=400", 256, 210),
    promise("gesummv", "N=400", 256, 210),
    promise("trisolv", "N=400", 256, 210),
];

/// Kernels of the same classes that move more than is wanted, with their sizes and memories.
#[allow(
    dead_code,
    reason = "the table shows them, the test has nothing to hold"
)]
pub(crate) const WANTED: &[(&str, &str, u64)] = &[
    ("gemm", "NI=60,NJ=60,NK=60", 4),
    ("gemm", "NI=282,NJ=252,NK=324", 144),
    ("2mm", "NI=301,NJ=268,NK=292,NL=253", 144),
    ("3mm", "NI=245,NJ=243,NK=301,NL=358,NM=302", 144),
    ("doitgen", "NQ=14,NR=25,NP=302", 200),
    ("2mm", "NI=463,NJ=467,NK=506,NL=503", 512),
    ("jacobi-1d", "TSTEPS=500,N=2000", 256),
    ("jacobi-2d", "TSTEPS=50,N=200", 1024),
    ("seidel-2d", "TSTEPS=50,N=200", 1024),
    ("fdtd-2d", "TMAX=50,NX=150,NY=200", 4096),
    ("heat-3d", "TSTEPS=20,N=40", 4096),
];
