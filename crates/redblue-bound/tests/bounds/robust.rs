//! Spelling does not matter: rewritten kernels get the bound of the plain one.

use crate::arena::{Field, MODELS};
use crate::common::{LOADS, at, best, bounds, kernel, source};
use redblue_cert::Counted;
use redblue_math::Assignment;
use redblue_math::random::Random;
use redblue_poly::{Map, Set};
use redblue_program::catalogue::{self, Entry, Source};
use redblue_program::{Access, Expression, Program, Statement};
use redblue_testkit::Arena;
use redblue_testkit::sums::free_sums;

const PLAIN: &str = "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
  C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}";

const REWRITTEN: &[(&str, &str)] = &[
    (
        "renamed and permuted",
        "void g(int N, double X[N][N], double Y[N][N], double Z[N][N]) {
#pragma scop
for (int q = 0; q < N; q++) for (int r = 0; r < N; r++) for (int p = 0; p < N; p++)
  Z[p][r] = Z[p][r] + Y[q][r] * X[p][q];
#pragma endscop
}",
    ),
    (
        "scalar accumulator",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
double acc;
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
  acc = C[i][j];
  for (int k = 0; k < N; k++) acc += A[i][k] * B[k][j];
  C[i][j] = acc;
}
#pragma endscop
}",
    ),
    (
        "tiled",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
#pragma scop
for (int kk = 0; kk < N; kk += 32)
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)
for (int k = kk; k < (kk + 32 < N ? kk + 32 : N); k++)
  C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}",
    ),
    (
        "tiles counted from zero",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
#pragma scop
for (int it = 0; it < N/8; it++) for (int jt = 0; jt < N/8; jt++) for (int kt = 0; kt < N/8; kt++)
for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) for (int k = 0; k < 8; k++)
  C[8*it+i][8*jt+j] += A[8*it+i][8*kt+k] * B[8*kt+k][8*jt+j];
#pragma endscop
}",
    ),
    (
        "tiles that are packed and summed apart",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
double packed[8][8], sum[8][8];
#pragma scop
for (int it = 0; it < N/8; it++) for (int jt = 0; jt < N/8; jt++) {
  for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) sum[i][j] = C[8*it+i][8*jt+j];
  for (int kt = 0; kt < N/8; kt++) {
    for (int i = 0; i < 8; i++) for (int k = 0; k < 8; k++) packed[i][k] = A[8*it+i][8*kt+k];
    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) for (int k = 0; k < 8; k++)
      sum[i][j] += packed[i][k] * B[8*kt+k][8*jt+j];
  }
  for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) C[8*it+i][8*jt+j] = sum[i][j];
}
#pragma endscop
}",
    ),
    (
        "flat indices",
        "void f(int N, double *A, double *B, double *C) {
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
  C[i*N+j] += A[i*N+k] * B[k*N+j];
#pragma endscop
}",
    ),
    (
        "a dead statement",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
double t[N][N];
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) {
  t[i][j] = A[i][k] + B[i][j];
  C[i][j] += A[i][k] * B[k][j];
}
#pragma endscop
}",
    ),
    (
        "an unrelated statement",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N], double x[N], double y[N]) {
#pragma scop
for (int i = 0; i < N; i++) y[i] = 2.0 * x[i];
for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
  C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}",
    ),
];

#[test]
fn rewritten_products_get_the_same_bound() {
    let point = at(&[("N", 1000)], 4096);
    let plain = best(&bounds(&source(PLAIN), LOADS), &point, Counted::Loads);
    assert!(plain > 31_000_000.into());
    for (how, text) in REWRITTEN {
        let value = best(&bounds(&source(text), LOADS), &point, Counted::Loads);
        assert!(value >= plain, "{how}: {value} < {plain}");
    }
}

/// Where operands are stored by tiles, loops over tiles stay loops of their own, and only the first sums of tiles are lost.
#[test]
fn operands_stored_by_tiles() {
    let text = "void f(int N, double A[N/8][N/8][8][8], double B[N/8][N/8][8][8], double C[N][N]) {
#pragma scop
for (int it = 0; it < N/8; it++) for (int jt = 0; jt < N/8; jt++) for (int kt = 0; kt < N/8; kt++)
for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) for (int k = 0; k < 8; k++)
  C[8*it+i][8*jt+j] += A[it][kt][i][k] * B[kt][jt][k][j];
