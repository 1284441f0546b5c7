//! The harness itself is tested: it accepts what is known to be true and breaks what is known to be false.

mod common;

use common::{arena, kernel, sizes};
use redblue_pebble::generate;
use redblue_program::c::{self, CInput};
use redblue_program::reading::ReadOptions;
use redblue_testkit::{
    Arena, Attack, Claim, Effort, Model, Stake, Sums, Verdict, attack, capacities,
};

/// The strict games of the tables.
const STRICT: Model = Model {
    slide: false,
    ..Model::TOTAL
};
const STRICT_LOADS: Model = Model {
    slide: false,
    ..Model::LOADS
};

/// The least traffic that the attack saw, or what broke the claim.
fn outcome(verdict: Verdict) -> Result<u64, u64> {
    match verdict {
        Verdict::Survived { best, .. } => Ok(best),
        Verdict::Broken { io, .. } => Err(io),
    }
}

/// Claims `value` for a kernel.
fn check(
    name: &str,
    at: &[(&str, i64)],
    model: Model,
    capacity: usize,
    value: u64,
) -> Result<u64, u64> {
    let (program, sizes) = (kernel(name), sizes(at));
    let stake = Stake {
        capacity,
        model,
        value,
    };
    let claim = Claim {
        program: &program,
        sizes: &sizes,
        stake,
    };
    outcome(attack(&claim, &Effort::USUAL).expect("can be attacked"))
}

#[test]
fn exact_optima_of_small_products_survive_and_one_more_does_not() {
    // Theory T-2, matmul 2×2×2: RBW and RW for S = 4..8, from the C source.
    let arena = arena("matmul", &[("M", 2), ("N", 2), ("K", 2)]);
    for (capacity, total, loads) in [(4, 17, 12), (5, 14, 10), (6, 13, 9), (7, 12, 8), (8, 12, 8)] {
        for (model, optimum) in [(STRICT, total), (STRICT_LOADS, loads)] {
            let stakes = [optimum, optimum + 1].map(|value| Stake {
                capacity,
                model,
                value,
            });
            let verdicts = arena.attack(&stakes, &Effort::USUAL).expect("playable");
            let outcomes: Vec<_> = verdicts.into_iter().map(outcome).collect();
            assert_eq!(outcomes, [Ok(optimum), Err(optimum)]);
        }
    }
}

#[test]
fn the_published_theorem_that_is_false_is_broken() {
    // Theory C-4: 2mnk/√S + mn is claimed for C = A·B; the outer product 10×1×10 with S = 4 refutes it.
    let outer = [("M", 10), ("N", 10), ("K", 1)];
    let broken = check("matmul", &outer, STRICT, 4, 200);
    assert!(broken.is_err_and(|io| io <= 160), "{broken:?}");
    // A-stationary play of the same item: 60×10×60 with S = 112 moves 7 800 words, 10 403 are claimed.
    let flat = [("M", 60), ("N", 60), ("K", 10)];
    assert!(check("matmul", &flat, Model::TOTAL, 112, 10_403).is_err());
}

#[test]
fn a_naive_closed_form_where_everything_fits_is_broken() {
    // Theory R-1: 1×1×1 with S = 100; a phase bound read without its condition claims 100, the truth is 3.
    let one = [("M", 1), ("N", 1), ("K", 1)];
    assert_eq!(check("matmul", &one, STRICT, 100, 100), Err(3));
    assert_eq!(check("matmul", &one, STRICT, 100, 3), Ok(3));
}

#[test]
fn left_looking_orders_are_found_for_gram_schmidt() {
    // Theory H-18: the best loads that hand-written right- and left-looking orders reach. The generated
    // orders must come within a fiftieth, so that a bound above that would be noticed.
    for (at, known) in [
        ([("M", 12), ("N", 8)], [(24, 466), (48, 178), (96, 98)]),
        ([("M", 20), ("N", 10)], [(24, 1888), (48, 994), (96, 374)]),
    ] {
        let stakes = known.map(|(capacity, known)| Stake {
            capacity,
            model: STRICT_LOADS,
            value: known + known / 50 + 1,
        });
        let verdicts = arena("mgs", &at).attack(&stakes, &Effort::USUAL);
        for (verdict, stake) in verdicts.expect("playable").into_iter().zip(stakes) {
            let outcome = outcome(verdict);
            assert!(outcome.is_err(), "{stake:?}: only {outcome:?} was reached");
        }
    }
}

