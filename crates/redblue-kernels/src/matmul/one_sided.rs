//! The same product with one-sided communication (C-23): panels are got from their owners' windows, partial sums
//! accumulated into theirs. Nobody serves anybody, and the words moved are those of the two-sided way.
//!
//! ```text
//! expose A, B, zeros for C ─► rounds: get panels of r+1 while multiplying those of r ─► accumulate partial sums ─► close
//! ```
//!
//! In a plan that relays words, servers first get them from windows of their own, and expose them behind their own words;
//! sums that they have collected are accumulated into the owners' windows at the end.
//!
//! A window keeps its memory until all ranks are done, so a rank adds its own sums apart and joins them with those of the
//! others at the end: its own words are there twice, which a plan's memory does not count.

use std::collections::BTreeMap;
use std::ops::Range;

use redblue_dist::Matrix;
use redblue_dist::comm::{Access, OneSided, Phase, Window};
use redblue_dist::plan::{Plan, Transfer};

use super::MatmulError;
use super::blocks::{self, Block, Spot, contiguous, own_words, served_blocks};
use super::execute::{Run, Words, recycle};
use super::program::RankProgram;
use crate::backend::Backend;
use crate::scalar::Scalar;

/// Where the words that a rank gets and adds to are in the windows of their owners.
#[derive(Clone, Debug)]
pub struct Remote {
    /// Words that this rank gets from their owners before the first round, of `A` and of `B`.
    handover: [Vec<Place>; 2],
    rounds: Vec<Round>,
    /// Sums that this rank adds to those of their owners after the last round.
    returns: Vec<Place>,
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
        let mut servers: BTreeMap<u64, [Vec<Block>; 3]> = BTreeMap::new();
        let mut place = |transfer: &Transfer| {
            let blocks = match servers.entry(transfer.peer) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(new) => {
                    new.insert(served_blocks(&plan.rank(transfer.peer))?)
                }
            };
            let blocks = &blocks[transfer.matrix.index()];
            let Spot { place, words } = contiguous(transfer, blocks)?;
            // Relayed words are exposed behind the server's own.
            let before = match place {
                blocks::Place::Relayed => own_words(blocks),
                _ => 0,
            };
            let words = words.start + before..words.end + before;
            let rank = transfer.peer as usize;
            Ok::<_, MatmulError>(Place { rank, words })
        };
        let part = plan.rank(rank);
        let mut handover: [Vec<Place>; 2] = Default::default();
        for transfer in &part.handovers()[1] {
            handover[transfer.matrix.index()].push(place(transfer)?);
        }
        let [leaving, _] = part.returns();
        let returns = leaving.iter().map(&mut place);
        let returns = returns.collect::<Result<_, _>>()?;
        let mut rounds = Vec::new();
        for round in part.rounds() {
            let mut remote = Round::default();
            for transfer in &round.receives {
                remote.gets[transfer.matrix.index()].push(place(transfer)?);
            }
            for transfer in &round.partial_sends {
                remote.adds.push(place(transfer)?);
            }
            rounds.push(remote);
        }
        Ok(Remote {
            handover,
            rounds,
            returns,
        })
    }

    /// Empty lists with room for the gets of `A` and `B` and the additions of any round.
    fn lists<T>(&self) -> [Vec<Access<'static, T>>; 3] {
        let most = |count: fn(&Round) -> usize| self.rounds.iter().map(count).max().unwrap_or(0);
        [
            Vec::with_capacity(most(|round| round.gets[0].len())),
            Vec::with_capacity(most(|round| round.gets[1].len())),
            Vec::with_capacity(most(|round| round.adds.len())),
        ]
    }
}

