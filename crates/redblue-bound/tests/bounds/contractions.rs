//! The eight contraction classes, the convolution and the regimes of matrix products, with loads and stores.
//!
//! Published values count what moves in all: for a sum that starts at zero, bounds on loads alone of this size are
//! false (C-4), because a finished sum needs no load.

use crate::common::{at, best, bounds, kernel};
use crate::published::{CONTRACTIONS, LAYERS, PRODUCTS};
use redblue_cert::{Counted, Model};
use redblue_math::Expr;
use redblue_pebble::Game;
use redblue_pebble::heuristic::belady;
use redblue_pebble::program::ProgramGraph;
use redblue_pebble::referee::judge;
use redblue_program::{Sizes, catalogue};
use redblue_testkit::key::{Coordinates, Key};
use redblue_testkit::orders::Timetable;

#[test]
fn contractions_reach_the_published_bounds() {
    let (mut weak, mut unsound) = (Vec::new(), Vec::new());
    for (name, published) in CONTRACTIONS {
        let analysis = bounds(&kernel(name), Model::DEFAULT);
        let sizes = &catalogue::find(name).expect("known").sizes;
        let sizes: Vec<(&str, i64)> = sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let published: Expr = published.parse().expect("a formula");
        for power in 10..=20 {
            let point = at(&sizes, 1 << power);
            let goal = published.eval_floor(&point).expect("a value");
            let value = best(&analysis, &point, Counted::Total);
            if value < goal && goal <= stationary_loads(name, &sizes, 1 << power).into() {
                weak.push(format!("{name} S=2^{power}: {value} < {goal}"));
            }
            if value < goal {
                unsound.push((*name, power));
            }
        }
    }
    assert!(weak.is_empty(), "{weak:#?}");
    // The one published value that is no lower bound, as the next test shows.
    assert_eq!(unsound, [("abcd-dbea-ec", 10)]);
}

/// `abcd-dbea-ec` at S = 2^10, with fewer rows: the schedule that keeps half of the matrix in memory, played move by
/// move before the referee, loads less than the published bound says, and not more than the formula for it.
#[test]
fn a_legal_schedule_below_a_published_bound() {
    let (name, published) = CONTRACTIONS[1];
    assert_eq!(name, "abcd-dbea-ec");
    let sizes = [("a", 6), ("b", 6), ("c", 24), ("d", 8), ("e", 72)];
    let fast = 1 << 10;
    let program = kernel(name);
    let given: Sizes = sizes.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    let graph = ProgramGraph::of(&program, &given, 1 << 20).expect("a graph");
    // By slices of e, then row by row; inside a row the 24 sums are continued one after the other.
    let loops = &program.statements.last().expect("a statement").iterators;
    let position = |index: &str| {
        let mut loops = loops.iter();
        loops
            .position(|name| name.starts_with(index))
            .expect("a loop")
    };
    let permutation: Vec<usize> = ["e", "a", "b", "d", "c"].map(position).to_vec();
    let mut tiles = vec![1; permutation.len()];
    tiles[position("e")] = 36;
    let key = Key {
        coordinates: Coordinates::Loops,
        permutation,
        tiles,
        lazy: false,
    };
    let order = Timetable::of(&program, &graph).order(&graph.graph, &key);
    let game = Game::red_white();
    let play = belady(&graph.graph, &game, fast, &order).expect("playable");
    let score = judge(&graph.graph, &game, fast, &play).expect("legal");
    let claimed: Expr = published.parse().expect("a formula");
    let claimed = claimed
        .eval_floor(&at(&sizes, fast as i64))
        .expect("a value");
    let formula = stationary_loads(name, &sizes, fast as i64);
    assert!(score.loads <= formula as u64, "{} > {formula}", score.loads);
    assert!(claimed > score.loads.into(), "{claimed} <= {}", score.loads);
}

/// The loads of a legal schedule: a slice of one operand stays in memory, the other one and the partial results stream by.
///
/// The test above has it judged. With k split into slices of the length that fits, m·k words of the streamed operand, k·n of the resident one and m·n
/// partial results for every slice but the first are loaded. Where this is less than a published value, that value is
/// no lower bound on loads (C-4), and the row asks for nothing.
fn stationary_loads(name: &str, sizes: &[(&str, i64)], fast: i64) -> i64 {
    let size = |indices: &str| -> i64 {
        let known = |index: char| sizes.iter().find(|(name, _)| name.starts_with(index));
        indices
            .chars()
            .filter_map(known)
            .map(|(_, value)| value)
            .product()
    };
    let parts: Vec<&str> = name.split('-').collect();
    let [out, one, two] = parts[..] else {
        return i64::MAX;
    };
    let contracted: String = one.chars().filter(|&c| !out.contains(c)).collect();
    let k = size(&contracted);
    let loads = |streamed: &str, resident: &str| {
        let n = size(resident) / k;
        // One word streams in, one holds the running sum.
        let slice = (fast - 2) / n;
        match slice {
            0 => i64::MAX,
            _ => size(streamed) + size(resident) + size(out) * ((k + slice - 1) / slice - 1),
        }
    };
    loads(one, two).min(loads(two, one))
}

#[test]
fn convolutions_reach_all_regimes() {
    let analysis = bounds(&kernel("conv2d"), Model::DEFAULT);
    let volume: Expr = "B*C*F*X*Y*H*W".parse().expect("a formula");
    let large: Expr = (&volume * &"9/(4*S)".parse::<Expr>().expect("a formula")).clone();
    let small: Expr = &volume * &"2/sqrt(H*W*S)".parse::<Expr>().expect("a formula");
    let arrays: Expr = "B*F*X*Y + B*C*(X+W-1)*(Y+H-1) + F*C*W*H"
        .parse()
        .expect("a formula");
    let mut weak = Vec::new();
    for &(f, c, x, w) in LAYERS {
        for power in 10..=20 {
            let sizes = [
                ("B", 1),
                ("F", f),
                ("C", c),
                ("X", x),
                ("Y", x),
                ("W", w),
                ("H", w),
            ];
            let point = at(&sizes, 1 << power);
            let value = best(&analysis, &point, Counted::Total);
            for (regime, formula) in [("arrays", &arrays), ("9/4", &large), ("filter", &small)] {
                let goal = formula.eval_floor(&point).expect("a value");
                if value < goal {
                    weak.push(format!(
                        "F={f} C={c} X={x} W={w} S=2^{power} {regime}: {value} < {goal}"
                    ));
                }
            }
        }
    }
    assert!(weak.is_empty(), "{weak:#?}");
}

#[test]
fn matrix_products_in_every_regime() {
    // D-9: the order of the traffic; with constants, bounds are at least that.
    let analysis = bounds(&kernel("matmul"), Model::DEFAULT);
    for &(fast, m, n, k, traffic) in PRODUCTS {
        let point = at(&[("M", m), ("N", n), ("K", k)], fast);
        let value = best(&analysis, &point, Counted::Total);
        // D-11: where everything fits, the arrays themselves are the answer, and M is none.
        let arrays = m * n + m * k + n * k;
        let goal = if arrays <= fast { arrays } else { traffic };
        assert!(value >= goal.into(), "{m} {n} {k}: {value} < {goal}");
    }
}
