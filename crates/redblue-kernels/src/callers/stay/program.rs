//! What one rank does to multiply in the caller's layout, translated once into ranges, so that rounds allocate
//! nothing.
//!
//! ```text
//! time        i           i+1 … i+D−1      i+D          i+D+1 … i+D+L
//! slab i      first hop   further hops     product      hops of partial sums to their holders
//! ```
//!
//! D and L are the hops of the longest routes. A panel of slab i lives in slot i mod (D + 1), partial sums in slot
//! i mod (L + 1).

use redblue_dist::Matrix;
use redblue_dist::comm::{Phase, Tag};
use redblue_dist::layout::{Dense, Layout, Order, Parcel, Patch, Side, Stripe};
use redblue_dist::plan::stay::{Route, Stay};

use super::step::{Call, Fill, Mail, Operand, Pack, Place, Settle, Step, Unpack};
use crate::view::Frame;

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
        let mut compiler = Compiler {
            stay,
            given,
            rank,
            hops,
            slot_counts: [hops + 1, hops + 1, back + 1],
            program: Program {
                steps: vec![Step::default(); stay.slabs().len() + hops + back],
                slots: [(0, 0); 3],
                outbox: 0,
                inbox: 0,
                scratch: 0,
                copied: None,
            },
        };
        for slab in 0..stay.slabs().len() {
            compiler.slab(slab);
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
        let copied = self.copied.as_ref().map_or(0, |(_, parcel)| parcel.words());
        slots + self.outbox + self.inbox + self.scratch + copied
    }
}

struct Compiler<'a> {
    stay: &'a Stay,
    given: &'a Given<'a>,
    rank: usize,
    hops: usize,
    slot_counts: [usize; 3],
    program: Program,
}

