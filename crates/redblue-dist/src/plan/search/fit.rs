//! Schedules that fit the memory and move the least (C-17).
//!
//! For a grid there are four ways to need less memory, in order of price:
//!
//! * more steps along k: smaller panels, no more words moved;
//! * partial sums received in chunks: smaller messages, no more words moved;
//! * tiles of C along m or n with one step: the other panel is kept, no more words moved;
//! * tiles of C and steps: the panels are received anew for each tile.
//!
//! An uneven tree has the first two. Memory falls with the number of steps and of tiles, so the fewest that fit are
//! found by bisection, first with an estimate for the largest brick of a grid, and then counted exactly.

use crate::plan::cells::Cell;
use crate::plan::memory::joined;
use crate::plan::tree::Tree;
use crate::plan::{Plan, Schedule, Summary};
use crate::shape::{Matrix, Rect, Shape};

/// Messages for the partial sums of one part when one message does not fit.
const CHUNKS: u64 = 8;
/// Exact counts after which a grid whose estimate was too small is given up.
const ATTEMPTS: u32 = 4;

/// The least memory that some plan considered would have needed.
#[derive(Debug, Default)]
pub(crate) struct Frugal {
    least: Option<u128>,
}

impl Frugal {
    fn note(&mut self, memory: u128) {
        self.least = Some(self.least.map_or(memory, |least| least.min(memory)));
    }

    /// Words needed.
    pub(crate) fn needed(&self) -> u128 {
        self.least.unwrap_or(0)
    }
}

/// An uneven tree with the fewest steps that fit.
pub(crate) fn tree(
    shape: Shape,
    ranks: u64,
    tree: Tree,
    limit: u128,
    frugal: &mut Frugal,
) -> Option<(Plan, Summary)> {
    if let Some(grid) = tree.as_grid() {
        return self::grid(shape, ranks, grid, limit, frugal);
    }
    for chunks in [1, CHUNKS] {
        let plan = Plan::new(
            shape,
            ranks,
            tree.clone(),
            Schedule {
                chunks,
                ..Schedule::WHOLE
            },
        )
        .ok()?;
        let memory = |steps: u64| {
            let plan = plan.with_schedule(Schedule {
                steps,
                ..plan.schedule()
            });
            let ranks = 0..plan.tree().ranks();
            let totals = ranks.map(|rank| plan.rank(rank).memory().total());
            totals.max().unwrap_or(0)
        };
        if let Some(steps) = fewest(shape.k, |steps| memory(steps) <= limit) {
            let plan = plan.with_schedule(Schedule {
                steps,
                ..plan.schedule()
            });
            let summary = plan.summary();
            return Some((plan, summary));
        }
    }
    None
}

/// A grid with the schedule that moves least and fits.
pub(crate) fn grid(
    shape: Shape,
    ranks: u64,
    grid: [u64; 3],
    limit: u128,
    frugal: &mut Frugal,
) -> Option<(Plan, Summary)> {
    let [pm, pn, pk] = grid;
    let brick = Shape::new(
        shape.m.div_ceil(pm),
        shape.n.div_ceil(pn),
        shape.k.div_ceil(pk),
    );
    let mut estimated = limit;
    for _ in 0..ATTEMPTS {
        let schedule = schedule(brick, grid, estimated, frugal)?.schedule;
        let plan = Plan::new(shape, ranks, Tree::grid(grid), schedule).ok()?;
        let summary = plan.summary();
        let memory = summary.memory.total();
        if memory <= limit {
            return Some((plan, summary));
        }
        frugal.note(memory);
        estimated = estimated.checked_sub(memory - limit)?;
    }
    None
}

/// Words that the largest brick of a grid moves at least in so much memory, without a look at schedules.
///
/// Unless the partial sums that belong to others, or what is received of `A` or of `B`, fit beside the own words, there are
/// tiles of `C`: with steps `A` is received once for each column of tiles and `B` for each row, and without them the
/// tiles are so low that their part of `A` fits.
pub(crate) fn least(brick: Shape, grid: [u64; 3], limit: u128) -> u128 {
    let Estimate { most, .. } = Estimate::new(brick, grid);
    let [a, b, c] = Matrix::ALL.map(|matrix| brick.face(matrix) - most[matrix.index()]);
    let once = a + b + c;
    let Some(room) = limit.checked_sub(most.iter().sum()) else {
        return u128::MAX;
    };
    let partial = brick.face(Matrix::C) - brick.face(Matrix::C) / u128::from(grid[2]);
    if partial <= room || a <= room || b <= room {
        return once;
    }
    let room = room.max(1);
    let stepped = a.saturating_mul(b).saturating_mul(4 * (partial / room));
    let kept = b.saturating_mul(a / room).saturating_add(a);
    once.max(stepped.isqrt().min(kept).saturating_add(c))
}

/// The estimated volume of a grid whose largest brick is given, if some schedule fits.
pub(crate) fn estimate(
    brick: Shape,
    grid: [u64; 3],
    limit: u128,
    frugal: &mut Frugal,
) -> Option<u128> {
    Some(schedule(brick, grid, limit, frugal)?.volume)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    volume: u128,
    rounds: u64,
    schedule: Schedule,
}

