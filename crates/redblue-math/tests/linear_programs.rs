//! Linear programs: every answer is proved by its certificate, flawed answers are refused, and the programs of
//! projective loop nests (D-3 to D-7) have the values of the theory.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use redblue_math::{
    LinearProgram, Polyhedron, Rational,
    lp::{Flaw, Goal, Relation, Solution},
    rational::{int, ratio},
};

fn integers(values: &[i64]) -> Vec<Rational> {
    values.iter().map(|&value| int(value)).collect()
}

fn program(
    goal: Goal,
    objective: &[i64],
    constraints: &[(&[i64], Relation, i64)],
) -> LinearProgram {
    let mut program = LinearProgram::new(goal, integers(objective));
    for (coefficients, relation, bound) in constraints {
        program
            .constrain(integers(coefficients), *relation, int(*bound))
            .unwrap();
    }
    program
}

fn solved(program: &LinearProgram) -> Solution {
    let solution = program.solve();
    assert_eq!(
        program.verify(&solution),
        Ok(()),
        "{program:?} {solution:?}"
    );
    solution
}

fn optimum(program: &LinearProgram) -> Rational {
    match solved(program) {
        Solution::Optimal { value, .. } => value,
        other => panic!("{other:?}"),
    }
}

use Goal::{Maximise, Minimise};
use Relation::{Eq, Ge, Le};

#[test]
fn textbook_programs() {
    for (program, value) in [
        (
            program(
                Maximise,
                &[3, 5],
                &[(&[1, 0], Le, 4), (&[0, 2], Le, 12), (&[3, 2], Le, 18)],
            ),
            36,
        ),
        (
            program(Minimise, &[2, 3], &[(&[1, 1], Ge, 4), (&[1, 3], Ge, 6)]),
            9,
        ),
        (
            program(
                Maximise,
                &[1, 1],
                &[(&[1, 1], Eq, 7), (&[1, -1], Eq, 2), (&[2, 2], Eq, 14)],
            ),
            7,
        ),
        (
            program(Minimise, &[1, 1], &[(&[-1, 0], Le, -3), (&[0, 1], Ge, 2)]),
            5,
        ),
        (program(Minimise, &[1], &[]), 0),
    ] {
        assert_eq!(optimum(&program), int(value));
    }
    assert!(matches!(
        solved(&program(Maximise, &[1], &[(&[1], Ge, 1)])),
        Solution::Unbounded { .. }
    ));
    assert!(matches!(
        solved(&program(Maximise, &[1], &[(&[1], Ge, 2), (&[1], Le, 1)])),
        Solution::Infeasible { .. }
    ));
    assert!(matches!(
        solved(&program(Minimise, &[0], &[(&[0], Eq, 1)])),
        Solution::Infeasible { .. }
    ));
}

#[test]
fn a_program_that_cycles_without_a_pivot_rule() {
    // Beale 1955: Dantzig's rule returns to its first basis after six pivots; the optimum is -1/20.
    let fractions = |row: [(i64, i64); 4]| row.map(|(n, d)| ratio(n, d)).to_vec();
    let mut beale = LinearProgram::new(Minimise, fractions([(-3, 4), (150, 1), (-1, 50), (6, 1)]));
    beale
        .constrain(fractions([(1, 4), (-60, 1), (-1, 25), (9, 1)]), Le, int(0))
        .unwrap();
    beale
        .constrain(fractions([(1, 2), (-90, 1), (-1, 50), (3, 1)]), Le, int(0))
        .unwrap();
    beale
        .constrain(integers(&[0, 0, 1, 0]), Le, int(1))
        .unwrap();
    assert_eq!(optimum(&beale), ratio(-1, 20));
}

#[test]
fn free_variables_may_be_negative() {
    let mut free = program(Minimise, &[1], &[(&[1], Ge, -5)]);
    free.set_free(0).unwrap();
    assert_eq!(optimum(&free), int(-5));
    let mut unbounded = program(Minimise, &[1, 0], &[(&[1, 1], Le, 3)]);
    unbounded.set_free(0).unwrap();
    assert!(matches!(solved(&unbounded), Solution::Unbounded { .. }));
    assert!(unbounded.set_free(2).is_err());
    assert!(unbounded.constrain(integers(&[1]), Le, int(0)).is_err());
}