#pragma endscop
}";
    let point = at(&[("N", 1000)], 4096);
    let value = best(&bounds(&source(text), LOADS), &point, Counted::Loads);
    // 2·N³/√S − N² + what the plain product has besides.
    assert!(value > 30_250_000.into(), "{value}");
}

#[test]
fn floors_in_loop_bounds() {
    let text = PLAIN.replace("i < N", "i < N/4");
    let point = at(&[("N", 4000)], 4096);
    let value = best(&bounds(&source(&text), LOADS), &point, Counted::Loads);
    // 2·(N/4)·N·N/√S − S.
    assert!(value > 499_990_000.into(), "{value}");
}

const SYRK: &str = "void f(int N, int M, double A[N][M], double C[N][N]) {
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) for (int k = 0; k < M; k++)
  C[i][j] += A[i][k] * A[j][k];
#pragma endscop
}";

const SYRK_REWRITTEN: &[(&str, &str)] = &[
    (
        "flat indices",
        "void f(int N, int M, double *A, double *C) {
#pragma scop
for (int i = 0; i < N; i++) for (int k = 0; k < M; k++) for (int j = 0; j <= i; j++)
  C[i*N+j] += A[i*M+k] * A[j*M+k];
#pragma endscop
}",
    ),
    (
        "tiled",
        "void f(int N, int M, double A[N][M], double C[N][N]) {
#pragma scop
for (int ii = 0; ii < N; ii += 32) for (int jj = 0; jj <= ii; jj += 32)
for (int i = ii; i < (ii + 32 < N ? ii + 32 : N); i++)
for (int j = jj; j < jj + 32 && j <= i; j++) for (int k = 0; k < M; k++)
  C[i][j] += A[i][k] * A[j][k];
#pragma endscop
}",
    ),
    (
        "rows from the last to the first",
        "void f(int N, int M, double A[N][M], double C[N][N]) {
#pragma scop
for (int r = 0; r < N; r++) for (int j = 0; j < N - r; j++) for (int k = 0; k < M; k++)
  C[N-1-r][j] += A[N-1-r][k] * A[j][k];
#pragma endscop
}",
    ),
];

#[test]
fn rewritten_symmetric_products_get_the_same_bound() {
    let point = at(&[("N", 1200), ("M", 1000)], 1024);
    let plain = best(&bounds(&source(SYRK), LOADS), &point, Counted::Loads);
    // M·N²/√(2S) is 31 819 805.
    assert!(plain > 31_700_000.into());
    for (how, text) in SYRK_REWRITTEN {
        let value = best(&bounds(&source(text), LOADS), &point, Counted::Loads);
        assert!(value >= plain, "{how}: {value} < {plain}");
    }
}

#[test]
fn flat_indices_of_gram_schmidt() {
    let entry = catalogue::find("mgs").expect("known");
    let Source::C(text) = entry.source else {
        panic!("in C");
    };
    let point = practical(entry);
    let plain = best(&bounds(&kernel("mgs"), LOADS), &point, Counted::Loads);
    let flat = [("A", "N"), ("R", "N"), ("Q", "N")]
        .iter()
        .fold(text.to_owned(), |text, (array, columns)| {
            flattened(&text, array, columns)
        });
    assert_ne!(flat, text);
    let value = best(&bounds(&source(&flat), LOADS), &point, Counted::Loads);
    assert_eq!(value, plain, "{flat}");
}

/// `A[x][y]` as `A[(x)*columns+y]`, and the declaration as a pointer.
fn flattened(text: &str, array: &str, columns: &str) -> String {
    let mut rest = text.to_owned();
    let mut done = String::new();
    while let Some(at) = rest.find(&format!("{array}[")) {
        let (before, from) = rest.split_at(at + array.len());
        let mut parts = from.splitn(3, [']']);
        let (one, two) = (parts.next().expect("["), parts.next().expect("]["));
        let (one, two) = (&one[1..], &two[1..]);
        let declared = before.trim_end_matches(array).ends_with("double ");
        done.push_str(before);
        if declared {
            done.truncate(done.len() - array.len());
            done.push_str(&format!("*{array}"));
        } else {
            done.push_str(&format!("[({one})*{columns}+{two}]"));
        }
        rest = parts.next().unwrap_or_default().to_owned();
    }
    done + &rest
}

