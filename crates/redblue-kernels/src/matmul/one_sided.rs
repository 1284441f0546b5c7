//! The same product with one-sided communication (C-23): panels are got from their owners' windows, partial sums
//! accumulated into theirs. Nobody serves anybody, and the words moved are those of the two-sided way.
//!
//! ```text
//! expose A, B, zeros for C ─► rounds: get panels of r+1 while multiplying those of r ─► accumulate partial sums ─► close
//! ```
//!
//! A window keeps its memory until all ranks are done, so a rank adds its own sums apart and joins them with those of the
//! others at the end: its own words are there twice, which a plan's memory does not count.

use std::collections::BTreeMap;
use std::ops::Range;

use redblue_dist::Matrix;
use redblue_dist::comm::{Access, OneSided, Phase, Window};
use redblue_dist::plan::{Plan, Transfer};

use super::MatmulError;
use super::execute::{Run, Words, scale};
use super::program::{Block, RankProgram, contiguous, own_blocks};
use crate::backend::Backend;
use crate::scalar::Scalar;

/// Where the words that a rank gets and adds to are in the windows of their owners.
#[derive(Clone, Debug)]
pub struct Remote {
    rounds: Vec<Round>,
}

#[derive(Clone, Debug, Default)]
struct Round {
    /// Words of `A`, then of `B`, in the order in which they fill the panel.
    gets: [Vec<Place>; 2],
    /// Partial sums, in the order in which they are stored.
    adds: Vec<Place>,
}

#[derive(Clone, Debug)]
struct Place {
    rank: usize,
    words: Range<usize>,
}

impl Remote {
    /// The places for one rank of a plan.
    pub fn of(plan: &Plan, rank: u64) -> Result<Remote, MatmulError> {
        let mut owners: BTreeMap<u64, [Vec<Block>; 3]> = BTreeMap::new();
        let mut place = |transfer: &Transfer| {
            let blocks = match owners.entry(transfer.peer) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(new) => {
                    new.insert(own_blocks(&plan.rank(transfer.peer))?)
                }
            };
            let words = contiguous(transfer, &blocks[transfer.matrix.index()])?;
            let rank = transfer.peer as usize;
            Ok::<_, MatmulError>(Place { rank, words })
        };
        let mut rounds = Vec::new();
        for round in plan.rank(rank).rounds() {
            let mut remote = Round::default();
            for transfer in &round.receives {
                remote.gets[transfer.matrix.index()].push(place(transfer)?);
            }
            for transfer in &round.partial_sends {
                remote.adds.push(place(transfer)?);
            }
            rounds.push(remote);
        }
        Ok(Remote { rounds })
    }
}

/// `C = alpha·A·B + beta·C` as [`super::multiply`] computes it; gives the words of `A`, `B` and `C` back. Collective.
pub fn multiply<T: Scalar, C: OneSided>(
    comm: &C,
    (program, remote): (&RankProgram, &Remote),
    [alpha, beta]: [T; 2],
    [a, b, mut c]: [Vec<T>; 3],
    backend: &Backend,
) -> Result<[Vec<T>; 3], MatmulError> {
    let words = Words {
        a: &a,
        b: &b,
        c: &mut c,
    };
    program.check(comm.size(), &words)?;
    scale(beta, &mut c);
    // Products read the own words, which the windows hold: they are kept here, too.
    let own = [a.clone(), b.clone()];
    let (left, right) = (comm.expose(a)?, comm.expose(b)?);
    let sums = comm.expose(vec![T::ZERO; c.len()])?;
    let words = Words {
        a: &own[0],
        b: &own[1],
        c: &mut c,
    };
    let mut run = Run::new(comm, program, alpha, words, backend)?;
    if let Some(first) = remote.rounds.first() {
        let [into_a, into_b] = run.panels_of(0);
        left.exchange(&mut gets(&first.gets, Matrix::A, into_a), |_| ())?;
        right.exchange(&mut gets(&first.gets, Matrix::B, into_b), |_| ())?;
    }
    for (number, round) in remote.rounds.iter().enumerate() {
        let next = remote.rounds.get(number + 1).map(|next| &next.gets);
        run.product(number, |[into_a, into_b], work| {
            let nothing = [Vec::new(), Vec::new()];
            let next = next.unwrap_or(&nothing);
            let mut from_a = gets(next, Matrix::A, into_a);
            let mut from_b = gets(next, Matrix::B, into_b);
            left.exchange(&mut from_a, |progress| {
                right.exchange(&mut from_b, |more| {
                    work(&mut || {
                        progress();
                        more();
                    });
                })
            })?
        })?;
        let mut filled = 0;
        let mut adds: Vec<Access<'_, T>> = Vec::with_capacity(round.adds.len());
        for place in &round.adds {
            let from = filled;
            filled += place.words.len();
            adds.push(Access::Accumulate {
                to: place.rank,
                at: place.words.start,
                phase: Phase::Multiply(Matrix::C),
                data: &run.partial()[from..filled],
            });
        }
        sums.exchange(&mut adds, |_| ())?;
    }
    let (a, b, more) = (left.close()?, right.close()?, sums.close()?);
    c.iter_mut()
        .zip(more)
        .for_each(|(word, more)| *word = word.plus(more));
    Ok([a, b, c])
}

/// The gets that fill a panel.
fn gets<'m, T>(places: &[Vec<Place>; 2], matrix: Matrix, into: &'m mut [T]) -> Vec<Access<'m, T>> {
    let mut rest = into;
    let mut found = Vec::new();
    for place in &places[matrix.index()] {
        let (data, behind) = std::mem::take(&mut rest).split_at_mut(place.words.len());
        rest = behind;
        found.push(Access::Get {
            from: place.rank,
            at: place.words.start,
            phase: Phase::Multiply(matrix),
            data,
        });
    }
    found
}