/// `C = alpha·A·B + beta·C` as [`super::multiply`] computes it; gives the words of `A`, `B` and `C` back. Collective.
pub fn multiply<T: Scalar, C: OneSided>(
    comm: &C,
    (program, remote): (&RankProgram, &Remote),
    factors: [T; 2],
    [a, b, mut c]: [Vec<T>; 3],
    backend: &Backend,
) -> Result<[Vec<T>; 3], MatmulError> {
    let words = Words {
        a: &a,
        b: &b,
        c: &mut c,
    };
    program.check(comm.size(), &words)?;
    // Products read the own words, which the windows hold: they are kept here, too.
    let own = [a.clone(), b.clone()];
    let words = Words {
        a: &own[0],
        b: &own[1],
        c: &mut c,
    };
    let mut run = Run::new(comm, program, factors, words, backend)?;
    let [mut a, mut b] = [a, b];
    if program.relays {
        let [relayed_a, relayed_b, _] = run.relayed();
        a = hand_over(comm, a, &remote.handover, Matrix::A, relayed_a)?;
        b = hand_over(comm, b, &remote.handover, Matrix::B, relayed_b)?;
    }
    let (left, right) = (comm.expose(a)?, comm.expose(b)?);
    let sums = comm.expose(vec![T::ZERO; program.own[2] + program.relayed[2]])?;
    // The lists of accesses, as long as that of any round: rounds allocate nothing.
    let mut lists = remote.lists();
    if let (Some(first), Some([into_a, into_b])) = (remote.rounds.first(), run.first_panels()) {
        let [list_a, list_b, _] = &mut lists;
        listed(list_a, |list| {
            gets(list, &first.gets, Matrix::A, into_a);
            left.exchange(list, |_| ())
        })?;
        listed(list_b, |list| {
            gets(list, &first.gets, Matrix::B, into_b);
            right.exchange(list, |_| ())
        })?;
    }
    let nothing = [Vec::new(), Vec::new()];
    for (number, round) in remote.rounds.iter().enumerate() {
        let next = remote.rounds.get(number + 1);
        let next = next.map_or(&nothing, |next| &next.gets);
        let [list_a, list_b, list_c] = &mut lists;
        run.product(number, |_, [into_a, into_b], work| {
            listed(list_a, |from_a| {
                listed(list_b, |from_b| {
                    gets(from_a, next, Matrix::A, into_a);
                    gets(from_b, next, Matrix::B, into_b);
                    left.exchange(from_a, |progress| {
                        right.exchange(from_b, |more| {
                            work(&mut || {
                                progress();
                                more();
                            });
                        })
                    })?
                })
            })
        })?;
        listed(list_c, |list| {
            adds(list, &round.adds, run.partial());
            sums.exchange(list, |_| ())
        })?;
    }
    let (mut a, mut b, mut more) = (left.close()?, right.close()?, sums.close()?);
    // Behind the own words are those of others.
    a.truncate(program.own[0]);
    b.truncate(program.own[1]);
    if program.relays {
        let [_, _, collected] = run.relayed();
        let arrived = more.drain(program.own[2]..);
        collected
            .iter_mut()
            .zip(arrived)
            .for_each(|(word, more)| *word = word.plus(more));
        let owners = comm.expose(more)?;
        let mut list = Vec::new();
        adds(&mut list, &remote.returns, collected);
        owners.exchange(&mut list, |_| ())?;
        more = owners.close()?;
    }
    drop(run);
    c.iter_mut()
        .zip(more)
        .for_each(|(word, more)| *word = word.plus(more));
    Ok([a, b, c])
}

/// Opens own words to those who serve them, gets the words of others that this rank serves, and gives both back, the
/// own words first. Collective.
fn hand_over<T: Scalar, C: OneSided>(
    comm: &C,
    own: Vec<T>,
    places: &[Vec<Place>; 2],
    matrix: Matrix,
    relayed: &mut [T],
) -> Result<Vec<T>, MatmulError> {
    let window = comm.expose(own)?;
    let mut list = Vec::new();
    gets(&mut list, places, matrix, relayed);
    window.exchange(&mut list, |_| ())?;
    let mut served = window.close()?;
    served.extend_from_slice(relayed);
    Ok(served)
}

/// Does something with an empty list of accesses, and keeps its memory.
fn listed<'m, T, R>(
    kept: &mut Vec<Access<'static, T>>,
    act: impl FnOnce(&mut Vec<Access<'m, T>>) -> R,
) -> R {
    let mut list = recycle(std::mem::take(kept));
    let answer = act(&mut list);
    *kept = recycle(list);
    answer
}

/// Lists the additions of stored sums, one after another.
fn adds<'m, T>(list: &mut Vec<Access<'m, T>>, places: &[Place], stored: &'m [T]) {
    let mut filled = 0;
    for place in places {
        let from = filled;
        filled += place.words.len();
        list.push(Access::Accumulate {
            to: place.rank,
            at: place.words.start,
            phase: Phase::Multiply(Matrix::C),
            data: &stored[from..filled],
        });
    }
}

/// Lists the gets that fill a panel.
fn gets<'m, T>(
    list: &mut Vec<Access<'m, T>>,
    places: &[Vec<Place>; 2],
    matrix: Matrix,
    into: &'m mut [T],
) {
    let mut rest = into;
    for place in &places[matrix.index()] {
        let (data, behind) = std::mem::take(&mut rest).split_at_mut(place.words.len());
        rest = behind;
        list.push(Access::Get {
            from: place.rank,
            at: place.words.start,
            phase: Phase::Multiply(matrix),
            data,
        });
    }
}