/// Kernels of several kinds that are quick to analyse; with `REDBLUE_SOAK=1` all.
const QUICK: &[&str] = &[
    "gemm",
    "syrk",
    "cholesky",
    "symm",
    "atax",
    "mgs",
    "jacobi-1d",
    "attention",
];

fn soak() -> bool {
    std::env::var_os("REDBLUE_SOAK").is_some_and(|value| value == "1")
}

/// Kernels whose bounds once depended on how their loops count.
const FRAGILE: &[&str] = &["org2r", "deriche", "jacobi-2d", "lu", "attention-online"];

/// The kernel of `REDBLUE_KERNEL=org2r`, else all in a soak, else the quick ones.
fn kernels(quick: &[&[&str]]) -> Vec<&'static Entry> {
    let only = std::env::var("REDBLUE_KERNEL").ok();
    let wanted = |entry: &&Entry| match &only {
        Some(name) => name == entry.name,
        None => soak() || quick.concat().contains(&entry.name),
    };
    catalogue::catalogue().iter().filter(wanted).collect()
}

/// Seeds of disguises: one, in a soak several; `REDBLUE_SEED=7` asks for that one.
fn seeds() -> Vec<u64> {
    let one = std::env::var("REDBLUE_SEED").ok();
    match one.and_then(|seed| seed.parse().ok()) {
        Some(seed) => vec![seed],
        None if soak() => (0..3).collect(),
        None => vec![0],
    }
}

/// Practical sizes and a memory far below them.
fn practical(entry: &Entry) -> Assignment {
    let sizes: Vec<(&str, i64)> = entry
        .sizes
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect();
    at(&sizes, 1024)
}

/// Some numbers in random order.
fn shuffled(count: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        order.swap(at, random.below(at + 1));
    }
    order
}

/// The operands in another order, with the same value computed from them.
fn exchange_operands(statement: &mut Statement, random: &mut Random) {
    let order = shuffled(statement.reads.len(), random);
    statement.reads = order
        .iter()
        .map(|&at| statement.reads[at].clone())
        .collect();
    statement.value = statement.value.map_leaves(&mut |leaf| match leaf {
        Expression::Read(at) => {
            let now = order.iter().position(|old| old == at);
            Expression::Read(now.expect("an operand"))
        }
        other => other.clone(),
    });
}

/// `[N] -> { from[x0, x1] -> to[7 - x1, x0 + 3 - N] }`: coordinates exchanged, reversed and shifted at random.
fn scrambling(program: &Program, from: &str, to: &str, rank: usize, random: &mut Random) -> Map {
    let order = shuffled(rank, random);
    let names: Vec<String> = (0..rank).map(|at| format!("x{at}")).collect();
    let sizes: Vec<&str> = program.params.iter().map(|p| p.name.as_str()).collect();
    let image: Vec<String> = order
        .iter()
        .map(|&at| {
            let sign = if random.chance(50) { "-" } else { "" };
            let size = random.below(sizes.len() + 1);
            let size = sizes.get(size).copied().unwrap_or("0");
            format!("{sign}x{at} + {} - {size}", random.below(9))
        })
        .collect();
    let text = format!(
        "[{}] -> {{ {from}[{}] -> {to}[{}] }}",
        sizes.join(", "),
        names.join(", "),
        image.join(", ")
    );
    Map::parse(program.context.context(), &text).expect("a map")
}

