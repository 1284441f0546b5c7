//! Products on MPI processes, with the checks of the threads. Run by redblue-dist's `tests/mpi.sh` under a launcher:
//! `mpirun -n 4 <this binary> [CASE]`.

#![allow(clippy::unwrap_used)]

mod common;

use redblue_dist::comm::mpi::{MpiComm, start};
use redblue_dist::comm::{Comm, CommError, Counted};
use redblue_dist::plan::{Plan, Schedule, Tree};
use redblue_dist::{Matrix, Shape};
use redblue_kernels::Backend;
use redblue_kernels::matmul::scatter::own_words;
use redblue_kernels::matmul::{MatmulError, RankProgram, Words, multiply};

fn main() {
    let (_session, comm) = start().expect("MPI starts");
    let case = std::env::args().nth(1).unwrap_or_default();
    let comm = comm.patience(std::time::Duration::from_secs(60));
    let outcome = comm.guard(|comm| match case.as_str() {
        "" => random(comm),
        "kill" => kill(
            &comm
                .duplicate()?
                .patience(std::time::Duration::from_secs(5)),
        ),
        other => panic!("unknown case {other}"),
    });
    match outcome {
        Ok(()) => {}
        Err(MatmulError::Comm(error)) => comm.abort(&error),
        Err(error) => comm.abort(&CommError::Failed {
            rank: comm.rank(),
            message: error.to_string(),
        }),
    }
}

/// One product, 240 words along each axis: on a grid of as many ranks as there are along k and n, or on a tree of 6 ranks
/// that relay words.
fn product<C: Comm>(comm: &C, between: impl Fn(usize)) -> Result<(), MatmulError> {
    let (rank, ranks) = (comm.rank() as u64, comm.size() as u64);
    let grid = if ranks.is_multiple_of(2) {
        [1, ranks / 2, 2]
    } else {
        [1, ranks, 1]
    };
    let schedule = Schedule {
        steps: 4,
        ..Schedule::WHOLE
    };
    let shape = Shape::new(240, 240, 240);
    let plan = match ranks {
        6 => Plan::parse("n{2:m2,4:m{2*1:1,2:n2}}/steps=4", shape, ranks).unwrap(),
        _ => Plan::new(shape, ranks, Tree::grid(grid), schedule).unwrap(),
    };
    assert_eq!(plan.relays(), ranks == 6);
    let (part, program) = (plan.rank(rank), RankProgram::of(&plan, rank)?);
    let [a, b, mut c] = Matrix::ALL.map(|matrix| own_words(&part, matrix, |_, _| 1.0_f64));
    for run in 0..10 {
        between(run);
        let words = Words {
            a: &a,
            b: &b,
            c: &mut c,
        };
        multiply(comm, &program, 1.0, 0.0, words, &Backend::Simd)?;
        assert!(c.iter().all(|&word| word == 240.0));
    }
    Ok(())
}

/// Random products, as many as the second argument says, and one that is longer. Prints, in bytes, what this rank
/// counted: the line that `pmpi.c` must print, too.
fn random(comm: &MpiComm) -> Result<(), MatmulError> {
    let count = std::env::args().nth(2).and_then(|text| text.parse().ok());
    let counted = Counted::new(comm.duplicate()?);
    let [mut sent, mut received] = [0, 0];
    for seed in common::cases(count.unwrap_or(60), 2_000) {
        let [out, into] = common::check(&counted, seed)?;
        (sent, received) = (sent + out, received + into);
    }
    counted.take();
    product(&counted, |_| ())?;
    let flow = counted.tally().matrices();
    let (sent, received) = (sent + 8 * flow.sent, received + 8 * flow.received);
    println!("tally {} {sent} {received}", comm.rank());
    Ok(())
}

/// Rank 1 dies between two products: the job must end soon, and not well.
fn kill(comm: &MpiComm) -> Result<(), MatmulError> {
    product(comm, |run| {
        if (comm.rank(), run) == (1, 5) {
            let own = std::process::id().to_string();
            let _ = std::process::Command::new("kill")
                .args(["-KILL", &own])
                .status();
        }
    })
}
