//! What executing a plan keeps in memory on one rank, word for word (C-17, C-24).
//!
//! ```text
//! own        the rank's words of A, B and C; messages leave from there: no send buffers
//! relayed    words of A and B that the rank passes on for their owners, and sums that it collects for them
//! partial    of the tile with most of them, the sums that belong to others
//! panels     of the round that receives most, the words received; twice if two rounds receive (double buffering)
//! joined     a small panel in several pieces, copied together: otherwise a much larger operand is read once per piece
//! reduction  the largest message of partial sums received: they arrive one after another
//! ```
//!
//! Own words are used in place, so a panel has room only for what the rank does not own of it. Predictions and
//! allocations are the same numbers: execution allocates what its messages add up to, and tests compare the two.
//!
//! A schedule may have a million steps, so panels are not looked at one by one. The edges of own rectangles divide
//! the k-range into segments; between two edges all panels own the same lines, and as parts of a range differ by at
//! most one, the largest of them is known without a look at each.

use std::ops::Range;

use super::cells::{Cell, Piece, part};
use super::schedule::Schedule;
use super::tree::share;
use crate::shape::{Axis, Brick, Matrix, Rect, Shape, common};

/// The words of memory that executing a plan allocates on one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The rank's own parts of `A`, `B` and `C`.
    pub own: u128,
    /// Words of `A` and `B` passed on for their owners, and sums of `C` collected for them.
    pub relayed: u128,
    /// Partial sums that belong to other ranks, of the tile that has most.
    pub partial: u128,
    /// Received panels of `A` and `B`, double buffered where more than one is received.
    pub panels: u128,
    /// Copies of panels of `A` and `B` that are small beside the other operand and come in pieces.
    pub joined: u128,
    /// The largest message of partial sums received.
    pub reduction: u128,
}

/// A panel is joined if the other operand has this many times its lines.
const JOINED: u64 = 8;

impl Memory {
    /// All of it.
    pub fn total(&self) -> u128 {
        self.own + self.relayed + self.partial + self.panels + self.joined + self.reduction
    }

    /// What one matrix needs on a rank: the rank's brick, the rectangles it owns and those it serves for others, and
    /// the cells it uses.
    pub(crate) fn of(
        schedule: &Schedule,
        brick: &Brick,
        rank: u64,
        matrix: Matrix,
        [owned, relayed]: [&[Rect]; 2],
        cells: &[Cell],
    ) -> Memory {
        let words = |rects: &[Rect]| rects.iter().map(Rect::words).sum();
        let own = Memory {
            own: words(owned),
            relayed: words(relayed),
            ..Memory::default()
        };
        match matrix {
            _ if brick.is_empty() => own,
            Matrix::C => Memory {
                partial: partial(schedule, rank, cells),
                reduction: reduction(schedule, rank, cells),
                ..own
            },
            Matrix::A | Matrix::B => Memory {
                panels: Panels::of(schedule, brick, matrix, &[owned, relayed].concat()).words(),
                joined: match own.own + own.relayed < brick.face(matrix).words() {
                    true => joined(schedule, &brick.shape(), matrix),
                    false => 0,
                },
                ..own
            },
        }
    }

    /// The memory of several matrices together.
    pub(crate) fn plus(self, other: Memory) -> Memory {
        Memory {
            own: self.own + other.own,
            relayed: self.relayed + other.relayed,
            partial: self.partial + other.partial,
            panels: self.panels + other.panels,
            joined: self.joined + other.joined,
            reduction: self.reduction + other.reduction,
        }
    }
}

/// What of the memory for one cell of a grid depends on which words of it are own, and not only on how many: the
/// largest panel received and whether there are two, or the largest message of partial sums.
pub(super) fn placement(
    schedule: &Schedule,
    matrix: Matrix,
    cell: &Cell,
    own: &Range<u128>,
) -> [u128; 2] {
    let rects: Vec<Rect> = cell.rects(own).collect();
    if matrix == Matrix::C {
        return [largest_message(schedule, rects), 0];
    }
    let tile = side(matrix, &cell.rect);
    let depth = along_k(matrix, &cell.rect);
    let own: Vec<(Range<u64>, u64)> = rects
        .iter()
        .map(|rect| (along_k(matrix, rect), length(&side(matrix, rect))))
        .collect();
    let Panels { largest, count } = Panels::of_tile(&depth, schedule.steps, length(&tile), &own);
    [largest, count.min(2)]
}

/// Words of the largest panel of an input if panels of it are joined, for a rank that does not serve all of its face.
pub(super) fn joined(schedule: &Schedule, brick: &Shape, matrix: Matrix) -> u128 {
    let [rows, cols] = [
        brick.m.div_ceil(schedule.tiles[0]),
        brick.n.div_ceil(schedule.tiles[1]),
    ];
    let (lines, others) = match matrix {
        Matrix::A => (rows, cols),
        Matrix::B => (cols, rows),
        Matrix::C => return 0,
    };
    match lines.checked_mul(JOINED) {
        Some(many) if many <= others => {
            u128::from(lines) * u128::from(brick.k.div_ceil(schedule.steps))
        }
        _ => 0,
    }
}

/// Partial sums that leave in the tile that has most of them.
fn partial(schedule: &Schedule, rank: u64, results: &[Cell]) -> u128 {
    let foreign = |cell: &Cell| -> u128 {
        let Some(me) = cell.position(rank) else {
            return 0;
        };
        let pieces = cell.pieces();
        pieces
            .filter(|piece| piece.owner != me && piece.server != me)
            .map(|piece| piece.count())
            .sum()
    };
    match schedule.tiles {
        // All cells of C belong to the one tile; with tiles, in a grid, each cell is a tile.
        [1, 1] => results.iter().map(foreign).sum(),
        _ => results.iter().map(foreign).max().unwrap_or(0),
    }
}

