//! The part of one rank, translated once into offsets, messages and calls, so that rounds allocate nothing.

use std::collections::BTreeMap;

use redblue_dist::plan::{Plan, Round, Transfer};
use redblue_dist::{Matrix, Rect};

use super::MatmulError;
use super::blocks::{
    Block, Call, Operand, Place, Spot, Touched, calls, contiguous, own_words, partial_blocks,
    served_blocks,
};

/// Everything one rank does, in order.
#[derive(Clone, Debug)]
pub struct RankProgram {
    pub(super) rank: u64,
    pub(super) ranks: u64,
    /// Words of `A`, `B` and `C` that the rank owns.
    pub(super) own: [usize; 3],
    /// Words of `A` and `B` that the rank passes on for their owners, and of sums that it collects for them.
    pub(super) relayed: [usize; 3],
    /// Whether any rank of the plan relays words.
    pub(super) relays: bool,
    /// Own words that leave for their servers before the first round, and words of others that arrive, in the order
    /// in which they are stored.
    pub(super) handover: (Vec<Outgoing>, Vec<Incoming>),
    /// Words of one receive buffer of `A` and `B`, and how many buffers there are.
    pub(super) panels: [(usize, usize); 2],
    /// Words of a joined panel of `A` and `B`.
    pub(super) joined: [usize; 2],
    /// Whether sums are set to their first values before the products rather than by the first product of each.
    pub(super) eager: bool,
    /// Words of partial sums that belong to others.
    pub(super) partial: usize,
    /// Words of the largest message of partial sums received.
    pub(super) reduction: usize,
    pub(super) rounds: Vec<Step>,
    /// Sums that leave for their owners after the last round.
    pub(super) returns: Vec<Reduction>,
}

/// One round.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    pub(super) sends: Vec<Outgoing>,
    pub(super) receives: Vec<Incoming>,
    /// Which buffer of `A` and `B` the round's words are received into.
    pub(super) buffer: [usize; 2],
    /// Pieces of panels that are copied together before the products, with their matrix.
    pub(super) copies: Vec<(Matrix, Operand, Operand)>,
    pub(super) calls: Vec<Call>,
    /// Whether partial sums start from zero in this round.
    pub(super) begins_tile: bool,
    pub(super) reduction: Vec<Reduction>,
}

impl Step {
    /// The messages with words of `A` and `B`.
    pub(super) fn messages(&self) -> (&[Outgoing], &[Incoming]) {
        (&self.sends, &self.receives)
    }
}

/// Words that leave.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) to: usize,
    pub(super) matrix: Matrix,
    pub(super) from: Spot,
}

/// Words that arrive, behind those of the same matrix that arrive before them.
#[derive(Clone, Debug)]
pub(super) struct Incoming {
    pub(super) from: usize,
    pub(super) matrix: Matrix,
    pub(super) words: usize,
}

/// Sums that leave for one rank and arrive from another at the same time.
#[derive(Clone, Debug, Default)]
pub(super) struct Reduction {
    pub(super) send: Option<(usize, Spot)>,
    /// Sender, and the sums to which its rows are added.
    pub(super) receive: Option<(usize, Spot)>,
}