#[test]
fn flawed_answers_are_refused() {
    let program = program(
        Maximise,
        &[3, 5],
        &[(&[1, 0], Le, 4), (&[0, 2], Le, 12), (&[3, 2], Le, 18)],
    );
    let answer = |point: &[i64], value: i64, multipliers: Vec<Rational>| Solution::Optimal {
        point: integers(point),
        value: int(value),
        multipliers,
    };
    let dual = || vec![int(0), ratio(3, 2), int(1)];
    assert_eq!(program.verify(&answer(&[2, 6], 36, dual())), Ok(()));
    for (flawed, flaw) in [
        (answer(&[2, 6], 72, dual()), Flaw::WrongValue),
        (answer(&[2, 6], 18, dual()), Flaw::WrongValue),
        (answer(&[4, 6], 42, dual()), Flaw::InfeasiblePoint),
        (answer(&[2, 5], 31, dual()), Flaw::WrongValue),
        (
            answer(&[2, 6], 36, vec![int(0), int(3), int(0)]),
            Flaw::NotDominated,
        ),
        (
            answer(&[2, 6], 36, vec![int(-1), ratio(3, 2), int(2)]),
            Flaw::MultiplierSign,
        ),
        (answer(&[2], 36, dual()), Flaw::Shape),
        (answer(&[2, 6], 36, vec![]), Flaw::Shape),
        (
            Solution::Infeasible {
                multipliers: integers(&[0, 0, 0]),
            },
            Flaw::NoContradiction,
        ),
        (
            Solution::Infeasible {
                multipliers: integers(&[1, 0, 0]),
            },
            Flaw::MultiplierSign,
        ),
        (
            Solution::Infeasible {
                multipliers: integers(&[-1, 0, 0]),
            },
            Flaw::NoContradiction,
        ),
        (
            Solution::Unbounded {
                point: integers(&[0, 0]),
                ray: integers(&[1, 0]),
            },
            Flaw::InfeasibleRay,
        ),
        (
            Solution::Unbounded {
                point: integers(&[0, 0]),
                ray: integers(&[0, 0]),
            },
            Flaw::NoImprovement,
        ),
    ] {
        assert_eq!(program.verify(&flawed), Err(flaw), "{flawed:?}");
    }
}

/// D-4: max Σλ, Σ_{i in φ_j} λ_i <= 1, λ_i <= β_i.
fn tiling(supports: &[&[usize]], beta: &[Rational]) -> LinearProgram {
    let loops = beta.len();
    let mut program = LinearProgram::new(Maximise, vec![int(1); loops]);
    for support in supports {
        let row = (0..loops)
            .map(|index| int(u8::from(support.contains(&index))))
            .collect();
        program.constrain(row, Le, int(1)).unwrap();
    }
    for (index, bound) in beta.iter().enumerate() {
        let row = (0..loops)
            .map(|other| int(u8::from(other == index)))
            .collect();
        program.constrain(row, Le, bound.clone()).unwrap();
    }
    program
}

/// D-5: min Σs + Σβζ, ζ_i + Σ_{j: i in φ_j} s_j >= 1.
fn dual_of_tiling(supports: &[&[usize]], beta: &[Rational]) -> LinearProgram {
    let objective = supports
        .iter()
        .map(|_| int(1))
        .chain(beta.iter().cloned())
        .collect();
    let mut program = LinearProgram::new(Minimise, objective);
    for index in 0..beta.len() {
        let arrays = supports
            .iter()
            .map(|support| int(u8::from(support.contains(&index))));
        let slices = (0..beta.len()).map(|other| int(u8::from(other == index)));
        program
            .constrain(arrays.chain(slices).collect(), Ge, int(1))
            .unwrap();
    }
    program
}

/// D-6, D-7: the least of `Σŝ + Σ_{i in Q} β_i max(0, 1 - Σ_{j: i in φ_j} ŝ_j)` over all sets Q of indices and all
/// vertices ŝ of the constraints of the other indices. (One optimal ŝ for each Q is not enough: see the test below.)
fn slices_enumeration(supports: &[&[usize]], beta: &[Rational]) -> Rational {
    let row = |index: usize| {
        supports
            .iter()
            .map(|support| int(u8::from(support.contains(&index))))
            .collect::<Vec<_>>()
    };
    let value = |small: usize, exponents: &Vec<Rational>| {
        let excess = |index: usize| {
            let covered: Rational = row(index).iter().zip(exponents).map(|(x, s)| x * s).sum();
            &beta[index] * (int(1) - covered).max(int(0))
        };
        let in_set = (0..beta.len()).filter(|index| small >> index & 1 == 1);
        exponents.iter().sum::<Rational>() + in_set.map(excess).sum::<Rational>()
    };
    let least = |small: usize| {
        let mut reduced = Polyhedron::new(supports.len());
        reduced.require_nonnegative();
        for index in (0..beta.len()).filter(|index| small >> index & 1 == 0) {
            reduced.require(row(index), int(1)).unwrap();
        }
        let vertices = reduced.generators(1000).unwrap().vertices;
        vertices
            .iter()
            .map(|vertex| value(small, vertex))
            .min()
            .unwrap()
    };
    (0..1usize << beta.len()).map(least).min().unwrap()
}

const MATMUL: [&[usize]; 3] = [&[0, 2], &[0, 1], &[1, 2]];

#[test]
fn matrix_product_tilings_have_the_values_of_the_theory() {
    // D-9.1 with M = 4096 = 2^12: β_i = log2(L_i)/12 for sizes that are powers of two.
    for (logs, value) in [
        ([12, 12, 12], ratio(3, 2)),
        ([12, 12, 4], ratio(4, 3)),
        ([12, 12, 0], int(1)),
        ([3, 12, 3], ratio(5, 4)),
        ([6, 6, 6], ratio(3, 2)),
        ([4, 4, 4], int(1)),
    ] {
        let beta = logs.map(|log| ratio(log, 12));
        assert_eq!(optimum(&tiling(&MATMUL, &beta)), value, "{logs:?}");
        assert_eq!(optimum(&dual_of_tiling(&MATMUL, &beta)), value, "{logs:?}");
    }
}

