//! The part of one rank in a plan: its brick, what it owns, and what it sends and receives in every round.
//!
//! This is what execution walks and what counting counts; nothing else decides who sends what to whom. It is
//! computed for one rank at a time, from the plan alone and without communication.
//!
//! Storage that execution can rely on: every message is a range of k inside one owned rectangle of `A` or `B`, or a
//! range of rows inside one of `C`. With owned rectangles of `A` stored by columns and those of `B` and `C` by rows,
//! every message is contiguous and nothing is packed.

use std::ops::Range;

use super::Plan;
use super::cells::{Cell, User, cells, part};
use super::memory::Memory;
use super::schedule::{Position, Schedule, chunks};
use crate::shape::{Axis, Brick, Matrix, Rect};

/// A rectangle of a matrix that goes to or comes from another rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The other rank.
    pub peer: u64,
    /// Of which matrix.
    pub matrix: Matrix,
    /// Which words.
    pub rect: Rect,
}

/// What a rank does in one round, in this order; see [`Schedule`].
///
/// Messages between two ranks are in the same order on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Words of `A` and `B` that arrive for the product of this round.
    pub receives: Vec<Transfer>,
    /// Words of `A` and `B` that leave for the products of other ranks in their same round.
    pub sends: Vec<Transfer>,
    /// The products of this round, possibly none.
    pub product: Brick,
    /// Partial sums of `C` that leave for their owners.
    pub partial_sends: Vec<Transfer>,
    /// Partial sums of `C` that arrive and are added to owned words.
    pub partial_receives: Vec<Transfer>,
}

/// Words and messages of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Words sent.
    pub sent: u128,
    /// Words received.
    pub received: u128,
    /// Messages sent.
    pub messages_sent: u64,
    /// Messages received.
    pub messages_received: u64,
}

impl Traffic {
    /// The larger of words sent and words received.
    pub fn volume(&self) -> u128 {
        self.sent.max(self.received)
    }
}

/// The part of one rank in a plan.
#[derive(Clone, Debug)]
pub struct RankPlan {
    /// Number of the rank.
    pub rank: u64,
    /// The products it computes.
    pub brick: Brick,
    /// The words of `A`, `B` and `C` it owns: rectangles that do not overlap.
    pub owned: [Vec<Rect>; 3],
    schedule: Schedule,
    cells: [Vec<Cell>; 3],
}

impl RankPlan {
    /// The part of `rank`; a rank that the tree does not have owns nothing and does nothing.
    pub(crate) fn new(plan: &Plan, rank: u64) -> RankPlan {
        let Plan {
            shape,
            ranks: _,
            ref tree,
            schedule,
            ref ownership,
        } = *plan;
        let whole = Brick::whole(shape);
        let brick = tree.brick(&whole, rank);
        let idle = brick.is_none();
        let brick = brick.unwrap_or(Brick {
            m: 0..0,
            n: 0..0,
            k: 0..0,
        });
        let cells = Matrix::ALL.map(|matrix| match ownership {
            Some(ownership) => ownership.cells_of(rank, matrix),
            None => cells(
                tree,
                &whole,
                matrix,
                &brick.face(matrix),
                schedule.cell_tiles(matrix),
            ),
        });
        let owned = Matrix::ALL.map(|matrix| {
            if shape.is_empty() && !idle {
                // Nothing is multiplied, but words of the other matrices still need an owner.
                let face = Rect::new(
                    0..shape.length(matrix.axes().0),
                    0..shape.length(matrix.axes().1),
                );
                let strip = Rect::new(part(&face.rows, rank, tree.ranks()), face.cols);
                return Some(strip)
                    .into_iter()
                    .filter(|strip| !strip.is_empty())
                    .collect();
            }
            let cells = cells[matrix.index()].iter();
            cells
                .flat_map(|cell| cell.of(rank).into_iter().flat_map(|user| cell.rects(user)))
                .collect()
        });
        RankPlan {
            rank,
            brick,
            owned,
            schedule,
            cells,
        }
    }

    /// Number of rounds, the same on every rank.
    pub fn round_count(&self) -> u64 {
        self.schedule.rounds()
    }

