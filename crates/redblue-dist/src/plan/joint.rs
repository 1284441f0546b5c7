//! Callers whose data already has a layout: redistribute, multiply and redistribute back, or stay.
//!
//! ```text
//! native  caller's A, B (C) ─► the plan's owners ─► rounds of the plan ─► caller's C
//! stay    every rank computes the part of C it holds; A and B come straight from their holders
//! ```
//!
//! Both are counted exactly, rank by rank, and the way with the smaller largest volume is taken. Staying on a
//! block-cyclic layout is what SUMMA does, so no more is moved than ScaLAPACK would move on the same descriptors.
//! The plan's parts are given to the ranks that already hold most of them.
//!
//! Not here: moving anything. The layouts may be sub-matrices or transposed views of what the caller has.

use crate::layout::overlap::{table, words};
use crate::layout::{Layout, LayoutError, Order, Patch, relabel};
use crate::plan::{Plan, RankPlan};
use crate::shape::{Matrix, Rect};

/// Where the caller's matrices are.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// Layouts of `A`, `B` and `C`.
    pub layouts: [&'a Layout; 3],
    /// Whether the old values of `C` are needed (β ≠ 0).
    pub reads_c: bool,
}

/// How a product is computed for a caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// In the caller's layout.
    Stay,
    /// By a plan, whose part `b` is executed by rank `labels[b]`.
    Native {
        /// One rank for each part.
        labels: Vec<usize>,
    },
}

/// The better way, and what each would move: the larger of the words that the busiest rank sends and receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joint {
    /// The better way.
    pub way: Way,
    /// Volume of staying, where that is possible: every rank holds some rows and some columns of `C`.
    pub stay: Option<u128>,
    /// Volume of redistributing, multiplying by the plan, and redistributing back.
    pub native: u128,
}

/// Chooses between staying and a plan.
///
/// # Errors
/// When the layouts do not fit the plan's matrices or ranks.
pub fn choose(plan: &Plan, caller: &Caller<'_>) -> Result<Joint, LayoutError> {
    let stay = stay(caller)?;
    let (labels, native) = native(plan, caller)?;
    let way = if stay.is_some_and(|stay| stay <= native) {
        Way::Stay
    } else {
        Way::Native { labels }
    };
    Ok(Joint { way, stay, native })
}

/// Words that a rank sends and receives.
type Load = (u128, u128);

fn largest(loads: &[Load]) -> u128 {
    loads
        .iter()
        .map(|&(sent, received)| sent.max(received))
        .max()
        .unwrap_or(0)
}

/// The volume of computing every part of `C` where it is.
fn stay(caller: &Caller<'_>) -> Result<Option<u128>, LayoutError> {
    let [a, b, c] = caller.layouts;
    let ranks = c.ranks();
    for (layout, what) in [(a, "the layout of A"), (b, "the layout of B")] {
        if layout.ranks() != ranks {
            return Err(LayoutError::Ranks {
                what,
                found: layout.ranks(),
                expected: ranks,
            });
        }
    }
    let mut loads = vec![(0, 0); ranks];
    for user in 0..ranks {
        let part = match c.patches(user) {
            [] => continue,
            [part] => part,
            _ => return Ok(None),
        };
        for holder in (0..ranks).filter(|&holder| holder != user) {
            let rows = |patch: &Patch| {
                u128::from(patch.rows().overlap(part.rows())) * u128::from(patch.cols().len())
            };
            let cols = |patch: &Patch| {
                u128::from(patch.cols().overlap(part.cols())) * u128::from(patch.rows().len())
            };
            let from_a: u128 = a.patches(holder).iter().map(rows).sum();
            let from_b: u128 = b.patches(holder).iter().map(cols).sum();
            loads[holder].0 += from_a + from_b;
            loads[user].1 += from_a + from_b;
        }
    }
    Ok(Some(largest(&loads)))
}

