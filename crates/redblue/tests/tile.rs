//! The command `tile`: schedules stay above the bound, fit the memory, and compute what the program computes.

mod common;

use common::{Run, redblue_in, root};
use serde_json::Value;

fn redblue(arguments: &[&str]) -> Run {
    redblue_in(&root(), arguments, b"")
}

fn tile(input: &[&str]) -> Value {
    let run = redblue(&[&["tile"], input, &["--format", "json"]].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

/// The example of the literature: at most what the best public tool's tiling moves.
#[test]
fn a_large_product_moves_little_more_than_it_must() {
    let tiled = tile(&["gemm", "-D", "NI=2000,NJ=1500,NK=1500", "-S", "1024"]);
    let total = tiled["traffic"]["total"].as_u64().unwrap();
    assert!(total <= 296_322_580, "{total}");
    assert!(tiled["tiling"]["fast_words"].as_u64().unwrap() <= 1024);
    let ratio = tiled["ratio"].as_f64().unwrap();
    assert!((1.0..=1.1).contains(&ratio), "{ratio}");
}

#[test]
fn nested_memories_have_one_order_and_their_own_traffic() {
    let input = ["matmul", "-D", "M=96,N=96,K=96", "-S", "64,1024"];
    let document = tile(&input);
    let levels = document["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 2);
    for (level, words) in levels.iter().zip([64, 1024]) {
        assert_eq!(level["S"], words);
        assert!(level["fast_words"].as_u64().unwrap() <= words);
        // Each level is measured against its own bound, which the other level moves it away from.
        let ratio = level["ratio"].as_f64().unwrap();
        assert!((1.0..3.0).contains(&ratio), "{ratio} with {words} words");
    }
    let moved = |level: usize| levels[level]["traffic"]["total"].as_u64().unwrap();
    assert!(moved(1) < moved(0));
    assert_eq!(document["traffic"], levels[1]["traffic"]);
    let alone = tile(&["matmul", "-D", "M=96,N=96,K=96", "-S", "1024"]);
    assert!(alone["traffic"]["total"].as_u64().unwrap() <= moved(1));
    assert!(alone.get("levels").is_none());
}

/// `tile` of C on standard input.
fn tile_c(source: &str, options: &[&str]) -> Run {
    let arguments = [&["tile", "-", "-S", "60"], options].concat();
    redblue_in(&root(), &arguments, source.as_bytes())
}

/// Small sizes at which a program leaves its arrays say nothing of those that are asked about.
#[test]
fn only_the_sizes_asked_about_must_stay_inside_arrays() {
    let square = "void f(int N, int M, double A[N][M], double B[N][M], double C[N][M]) {
        for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) for (int k = 0; k < M; k++)
            C[i][j] += A[i][k] * B[k][j]; }";
    // No small sizes that differ by little are inside.
    let twice = "void f(int N, int M, double A[N], double B[M]) {
        for (int i = 0; i < M; i++) for (int j = 0; j < 2 * M; j++) B[i] += A[j]; }";
    for (source, inside, outside) in [
        (square, "N=40,M=30", "N=30,M=40"),
        (twice, "N=80,M=30", "N=59,M=30"),
    ] {
        let inside = tile_c(source, &["-D", inside]);
        assert_eq!(inside.code, Some(0), "{}", inside.stderr);
        assert!(inside.stdout.contains("(ratio 1"), "{}", inside.stdout);
        let outside = tile_c(source, &["-D", outside]);
        assert_eq!(outside.code, Some(2), "{}", outside.stdout);
        let said = &outside.stderr;
        assert!(said.contains("outside the array"), "{said}");
    }
}

/// Sizes may come from the source, and have any name.
#[test]
fn sizes_of_the_source_are_taken() {
    let defined = tile_c(
        "#define N 20\nvoid f(double A[N], double B[N]) {
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) B[i] += A[j]; }",
        &[],
    );
    assert!(defined.stdout.contains("at N=20"), "{}", defined.stderr);
    let named = tile_c(
        "void f(int c0, int c1, double A[c1][c0], double B[c0]) {
        for (int i = 0; i < c0; i++) for (int j = 0; j < c1; j++) B[i] += A[j][i]; }",
        &["-D", "c0=20,c1=30"],
    );
    assert_eq!(named.code, Some(0), "{}", named.stderr);
}

