//! The MPI back-end under a launcher: the checks of the threads, and ranks that fail.
//!
//! Run by `tests/mpi.sh`, which knows the launchers and what each case must end with:
//! `mpirun -n 4 <this binary> [CASE]`. Without a case, everything that must succeed.

#![allow(clippy::unwrap_used)]

mod common;

use std::process::exit;
use std::time::{Duration, Instant};

use common::{collectives, exchanges, one_sided, redistributions, splits};
use mpi::topology::Color;
use mpi::traits::{AsRaw, Communicator};
use num_complex::Complex;
use redblue_dist::comm::agree::agree;
use redblue_dist::comm::collective::{Path, all_gather, all_reduce, reduce_scatter};
use redblue_dist::comm::mpi::MpiComm;
use redblue_dist::comm::{
    Access, Comm, CommError, Counted, OneSided, Phase, Tag, Traced, Transfer, Window,
};
use redblue_dist::shape::Matrix;

fn main() {
    let universe = mpi::initialize().expect("MPI starts");
    let world = universe.world();
    let case = std::env::args().nth(1).unwrap_or_default();
    let comm = MpiComm::duplicate_of(&world)
        .unwrap()
        .patience(Duration::from_secs(60));
    let start = Instant::now();
    let outcome = comm.guard(|comm| match case.as_str() {
        "" => everything(comm, &world),
        "count" => count(comm),
        "error" => error(comm),
        "panic" => panic(comm),
        "inconsistent" => inconsistent(comm),
        "mismatch" => mismatch(comm),
        "kill" | "stop" | "large" => {
            stuck(&case, comm.duplicate()?.patience(Duration::from_secs(2)))
        }
        other => panic!("unknown case {other}"),
    });
    let seconds = start.elapsed().as_secs_f64();
    match outcome {
        Ok(()) if comm.rank() == 0 => println!("{} ranks: fine after {seconds:.1} s", comm.size()),
        Ok(()) => {}
        Err(error) => comm.abort(&error),
    }
}

fn everything(comm: &MpiComm, world: &impl Communicator) -> Result<(), CommError> {
    exchanges::check::<f64, _>(comm, 20, 1)?;
    exchanges::check::<f32, _>(comm, 5, 2)?;
    exchanges::check::<Complex<f32>, _>(comm, 5, 3)?;
    exchanges::check::<Complex<f64>, _>(comm, 5, 4)?;
    // Long messages in pieces, as beyond 2^31 words.
    exchanges::check::<f64, _>(&comm.duplicate()?.piece(1000), 5, 5)?;
    collectives::check(comm, 4)?;
    splits::check(comm)?;
    one_sided::check(comm, 3)?;
    one_sided::check(&comm.duplicate()?.piece(7), 1)?;
    redistributions::check(comm, 60, 6)?;
    agree(comm, &[("m", 3), ("n", 4)])?;
    hidden(comm)?;
    callers(world)
}

/// Communicators that are not the world: a part of it, and one given by its Fortran handle.
fn callers(world: &impl Communicator) -> Result<(), CommError> {
    let odd = world.rank() % 2;
    let half = world.split_by_color(Color::with_value(odd)).unwrap();
    let comm = MpiComm::duplicate_of(&half)?;
    assert_eq!(comm.size(), half.size() as usize);
    if odd == 1 {
        // Only half of the processes take part.
        redistributions::check(&comm, 5, 7)?;
    }
    // SAFETY: the handle is that of `half`, which is alive.
    let comm = unsafe { MpiComm::from_fortran(mpi::ffi::RSMPI_Comm_c2f(half.as_raw())) }?;
    comm.barrier()
}

/// Messages arrive while their receivers work and move messages along; on a busy machine that may need a
/// longer work than at first.
fn hidden(comm: &MpiComm) -> Result<(), CommError> {
    const WORDS: usize = 300_000;
    let (rank, size) = (comm.rank(), comm.size());
    for milliseconds in [100, 1000, 10_000] {
        let comm = Traced::new(comm.duplicate()?, Instant::now());
        let (data, mut into) = (vec![rank as f64; WORDS], vec![-1.0; WORDS]);
        let mut transfers = [
            Transfer::Send {
                to: (rank + 1) % size,
                tag: tag(),
                data: &data,
            },
            Transfer::Receive {
                from: (rank + size - 1) % size,
                tag: tag(),
                data: &mut into,
            },
        ];
        comm.exchange(&mut transfers, |advance| {
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(milliseconds) {
                advance();
                std::thread::yield_now();
            }
        })?;
        assert!(
            into.iter()
                .all(|&word| word == ((rank + size - 1) % size) as f64)
        );
        let (hidden, all) = comm.trace().hidden();
        assert_eq!(all, WORDS as u64);
        let mut least = [hidden];
        let smaller = |least: &mut [u64], more: &[u64]| least[0] = least[0].min(more[0]);
        all_reduce(&comm, &mut least, smaller, Phase::Control.into())?;
        if least[0] == all {
            return Ok(());
        }
    }
    panic!("messages arrive only after the work")
}

