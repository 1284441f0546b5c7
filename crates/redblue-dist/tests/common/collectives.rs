//! Collectives with random unequal parts, against sequential sums and against the predicted words.

use redblue_dist::comm::collective::{
    Path, all_gather, all_reduce, broadcast, gather_flow, reduce_flow, reduce_scatter,
};
use redblue_dist::comm::{Comm, CommError, Counted, Phase, Tag};
use redblue_dist::shape::Matrix;
use redblue_math::random::Random;

use super::Sample;

/// Several rounds of every collective.
pub fn check<C: Comm>(comm: &C, rounds: usize) -> Result<(), CommError> {
    let comm = &Counted::new(comm.duplicate()?);
    let (rank, size) = (comm.rank(), comm.size());
    let mut random = Random::new(size as u64);
    for round in 0..rounds {
        let longest = [3, 40, 3000][round % 3];
        let part = |_| {
            if random.chance(25) {
                0
            } else {
                random.below(longest)
            }
        };
        let parts: Vec<usize> = (0..size).map(part).collect();
        let root = random.below(size);
        for path in [Path::Ring, Path::Pairwise] {
            gather(comm, &parts, path)?;
            reduce(comm, &parts, path)?;
        }
        let value = |rank: usize, i: usize| f64::sample((1000 * rank + i) as u64);
        let words = parts[0];
        let mut buffer: Vec<f64> = (0..words).map(|i| value(rank, i)).collect();
        broadcast(comm, root, &mut buffer, Phase::Control.into())?;
        assert_eq!(
            buffer,
            (0..words).map(|i| value(root, i)).collect::<Vec<_>>()
        );
        // Joining digits is associative and not commutative: the order of ranks must be kept.
        let mut digits = [rank as u64 + 1, 1];
        let join = |low: &mut [u64], high: &[u64]| {
            let scale = 17_u64.wrapping_pow(high[1] as u32);
            low.copy_from_slice(&[
                low[0].wrapping_mul(scale).wrapping_add(high[0]),
                low[1] + high[1],
            ]);
        };
        all_reduce(comm, &mut digits, join, Phase::Control.into())?;
        let all =
            (1..=size as u64).fold(0_u64, |sum, digit| sum.wrapping_mul(17).wrapping_add(digit));
        assert_eq!(digits, [all, size as u64]);
    }
    Ok(())
}

fn tag() -> Tag {
    Tag::new(Phase::Multiply(Matrix::C), 3)
}

fn gather<C: Comm>(comm: &Counted<C>, parts: &[usize], path: Path) -> Result<(), CommError> {
    let rank = comm.rank();
    let value = |rank: usize, i: usize| f64::sample((7000 * rank + i) as u64);
    let all: Vec<f64> = (0..parts.len())
        .flat_map(|r| (0..parts[r]).map(move |i| value(r, i)))
        .collect();
    let start: usize = parts[..rank].iter().sum();
    let own = start..start + parts[rank];
    let mut buffer = vec![-1.0; all.len()];
    buffer[own.clone()].copy_from_slice(&all[own]);
    all_gather(comm, parts, &mut buffer, path, tag())?;
    assert_eq!(buffer, all);
    assert_eq!(comm.take()[tag().phase()], gather_flow(parts, rank, path));
    Ok(())
}

fn reduce<C: Comm>(comm: &Counted<C>, parts: &[usize], path: Path) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let words: usize = parts.iter().sum();
    let value = |rank: usize, i: usize| f64::sample((31 * rank * i + rank + i) as u64);
    let mut buffer: Vec<f64> = (0..words).map(|i| value(rank, i)).collect();
    let mut scratch = vec![0.0; parts.iter().copied().max().unwrap_or(0)];
    reduce_scatter(comm, parts, &mut buffer, &mut scratch, path, tag())?;
    let start: usize = parts[..rank].iter().sum();
    let own = start..start + parts[rank];
    let sums = own
        .clone()
        .map(|i| (0..size).map(|rank| value(rank, i)).sum::<f64>());
    assert_eq!(buffer[own.clone()], sums.collect::<Vec<_>>());
    assert_eq!(comm.take()[tag().phase()], reduce_flow(parts, rank, path));
    Ok(())
}