impl RankProgram {
    /// The program of one rank of a plan.
    pub fn of(plan: &Plan, rank: u64) -> Result<RankProgram, MatmulError> {
        let part = plan.rank(rank);
        let too_large = || MatmulError::TooLarge { rank };
        let served = served_blocks(&part)?;
        let own = served.each_ref().map(|blocks| own_words(blocks));
        let relayed = served.each_ref().map(|blocks| {
            let all: usize = blocks.iter().map(Block::words).sum();
            all - own_words(blocks)
        });
        let steps = plan.schedule().steps;
        let mut program = RankProgram {
            rank,
            ranks: plan.ranks(),
            own,
            relayed,
            relays: plan.relays(),
            handover: (Vec::new(), Vec::new()),
            panels: [(0, 0); 2],
            joined: [0; 2],
            eager: false,
            partial: 0,
            reduction: 0,
            rounds: Vec::new(),
            returns: Vec::new(),
        };
        let [sends, receives] = part.handovers();
        program.handover.0 = outgoing(&sends, &served)?;
        program.handover.1 = receives.iter().map(incoming).collect();
        for matrix in [Matrix::A, Matrix::B] {
            let words = usize::try_from(part.joined(matrix)).map_err(|_| too_large())?;
            program.joined[matrix.index()] = words;
        }
        let mut touched = Touched::default();
        let rounds: Vec<Round> = part.rounds().collect();
        let mut held: [Vec<Block>; 2] = Default::default();
        let mut fetched = [0_usize; 2];
        for (number, round) in rounds.iter().enumerate() {
            let mut step = Step {
                begins_tile: (number as u64).is_multiple_of(steps),
                ..Step::default()
            };
            step.sends = outgoing(&round.sends, &served)?;
            for matrix in [Matrix::A, Matrix::B] {
                let received = round
                    .receives
                    .iter()
                    .filter(|transfer| transfer.matrix == matrix);
                let at = matrix.index();
                if received.clone().next().is_some() {
                    let buffer = fetched[at] % 2;
                    fetched[at] += 1;
                    held[at].clear();
                    let mut filled = 0;
                    for transfer in received {
                        let words =
                            usize::try_from(transfer.rect.words()).map_err(|_| too_large())?;
                        step.receives.push(incoming(transfer));
                        held[at].push(Block::stored(
                            matrix,
                            transfer.rect.clone(),
                            Place::Panel(buffer),
                            filled,
                        ));
                        filled += words;
                    }
                    let (largest, buffers) = program.panels[at];
                    program.panels[at] = (largest.max(filled), (buffers + 1).min(2));
                    step.buffer[at] = buffer;
                }
            }
            let last = &rounds
                [(number - number % steps as usize + steps as usize - 1).min(rounds.len() - 1)];
            let partial = partial_blocks(&last.partial_sends);
            let words = partial.iter().map(Block::words).sum();
            program.partial = program.partial.max(words);
            let product = &round.product;
            let meeting = |blocks: &[Block], rect: &Rect| -> Vec<Block> {
                blocks
                    .iter()
                    .filter_map(|block| block.within(rect))
                    .collect()
            };
            let face = |matrix: Matrix| product.face(matrix);
            let mut operand = |matrix: Matrix| {
                let at = matrix.index();
                let mut blocks = meeting(&served[at], &face(matrix));
                blocks.extend(meeting(&held[at], &face(matrix)));
                if program.joined[at] > 0 && blocks.len() > 1 {
                    let whole = Block::stored(matrix, face(matrix), Place::Joined, 0);
                    let parts = blocks.iter().filter_map(|block| {
                        let part = whole.within(&block.rect)?;
                        Some((matrix, block.operand(), part.operand()))
                    });
                    step.copies.extend(parts);
                    return vec![whole];
                }
                blocks
            };
            let (left, right) = (operand(Matrix::A), operand(Matrix::B));
            let mut results = meeting(&served[Matrix::C.index()], &face(Matrix::C));
            results.extend(meeting(&partial, &face(Matrix::C)));
            if step.begins_tile {
                touched.forget(Place::Partial);
            }
            step.calls = calls(&left, &right, &results, &mut touched);
            if (number as u64 + 1).is_multiple_of(steps) {
                let sends = round.partial_sends.iter().zip(&partial);
                let sends = sends.map(|(transfer, block)| (transfer.peer, block.spot()));
                let sums = &served[Matrix::C.index()];
                step.reduction = program.reductions(sends, &round.partial_receives, sums)?;
            }
            program.rounds.push(step);
        }
        let [sends, receives] = part.returns();
        let sums = &served[Matrix::C.index()];
        let spots: Vec<(u64, Spot)> = sends
            .iter()
            .map(|transfer| Ok((transfer.peer, contiguous(transfer, sums)?)))
            .collect::<Result<_, MatmulError>>()?;
        program.returns = program.reductions(spots.into_iter(), &receives, sums)?;
        let arriving = program.rounds.iter().flat_map(|step| &step.reduction);
        let arriving = arriving.chain(&program.returns);
        let largest = arriving.filter_map(|one| Some(one.receive.as_ref()?.1.words.len()));
        program.reduction = largest.max().unwrap_or(0);
        program.eager = touched.is_mixed
            || touched.words(Place::Own) != program.own[2]
            || touched.words(Place::Relayed) != program.relayed[2];
        Ok(program)
    }

