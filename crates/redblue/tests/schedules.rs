//! Schedules against bounds: the ratios that are promised, and the order bound ≤ played ≤ proven.

#![allow(clippy::unwrap_used)]

#[path = "../examples/schedules/cases.rs"]
mod cases;

use std::cmp::Ordering;

use cases::PROMISES;
use num_bigint::BigInt;
use redblue::program::catalogue::{Entry, catalogue, find};
use redblue::program::{Program, Sizes};
use redblue::tile::{Tiled, bounds};
use redblue_schedule::{Options, tile};
use redblue_sim::nest::Nest;
use redblue_sim::{Grain, Trace as _, opt, run};

/// That of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn soak() -> bool {
    std::env::var_os("REDBLUE_SOAK").is_some()
}

fn tiled(program: &Program, sizes: &Sizes, words: u64) -> Option<Tiled> {
    let options = Options {
        model: Default::default(),
        fast: vec![words],
        sizes: sizes.clone(),
        time_limit: None,
        work: Options::WORK,
    };
    let bounds = bounds(program, &options).unwrap();
    // A memory that does not hold the operands of a statement is refused.
    Tiled::of(program, &options, &bounds).ok()
}

fn given(text: &str) -> Sizes {
    let part = |part: &str| {
        let (name, value) = part.split_once('=').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    text.split(',').map(part).collect()
}

/// Quick for a few kernels; `REDBLUE_SOAK=1` takes all.
#[test]
fn promised_ratios_are_kept() {
    let quick = [
        "gemm",
        "doitgen",
        "abcdef-dega-gfbc",
        "abcd-dbea-ec",
        "atax",
        "trisolv",
        "lu",
    ];
    let mut wrong = Vec::new();
    for promise in PROMISES {
        if !soak() && !quick.contains(&promise.kernel) {
            continue;
        }
        let entry = find(promise.kernel).unwrap();
        let program = entry.read(&Default::default()).program.unwrap();
        let tiled = tiled(&program, &given(promise.sizes), promise.words).unwrap();
        let (moved, lower) = (tiled.tiling.cost(), tiled.lower.unwrap());
        if &moved * 100 > &lower * promise.hundredths {
            wrong.push(format!("{}: {moved} against {lower}", promise.kernel));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with the order bound ≤ played ≤ proven, if anything is.
fn disorder(entry: &Entry, sizes: &Sizes, words: u64) -> Option<String> {
    let program = entry.read(&Default::default()).program.unwrap();
    let tiled = tiled(&program, sizes, words)?;
    let nest = Nest::of_program(&tiled.tiling.program, sizes, None, Grain::Word).unwrap();
    let traffic = run(opt::OneSize::new(nest.shape(), words).unwrap(), &nest);
    let played = BigInt::from(traffic.loads() + traffic.stores());
    let (lower, proven) = (tiled.lower.unwrap_or_default(), tiled.tiling.cost());
    // The fewest loads may take more stores than they save; what was proved is played as it is in the unit tests.
    let above = match BigInt::from(traffic.loads()).cmp(&tiled.tiling.traffic.loads) {
        Ordering::Less => false,
        Ordering::Equal => played > proven,
        Ordering::Greater => true,
    };
    (lower > played || above).then(|| {
        format!(
            "{} {sizes:?} S = {words}: {lower} {played} {proven}",
            entry.name
        )
    })
}

#[test]
fn bounds_are_below_what_is_played_and_that_is_below_what_is_proven() {
    let quick = [
        "gemm",
        "atax",
        "trisolv",
        "jacobi-1d",
        "mvt",
        "lu",
        "ab-ac-cb",
    ];
    let mut wrong = Vec::new();
    for entry in catalogue() {
        if !soak() && !quick.contains(&entry.name) {
            continue;
        }
        let sizes = if soak() {
            &entry.small[..]
        } else {
            &entry.small[..1]
        };
        let memories: &[u64] = if soak() { &[6, 11, 24, 60] } else { &[11, 24] };
        for sizes in sizes {
            for words in memories {
                wrong.extend(disorder(entry, sizes, *words));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the best schedule found moves, loads and stores.
fn moved(program: &Program, sizes: &str, words: u64) -> BigInt {
    let options = Options {
        model: Default::default(),
        fast: vec![words],
        sizes: given(sizes),
        time_limit: None,
        work: Options::WORK,
    };
    tile(program, &options).unwrap().cost()
}

fn product() -> Program {
    let entry = find("ab-ac-cb").unwrap();
    entry.read(&Default::default()).program.unwrap()
}

/// The table of C-7: the best integer block a × b for each S. With the sizes multiples of it, no more is moved than
/// by that block (C-8).
#[test]
fn products_move_no_more_than_the_best_integer_blocks() {
    let table = [
        (4, 1, 2),
        (7, 2, 2),
        (9, 2, 3),
        (16, 3, 4),
        (25, 4, 5),
        (32, 5, 5),
        (64, 7, 8),
        (100, 9, 10),
        (128, 9, 13),
        (256, 15, 16),
        (500, 19, 25),
        (512, 22, 22),
        (1000, 31, 31),
        (1024, 31, 32),
        (4096, 63, 64),
        (65536, 255, 256),
    ];
    let program = product();
    for (words, a, b) in table {
        assert!(a * b + a.min(b) < words, "the block does not fit");
        let (m, n, k) = (a * 12, b * 12, 12 * b);
        let most = k * (m * (n / b) + n * (m / a)) + m * n;
        let moved = moved(&program, &format!("a={m},b={n},c={k}"), words);
        assert!(moved <= BigInt::from(most), "S = {words}: {moved} > {most}");
    }
}

/// The least of C-8 and C-9 over all blocks: C, A or B stays.
fn least_of_blocks(m: u64, n: u64, k: u64, words: u64) -> u64 {
    // A block of x × y stays with a line of y words and one more; `outer` is along x, `inner` along y.
    let sides = |x: u64| (x < words).then(|| (words - 1).saturating_sub(x) / x);
    let mut least = u64::MAX;
    for x in 1..words {
        let Some(y) = sides(x) else { continue };
        // The line may be along either side.
        for (x, y) in [(x, y), (x, (words - 1) / (x + 1))] {
            if y == 0 {
                continue;
            }
            let parts = |size: u64, side: u64| size.div_ceil(side.min(size));
            let kept_c = k * (m * parts(n, y) + n * parts(m, x)) + m * n;
            let kept_a = m * k + k * n * parts(m, x) + m * n * (2 * parts(k, y) - 1);
            let kept_b = k * n + m * k * parts(n, x) + m * n * (2 * parts(k, y) - 1);
            least = least.min(kept_c).min(kept_a).min(kept_b);
        }
    }
    least
}

/// The products of D-9 in all regimes, large and small, square and flat: no more is moved than by the best of all
/// blocks (C-9), and that is the published order of communication: for each of three arrays, one of them loaded and stored.
#[test]
fn products_of_all_regimes_move_the_published_order() {
    let table = [
        (4096, 1000, 1000, 1000, 15_625_000),
        (4096, 1000, 1000, 16, 1_000_000),
        (4096, 1000, 1000, 1, 1_000_000),
        (4096, 32, 100, 100, 10_000),
        (4096, 8, 1000, 8, 8_000),
        (4096, 64, 64, 64, 4_096),
        (4096, 16, 16, 16, 4_096),
        (65536, 100_000, 10, 10, 1_000_000),
    ];
    let program = product();
    for (words, m, n, k, published) in table {
        let moved = moved(&program, &format!("a={m},b={n},c={k}"), words);
        let least = least_of_blocks(m, n, k, words);
        let row = format!("{m} {n} {k} S = {words}: {moved}");
        assert!(moved <= BigInt::from(least), "{row} > {least}");
        assert!(moved <= BigInt::from(4 * published), "{row}, {published}");
    }
}

/// The other nests of D-9: matrix-vector products, contractions of groups of indices, pointwise convolutions, all pairs. The published
/// order counts one array per tile, so no more than that for each array, and for the result once more, is moved; and
/// inputs and results always are.
#[test]
fn nests_of_all_regimes_move_the_published_order() {
    let contraction = "abe,ecd->abcd";
    let convolution = "bchw,kc->bkhw";
    let table = [
        (4096, "ij,j->i", "i=1000,j=1000", 1_000_000),
        (1024, contraction, "a=8,b=8,e=100,c=8,d=8", 12_800),
        (1024, contraction, "a=8,b=8,e=4,c=8,d=8", 4_096),
        (1024, contraction, "a=2,b=2,e=2,c=2,d=2", 1_024),
        (16384, convolution, "b=32,c=64,k=128,w=56,h=56", 12_845_056),
        (16384, convolution, "b=1,c=3,k=64,w=112,h=112", 802_816),
        (16384, convolution, "b=8,c=512,k=2,w=7,h=7", 200_704),
        (16384, convolution, "b=32,c=16,k=16,w=56,h=56", 1_605_632),
        (1024, convolution, "b=1,c=4,k=4,w=4,h=4", 1_024),
        (100, "i,j->i", "i=1000,j=2000", 20_000),
        (100, "i,j->i", "i=10,j=2000", 2_000),
        (100, "i,j->i", "i=1000,j=50", 1_000),
        (100, "i,j->i", "i=10,j=20", 100),
    ];
    for (words, einsum, sizes, published) in table {
        let reading = redblue::program::einsum::read(einsum, &Default::default());
        let moved = moved(&reading.program.unwrap(), sizes, words);
        let row = format!("{einsum} {sizes} S = {words}: {moved}");
        assert!(moved <= BigInt::from(4 * published), "{row}, {published}");
        let sizes = given(sizes);
        let array = |indices: &str| -> i64 {
            indices
                .chars()
                .map(|index| sizes[&index.to_string()])
                .product()
        };
        let least: i64 = einsum
            .split([',', '>'])
            .map(|part| array(part.trim_end_matches('-')))
            .sum();
        assert!(moved >= BigInt::from(least), "{row} < {least}");
    }
}

/// The table of A-6: N, d, S, and the fewest words of FlashAttention 1 and 2 and of square tiling, which
/// read no scale: a word more is allowed for it. The first two rows are those of square tiling, the others those of
/// FlashAttention-2; the search takes what moves less by exact count.
#[test]
fn attention_moves_no_more_than_published_schedules() {
    let table = [
        (1024, 64, 8192, 2_359_296),
        (1024, 64, 256, 34_670_592),
        (1024, 64, 1024, 17_893_376),
        (1024, 64, 4096, 4_718_592),
        (1024, 64, 16384, 1_310_720),
        (1024, 64, 65536, 524_288),
        (8192, 64, 51200, 24_117_248),
    ];
    let entry = find("attention-online").unwrap();
    let program = entry.read(&Default::default()).program.unwrap();
    let rows = if soak() { &table[..] } else { &table[..1] };
    for (n, d, words, published) in rows {
        let moved = moved(&program, &format!("N={n},M={n},D={d}"), *words);
        assert!(
            moved <= BigInt::from(published + 1),
            "{n} {d} {words}: {moved}"
        );
    }
}