#[test]
fn sweeps_are_tables_and_one_document() {
    let sweep = ["matmul", "-D", "M=16..32:16,N=16,K=16", "-S", "24..48:log2"];
    let document = tile(&sweep);
    let results = document["results"].as_array().unwrap();
    let asked: Vec<(i64, u64)> = results
        .iter()
        .map(|one| {
            let rows = one["sizes"]["M"].as_i64().unwrap();
            (rows, one["S"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(asked, [(16, 24), (16, 48), (32, 24), (32, 48)]);
    // The whole document is about the result that is farthest from its bound.
    let ratios = results.iter().map(|one| one["ratio"].as_f64().unwrap());
    assert_eq!(document["ratio"].as_f64(), ratios.reduce(f64::max));
    let table = redblue(&[&["tile"], &sweep[..], &["--format", "csv"]].concat());
    let lines: Vec<&str> = table.stdout.lines().collect();
    assert_eq!(lines.len(), 5, "{}", table.stdout);
    for (line, one) in lines[1..].iter().zip(results) {
        let total = one["traffic"]["total"].to_string();
        assert!(line.contains(&format!(",{total},")), "{line}");
    }
    let code = redblue(&[&["tile"], &sweep[..], &["--emit", "c"]].concat());
    assert_eq!(code.code, Some(2));
    assert!(code.stderr.contains("RB0412"), "{}", code.stderr);
}

/// Generated code of tiled orders gives the same results, bit for bit.
#[test]
fn tiled_code_computes_the_same() {
    for input in [
        ["gemm", "-D", "NI=20,NJ=25,NK=30", "-S", "128"],
        ["gemm", "-D", "NI=20,NJ=25,NK=30", "-S", "16,128"],
        ["lu", "-D", "N=30", "-S", "64"],
        ["attention-online", "-D", "N=12,M=10,D=4", "-S", "64"],
    ] {
        let run = redblue(&[&["tile"], &input[..], &["--verify"]].concat());
        assert_eq!(run.code, Some(0), "{input:?}: {}", run.stderr);
        assert!(run.stderr.contains("the same"), "{}", run.stderr);
    }
}

/// Sums in any order, in the bound and in the schedule; code for speed keeps them as they are and says so.
#[test]
fn sums_may_be_freed() {
    let input = ["ab-cad-dcb", "-D", "a=9,b=8,c=7,d=6", "-S", "20"];
    let run = redblue(&[&["tile"], &input[..], &["--reassociate", "--verify"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("the same"), "{}", run.stderr);
    let free = tile(&[&input[..], &["--reassociate"]].concat());
    assert_eq!(free["model"]["sums"], "free");
    assert!(free["ratio"].as_f64().unwrap() >= 1.0);
    let fast = ["tile", "gemm", "--for", "speed", "--emit", "c"];
    let run = redblue(&[&fast[..], &["--reassociate"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("keeps the order"), "{}", run.stderr);
}

#[test]
fn code_is_printed_instead_of_the_tiling() {
    let input = ["tile", "gemm", "-D", "NI=20,NJ=25,NK=30", "-S", "128"];
    let c = redblue(&[&input[..], &["--emit", "c"]].concat());
    assert!(c.stdout.contains("C[i][j] +="), "{}", c.stdout);
    let rust = redblue(&[&input[..], &["--emit", "rust"]].concat());
    assert!(rust.stdout.contains("pub fn"), "{}", rust.stdout);
}

#[test]
fn a_memory_too_small_for_one_statement_is_refused() {
    let run = redblue(&["tile", "gemm", "-D", "NI=20,NJ=25,NK=30", "-S", "2"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("error[RB04"), "{}", run.stderr);
}

/// A triangular solve, whose update sums over k what the rows i before gave.
const SOLVE: &str = "void solve(int N, int M, double B[N][M], double L[N][N]) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            for (int k = 0; k < i; k++)
                B[i][j] -= L[i][k] * B[k][j];
            B[i][j] /= L[i][i];
        }
}";

/// Loops that run after each other are told apart, and different loops have different names.
#[test]
fn loops_read_like_loops() {
    let run = redblue(&["tile", "softmax", "-D", "N=300,M=30", "-S", "64"]);
    assert_eq!(run.stdout.matches("<< ").count(), 6, "{}", run.stdout);
    assert_eq!(run.stdout.matches("| for ").count(), 3, "{}", run.stdout);
    let run = redblue_in(
        &root(),
        &["tile", "-", "-D", "N=60,M=50", "-S", "200"],
        SOLVE.as_bytes(),
    );
    for line in ["for j in tiles of", "for i in tiles of", "for k\n"] {
        assert!(run.stdout.contains(line), "no `{line}`: {}", run.stdout);
    }
    let run = redblue(&["tile", "ik,kj->ij", "-D", "i=30,j=30,k=30", "-S", "100"]);
    assert!(run.stdout.contains("for k\n"), "{}", run.stdout);
}

/// What is counted is compared with a bound of the same, in words and in numbers.
#[test]
fn loads_are_compared_with_loads() {
    let input = [
        "gemm",
        "-D",
        "NI=20,NJ=25,NK=30",
        "-S",
        "64",
        "--count",
        "loads",
    ];
    let tiled = tile(&input);
    let loads = tiled["traffic"]["loads"].as_u64().unwrap();
    assert!(loads < tiled["traffic"]["total"].as_u64().unwrap());
    assert_eq!(tiled["formula"]["value"].as_u64(), Some(loads));
    let run = redblue(&[&["tile"], &input[..]].concat());
    let line = format!("\n{loads} words are loaded; no schedule loads less than ");
    assert!(run.stdout.contains(&line), "{}", run.stdout);
}

/// Numbers that do not fit 64 bits are rounded up, not cut.
#[test]
fn huge_sizes_have_huge_traffic() {
    let tiled = tile(&[
        "matmul",
        "-D",
        "M=1000000000,N=1000000000,K=1000000000",
        "-S",
        "1000",
    ]);
    let total = tiled["traffic"]["total"].as_f64().unwrap();
    // Tiles of 31 x 31 words: 2 N^3 / 31 loads and N^2 stores.
    assert!((6.4e25..6.6e25).contains(&total), "{total}");
    assert!(total >= tiled["lower_bound"]["value"].as_f64().unwrap());
}

/// Sums of a backward solve in another order: small results are differences of large ones, so they are less close.
#[test]
fn reordered_sums_are_compared_by_the_largest_result() {
    for element in ["double", "float"] {
        let text = format!(
            "void back(int N, int M, {element} B[N][M], {element} U[N][N]) {{
                for (int i = N - 1; i >= 0; i--)
                    for (int j = 0; j < M; j++) {{
                        for (int k = i + 1; k < N; k++)
                            B[i][j] -= U[i][k] * B[k][j];
                        B[i][j] /= U[i][i];
                    }}
            }}"
        );
        let input = ["tile", "-", "-D", "N=96,M=96", "-S", "500"];
        let free = [&input[..], &["--reassociate", "--verify"]].concat();
        let run = redblue_in(&root(), &free, text.as_bytes());
        assert_eq!(run.code, Some(0), "{element}: {}", run.stderr);
    }
}

/// Neighbours are other cells: three rows stay where they fit, or those of a strip of columns, and cells are read about once.
#[test]
fn neighbours_stay_until_they_are_used_again() {
    let text = "void smooth(int N, double B[N][N], double A[N][N]) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                B[i][j] = A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];
    }";
    // All cells but the corners are read, all inner ones written; a strip reads two more columns than it writes.
    let once = 100 * 100 - 4 + 98 * 98;
    for (words, most) in [("400", once), ("200", once + 2 * 98)] {
        let input = ["tile", "-", "-D", "N=100", "-S", words, "--format", "json"];
        let run = redblue_in(&root(), &input, text.as_bytes());
        let tiled: Value = serde_json::from_str(&run.stdout).unwrap();
        let total = tiled["traffic"]["total"].as_u64().unwrap();
        assert!(total <= most, "{total} with {words} words");
    }
}