/// The same computation in the same order with other names, other loop counters and other places in arrays, and with its
/// statements and their operands listed in another order.
fn disguised(program: &Program, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut other = program.clone();
    other.name = "disguised".into();
    let mut cells = Vec::new();
    for (at, array) in other.arrays.iter_mut().enumerate() {
        let name = format!("z{at}");
        cells.push(scrambling(
            program,
            &array.name,
            &name,
            array.extents.len(),
            &mut random,
        ));
        array.name = name;
        array.extents = vec![None; array.extents.len()];
    }
    for (at, statement) in other.statements.iter_mut().enumerate() {
        let name = format!("Z{at}");
        let loops = scrambling(
            program,
            &statement.name,
            &name,
            statement.iterators.len(),
            &mut random,
        );
        let moved = |map: &Map| map.apply_domain(&loops).expect("moved");
        let domain: &Set = &statement.domain;
        statement.domain = domain.apply(&loops).expect("moved");
        statement.schedule = moved(&statement.schedule);
        let accesses = statement.reads.iter_mut().chain([&mut statement.write]);
        for access in accesses {
            let access: &mut Access = access;
            access.map = moved(
                &access
                    .map
                    .apply_range(&cells[access.array.0])
                    .expect("moved"),
            );
        }
        statement.iterators = (0..statement.iterators.len())
            .map(|at| format!("q{at}"))
            .collect();
        statement.name = name;
        exchange_operands(statement, &mut random);
    }
    other.statements.reverse();
    other.validate().expect("a program");
    other
}