/// Moves words in every way and prints, in bytes, what this rank counted on its own account: the line that
/// `pmpi.c` must print, too.
fn count(comm: &MpiComm) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let comm = Counted::new(comm.duplicate()?.piece(50));
    let parts: Vec<usize> = (0..size).map(|r| 37 * r % 101).collect();
    let words = parts.iter().sum();
    let longest = parts.iter().copied().max().unwrap_or(0);
    for path in [Path::Ring, Path::Pairwise] {
        all_gather(&comm, &parts, &mut vec![0.5; words], path, tag())?;
        reduce_scatter(
            &comm,
            &parts,
            &mut vec![0.5; words],
            &mut vec![0.0; longest],
            path,
            tag(),
        )?;
    }
    let window = comm.expose(vec![0.0_f64; 200])?;
    for peer in 0..size {
        let (mut got, more) = (vec![0.0; 11 * rank], vec![0.0; 60 + rank]);
        let phase = tag().phase();
        window.exchange(
            &mut [
                Access::Get {
                    from: peer,
                    at: peer,
                    phase,
                    data: &mut got,
                },
                Access::Accumulate {
                    to: peer,
                    at: 3,
                    phase,
                    data: &more,
                },
            ],
            |_| (),
        )?;
    }
    window.close()?;
    // Not settled: MPI, too, sees a one-sided access on one side only.
    let flow = comm.tally().matrices();
    println!("tally {rank} {} {}", 8 * flow.sent, 8 * flow.received);
    Ok(())
}

fn tag() -> Tag {
    Phase::Multiply(Matrix::A).into()
}

fn receive(comm: &MpiComm, from: usize) -> Result<(), CommError> {
    comm.transfer(&mut [Transfer::Receive {
        from,
        tag: tag(),
        data: &mut [0.0; 3],
    }])
}

/// Ends the process well if the others' failure is known here, as it must be.
fn expect(comm: &MpiComm, outcome: Result<(), CommError>, text: &str) -> Result<(), CommError> {
    let error = outcome
        .expect_err("the failure of another rank is noticed")
        .to_string();
    assert!(error.contains(text), "rank {}: {error}", comm.rank());
    Ok(())
}

/// The last rank fails; all others wait for it or for each other.
fn error(comm: &MpiComm) -> Result<(), CommError> {
    let last = comm.size() - 1;
    if comm.rank() == last {
        comm.fail("the disk is full");
        return Ok(());
    }
    expect(
        comm,
        receive(comm, comm.rank() + 1),
        &format!("rank {last} failed: the disk is full"),
    )
}

/// The last rank panics while its messages are under way.
fn panic(comm: &MpiComm) -> Result<(), CommError> {
    let last = comm.size() - 1;
    if comm.rank() == last {
        std::panic::set_hook(Box::new(|_| {}));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut into = [0.0];
            let mut transfers = [Transfer::Receive {
                from: 0,
                tag: tag(),
                data: &mut into,
            }];
            comm.exchange(&mut transfers, |_| panic!("overheated"))
        }));
        assert!(panicked.is_err());
        return Ok(());
    }
    expect(
        comm,
        receive(comm, comm.rank() + 1),
        &format!("rank {last} failed: panicked"),
    )
}

fn inconsistent(comm: &MpiComm) -> Result<(), CommError> {
    let (rank, size) = (comm.rank() as u64, comm.size() as u64);
    let outcome = agree(comm, &[("m", 7), ("k", rank.min(1))]);
    let k = CommError::Inconsistent {
        name: "k".to_owned(),
        low: 0,
        low_rank: 0,
        high: 1,
        high_rank: 1,
    };
    assert_eq!(outcome, if size > 1 { Err(k) } else { Ok(()) });
    Ok(())
}

/// Rank 1 gets a shorter message than it expects.
fn mismatch(comm: &MpiComm) -> Result<(), CommError> {
    match comm.rank() {
        0 => comm.transfer(&mut [Transfer::Send {
            to: 1,
            tag: tag(),
            data: &[1.0; 2],
        }]),
        1 => expect(
            comm,
            receive(comm, 0),
            "sent 2 words, expected 3 words of F64",
        ),
        _ => Ok(()),
    }
}

/// Rank 1 dies, sleeps, or fails with long messages on their way to it: the job must end soon, and not well.
fn stuck(case: &str, comm: MpiComm) -> Result<(), CommError> {
    let comm = &comm;
    comm.barrier()?;
    match (comm.rank(), case) {
        (1, "kill") => {
            let own = std::process::id().to_string();
            std::process::Command::new("kill")
                .args(["-KILL", &own])
                .status()
                .unwrap();
            std::thread::sleep(Duration::from_secs(600));
            exit(0)
        }
        (1, "stop") => {
            std::thread::sleep(Duration::from_secs(600));
            exit(0)
        }
        (1, _) => {
            comm.fail("no room for the panel");
            // Stay alive, deaf to the others: they must not wait for ever.
            std::thread::sleep(Duration::from_secs(600));
            exit(0)
        }
        (_, "large") => comm.transfer(&mut [Transfer::Send {
            to: 1,
            tag: tag(),
            data: &vec![1.0; 1 << 22],
        }]),
        _ => receive(comm, 1),
    }
}
