//! Ranks that fail, panic, end early or wait in vain: the others end with an error, and soon.

#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use redblue_dist::comm::threads::{RankError, Ranks, ThreadComm, run};
use redblue_dist::comm::{Comm, CommError, OneSided, Phase, Tag, Transfer, Window};
use redblue_dist::shape::Matrix;

const TAG: fn() -> Tag = || Phase::Multiply(Matrix::A).into();

fn receive(comm: &ThreadComm, from: usize, words: usize) -> Result<(), CommError> {
    comm.transfer(&mut [Transfer::Receive {
        from,
        tag: TAG(),
        data: &mut vec![0.0; words],
    }])
}

fn send(comm: &ThreadComm, to: usize, words: usize) -> Result<(), CommError> {
    comm.transfer(&mut [Transfer::Send {
        to,
        tag: TAG(),
        data: &vec![1.0; words],
    }])
}

/// A program on 4 ranks in which rank 2 misbehaves: what the run and every other rank report. All must end
/// long before the patience of five minutes is over.
fn check(body: impl Fn(&ThreadComm) -> Result<(), CommError> + Sync, run: &str, others: &str) {
    let start = Instant::now();
    let (outcomes, culprit) = Ranks::new(4).outcomes(&body);
    assert!(start.elapsed() < Duration::from_secs(60));
    for (rank, outcome) in outcomes.iter().enumerate() {
        let text = outcome
            .as_ref()
            .expect_err("all ranks end with an error")
            .to_string();
        let expected = if Some(rank) == culprit { run } else { others };
        assert!(text.contains(expected), "rank {rank}: {text}");
    }
    let text = Ranks::new(4).run(&body).unwrap_err().to_string();
    assert!(text.contains(run), "{text}");
}

#[test]
fn a_rank_returns_an_error() {
    let body = |comm: &ThreadComm| match comm.rank() {
        2 => Err(CommError::Library {
            operation: "disk",
            message: "full".to_owned(),
        }),
        rank => receive(comm, (rank + 1) % 4, 3),
    };
    check(body, "rank 2: disk: full", "rank 2 failed: disk: full");
}

#[test]
fn a_rank_panics() {
    let body = |comm: &ThreadComm| match comm.rank() {
        2 => panic!("no more"),
        rank => send(comm, (rank + 1) % 4, 3),
    };
    check(
        body,
        "rank 2 panicked: no more",
        "rank 2 failed: panicked: no more",
    );
}

#[test]
fn a_rank_panics_at_work_while_its_messages_are_under_way() {
    let body = |comm: &ThreadComm| {
        let rank = comm.rank();
        let (data, mut into) = (vec![1.0; 100], vec![0.0; 100]);
        let mut transfers = [
            Transfer::Send {
                to: (rank + 1) % 4,
                tag: TAG(),
                data: &data,
            },
            Transfer::Receive {
                from: (rank + 3) % 4,
                tag: TAG(),
                data: &mut into,
            },
        ];
        comm.exchange(&mut transfers, |_| assert!(rank != 2, "overheated"))?;
        comm.barrier()
    };
    check(
        body,
        "rank 2 panicked: overheated",
        "rank 2 failed: panicked: overheated",
    );
}

#[test]
fn a_rank_says_it_cannot_go_on() {
    let body = |comm: &ThreadComm| {
        if comm.rank() == 2 {
            comm.fail("out of memory: 12 bytes missing");
        }
        comm.barrier()?;
        comm.barrier()
    };
    let said = "rank 2 failed: out of memory: 12 bytes missing";
    check(body, said, said);
}

#[test]
fn a_rank_ends_early() {
    let waiting = Ranks::new(3).run(|comm| match comm.rank() {
        2 => Ok(()),
        rank => receive(comm, rank + 1, 1),
    });
    let text = waiting.unwrap_err().to_string();
    assert!(
        text.contains("rank 1 waits for the message 2 → 1 with tag 0, which has ended"),
        "{text}"
    );
}

#[test]
fn deadlocks_are_found_at_once() {
    let circle = |comm: &ThreadComm| receive(comm, (comm.rank() + 1) % 4, 1);
    check(
        circle,
        "deadlock: rank 3 waits for the message 0 → 3",
        "deadlock: rank 3 waits",
    );
    let sends = |comm: &ThreadComm| send(comm, (comm.rank() + 1) % 4, 1);
    check(
        sends,
        "deadlock: rank 0 waits for the message 0 → 1",
        "deadlock: rank 0 waits",
    );
}

#[test]
fn a_rank_that_is_stuck_elsewhere_makes_the_others_lose_patience() {
    let patience = Duration::from_millis(200);
    let start = Instant::now();
    let outcome = Ranks::new(2)
        .patience(patience)
        .run(|comm| match comm.rank() {
            0 => {
                std::thread::sleep(Duration::from_secs(2));
                send(comm, 1, 1)
            }
            _ => receive(comm, 0, 1),
        });
    assert!(start.elapsed() < Duration::from_secs(20));
    let Err(RankError::Returned {
        rank: 1,
        error: CommError::TimedOut { waiting, .. },
    }) = outcome
    else {
        panic!("{outcome:?}")
    };
    assert_eq!(waiting, "rank 1 waits for the message 0 → 1 with tag 0");
}

#[test]
fn ends_of_a_message_must_agree() {
    let body = |comm: &ThreadComm| match comm.rank() {
        0 => send(comm, 1, 3),
        1 => receive(comm, 0, 4),
        _ => comm.split(None, 0).map(|_| ()),
    };
    let text = "the message 0 → 1 with tag 0: sent 3 words of F64, expected 4 words of F64";
    check(body, text, text);
    let types = run(2, |comm| match comm.rank() {
        0 => comm.transfer(&mut [Transfer::Send {
            to: 1,
            tag: TAG(),
            data: &[1_u64],
        }]),
        _ => receive(comm, 0, 1),
    });
    assert!(
        types
            .unwrap_err()
            .to_string()
            .contains("sent 1 words of U64, expected 1 words of F64")
    );
}

#[test]
fn strangers_and_words_outside_windows_are_refused() {
    let stranger = run(2, |comm| send(comm, 2, 1));
    assert!(
        stranger
            .unwrap_err()
            .to_string()
            .contains("no rank 2 in a communicator of 2")
    );
    let outside = run(2, |comm| {
        let window = comm.expose(vec![0.0; 3 + comm.rank()])?;
        let data = &mut [0.0; 2];
        let phase = Phase::Control;
        let access = redblue_dist::comm::Access::Get {
            from: 0,
            at: 2,
            phase,
            data,
        };
        window.exchange(&mut [access], |_| ())
    });
    assert!(
        outside
            .unwrap_err()
            .to_string()
            .contains("words 2..4 of rank 0's window, which has 3")
    );
}

#[test]
fn a_run_without_ranks_is_empty() {
    assert_eq!(run(0, |_| Ok::<(), CommError>(())), Ok(vec![]));
}