#[test]
fn streaming_products_come_near_the_best_known_schedule() {
    // Theory C-7: tiles a×b with ab + a + 1 ≤ S and ab the resident part of C, loads mnk(a + b)/(ab).
    // For m = n = k = 12: S = 17 holds a = 3, b = 4 (12 + 3 + 1), so 1728·7/12 = 1008 loads, plus 144 stores.
    let at = [("M", 12), ("N", 12), ("K", 12)];
    let claim = check("matmul", &at, Model::TOTAL, 17, 1_152 + 1);
    assert!(claim.is_err_and(|io| io <= 1_152), "{claim:?}");
}

#[test]
fn sums_are_reordered_where_the_model_allows_it() {
    // y comes from the last element to the first, and is summed from the first to the last: in the given order all
    // of it must be kept or reloaded, in the other order each element is used where it is made.
    let source = r"
        void f(int N, double a[1], double x[N], double s[1]) {
            double y[N + 1];
        #pragma scop
            y[N] = a[0];
            for (int i = 0; i < N; i++) y[N - 1 - i] = y[N - i] * y[N - i];
            for (int i = 0; i < N; i++) s[0] += y[i] * x[i];
        #pragma endscop
        }";
    let reading = c::read(
        &CInput {
            name: "f.c",
            text: source,
        },
        &ReadOptions::default(),
        &|_| None,
    );
    let program = reading.program.expect("reads");
    let sizes = sizes(&[("N", 20)]);
    let least = |sums| {
        let stake = Stake {
            capacity: 8,
            model: Model {
                sums,
                ..Model::LOADS
            },
            value: 0,
        };
        let claim = Claim {
            program: &program,
            sizes: &sizes,
            stake,
        };
        outcome(attack(&claim, &Effort::USUAL).expect("playable")).expect("nothing is below 0")
    };
    // x, a and s; and at least 20 - 8 elements of y again.
    assert_eq!(least(Sums::Free), 22);
    assert!(least(Sums::Fixed) >= 22 + 12);
}

#[test]
fn batches_agree_with_single_claims_about_what_is_false() {
    let arena = arena("jacobi-1d", &[("N", 10), ("TSTEPS", 3)]);
    let game = Model::TOTAL.game();
    let list = capacities::adversarial(&arena, &game);
    assert!(
        list.windows(2).all(|pair| pair[0] < pair[1]) && list[0] == 3,
        "{list:?}"
    );
    let stake = |capacity, value| Stake {
        capacity,
        model: Model::TOTAL,
        value,
    };
    let stakes: Vec<Stake> = list.iter().map(|&capacity| stake(capacity, 0)).collect();
    let verdicts = arena.attack(&stakes, &Effort::QUICK).expect("playable");
    let best: Vec<u64> = verdicts
        .into_iter()
        .map(|verdict| outcome(verdict).expect("nothing is below 0"))
        .collect();
    let stakes: Vec<Stake> = list
        .iter()
        .zip(&best)
        .map(|(&capacity, &best)| stake(capacity, best + 1))
        .collect();
    for verdict in arena.attack(&stakes, &Effort::QUICK).expect("playable") {
        assert!(matches!(verdict, Verdict::Broken { .. }), "{verdict:?}");
    }
    // Everything fits: A and the two ends of B are read, the inner parts of both are written.
    assert_eq!(best.last(), Some(&(10 + 2 + 8 + 8)));
}

#[test]
fn explicit_graphs_can_be_attacked_too() {
    // Theory T-2: pyramid of height 4 with S = 4 costs 10 (RBW).
    let arena = Arena::of_graph(generate::pyramid(4).expect("small"));
    let verdict = |value| {
        let stake = Stake {
            capacity: 4,
            model: STRICT,
            value,
        };
        let verdicts = arena.attack(&[stake], &Effort::USUAL).expect("playable");
        verdicts.into_iter().next().expect("one claim")
    };
    assert_eq!(
        verdict(10),
        Verdict::Survived {
            best: 10,
            by: Attack::Optimum
        }
    );
    assert!(matches!(verdict(11), Verdict::Broken { io: 10, .. }));
}

#[test]
fn games_that_cannot_be_played_are_errors() {
    let arena = arena("matmul", &[("M", 2), ("N", 2), ("K", 2)]);
    let stake = Stake {
        capacity: 2,
        model: Model::TOTAL,
        value: 1,
    };
    assert!(arena.attack(&[stake], &Effort::QUICK).is_err());
}
