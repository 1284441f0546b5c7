//! What one rank does to multiply in the caller's layout, translated once into ranges, so that rounds allocate
//! nothing.
//!
//! ```text
//! time        i           i+1 … i+D−1      i+D          i+D+1 … i+D+L
//! piece i     first hop   further hops     product      hops of partial sums to their holders
//! ```
//!
//! D and L are the hops of the longest routes. A panel of piece i lives in slot i mod (D + 1), partial sums in slot
//! i mod (L + 1). What lacks the axis of the tiles, of which there are T, comes with the first piece of a slab or leaves
//! after the last, and lives in slot s mod (1 + ⌈D/T⌉) or (1 + ⌈L/T⌉) of slab s: that many slabs later its last use is
//! over.

mod product;

use std::ops::Range;

use redblue_dist::comm::{Phase, Tag};
use redblue_dist::layout::{Dense, Layout, Order, Parcel, Patch, Side, Stripe};
use redblue_dist::plan::stay::{Route, Stay};
use redblue_dist::{Axis, Matrix};

use super::step::{Fill, Mail, Pack, Place, Settle, Step, Unpack};

/// Everything one rank does, in order.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    /// Words of one slot and number of slots for `A`, `B` and partial sums of `C`.
    pub(super) slots: [(usize, usize); 3],
    pub(super) outbox: usize,
    pub(super) inbox: usize,
    pub(super) scratch: usize,
    /// The resident matrix, if it is conjugated on the way into the product, as a copy.
    pub(super) copied: Option<(Matrix, Parcel)>,
}

/// How the matrices are given.
pub(super) struct Given<'a> {
    pub(super) layouts: [&'a Layout; 3],
    /// Which way the caller's memory runs; the same on all ranks.
    pub(super) orders: [Order; 3],
    pub(super) conjugate: [bool; 2],
}

impl Program {
    pub(super) fn of(stay: &Stay, given: &Given<'_>, rank: usize) -> Program {
        let (hops, back) = (stay.hops(false), stay.hops(true));
        let (tiled, tiles) = stay.tiles();
        let count = tiles.len().max(1);
        let slot_counts = Matrix::ALL.map(|matrix| {
            let ahead = if matrix == Matrix::C { back } else { hops };
            match has(matrix, tiled) {
                true => ahead + 1,
                false => ahead.div_ceil(count) + 1,
            }
        });
        let pieces = stay.slabs().len() * tiles.len();
        let mut compiler = Compiler {
            stay,
            given,
            rank,
            hops,
            slot_counts,
            in_place: [None; 3],
            begun: false,
            program: Program {
                steps: vec![Step::default(); pieces + hops + back],
                slots: [(0, 0); 3],
                outbox: 0,
                inbox: 0,
                scratch: 0,
                copied: None,
            },
        };
        compiler.copy_conjugated();
        for number in 0..pieces {
            let (slab, tile) = (number / count, number % count);
            compiler.piece(&Piece {
                number,
                slab,
                range: stay.slabs()[slab].clone(),
                tile: tiles[tile].clone(),
                first: tile == 0,
                last: tile + 1 == count,
            });
        }
        let mut program = compiler.program;
        for step in &mut program.steps {
            // Ranges of one buffer are handed out from its beginning to its end.
            step.mail
                .sort_by_key(|mail| (mail.buffer(), mail.words.start));
        }
        program
    }

    /// Words of all buffers.
    pub(super) fn buffer_words(&self) -> usize {
        let slots: usize = self.slots.iter().map(|(words, count)| words * count).sum();
        slots + self.outbox + self.inbox + self.scratch + self.copied_words()
    }

    /// Words of the copy of the resident matrix.
    pub(super) fn copied_words(&self) -> usize {
        self.copied.as_ref().map_or(0, |(_, parcel)| parcel.words())
    }
}

struct Compiler<'a> {
    stay: &'a Stay,
    given: &'a Given<'a>,
    rank: usize,
    hops: usize,
    slot_counts: [usize; 3],
    /// Operands that are used where the caller has them, in this piece or slab.
    in_place: [Option<Dense>; 3],
    /// Whether there has been a product in this slab.
    begun: bool,
    program: Program,
}

/// A piece of the product.
struct Piece {
    number: usize,
    slab: usize,
    /// Along the axis of the slabs.
    range: Range<u64>,
    /// Along the axis of the tiles.
    tile: Range<u64>,
    /// Whether it is the first of its slab, or the last.
    first: bool,
    last: bool,
}