#[test]
fn slices_need_more_than_one_optimal_exponent() {
    // The set Q alone does not fix the exponents: a nest whose optimum a single optimal ŝ for each Q may miss.
    let supports: [&[usize]; 4] = [&[0, 3], &[0, 1], &[0, 1, 2], &[1, 3]];
    let beta = [ratio(1, 2), ratio(1, 2), ratio(1, 4), ratio(3, 4)];
    assert_eq!(optimum(&tiling(&supports, &beta)), ratio(13, 8));
    assert_eq!(slices_enumeration(&supports, &beta), ratio(13, 8));
}

/// A program as plain data, so that feasibility can be judged without the library.
#[derive(Debug, Clone)]
struct Plain {
    goal: Goal,
    objective: Vec<i64>,
    rows: Vec<(Vec<i64>, Relation, i64)>,
    free: Vec<bool>,
}

impl Plain {
    fn program(&self) -> LinearProgram {
        let mut program = LinearProgram::new(self.goal, integers(&self.objective));
        for (row, relation, bound) in &self.rows {
            program
                .constrain(integers(row), *relation, int(*bound))
                .unwrap();
        }
        for (variable, _) in self.free.iter().enumerate().filter(|(_, free)| **free) {
            program.set_free(variable).unwrap();
        }
        program
    }

    fn is_feasible(&self, point: &[i64]) -> bool {
        let signs = point
            .iter()
            .zip(&self.free)
            .all(|(value, free)| *free || *value >= 0);
        let rows = self
            .rows
            .iter()
            .all(|(row, relation, bound)| match relation {
                Le => dot(row, point) <= *bound,
                Eq => dot(row, point) == *bound,
                Ge => dot(row, point) >= *bound,
            });
        signs && rows
    }
}

fn dot(left: &[i64], right: &[i64]) -> i64 {
    left.iter().zip(right).map(|(x, y)| x * y).sum()
}

prop_compose! {
    fn plain()(variables in 1usize..5, rows in 0usize..6)
        (objective in prop::collection::vec(-4i64..5, variables),
         rows in prop::collection::vec((prop::collection::vec(-4i64..5, variables), prop::sample::select(&[Le, Eq, Ge][..]), -4i64..5), rows),
         free in prop::collection::vec(any::<bool>(), variables),
         goal in prop::sample::select(&[Maximise, Minimise][..])) -> Plain {
        Plain { goal, objective, rows, free }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_certified_and_beats_all_samples(plain in plain(), samples in prop::collection::vec(prop::collection::vec(-6i64..7, 4), 60)) {
        let solution = solved(&plain.program());
        for sample in samples.iter().map(|sample| &sample[..plain.objective.len()]).filter(|sample| plain.is_feasible(sample)) {
            let reached = int(dot(&plain.objective, sample));
            match (&solution, plain.goal) {
                (Solution::Optimal { value, .. }, Maximise) => prop_assert!(reached <= *value),
                (Solution::Optimal { value, .. }, Minimise) => prop_assert!(reached >= *value),
                (Solution::Unbounded { .. }, _) => {}
                (Solution::Infeasible { .. }, _) => prop_assert!(false, "{sample:?} is feasible"),
            }
        }
    }

    #[test]
    fn the_checker_refuses_every_other_value(plain in plain(), factor in 2i64..4) {
        let program = plain.program();
        if let Solution::Optimal { point, value, multipliers } = program.solve() {
            for wrong in [&value + int(1), &value - int(1), &value * int(factor)] {
                let claim = Solution::Optimal { point: point.clone(), value: wrong.clone(), multipliers: multipliers.clone() };
                prop_assert_eq!(program.verify(&claim).is_ok(), wrong == value);
            }
        }
    }

    #[test]
    fn projective_nests_satisfy_strong_duality_and_slices(
        masks in prop::collection::vec(1usize..16, 1..5), beta in prop::collection::vec((0i64..9).prop_map(|n| ratio(n, 4)), 4)
    ) {
        let supports: Vec<Vec<usize>> = masks.iter().map(|mask| (0..4).filter(|index| mask >> index & 1 == 1).collect()).collect();
        // Every index must be in some support (D-1); give uncovered ones an array of their own.
        let covered = |index: &usize| supports.iter().any(|support| support.contains(index));
        let rest: Vec<usize> = (0..4).filter(|index| !covered(index)).collect();
        let mut supports: Vec<&[usize]> = supports.iter().map(Vec::as_slice).collect();
        if !rest.is_empty() {
            supports.push(&rest);
        }
        let value = optimum(&tiling(&supports, &beta));
        prop_assert_eq!(&value, &optimum(&dual_of_tiling(&supports, &beta)));
        prop_assert_eq!(value, slices_enumeration(&supports, &beta));
    }
}