    /// The same program where part `b` of the plan is on rank `labels[b]` of the communicator.
    #[must_use]
    pub fn relabelled(mut self, labels: &[usize]) -> RankProgram {
        let rename = |peer: &mut usize| *peer = labels.get(*peer).copied().unwrap_or(*peer);
        let rounds = &mut self.rounds;
        let lists = rounds
            .iter_mut()
            .map(|step| (&mut step.sends, &mut step.receives));
        let (first, second) = &mut self.handover;
        for (sends, receives) in lists.chain([(first, second)]) {
            sends.iter_mut().for_each(|one| rename(&mut one.to));
            receives.iter_mut().for_each(|one| rename(&mut one.from));
        }
        let reductions = self.rounds.iter_mut().flat_map(|step| &mut step.reduction);
        for one in reductions.chain(&mut self.returns) {
            let peers = one.send.iter_mut().chain(&mut one.receive);
            peers.for_each(|(peer, _)| rename(peer));
        }
        self
    }

    /// Words of `A`, `B` and `C` that the rank owns.
    pub fn own_words(&self) -> [usize; 3] {
        self.own
    }

    /// Words of the buffers that executing the program allocates.
    pub fn buffer_words(&self) -> usize {
        let panels: usize = self.panels.iter().map(|(words, count)| words * count).sum();
        let copies: usize = self.joined.iter().chain(&self.relayed).sum();
        panels + copies + self.partial + self.reduction
    }

    /// Exchanges of sums by distance between the ranks: when all ranks go through the distances in the same order, no
    /// rank waits for one that waits for it.
    fn reductions(
        &self,
        leaving: impl Iterator<Item = (u64, Spot)>,
        arriving: &[Transfer],
        sums: &[Block],
    ) -> Result<Vec<Reduction>, MatmulError> {
        let (rank, ranks) = (self.rank, self.ranks);
        let mut sends: BTreeMap<u64, Vec<(usize, Spot)>> = BTreeMap::new();
        let mut receives: BTreeMap<u64, Vec<(usize, Spot)>> = BTreeMap::new();
        for (peer, spot) in leaving {
            let distance = (peer + ranks - rank) % ranks;
            sends
                .entry(distance)
                .or_default()
                .push((peer as usize, spot));
        }
        for transfer in arriving {
            let distance = (rank + ranks - transfer.peer) % ranks;
            let message = (transfer.peer as usize, contiguous(transfer, sums)?);
            receives.entry(distance).or_default().push(message);
        }
        let mut found = Vec::new();
        for distance in 1..ranks {
            let mut out = sends.remove(&distance).unwrap_or_default().into_iter();
            let mut back = receives.remove(&distance).unwrap_or_default().into_iter();
            loop {
                let one = Reduction {
                    send: out.next(),
                    receive: back.next(),
                };
                if one.send.is_none() && one.receive.is_none() {
                    break;
                }
                found.push(one);
            }
        }
        Ok(found)
    }
}

fn outgoing(sends: &[Transfer], served: &[Vec<Block>; 3]) -> Result<Vec<Outgoing>, MatmulError> {
    let outgoing = |transfer: &Transfer| {
        Ok(Outgoing {
            to: transfer.peer as usize,
            matrix: transfer.matrix,
            from: contiguous(transfer, &served[transfer.matrix.index()])?,
        })
    };
    sends.iter().map(outgoing).collect()
}

fn incoming(transfer: &Transfer) -> Incoming {
    Incoming {
        from: transfer.peer as usize,
        matrix: transfer.matrix,
        words: transfer.rect.words() as usize,
    }
}