impl Compiler<'_> {
    fn piece(&mut self, piece: &Piece) {
        let stay = self.stay;
        let (tiled, _) = stay.tiles();
        let moves = |matrix: Matrix| match matrix {
            _ if has(matrix, tiled) => true,
            Matrix::C => piece.last,
            Matrix::A | Matrix::B => piece.first,
        };
        for matrix in Matrix::ALL.into_iter().filter(|&matrix| moves(matrix)) {
            self.in_place[matrix.index()] = None;
        }
        self.begun &= !piece.first;
        for (number, route) in stay.routes().iter().enumerate() {
            if !moves(route.matrix) {
                continue;
            }
            let Some(position) = route.stops.iter().position(|&stop| stop == self.rank) else {
                continue;
            };
            let Some(held) = self.given.layouts[route.matrix.index()]
                .patches(route.holder)
                .first()
            else {
                continue;
            };
            let whole = held;
            let held = &whole.clip(&route.window);
            let panel = self.panel(route.matrix, &route.used, piece);
            let tag = Tag::new(Phase::Multiply(route.matrix), number);
            let visit = Visit {
                route,
                position,
                at: piece.number,
                slot: self.slot(route.matrix, piece),
                whole,
                held,
                panel: &panel,
                tag,
            };
            if route.matrix == Matrix::C {
                self.partial(&visit);
            } else if let Some(dense) = self.input(&visit) {
                self.in_place[route.matrix.index()].get_or_insert(dense);
            }
        }
        self.product(piece);
    }

    /// The slot of a matrix's panel.
    fn slot(&self, matrix: Matrix, piece: &Piece) -> usize {
        let number = match has(matrix, self.stay.tiles().0) {
            true => piece.number,
            false => piece.slab,
        };
        number % self.slot_counts[matrix.index()]
    }

    fn order(&self, matrix: Matrix) -> Order {
        self.given.orders[matrix.index()]
    }

    /// The part of a moved matrix that a group uses in a piece, stored densely.
    fn panel(&self, matrix: Matrix, used: &(Stripe, Stripe), piece: &Piece) -> Patch {
        let (row_axis, col_axis) = matrix.axes();
        let part = |axis: Axis, used: &Stripe| match axis {
            _ if axis == self.stay.through() => Stripe::all(piece.range.clone()),
            _ if axis == self.stay.tiles().0 => used.clip(&piece.tile),
            _ => used.clone(),
        };
        let (rows, cols) = (part(row_axis, &used.0), part(col_axis, &used.1));
        let order = self.order(matrix);
        let lead = match order {
            Order::ColumnMajor => rows.len(),
            Order::RowMajor => cols.len(),
        };
        Patch::new(rows, cols, 0, order, lead)
    }

    /// One route of an input through this rank. The caller's memory, if the product can use it as it is.
    fn input(&mut self, visit: &Visit<'_>) -> Option<Dense> {
        let Visit {
            route,
            position,
            at,
            slot,
            whole,
            held,
            panel,
            tag,
        } = *visit;
        let matrix = route.matrix;
        let conjugate = self.given.conjugate[matrix.index()];
        let from = Parcel::between(held, panel, self.order(matrix), Side::Source);
        if from.words() == 0 {
            return None;
        }
        let next = route.stops.get(position + 1).copied();
        if position > 0 {
            let to = Parcel::between(held, panel, self.order(matrix), Side::Target);
            self.receive(visit, at + position - 1, Place::Slot(slot), &to);
            self.use_slot(matrix, panel.words() as usize);
            if let Some(peer) = next {
                self.send(
                    (matrix, peer, tag),
                    at + position,
                    Place::Slot(slot),
                    to,
                    false,
                );
            }
            return None;
        }
        let own = Parcel::between(whole, panel, self.order(matrix), Side::Source);
        let dense = own
            .dense()
            .filter(|_| route.holder_uses && !conjugate && own.words() as u128 == panel.words());
        if dense.is_none() && route.holder_uses {
            let to = Parcel::between(held, panel, self.order(matrix), Side::Target);
            if to.contiguous().is_none() {
                self.program.scratch = self.program.scratch.max(to.words());
            }
            self.use_slot(matrix, panel.words() as usize);
            let fill = Fill {
                matrix,
                slot,
                from: from.clone(),
                to,
            };
            self.program.steps[at].fills.push(fill);
        }
        if let Some(peer) = next {
            self.send((matrix, peer, tag), at, Place::Caller, from, conjugate);
        }
        dense.map(|dense| match self.order(matrix) {
            Order::ColumnMajor => dense,
            Order::RowMajor => dense.transposed(),
        })
    }

    /// One route of partial sums through this rank.
    fn partial(&mut self, visit: &Visit<'_>) {
        let Visit {
            route,
            position,
            at,
            slot,
            held,
            panel,
            tag,
            ..
        } = *visit;
        let order = self.order(Matrix::C);
        let of_panel = Parcel::between(held, panel, order, Side::Target);
        if of_panel.words() == 0 {
            return;
        }
        let computed = at + self.hops;
        match route.stops.get(position + 1) {
            Some(&peer) => {
                if position > 0 {
                    self.receive(visit, computed + position, Place::Slot(slot), &of_panel);
                }
                let at = computed + 1 + position;
                self.send(
                    (Matrix::C, peer, tag),
                    at,
                    Place::Slot(slot),
                    of_panel,
                    false,
                );
            }
            None => {
                let of_caller = Parcel::between(held, panel, order, Side::Source);
                if position > 0 {
                    self.receive(visit, computed + position, Place::Caller, &of_caller);
                }
                if route.holder_uses {
                    self.program.scratch = self.program.scratch.max(of_panel.words());
                    let settle = Settle {
                        slot,
                        from: of_panel,
                        to: of_caller,
                    };
                    self.program.steps[computed].settles.push(settle);
                }
            }
        }
    }

    /// Words that leave, straight from where they are if they are contiguous there.
    fn send(
        &mut self,
        (matrix, peer, tag): (Matrix, usize, Tag),
        at: usize,
        place: Place,
        parcel: Parcel,
        conjugate: bool,
    ) {
        let step = &mut self.program.steps[at];
        let (place, words) = match parcel.contiguous().filter(|_| !conjugate) {
            Some(words) => (place, words),
            None => {
                let packed = step.packs.last().map_or(0, |pack| pack.words.end);
                let words = packed..packed + parcel.words();
                self.program.outbox = self.program.outbox.max(words.end);
                step.packs.push(Pack {
                    matrix,
                    place,
                    parcel,
                    words: words.clone(),
                });
                (Place::Box, words)
            }
        };
        step.mail.push(Mail {
            matrix,
            peer,
            tag,
            place,
            words,
            leaves: true,
        });
    }

    /// Words that arrive: inputs straight in their panel if they are contiguous there, partial sums in the inbox.
    fn receive(&mut self, visit: &Visit<'_>, at: usize, place: Place, parcel: &Parcel) {
        let Visit {
            route,
            position,
            tag,
            ..
        } = *visit;
        let (matrix, peer) = (route.matrix, route.stops[position - 1]);
        let step = &mut self.program.steps[at];
        let direct = parcel.contiguous().filter(|_| matrix != Matrix::C);
        let (place, words) = match direct {
            Some(words) => (place, words),
            None => {
                let filled = step.unpacks.last().map_or(0, |unpack| unpack.words.end);
                let words = filled..filled + parcel.words();
                self.program.inbox = self.program.inbox.max(words.end);
                let parcel = parcel.clone();
                step.unpacks.push(Unpack {
                    matrix,
                    place,
                    parcel,
                    words: words.clone(),
                });
                (Place::Box, words)
            }
        };
        step.mail.push(Mail {
            matrix,
            peer,
            tag,
            place,
            words,
            leaves: false,
        });
    }

    fn use_slot(&mut self, matrix: Matrix, panel: usize) {
        let (words, count) = &mut self.program.slots[matrix.index()];
        *words = (*words).max(panel);
        *count = self.slot_counts[matrix.index()];
    }
}

/// Whether a matrix has an axis.
fn has(matrix: Matrix, axis: Axis) -> bool {
    matrix.missing() != axis
}

/// A rank's place on a route, for one piece.
#[derive(Clone, Copy)]
struct Visit<'a> {
    route: &'a Route,
    position: usize,
    /// The number of the piece, which is the time of the first hop.
    at: usize,
    slot: usize,
    /// What the holder has of the matrix, and of it what travels on the route.
    whole: &'a Patch,
    held: &'a Patch,
    panel: &'a Patch,
    tag: Tag,
}