    /// All rounds in order.
    pub fn rounds(&self) -> impl Iterator<Item = Round> + '_ {
        (0..self.round_count()).map(|round| self.round(round))
    }

    /// One round.
    pub fn round(&self, round: u64) -> Round {
        let at = self.schedule.at(round);
        let [
            mut receives,
            mut sends,
            mut partial_sends,
            mut partial_receives,
        ] = [const { Vec::new() }; 4];
        for matrix in Matrix::ALL
            .into_iter()
            .filter(|&matrix| self.schedule.fetches(matrix, at))
        {
            for (cell, own, other) in self.pairs(matrix) {
                let theirs = self.moved(matrix, &own.brick, cell.rects(other), at);
                let mine = self.moved(matrix, &other.brick, cell.rects(own), at);
                let (out, back) = match matrix {
                    Matrix::A | Matrix::B => (&mut sends, &mut receives),
                    Matrix::C => (&mut partial_receives, &mut partial_sends),
                };
                let transfer = |rect| Transfer {
                    peer: other.rank,
                    matrix,
                    rect,
                };
                out.extend(mine.into_iter().map(transfer));
                back.extend(theirs.into_iter().map(transfer));
            }
        }
        let product = self.schedule.product(&self.brick, at);
        Round {
            receives,
            sends,
            product,
            partial_sends,
            partial_receives,
        }
    }

    /// This rank and another user of the same cell, for every cell of a matrix.
    fn pairs(&self, matrix: Matrix) -> impl Iterator<Item = (&Cell, &User, &User)> {
        self.cells[matrix.index()].iter().flat_map(|cell| {
            let own = cell.of(self.rank);
            let others = cell.users.iter().filter(|user| user.rank != self.rank);
            own.into_iter()
                .flat_map(move |own| others.clone().map(move |other| (cell, own, other)))
        })
    }

    /// The messages with which owned words meet what the user of a brick needs or has computed in a round.
    fn moved(
        &self,
        matrix: Matrix,
        user: &Brick,
        owned: impl Iterator<Item = Rect>,
        at: Position,
    ) -> Vec<Rect> {
        // Of C the whole tile is meant: its face does not depend on the step.
        let needed = self
            .schedule
            .product(user, at)
            .with(matrix.missing(), 0..1)
            .face(matrix);
        let count = if matrix == Matrix::C {
            self.schedule.chunks
        } else {
            1
        };
        owned
            .flat_map(|rect| chunks(rect.intersect(&needed), count))
            .collect()
    }

    /// Words and messages of all rounds together.
    pub fn traffic(&self) -> Traffic {
        let mut traffic = Traffic::default();
        for matrix in Matrix::ALL {
            let passes = self.schedule.passes(matrix);
            for (cell, own, other) in self.pairs(matrix) {
                let mine = own.owned() * u128::from(passes);
                let theirs = other.owned() * u128::from(passes);
                let mine_messages = passes * self.messages(matrix, &other.brick, cell.rects(own));
                let their_messages = passes * self.messages(matrix, &own.brick, cell.rects(other));
                let (sent, received) = match matrix {
                    Matrix::A | Matrix::B => ((mine, mine_messages), (theirs, their_messages)),
                    Matrix::C => ((theirs, their_messages), (mine, mine_messages)),
                };
                traffic.sent += sent.0;
                traffic.received += received.0;
                traffic.messages_sent += sent.1;
                traffic.messages_received += received.1;
            }
        }
        traffic
    }

    /// Number of messages for one pass of owned words.
    fn messages(&self, matrix: Matrix, user: &Brick, owned: impl Iterator<Item = Rect>) -> u64 {
        let steps = |range: &Range<u64>| self.schedule.steps_meeting(&user.range(Axis::K), range);
        owned
            .map(|rect| match matrix {
                Matrix::A => steps(&rect.cols),
                Matrix::B => steps(&rect.rows),
                Matrix::C => self.schedule.chunks.min(rect.height()),
            })
            .sum()
    }

    /// Words of memory that executing this part allocates.
    pub fn memory(&self) -> Memory {
        let parts = Matrix::ALL.map(|matrix| self.memory_of(matrix));
        parts.into_iter().fold(Memory::default(), Memory::plus)
    }

    /// Those for one matrix.
    pub(crate) fn memory_of(&self, matrix: Matrix) -> Memory {
        let at = matrix.index();
        let (owned, cells) = (&self.owned[at], &self.cells[at]);
        Memory::of(&self.schedule, &self.brick, self.rank, matrix, owned, cells)
    }
}
