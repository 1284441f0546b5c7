//! The part of one rank in a plan: its brick, what it owns, and what it sends and receives in every round.
//!
//! This is what execution walks and what counting counts; nothing else decides who sends what to whom. It is
//! computed for one rank at a time, from the plan alone and without communication.
//!
//! Storage that execution can rely on: every message is a range of k inside one owned rectangle of `A` or `B`, or a
//! range of rows inside one of `C`. With owned rectangles of `A` stored by columns and those of `B` and `C` by rows,
//! every message is contiguous and nothing is packed.
//!
//! ```text
//! handovers      owner ──words of A, B──► server          before the first round, where they differ
//! rounds         server ──words of A, B──► other users,   other users ──partial sums of C──► server
//! returns        server ──sums of C──► owner              after the last round
//! ```

use std::ops::Range;

use super::Plan;
use super::cells::{Cell, Piece, cells, part};
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

    /// That of several matrices together.
    pub(super) fn plus(self, other: Traffic) -> Traffic {
        self.with(other, u128::saturating_add, u64::saturating_add)
    }

    /// The larger of each of the numbers.
    pub(super) fn most(self, other: Traffic) -> Traffic {
        self.with(other, u128::max, u64::max)
    }

    fn with(
        self,
        other: Traffic,
        words: fn(u128, u128) -> u128,
        messages: fn(u64, u64) -> u64,
    ) -> Traffic {
        Traffic {
            sent: words(self.sent, other.sent),
            received: words(self.received, other.received),
            messages_sent: messages(self.messages_sent, other.messages_sent),
            messages_received: messages(self.messages_received, other.messages_received),
        }
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
    /// The words that other ranks own and this one passes on or collects for them, in the order in which they are
    /// handed over.
    pub relayed: [Vec<Rect>; 3],
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
            rects(rank, &cells[matrix.index()], |me, piece| piece.owner == me)
        });
        let relayed = Matrix::ALL.map(|matrix| {
            rects(rank, &cells[matrix.index()], |me, piece| {
                piece.server == me && piece.is_relayed()
            })
        });
        RankPlan {
            rank,
            brick,
            owned,
            relayed,
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
            let (out, back) = match matrix {
                Matrix::A | Matrix::B => (&mut sends, &mut receives),
                Matrix::C => (&mut partial_receives, &mut partial_sends),
            };
            for (cell, me, piece) in self.pieces(matrix) {
                let transfers = |other: usize, user: &Brick| {
                    let rects = self.moved(matrix, user, cell.rects(&piece.words), at);
                    let peer = cell.users[other].rank;
                    rects
                        .into_iter()
                        .map(move |rect| Transfer { peer, matrix, rect })
                };
                if piece.server == me {
                    for other in others(cell, &piece) {
                        out.extend(transfers(other, &cell.users[other].brick));
                    }
                } else if piece.owner != me {
                    back.extend(transfers(piece.server, &self.brick));
                }
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

    /// What leaves before the first round, and what arrives: words of `A` and `B` that another rank serves.
    pub fn handovers(&self) -> [Vec<Transfer>; 2] {
        let [mut sends, mut receives] = [const { Vec::new() }; 2];
        for matrix in [Matrix::A, Matrix::B] {
            let [owned, served] = self.relays(matrix);
            sends.extend(owned);
            receives.extend(served);
        }
        [sends, receives]
    }

    /// What leaves after the last round, and what arrives: sums of `C` for their owners.
    pub fn returns(&self) -> [Vec<Transfer>; 2] {
        let [owned, served] = self.relays(Matrix::C);
        [served, owned]
    }

    /// The messages between owners and servers: those in which this rank is the owner, and those in which it serves.
    fn relays(&self, matrix: Matrix) -> [Vec<Transfer>; 2] {
        let [mut owned, mut served] = [const { Vec::new() }; 2];
        for (cell, me, piece) in self.pieces(matrix) {
            let (list, other) = match (piece.owner == me, piece.server == me) {
                (true, false) => (&mut owned, piece.server),
                (false, true) => (&mut served, piece.owner),
                _ => continue,
            };
            let rects = cell.rects(&piece.words);
            let rects = rects.flat_map(|rect| chunks(rect, self.relay_chunks(matrix)));
            let peer = cell.users[other].rank;
            list.extend(rects.map(|rect| Transfer { peer, matrix, rect }));
        }
        [owned, served]
    }

    /// Number of messages for the words of a matrix between an owner and a server.
    fn relay_chunks(&self, matrix: Matrix) -> u64 {
        match matrix {
            Matrix::C => self.schedule.chunks,
            Matrix::A | Matrix::B => 1,
        }
    }

    /// The pieces of every cell of a matrix that this rank uses, and its position among the users.
    fn pieces(&self, matrix: Matrix) -> impl Iterator<Item = (&Cell, usize, Piece)> {
        self.cells[matrix.index()].iter().flat_map(|cell| {
            let me = cell.position(self.rank);
            me.into_iter()
                .flat_map(move |me| cell.pieces().map(move |piece| (cell, me, piece)))
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
            for (cell, me, piece) in self.pieces(matrix) {
                let words = piece.count();
                let messages = |user: &Brick| {
                    let (depth, rects) = (user.range(Axis::K), cell.rects(&piece.words));
                    passes * messages(&self.schedule, matrix, &depth, rects)
                };
                let relay_messages = || {
                    let rects = cell.rects(&piece.words);
                    let chunks = self.relay_chunks(matrix);
                    rects.map(|rect| chunks.min(rect.height())).sum::<u64>()
                };
                let passed = words * u128::from(passes);
                // Words and messages in the direction of A and B; those of C go the other way.
                let [mut out, mut back] = [(0, 0); 2];
                if piece.server == me {
                    for other in others(cell, &piece) {
                        out.0 += passed;
                        out.1 += messages(&cell.users[other].brick);
                    }
                    if piece.is_relayed() {
                        back = (words, relay_messages());
                    }
                } else if piece.owner == me {
                    out = (words, relay_messages());
                } else {
                    back = (passed, messages(&self.brick));
                }
                let [sent, received] = match matrix {
                    Matrix::A | Matrix::B => [out, back],
                    Matrix::C => [back, out],
                };
                traffic.sent += sent.0;
                traffic.received += received.0;
                traffic.messages_sent += sent.1;
                traffic.messages_received += received.1;
            }
        }
        traffic
    }

    /// Words of memory that executing this part allocates.
    pub fn memory(&self) -> Memory {
        let parts = Matrix::ALL.map(|matrix| self.memory_of(matrix));
        parts.into_iter().fold(Memory::default(), Memory::plus)
    }

    /// Words of the buffer in which the pieces of a panel of `A` or `B` are joined; none if they are used as they are.
    pub fn joined(&self, matrix: Matrix) -> u128 {
        self.memory_of(matrix).joined
    }

    /// Those for one matrix.
    pub(crate) fn memory_of(&self, matrix: Matrix) -> Memory {
        let at = matrix.index();
        let (rects, cells) = ([&self.owned[at][..], &self.relayed[at]], &self.cells[at]);
        Memory::of(&self.schedule, &self.brick, self.rank, matrix, rects, cells)
    }
}

/// Number of messages for one pass of owned words to a user with so much of k.
pub(super) fn messages(
    schedule: &Schedule,
    matrix: Matrix,
    depth: &Range<u64>,
    owned: impl Iterator<Item = Rect>,
) -> u64 {
    owned
        .map(|rect| match matrix {
            Matrix::A => schedule.steps_meeting(depth, &rect.cols),
            Matrix::B => schedule.steps_meeting(depth, &rect.rows),
            Matrix::C => schedule.chunks.min(rect.height()),
        })
        .sum()
}

/// The rectangles of those pieces of cells that `wanted` chooses, given the position of the rank among the users.
fn rects(rank: u64, cells: &[Cell], wanted: impl Fn(usize, &Piece) -> bool) -> Vec<Rect> {
    let mut found = Vec::new();
    for cell in cells {
        if let Some(me) = cell.position(rank) {
            let pieces = cell.pieces().filter(|piece| wanted(me, piece));
            found.extend(pieces.flat_map(|piece| cell.rects(&piece.words)));
        }
    }
    found
}

/// The users of a piece that get its words from the server: all but the server and the owner.
fn others(cell: &Cell, piece: &Piece) -> impl Iterator<Item = usize> + use<> {
    let (owner, server) = (piece.owner, piece.server);
    (0..cell.users.len()).filter(move |&user| user != owner && user != server)
}
