//! One-sided accesses: values, and the same counts as messages.

use num_complex::Complex;
use redblue_dist::comm::{Access, CommError, Counted, Flow, OneSided, Phase, Window};
use redblue_dist::shape::Matrix;
use redblue_math::random::Random;

use super::Sample;

/// Several rounds of random gets, then of random accumulations.
pub fn check<C: OneSided>(comm: &C, rounds: usize) -> Result<(), CommError> {
    typed::<f64, C>(comm, rounds)?;
    typed::<f32, C>(comm, 1)?;
    typed::<Complex<f32>, C>(comm, 1)?;
    typed::<Complex<f64>, C>(comm, 1)
}

fn typed<T: Sample, C: OneSided>(comm: &C, rounds: usize) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let comm = Counted::new(comm.duplicate()?);
    let mut random = Random::new(size as u64 + 77);
    let phases = [Phase::Multiply(Matrix::A), Phase::Multiply(Matrix::C)];
    let mut expected = [Flow::default(); 2];
    let move_words = |flow: &mut Flow, from: usize, to: usize, words: usize| {
        let words = if from == to { 0 } else { words as u64 };
        if from == rank {
            flow.sent += words;
            flow.messages += words.min(1);
        }
        if to == rank {
            flow.received += words;
        }
    };
    for _ in 0..rounds {
        let lengths: Vec<usize> = (0..size).map(|_| random.below(50)).collect();
        let value = |rank: usize, i: usize| T::sample((100 * rank + i) as u64);
        let memory = |rank: usize| {
            (0..lengths[rank])
                .map(|i| value(rank, i))
                .collect::<Vec<T>>()
        };
        // (who accesses, whose window, first word, words)
        let access = |random: &mut Random| {
            let (origin, target) = (random.below(size), random.below(size));
            let at = random.below(lengths[target] + 1);
            (origin, target, at, random.below(lengths[target] - at + 1))
        };
        let gets: Vec<_> = (0..2 * size).map(|_| access(&mut random)).collect();
        let adds: Vec<_> = (0..2 * size).map(|_| access(&mut random)).collect();

        let window = comm.expose(memory(rank))?;
        for &(origin, target, at, words) in &gets {
            move_words(&mut expected[0], target, origin, words);
            if origin == rank {
                let mut got = vec![T::default(); words];
                let data = &mut got[..];
                let get = Access::Get {
                    from: target,
                    at,
                    phase: phases[0],
                    data,
                };
                window.exchange(&mut [get], |advance| advance())?;
                assert_eq!(got, &memory(target)[at..at + words]);
            }
        }
        assert_eq!(window.close()?, memory(rank));

        let window = comm.expose(memory(rank))?;
        let mut sums = memory(rank);
        for &(origin, target, at, words) in &adds {
            move_words(&mut expected[1], origin, target, words);
            let more: Vec<T> = (0..words).map(|i| value(origin, i)).collect();
            if origin == rank {
                let data = &more[..];
                let add = Access::Accumulate {
                    to: target,
                    at,
                    phase: phases[1],
                    data,
                };
                window.exchange(&mut [add], |_| ())?;
            }
            if target == rank {
                sums[at..]
                    .iter_mut()
                    .zip(&more)
                    .for_each(|(sum, &more)| *sum = sum.plus(more));
            }
        }
        assert_eq!(window.close()?, sums);
    }
    let tally = comm.settle()?;
    assert_eq!([tally[phases[0]], tally[phases[1]]], expected);
    assert_eq!(comm.settle()?, tally);
    Ok(())
}
