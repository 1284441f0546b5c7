//! Callers whose data already has a layout: redistribute, multiply and redistribute back, or stay.
//!
//! ```text
//! native  caller's A, B (C) ─► the plan's owners ─► rounds of the plan ─► caller's C
//! stay    one matrix stays where it is, the others come straight from their holders ([`super::stay`])
//! ```
//!
//! Both are counted exactly, rank by rank, and the way with the smaller largest volume is taken. Staying on a
//! block-cyclic layout is what ScaLAPACK does, so no more is moved than it would move on the same descriptors.
//! The plan's parts are given to the ranks that already hold most of them.
//!
//! Not here: moving anything. The layouts may be sub-matrices or transposed views of what the caller has.

use crate::layout::overlap::{table, words};
use crate::layout::{Layout, LayoutError, Order, relabel};
use crate::plan::stay::Stay;
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
    Stay(Box<Stay>),
    /// By a plan.
    Native(Box<Native>),
}

/// A plan for a caller: redistribute in, multiply, redistribute out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// Part `b` of the plan is executed by rank `labels[b]`.
    pub labels: Vec<usize>,
    /// Where the parts of the three matrices are then.
    pub layouts: [Layout; 3],
    /// Per rank: words sent and received.
    flows: Vec<(u128, u128)>,
}

impl Native {
    /// The larger of the words that the busiest rank sends and receives.
    pub fn volume(&self) -> u128 {
        let larger = |&(sent, received): &(u128, u128)| sent.max(received);
        self.flows.iter().map(larger).max().unwrap_or(0)
    }

    /// Words that a rank sends and receives.
    pub fn flow(&self, rank: usize) -> (u128, u128) {
        self.flows.get(rank).copied().unwrap_or_default()
    }
}

/// The better way, and what each would move: the larger of the words that the busiest rank sends and receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joint {
    /// The better way.
    pub way: Way,
    /// Volume of staying, where that is possible: every rank holds at most one part of each matrix.
    pub stay: Option<u128>,
    /// Volume of redistributing, multiplying by the plan, and redistributing back.
    pub native: u128,
}

/// Chooses between staying and a plan.
///
/// # Errors
/// When the layouts do not fit the plan's matrices or ranks.
pub fn choose(plan: &Plan, caller: &Caller<'_>) -> Result<Joint, LayoutError> {
    let staying = Stay::best(caller.layouts)?;
    let native = native(plan, caller)?;
    let (stay, volume) = (staying.as_ref().map(Stay::volume), native.volume());
    let way = match staying {
        Some(staying) if staying.volume() <= volume => Way::Stay(Box::new(staying)),
        _ => Way::Native(Box::new(native)),
    };
    Ok(Joint {
        way,
        stay,
        native: volume,
    })
}

/// The layouts in which a plan's parts store what they own: `A` by columns, `B` and `C` by rows.
///
/// # Errors
/// When a matrix is too large to be numbered.
pub fn owned(plan: &Plan, parts: &[RankPlan]) -> Result<[Layout; 3], LayoutError> {
    let shape = plan.shape();
    let layout = |matrix: Matrix, order: Order| {
        let (rows, cols) = matrix.axes();
        let owned: Vec<Vec<Rect>> = parts
            .iter()
            .map(|part| part.owned[matrix.index()].clone())
            .collect();
        Layout::blocked(shape.length(rows), shape.length(cols), &owned, order)
    };
    Ok([
        layout(Matrix::A, Order::ColumnMajor)?,
        layout(Matrix::B, Order::RowMajor)?,
        layout(Matrix::C, Order::RowMajor)?,
    ])
}

/// The plan with the labels that keep most words in place, counted.
///
/// # Errors
/// When the layouts do not fit the plan's matrices or ranks.
pub fn native(plan: &Plan, caller: &Caller<'_>) -> Result<Native, LayoutError> {
    let parts: Vec<RankPlan> = (0..plan.ranks()).map(|rank| plan.rank(rank)).collect();
    let natives = owned(plan, &parts)?;
    let mut overlaps = Vec::new();
    for (theirs, native) in caller.layouts.iter().zip(&natives) {
        overlaps.extend(table(theirs, native)?);
    }
    let labels = relabel::best(parts.len(), &overlaps);
    let mut flows = vec![(0, 0); parts.len()];
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
        flows[rank] = (sent, received);
    }
    let [a, b, c] = &natives;
    let layouts = [
        a.relabelled(&labels)?,
        b.relabelled(&labels)?,
        c.relabelled(&labels)?,
    ];
    Ok(Native {
        labels,
        layouts,
        flows,
    })
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
            let stays = matches!(joint.way, Way::Stay(_));
            assert_eq!(stays, joint.stay.unwrap() <= joint.native);
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
        let Way::Native(native) = joint.way else {
            panic!("the plan moves less than staying")
        };
        assert_eq!(native.labels, [4, 5, 6, 0, 1, 2, 3]);
        for (native, theirs) in native.layouts.iter().zip([a, b, c]) {
            assert!((0..7).all(|rank| native.words(rank) == words(native, rank, theirs, rank)));
        }
    }
}