fn schedule(brick: Shape, grid: [u64; 3], limit: u128, frugal: &mut Frugal) -> Option<Choice> {
    let estimate = Estimate::new(brick, grid);
    if estimate.memory(Schedule::WHOLE) <= limit {
        return Some(estimate.option(Schedule::WHOLE));
    }
    let least = Schedule {
        tiles: [brick.m, brick.n],
        steps: brick.k,
        chunks: 1,
    };
    let memory = estimate.memory(least);
    if memory > limit {
        frugal.note(memory);
        return None;
    }
    let mut options = Vec::new();
    let shared = grid[2] > 1;
    for chunks in if shared { &[1, CHUNKS][..] } else { &[1] } {
        let chunked = |tiles, steps| Schedule {
            tiles,
            steps,
            chunks: *chunks,
        };
        let fits = |tiles, steps| estimate.memory(chunked(tiles, steps)) <= limit;
        options.extend(
            fewest(brick.k, |steps| fits([1, 1], steps)).map(|steps| chunked([1, 1], steps)),
        );
        options.extend(
            fewest(brick.n, |tiles| fits([1, tiles], 1)).map(|tiles| chunked([1, tiles], 1)),
        );
        options.extend(
            fewest(brick.m, |tiles| fits([tiles, 1], 1)).map(|tiles| chunked([tiles, 1], 1)),
        );
        for rows in doubling(brick.m) {
            for steps in [1, brick.k] {
                let cols = fewest(brick.n, |cols| fits([rows, cols], steps));
                options.extend(cols.and_then(|cols| {
                    fewest(steps, |steps| fits([rows, cols], steps))
                        .map(|steps| chunked([rows, cols], steps))
                }));
            }
        }
    }
    options
        .into_iter()
        .map(|schedule| estimate.option(schedule))
        .min()
}

/// The largest brick of a grid, and how much of each face its rank owns at most.
struct Estimate {
    brick: Shape,
    most: [u128; 3],
    grid: [u64; 3],
}

impl Estimate {
    fn new(shape: Shape, grid: [u64; 3]) -> Estimate {
        let most = Matrix::ALL.map(|matrix| {
            let (rows, cols) = matrix.axes();
            let rect = Rect::new(0..shape.length(rows), 0..shape.length(cols));
            let users = grid[matrix.missing().index()];
            let cell = Cell::new(matrix, rect, users);
            let unit = cell.unit();
            (shape.face(matrix) / unit.max(1)).div_ceil(u128::from(users)) * unit
        });
        Estimate {
            brick: shape,
            most,
            grid,
        }
    }

    fn memory(&self, schedule: Schedule) -> u128 {
        let shape = self.brick;
        let [rows, cols] = [
            shape.m.div_ceil(schedule.tiles[0]),
            shape.n.div_ceil(schedule.tiles[1]),
        ];
        let tile = u128::from(rows) * u128::from(cols);
        let users = u128::from(self.grid[2]);
        let message = (tile / users).div_ceil(u128::from(schedule.chunks));
        let reduction = if users > 1 { message } else { 0 };
        let panels = [(Matrix::A, rows), (Matrix::B, cols)]
            .map(|(matrix, lines)| self.panels(schedule, matrix, lines));
        let own: u128 = self.most.iter().sum();
        own + tile - tile / users + reduction + panels.iter().sum::<u128>()
    }

    /// Words received of the largest panels of an input whose tile has so many lines.
    fn panels(&self, schedule: Schedule, matrix: Matrix, lines: u64) -> u128 {
        let users = self.grid[matrix.missing().index()];
        if users == 1 {
            return 0;
        }
        let depth = self.brick.k.div_ceil(schedule.steps);
        let whole = match matrix {
            Matrix::A => Rect::new(0..lines, 0..self.brick.k),
            _ => Rect::new(0..self.brick.k, 0..lines),
        };
        // Users own either some lines of every panel, or all lines of some panels.
        let own = if Cell::new(matrix, whole, users).is_by_rows() == (matrix == Matrix::A) {
            u128::from(lines / users) * u128::from(depth)
        } else if schedule.steps == 1 {
            u128::from(lines) * u128::from(depth / users)
        } else {
            0
        };
        let tiles = schedule.tiles[usize::from(matrix == Matrix::B)];
        let count = tiles
            .saturating_mul(schedule.steps)
            .saturating_mul(schedule.passes(matrix));
        let received = (u128::from(lines) * u128::from(depth) - own) * u128::from(count.min(2));
        received + joined(&schedule, &self.brick, matrix)
    }

    fn option(&self, schedule: Schedule) -> Choice {
        let shape = self.brick;
        let moved = Matrix::ALL.map(|matrix| {
            (shape.face(matrix) - self.most[matrix.index()]) * u128::from(schedule.passes(matrix))
        });
        Choice {
            volume: moved.into_iter().sum(),
            rounds: schedule.rounds(),
            schedule,
        }
    }
}

/// The least number from 1 to `most` that fits, if `most` does; fitting must be monotone.
fn fewest(most: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (1, most.max(1));
    if fits(low) {
        return Some(low);
    }
    if !fits(high) {
        return None;
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            high = middle
        } else {
            low = middle
        }
    }
    Some(high)
}

/// 1, 2, 3, 4, 6, 8, 12, … up to and including `most`.
fn doubling(most: u64) -> impl Iterator<Item = u64> {
    let powers = (0..u64::BITS).map(|bits| 1u64 << bits);
    let between = powers.flat_map(|power| [power, power + power / 2]);
    between
        .skip(1)
        .map(|value| value.max(1))
        .take_while(move |&value| value < most)
        .chain([most])
}
