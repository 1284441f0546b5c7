//! Every plan, executed on threads, against three loops; words counted against words predicted.

use num_complex::Complex;
use redblue_dist::comm::{Comm, Counted, threads};
use redblue_dist::plan::search::{Problem, search};
use redblue_dist::plan::{Plan, Schedule, Tree};
use redblue_dist::{Matrix, Shape};

use super::scatter::{for_each_own, own_words};
use super::{MatmulError, RankProgram, Words, multiply};
use crate::{Backend, Scalar};

/// A small number that depends on its place and is exact in every element type.
fn entry<T: Scalar>(seed: u64, row: u64, col: u64) -> T {
    let mixed = (row * 31 + col * 17 + seed * 7) % 11;
    T::from_real(mixed as f64 - 5.0)
}

fn check<T: Scalar>(plan: &Plan, alpha: T, beta: T, backend: &Backend) {
    let shape = plan.shape();
    let parts = threads::run(plan.ranks() as usize, |comm| {
        let rank = comm.rank() as u64;
        let (part, program) = (plan.rank(rank), RankProgram::of(plan, rank)?);
        let a = own_words(&part, Matrix::A, |i, p| entry::<T>(1, i, p));
        let b = own_words(&part, Matrix::B, |p, j| entry::<T>(2, p, j));
        let old = |i, j| {
            if beta == T::ZERO {
                T::from_real(f64::NAN)
            } else {
                entry::<T>(3, i, j)
            }
        };
        let mut c = own_words(&part, Matrix::C, old);
        let counted = Counted::new(comm.duplicate()?);
        multiply(
            &counted,
            &program,
            alpha,
            beta,
            Words {
                a: &a,
                b: &b,
                c: &mut c,
            },
            backend,
        )?;
        let (flow, predicted) = (counted.tally().matrices(), part.traffic());
        assert_eq!(
            u128::from(flow.sent),
            predicted.sent,
            "{plan:?} rank {rank}"
        );
        assert_eq!(
            u128::from(flow.received),
            predicted.received,
            "{plan:?} rank {rank}"
        );
        assert_eq!(
            flow.messages, predicted.messages_sent,
            "{plan:?} rank {rank}"
        );
        let memory = part.memory();
        let allocated = program.own_words().iter().sum::<usize>() + program.buffer_words();
        assert_eq!(
            allocated as u128,
            memory.total(),
            "{plan:?} rank {rank}: {memory:?}"
        );
        Ok::<_, MatmulError>((part, c))
    });
    let mut seen = 0;
    for (part, words) in parts.expect("every rank succeeds") {
        let mut words = words.into_iter();
        for_each_own(&part, Matrix::C, |i, j| {
            let sum = (0..shape.k).fold(T::ZERO, |sum, p| {
                sum.plus(entry::<T>(1, i, p).times(entry(2, p, j)))
            });
            let old = if beta == T::ZERO {
                T::ZERO
            } else {
                beta.times(entry(3, i, j))
            };
            assert_eq!(
                words.next(),
                Some(alpha.times(sum).plus(old)),
                "({i}, {j}) of {plan:?}"
            );
            seen += 1;
        });
    }
    assert_eq!(u128::from(seen as u64), shape.face(Matrix::C), "{plan:?}");
}

#[test]
fn the_best_plan_gives_the_product_for_any_number_of_ranks() {
    for (m, n, k) in [
        (12, 10, 14),
        (1, 9, 20),
        (17, 3, 2),
        (5, 5, 1),
        (0, 4, 3),
        (4, 3, 0),
        (1, 1, 1),
    ] {
        for ranks in 1..=11 {
            let problem = Problem {
                shape: Shape::new(m, n, k),
                ranks,
                memory: None,
            };
            let (plan, _) = search(&problem).expect("there is always a plan without a limit");
            check(&plan, 2.0_f64, -1.0, &Backend::Simd);
            check(
                &plan,
                Complex::new(0.0_f32, 1.0),
                Complex::new(0.0, 0.0),
                &Backend::Reference,
            );
        }
    }
}

#[test]
fn rounds_tiles_and_chunks_change_nothing_but_the_order() {
    let shape = Shape::new(13, 11, 17);
    for grid in [
        [1, 1, 1],
        [2, 1, 1],
        [1, 1, 2],
        [2, 2, 1],
        [1, 2, 3],
        [2, 2, 2],
    ] {
        for (tiles, steps, chunks) in [
            ([1, 1], 3, 2),
            ([2, 1], 1, 1),
            ([1, 3], 2, 2),
            ([2, 2], 5, 1),
        ] {
            let (tree, schedule) = (
                Tree::grid(grid),
                Schedule {
                    tiles,
                    steps,
                    chunks,
                },
            );
            let plan = Plan::new(shape, tree.ranks(), tree, schedule).expect("a legal plan");
            check(&plan, 1.0_f32, 0.0, &Backend::Simd);
        }
    }
}