impl Compiler<'_> {
    fn slab(&mut self, slab: usize) {
        let mut in_place: [Option<Dense>; 3] = [None; 3];
        let stay = self.stay;
        for (number, route) in stay.routes().iter().enumerate() {
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
            let panel = self.panel(route.matrix, &route.used, slab);
            let tag = Tag::new(Phase::Multiply(route.matrix), number);
            let visit = Visit {
                route,
                position,
                slab,
                whole,
                held,
                panel: &panel,
                tag,
            };
            if route.matrix == Matrix::C {
                self.partial(&visit);
            } else {
                in_place[route.matrix.index()] =
                    in_place[route.matrix.index()].or(self.input(&visit));
            }
        }
        self.product(slab, in_place);
    }

    fn order(&self, matrix: Matrix) -> Order {
        self.given.orders[matrix.index()]
    }

    /// The part of a moved matrix that a group uses in a slab, stored densely.
    fn panel(&self, matrix: Matrix, used: &(Stripe, Stripe), slab: usize) -> Patch {
        let range = self.stay.slabs()[slab].clone();
        let (row_axis, _) = matrix.axes();
        let (mut rows, mut cols) = used.clone();
        if row_axis == self.stay.through() {
            rows = Stripe::all(range);
        } else {
            cols = Stripe::all(range);
        }
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
            slab,
            whole,
            held,
            panel,
            tag,
        } = *visit;
        let matrix = route.matrix;
        let conjugate = self.given.conjugate[matrix.index()];
        let slot = slab % self.slot_counts[matrix.index()];
        let from = Parcel::between(held, panel, self.order(matrix), Side::Source);
        if from.words() == 0 {
            return None;
        }
        let next = route.stops.get(position + 1).copied();
        if position > 0 {
            let to = Parcel::between(held, panel, self.order(matrix), Side::Target);
            self.receive(visit, slab + position - 1, Place::Slot(slot), &to);
            self.use_slot(matrix, panel);
            if let Some(peer) = next {
                self.send(
                    (matrix, peer, tag),
                    slab + position,
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
            self.use_slot(matrix, panel);
            let fill = Fill {
                matrix,
                slot,
                from: from.clone(),
                to,
            };
            self.program.steps[slab].fills.push(fill);
        }
        if let Some(peer) = next {
            self.send((matrix, peer, tag), slab, Place::Caller, from, conjugate);
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
            slab,
            held,
            panel,
            tag,
            ..
        } = *visit;
        let order = self.order(Matrix::C);
        let slot = slab % self.slot_counts[Matrix::C.index()];
        let of_panel = Parcel::between(held, panel, order, Side::Target);
        if of_panel.words() == 0 {
            return;
        }
        let computed = slab + self.hops;
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

    fn use_slot(&mut self, matrix: Matrix, panel: &Patch) {
        let (words, count) = &mut self.program.slots[matrix.index()];
        *words = (*words).max(panel.words() as usize);
        *count = self.slot_counts[matrix.index()];
    }

    /// The product of a slab, if the rank has one.
    fn product(&mut self, slab: usize, in_place: [Option<Dense>; 3]) {
        let Some(brick) = self.stay.brick(self.rank) else {
            return;
        };
        let resident = self.stay.resident();
        let mut operands = [None; 3];
        for matrix in Matrix::ALL {
            let at = matrix.index();
            let (rows, cols) = matrix.axes();
            let operand = if matrix == resident {
                self.resident(matrix, brick)
            } else if let Some(dense) = in_place[at] {
                Operand {
                    place: Place::Caller,
                    offset: dense.offset,
                    frame: frame(dense),
                }
            } else {
                let used = (brick[rows.index()].clone(), brick[cols.index()].clone());
                let panel = self.panel(matrix, &used, slab);
                self.use_slot(matrix, &panel);
                let slot = Place::Slot(slab % self.slot_counts[at]);
                Operand {
                    place: slot,
                    offset: 0,
                    frame: frame(panel.dense()),
                }
            };
            operands[at] = Some(operand);
        }
        if let [Some(a), Some(b), Some(c)] = operands {
            let fresh = resident != Matrix::C;
            let call = Call {
                operands: [a, b, c],
                fresh,
            };
            self.program.steps[slab + self.hops].call = Some(call);
        }
    }

    /// The resident matrix as the product sees it: the caller's memory, or a conjugated copy of it.
    fn resident(&mut self, matrix: Matrix, brick: &[Stripe; 3]) -> Operand {
        let held = self.given.layouts[matrix.index()]
            .patches(self.rank)
            .first();
        let dense = held.map_or(EMPTY, Patch::dense);
        let conjugated = matrix != Matrix::C && self.given.conjugate[matrix.index()];
        if !conjugated {
            return Operand {
                place: Place::Caller,
                offset: dense.offset,
                frame: frame(dense),
            };
        }
        let (rows, cols) = matrix.axes();
        let (rows, cols) = (brick[rows.index()].clone(), brick[cols.index()].clone());
        let copy = Patch::new(rows.clone(), cols, 0, Order::ColumnMajor, rows.len());
        if let Some(held) = held.filter(|_| self.program.copied.is_none()) {
            let parcel = Parcel::between(held, &copy, Order::ColumnMajor, Side::Source);
            self.program.copied = Some((matrix, parcel));
        }
        Operand {
            place: Place::Box,
            offset: 0,
            frame: frame(copy.dense()),
        }
    }
}

/// A rank's place on a route, for one slab.
#[derive(Clone, Copy)]
struct Visit<'a> {
    route: &'a Route,
    position: usize,
    slab: usize,
    /// What the holder has of the matrix, and of it what travels on the route.
    whole: &'a Patch,
    held: &'a Patch,
    panel: &'a Patch,
    tag: Tag,
}

const EMPTY: Dense = Dense {
    offset: 0,
    rows: 0,
    cols: 0,
    row_step: 1,
    col_step: 1,
};

fn frame(dense: Dense) -> Frame {
    Frame {
        rows: dense.rows,
        cols: dense.cols,
        row_stride: dense.row_step,
        col_stride: dense.col_step,
    }
}