#[test]
fn names_loops_and_places_do_not_matter() {
    let mut differ = Vec::new();
    for entry in kernels(&[QUICK, FRAGILE]) {
        let program = kernel(entry.name);
        let point = practical(entry);
        let plain = best(&bounds(&program, LOADS), &point, Counted::Loads);
        for seed in seeds() {
            let other = bounds(&disguised(&program, seed), LOADS);
            let other = best(&other, &point, Counted::Loads);
            eprintln!("{} {seed}: {plain} {other}", entry.name);
            if plain != other {
                differ.push(format!("{} {seed}: {plain} became {other}", entry.name));
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// A kernel with a statement in front that is not needed, or that has nothing to do with it.
#[test]
fn other_statements_never_lower_a_bound() {
    let dead = "double dead_[10]; for (int d_ = 0; d_ < 10; d_++) dead_[d_] = 2.0 * given_[d_];";
    let unrelated = "for (int d_ = 0; d_ < 10; d_++) made_[d_] = 2.0 * given_[d_];";
    for entry in kernels(&[QUICK]) {
        let Source::C(text) = entry.source else {
            continue;
        };
        let point = practical(entry);
        let plain = best(&bounds(&kernel(entry.name), LOADS), &point, Counted::Loads);
        for more in [dead, unrelated] {
            let declared = format!("double given_[10];\ndouble made_[10];\n{text}");
            let text = declared.replacen("#pragma scop", &format!("#pragma scop\n{more}\n"), 1);
            let value = best(&bounds(&source(&text), LOADS), &point, Counted::Loads);
            assert!(
                value >= plain,
                "{} with {more}: {value} < {plain}",
                entry.name
            );
        }
    }
}

/// No play of a kernel with temporaries beats its bound, in any model.
#[test]
fn split_statements_under_attack() {
    for (name, whole, parts) in SPLIT {
        let entry = catalogue::find(name).expect("known");
        let Source::C(text) = entry.source else {
            panic!("{name} is in C");
        };
        let program = source(&text.replace(whole, parts));
        let free = free_sums(&program).expect("sums");
        for model in MODELS {
            let analysis = bounds(&program, model);
            let mut attacked = 0;
            for sizes in entry.small.iter().take(1) {
                if let Ok(arena) = Arena::of_program(&program, sizes, &free, 4_000) {
                    let field = Field {
                        name,
                        arena: &arena,
                        sizes,
                        capacities: 6,
                    };
                    attacked += field.attack(&analysis.bounds).expect("no violation");
                }
            }
            assert!(attacked > 0, "{name} {model:?}");
        }
    }
}

/// Kernel, a statement, and the same in two with a temporary.
const SPLIT: &[(&str, &str, &str)] = &[
    (
        "gemm",
        "C[i][j] += alpha * A[i][k] * B[k][j];",
        "{ double t_ = alpha * A[i][k] * B[k][j]; C[i][j] += t_; }",
    ),
    (
        "syrk",
        "C[i][j] += alpha * A[i][k] * A[j][k];",
        "{ double t_ = alpha * A[i][k] * A[j][k]; C[i][j] += t_; }",
    ),
    (
        "cholesky",
        "A[i][j] -= A[i][k] * A[j][k];",
        "{ double t_ = A[i][k] * A[j][k]; A[i][j] -= t_; }",
    ),
    (
        "gemm",
        "C[i][j] += alpha * A[i][k] * B[k][j];",
        "{ double t_ = A[i][k] * B[k][j]; double u_ = alpha * t_; C[i][j] += u_; }",
    ),
];

#[test]
fn statements_split_in_two() {
    for (name, whole, parts) in SPLIT {
        let entry = catalogue::find(name).expect("known");
        let Source::C(text) = entry.source else {
            panic!("{name} is in C");
        };
        assert!(text.contains(whole), "{name}");
        let point = practical(entry);
        let plain = best(&bounds(&kernel(name), LOADS), &point, Counted::Loads);
        let split = source(&text.replace(whole, parts));
        let value = best(&bounds(&split, LOADS), &point, Counted::Loads);
        assert!(value >= plain, "{name}: {value} < {plain}");
    }
}

/// Operands that are read twice, in whatever order, are one.
#[test]
fn an_operand_read_twice() {
    let distances = "void f(int N, int M, double A[N][M], double C[N][N]) {
#pragma scop
for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) for (int k = 0; k < M; k++)
  C[i][j] += (A[j][k] - A[i][k]) * (A[i][k] - A[j][k]);
#pragma endscop
}";
    let point = at(&[("N", 1200), ("M", 1000)], 1024);
    let plain = best(&bounds(&source(SYRK), LOADS), &point, Counted::Loads);
    let value = best(&bounds(&source(distances), LOADS), &point, Counted::Loads);
    assert_eq!(value, plain);
}

/// A window of R numbers that stays within W: the loop ends at a difference of sizes.
#[test]
fn loops_up_to_a_difference_of_sizes() {
    let full = "void f(int W, int R, double a[W], double w[R], double o[W]) {
#pragma scop
for (int i = 0; i < W; i++) for (int r = 0; r < R; r++) o[i] += a[i + r] * w[r];
#pragma endscop
}";
    let valid = full.replace("i < W;", "i <= W - R;").replace(
        "#pragma scop",
        "#pragma scop\n#pragma redblue assume W >= R",
    );
    let value = |text: &str, w| {
        let point = at(&[("W", w), ("R", 4_000)], 64);
        best(&bounds(&source(text), LOADS), &point, Counted::Loads)
    };
    let plain = value(full, 100_000);
    // 9/4·W·R/S is 14 062 500: far more than all inputs.
    assert!(plain > 13_000_000.into(), "{plain}");
    assert_eq!(value(&valid, 103_999), plain);
}

/// One element of a step needs all of the step before, but only a row of the matrix in its own: every second step reads all
/// of the matrix between two hubs.
#[test]
fn steps_that_need_the_step_before() {
    let text = "void f(int T, int N, double A[N][N], double x[N], double y[N]) {
#pragma scop
for (int t = 0; t < T; t++) {
  for (int i = 0; i < N; i++) { y[i] = 0; for (int j = 0; j < N; j++) y[i] += A[i][j] * x[j]; }
  for (int i = 0; i < N; i++) x[i] = y[i];
}
#pragma endscop
}";
    let program = source(text);
    let point = at(&[("N", 1000), ("T", 100)], 1024);
    let value = best(&bounds(&program, LOADS), &point, Counted::Loads);
    // 49 pairs of steps, in each of which all but S of N² words are loaded.
    assert!(value >= (49 * (1_000_000 - 1024)).into(), "{value}");
    let free = free_sums(&program).expect("sums");
    for sizes in [[4, 5], [5, 4], [3, 6], [7, 3]] {
        let sizes = [("T", sizes[0]), ("N", sizes[1])].map(|(name, n)| (name.to_owned(), n));
        let sizes = sizes.into_iter().collect();
        let arena = Arena::of_program(&program, &sizes, &free, 4_000).expect("small");
        let field = Field {
            name: "steps",
            arena: &arena,
            sizes: &sizes,
            capacities: 8,
        };
        for model in MODELS {
            let analysis = bounds(&program, model);
            assert!(field.attack(&analysis.bounds).expect("no violation") > 0);
        }
    }
}