/// The largest message with which another user of a cell sends what this rank serves or owns of it.
fn reduction(schedule: &Schedule, rank: u64, results: &[Cell]) -> u128 {
    let arriving = results.iter().flat_map(|cell| {
        let me = cell.position(rank);
        let arrives = move |piece: &Piece| {
            let others = cell.users.len() - 1 - usize::from(piece.is_relayed());
            let collected = Some(piece.server) == me && others > 0;
            collected || Some(piece.owner) == me && piece.is_relayed()
        };
        let pieces = cell.pieces().filter(arrives);
        pieces.flat_map(|piece| cell.rects(&piece.words))
    });
    largest_message(schedule, arriving)
}

fn largest_message(schedule: &Schedule, owned: impl IntoIterator<Item = Rect>) -> u128 {
    let messages = owned.into_iter().map(|rect| {
        let rows = rect.height().div_ceil(schedule.chunks);
        u128::from(rows) * u128::from(rect.width())
    });
    messages.max().unwrap_or(0)
}

/// The range of a rectangle of `A` or `B` along k.
fn along_k(matrix: Matrix, rect: &Rect) -> Range<u64> {
    match matrix {
        Matrix::A => rect.cols.clone(),
        Matrix::B | Matrix::C => rect.rows.clone(),
    }
}

/// Its range along the other axis.
fn side(matrix: Matrix, rect: &Rect) -> Range<u64> {
    match matrix {
        Matrix::A => rect.rows.clone(),
        Matrix::B | Matrix::C => rect.cols.clone(),
    }
}

fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

/// The panels of one input that a rank receives.
#[derive(Clone, Copy, Default)]
struct Panels {
    /// Words of the largest.
    largest: u128,
    /// How many are not empty; exact up to 1.
    count: u128,
}

impl Panels {
    fn words(&self) -> u128 {
        self.largest * self.count.min(2)
    }

    fn of(schedule: &Schedule, brick: &Brick, matrix: Matrix, owned: &[Rect]) -> Panels {
        let (axis, tiles) = match matrix {
            Matrix::A => (Axis::M, schedule.tiles[0]),
            _ => (Axis::N, schedule.tiles[1]),
        };
        let (depth, across) = (brick.range(Axis::K), brick.range(axis));
        let mut found = Panels::default();
        for tile in 0..tiles {
            let tile = part(&across, tile, tiles);
            let own = owned.iter().filter_map(|rect| {
                let lines = length(&common(&side(matrix, rect), &tile));
                (lines > 0).then_some((along_k(matrix, rect), lines))
            });
            let own: Vec<(Range<u64>, u64)> = own.collect();
            found.join(Panels::of_tile(&depth, schedule.steps, length(&tile), &own));
        }
        found.count *= u128::from(schedule.passes(matrix));
        found
    }

    fn join(&mut self, other: Panels) {
        self.largest = self.largest.max(other.largest);
        self.count += other.count;
    }

    /// The panels of one tile: all its lines along k, except those that are own in some range of k.
    fn of_tile(depth: &Range<u64>, steps: u64, lines: u64, own: &[(Range<u64>, u64)]) -> Panels {
        let mut edges: Vec<u64> = own.iter().flat_map(|(k, _)| [k.start, k.end]).collect();
        edges.extend([depth.start, depth.end]);
        edges.sort_unstable();
        edges.dedup();
        let mut found = Panels::default();
        let mut panel = |received: u128, count: u128| {
            if received > 0 && count > 0 {
                found.join(Panels {
                    largest: received,
                    count,
                });
            }
        };
        let whole = length(depth);
        let place = |step: u64| depth.start + share(whole, step, steps);
        let mut step = 0;
        // Steps with an edge inside are looked at one by one, those between two edges together.
        for edge in edges {
            let first = step;
            step = first_ending_after(steps, &place, edge).max(first);
            let start = place(first);
            let held: u64 = own
                .iter()
                .filter(|(k, _)| k.contains(&start))
                .map(|(_, lines)| lines)
                .sum();
            let (count, width) = (step - first, place(step) - start);
            let widest = if count == 0 {
                0
            } else {
                // Widths are the quotient or one more, and they add up.
                whole / steps + u64::from(width > count * (whole / steps))
            };
            let nonempty = if whole >= steps { count } else { width };
            let free = u128::from(lines - held.min(lines));
            panel(free * u128::from(widest), u128::from(nonempty));
            if step < steps && place(step) < edge {
                let range = place(step)..place(step + 1);
                let held: u128 = own
                    .iter()
                    .map(|(k, lines)| u128::from(length(&common(k, &range))) * u128::from(*lines))
                    .sum();
                let all = u128::from(range.end - range.start) * u128::from(lines);
                panel(all - held.min(all), 1);
                step += 1;
            }
        }
        found
    }
}

/// The first step that ends after a position, by bisection.
fn first_ending_after(steps: u64, place: &impl Fn(u64) -> u64, position: u64) -> u64 {
    let (mut low, mut high) = (0, steps);
    while low < high {
        let middle = low + (high - low) / 2;
        if place(middle + 1) > position {
            high = middle
        } else {
            low = middle + 1
        }
    }
    low
}