/// The labels that keep most words in place, and the volume of the whole way with them.
fn native(plan: &Plan, caller: &Caller<'_>) -> Result<(Vec<usize>, u128), LayoutError> {
    let parts: Vec<RankPlan> = (0..plan.ranks()).map(|rank| plan.rank(rank)).collect();
    let shape = plan.shape();
    let layout = |matrix: Matrix| {
        let (rows, cols) = matrix.axes();
        let owned: Vec<Vec<Rect>> = parts
            .iter()
            .map(|part| part.owned[matrix.index()].clone())
            .collect();
        Layout::blocked(
            shape.length(rows),
            shape.length(cols),
            &owned,
            Order::ColumnMajor,
        )
    };
    let natives = [layout(Matrix::A)?, layout(Matrix::B)?, layout(Matrix::C)?];
    let mut overlaps = Vec::new();
    for (theirs, native) in caller.layouts.iter().zip(&natives) {
        overlaps.extend(table(theirs, native)?);
    }
    let labels = relabel::best(parts.len(), &overlaps);
    let mut loads = Vec::with_capacity(parts.len());
    for ((index, part), &rank) in parts.iter().enumerate().zip(&labels) {
        let traffic = part.traffic();
        let (mut sent, mut received) = (traffic.sent, traffic.received);
        for matrix in Matrix::ALL {
            let (theirs, native) = (caller.layouts[matrix.index()], &natives[matrix.index()]);
            let kept = words(theirs, rank, native, index);
            let (leaving, arriving) = (theirs.words(rank) - kept, native.words(index) - kept);
            if matrix != Matrix::C || caller.reads_c {
                sent += leaving;
                received += arriving;
            }
            if matrix == Matrix::C {
                sent += arriving;
                received += leaving;
            }
        }
        loads.push((sent, received));
    }
    Ok((labels, largest(&loads)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::block_cyclic::{Descriptor, ProcessGrid};
    use crate::plan::{Problem, search};
    use crate::shape::Shape;

    fn cyclic(m: u64, n: u64, block: u64, grid: &ProcessGrid) -> Layout {
        let descriptor = Descriptor {
            m,
            n,
            mb: block,
            nb: block,
            rsrc: 0,
            csrc: 0,
        };
        descriptor.layout(grid, |_| None).unwrap()
    }

    fn owner(layout: &Layout, row: u64, col: u64) -> usize {
        layout.locate(row, col).unwrap().0
    }

    fn holders(layout: &Layout) -> Vec<Vec<usize>> {
        (0..layout.rows())
            .map(|row| {
                (0..layout.cols())
                    .map(|col| owner(layout, row, col))
                    .collect()
            })
            .collect()
    }

    /// The dumb count: each word of A and B to every rank that needs it.
    fn stay_by_elements([a, b, c]: [&Layout; 3]) -> u128 {
        let ranks = c.ranks();
        let mut loads = vec![(0, 0); ranks];
        let (a, b, c) = (holders(a), holders(b), holders(c));
        let inner = b.len();
        for user in 0..ranks {
            let rows: Vec<usize> = (0..c.len()).filter(|&row| c[row].contains(&user)).collect();
            let cols: Vec<usize> = (0..c[0].len())
                .filter(|&col| c.iter().any(|row| row[col] == user))
                .collect();
            let needed_a = rows
                .iter()
                .flat_map(|&row| (0..inner).map(move |t| (row, t)))
                .map(|(row, t)| a[row][t]);
            let needed_b = cols
                .iter()
                .flat_map(|&col| (0..inner).map(move |t| (t, col)))
                .map(|(t, col)| b[t][col]);
            for holder in needed_a.chain(needed_b).filter(|&holder| holder != user) {
                loads[holder].0 += 1;
                loads[user].1 += 1;
            }
        }
        largest(&loads)
    }

    #[test]
    fn both_ways_are_counted() {
        for (shape, rows, cols, block) in [
            (Shape::new(12, 10, 14), 2, 2, 3),
            (Shape::new(9, 20, 7), 2, 3, 2),
            (Shape::new(8, 8, 40), 1, 4, 1),
        ] {
            let grid = ProcessGrid::new(rows, cols, rows * cols, Order::RowMajor).unwrap();
            let a = cyclic(shape.m, shape.k, block, &grid);
            let b = cyclic(shape.k, shape.n, block, &grid);
            let c = cyclic(shape.m, shape.n, block, &grid);
            let layouts = [&a, &b, &c];
            let ranks = (rows * cols) as u64;
            let (plan, summary) = search(&Problem {
                shape,
                ranks,
                memory: None,
            })
            .unwrap();
            let joint = choose(
                &plan,
                &Caller {
                    layouts,
                    reads_c: false,
                },
            )
            .unwrap();
            assert_eq!(joint.stay, Some(stay_by_elements(layouts)), "{shape}");
            assert!(joint.native >= summary.volume);
            assert!(
                choose(
                    &plan,
                    &Caller {
                        layouts,
                        reads_c: true
                    }
                )
                .unwrap()
                .native
                    >= joint.native
            );
            assert_eq!(joint.way == Way::Stay, joint.stay.unwrap() <= joint.native);
        }
    }

    /// SUMMA on a square process grid: each rank receives all but its own part of a row of A and a column of B.
    #[test]
    fn staying_is_summa() {
        let grid = ProcessGrid::new(4, 4, 16, Order::RowMajor).unwrap();
        let layout = cyclic(1024, 1024, 32, &grid);
        let plan = search(&Problem {
            shape: Shape::new(1024, 1024, 1024),
            ranks: 16,
            memory: None,
        })
        .unwrap()
        .0;
        let joint = choose(
            &plan,
            &Caller {
                layouts: [&layout; 3],
                reads_c: false,
            },
        )
        .unwrap();
        assert_eq!(joint.stay, Some(2 * 256 * 768));
    }

    /// Data that is already where the plan wants it moves as the plan says, whatever the ranks are called.
    #[test]
    fn native_data_costs_only_the_product() {
        let shape = Shape::new(48, 40, 56);
        let (plan, summary) = search(&Problem {
            shape,
            ranks: 7,
            memory: None,
        })
        .unwrap();
        let layouts = Matrix::ALL.map(|matrix| {
            let (rows, cols) = matrix.axes();
            let owned: Vec<Vec<Rect>> = (0..7)
                .map(|rank| plan.rank((rank + 3) % 7).owned[matrix.index()].clone())
                .collect();
            Layout::blocked(
                shape.length(rows),
                shape.length(cols),
                &owned,
                Order::RowMajor,
            )
            .unwrap()
        });
        let [a, b, c] = &layouts;
        let joint = choose(
            &plan,
            &Caller {
                layouts: [a, b, c],
                reads_c: true,
            },
        )
        .unwrap();
        assert_eq!(joint.native, summary.volume);
        assert_eq!(
            joint.way,
            Way::Native {
                labels: vec![4, 5, 6, 0, 1, 2, 3]
            }
        );
    }
}
