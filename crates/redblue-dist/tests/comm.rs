//! The back-end on threads against sequential oracles: messages, collectives, windows, counts.

#![allow(clippy::unwrap_used)]

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::{collectives, exchanges, one_sided, splits};
use num_complex::Complex;
use redblue_dist::comm::agree::agree;
use redblue_dist::comm::{Comm, CommError, Phase, Traced, Transfer, What, threads};
use redblue_dist::shape::Matrix;

/// Runs a check that every rank carries out, on 1 to 16 threads.
fn on_threads(check: impl Fn(&threads::ThreadComm) -> Result<(), CommError> + Sync) {
    for ranks in 1..=16 {
        threads::run(ranks, &check).unwrap();
    }
}

#[test]
fn random_exchanges_deliver_and_count_every_word() {
    on_threads(|comm| {
        exchanges::check::<f64, _>(comm, 40, 7)?;
        exchanges::check::<f32, _>(comm, 10, 8)?;
        exchanges::check::<Complex<f64>, _>(comm, 10, 9)?;
        exchanges::check::<Complex<f32>, _>(comm, 10, 10)
    });
}

#[test]
fn collectives_agree_with_sequential_ones_and_move_what_is_predicted() {
    on_threads(|comm| collectives::check(comm, 12));
}

#[test]
fn communicators_split_by_colour_and_key() {
    on_threads(splits::check);
}

#[test]
fn windows_get_and_accumulate_with_the_counts_of_messages() {
    on_threads(|comm| one_sided::check(comm, 10));
}

#[test]
fn arguments_that_differ_are_reported_on_all_ranks() {
    for ranks in 2..=9 {
        for odd in 0..ranks {
            let (outcomes, _) = threads::Ranks::new(ranks).outcomes(|comm| {
                let k = if comm.rank() == odd { 70 } else { 7 };
                agree(comm, &[("m", 5), ("k", k), ("n", 6)])
            });
            // A rank that hears of the others' failure first repeats what they found.
            let low_rank = usize::from(odd == 0);
            let found = format!("argument k differs: 7 on rank {low_rank}, 70 on rank {odd}");
            for outcome in outcomes {
                let text = outcome.unwrap_err().to_string();
                assert!(text.contains(&found), "{text}");
            }
        }
        assert!(threads::run(ranks, |comm| agree(comm, &[("m", u64::MAX), ("n", 0)])).is_ok());
        let unequal_lists = threads::run(ranks, |comm| {
            agree(
                comm,
                &[("m", 1), ("n", 2)][..1 + usize::from(comm.rank() == 0)],
            )
        });
        assert!(
            unequal_lists
                .unwrap_err()
                .to_string()
                .contains("argument count differs")
        );
    }
}

#[test]
fn messages_with_equal_tags_keep_their_order() {
    let received = threads::run(2, |comm| {
        let tag = Phase::Multiply(Matrix::A).into();
        let (mut first, mut second) = ([0.0], [0.0]);
        match comm.rank() {
            0 => comm.transfer(&mut [
                Transfer::Send {
                    to: 1,
                    tag,
                    data: &[1.0],
                },
                Transfer::Send {
                    to: 1,
                    tag,
                    data: &[2.0],
                },
            ])?,
            _ => comm.transfer(&mut [
                Transfer::Receive {
                    from: 0,
                    tag,
                    data: &mut first,
                },
                Transfer::Receive {
                    from: 0,
                    tag,
                    data: &mut second,
                },
            ])?,
        }
        Ok::<_, CommError>((first[0], second[0]))
    });
    assert_eq!(received.unwrap()[1], (1.0, 2.0));
}

#[test]
fn messages_arrive_while_the_receiver_computes() {
    let start = Instant::now();
    let tag = Phase::Multiply(Matrix::B).into();
    let sent = AtomicBool::new(false);
    let traces = threads::run(2, |comm| {
        let comm = Traced::new(comm.duplicate()?, start);
        let mut panel = vec![0.0_f64; 1000];
        if comm.rank() == 0 {
            comm.transfer(&mut [Transfer::Send {
                to: 1,
                tag,
                data: &vec![3.0; 1000],
            }])?;
            sent.store(true, Ordering::SeqCst);
        } else {
            let mut transfers = [Transfer::Receive {
                from: 0,
                tag,
                data: &mut panel,
            }];
            // The work ends when the message is there, so it must travel meanwhile.
            comm.exchange(&mut transfers, |_| {
                while !sent.load(Ordering::SeqCst) && start.elapsed() < Duration::from_secs(60) {
                    std::thread::yield_now();
                }
            })?;
            assert!(panel.iter().all(|&word| word == 3.0));
        }
        Ok::<_, CommError>(comm.trace())
    });
    let traces = traces.unwrap();
    assert_eq!(traces[1].hidden(), (1000, 1000));
    let events: Vec<What> = traces[1].events.iter().map(|event| event.what).collect();
    let at_work = [
        What::ReceivePosted,
        What::WorkStarted,
        What::Received,
        What::WorkEnded,
    ];
    let before_work = [
        What::ReceivePosted,
        What::Received,
        What::WorkStarted,
        What::WorkEnded,
    ];
    assert!(events == at_work || events == before_work, "{events:?}");
    assert_eq!(traces[0].hidden(), (0, 0));
}
