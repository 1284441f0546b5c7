//! Thousands of products on threads, against three loops: sizes, plans, memory limits, element types, factors, both
//! ways of communication. Words counted are words predicted, on every rank.

mod common;

use std::time::{Duration, Instant};

use redblue_dist::comm::threads::{RankError, Ranks};
use redblue_dist::comm::{Comm, CommError, Counted, Traced, What, threads};
use redblue_dist::plan::{Plan, Schedule, Tree};
use redblue_dist::{Matrix, Shape};
use redblue_kernels::Backend;
use redblue_kernels::matmul::scatter::own_words;
use redblue_kernels::matmul::{MatmulError, RankProgram, Words, multiply};

#[test]
fn any_product_on_one_to_sixteen_ranks() {
    for seed in common::cases(400, 20_000) {
        let ranks = 1 + seed as usize % 16;
        let outcome = threads::run(ranks, |comm| {
            common::check(&Counted::new(comm.duplicate()?), seed)
        });
        assert!(outcome.is_ok(), "seed {seed}: {outcome:?}");
    }
}

/// The words of round r+1 are on their way while round r is multiplied: a trace of a run shows it.
#[test]
fn panels_travel_while_others_are_multiplied() {
    const STEPS: u64 = 4;
    let shape = Shape::new(256, 256, 1024);
    let schedule = Schedule {
        steps: STEPS,
        ..Schedule::WHOLE
    };
    let plan = Plan::new(shape, 2, Tree::grid([2, 1, 1]), schedule).expect("a legal plan");
    let traces = threads::run(2, |comm| {
        let traced = Traced::new(comm.duplicate()?, Instant::now());
        let rank = comm.rank() as u64;
        let (part, program) = (plan.rank(rank), RankProgram::of(&plan, rank)?);
        let [a, b, mut c] = Matrix::ALL.map(|matrix| own_words(&part, matrix, |_, _| 1.0_f64));
        let words = Words {
            a: &a,
            b: &b,
            c: &mut c,
        };
        multiply(&traced, &program, 1.0, 0.0, words, &Backend::Simd)?;
        assert!(c.iter().all(|&word| word == 1024.0));
        Ok::<_, MatmulError>(traced.trace())
    });
    for trace in traces.expect("both ranks succeed") {
        // Exchange 0 brings the first panel; exchange r multiplies panel r-1 and brings panel r.
        for exchange in 1..STEPS as usize {
            let first = |what: What| {
                let found = trace
                    .events
                    .iter()
                    .position(|event| (event.exchange, event.what) == (exchange, what));
                found.unwrap_or_else(|| panic!("no {what:?} in exchange {exchange}"))
            };
            let (posted, started, ended) = (
                first(What::ReceivePosted),
                first(What::WorkStarted),
                first(What::WorkEnded),
            );
            assert!(posted < started && started < ended, "{:?}", trace.events);
            let work = trace.events[ended].at - trace.events[started].at;
            assert!(work > Duration::ZERO);
        }
    }
}

/// A rank that dies in the middle of a product ends the others, soon and with its name.
#[test]
fn a_rank_that_fails_in_the_middle_ends_the_others() {
    let shape = Shape::new(64, 64, 64);
    let schedule = Schedule {
        steps: 8,
        ..Schedule::WHOLE
    };
    let plan = Plan::new(shape, 4, Tree::grid([2, 2, 1]), schedule).expect("a legal plan");
    let start = Instant::now();
    let (outcomes, culprit) = Ranks::new(4).outcomes(|comm| {
        let rank = comm.rank() as u64;
        let (part, program) = (plan.rank(rank), RankProgram::of(&plan, rank)?);
        let [a, b, mut c] = Matrix::ALL.map(|matrix| own_words(&part, matrix, |_, _| 1.0_f64));
        for run in 0..100 {
            if (rank, run) == (2, 3) {
                panic!("out of order");
            }
            let words = Words {
                a: &a,
                b: &b,
                c: &mut c,
            };
            multiply(comm, &program, 1.0, 0.0, words, &Backend::Simd)?;
        }
        Ok::<_, MatmulError>(())
    });
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(culprit, Some(2));
    for (rank, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Err(RankError::Panicked { rank: 2, message }) => {
                assert!(message.contains("out of order"))
            }
            Err(RankError::Returned {
                error: MatmulError::Comm(CommError::Failed { rank: 2, .. }),
                ..
            }) => assert_ne!(rank, 2),
            other => panic!("rank {rank}: {other:?}"),
        }
    }
}
