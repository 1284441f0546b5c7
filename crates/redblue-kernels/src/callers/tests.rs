//! Block-cyclic matrices multiplied on threads, every way, against three loops; words counted against predicted.

use num_complex::Complex;
use proptest::prelude::*;
use redblue_dist::Matrix;
use redblue_dist::comm::{Comm, Counted, Flow, threads};
use redblue_dist::layout::block_cyclic::{Descriptor, ProcessGrid};
use redblue_dist::layout::{Layout, Op, Order};
use redblue_dist::plan::stay::Sizes;

use super::{CallerError, Choice, Given, Multiplication, Spare};
use crate::matmul::Words;
use crate::{Backend, Scalar};

/// A sub-matrix of a block-cyclic matrix.
#[derive(Clone, Debug)]
struct Sub {
    block: [u64; 2],
    source: [usize; 2],
    corner: [u64; 2],
    /// Rows and columns of the whole matrix beyond the sub-matrix.
    beyond: [u64; 2],
    lead: u64,
}

#[derive(Clone, Debug)]
struct Case {
    shape: [u64; 3],
    grid: [usize; 2],
    idle: usize,
    subs: [Sub; 3],
    ops: [Op; 2],
    alpha: f64,
    beta: f64,
}

impl Case {
    fn layout(&self, matrix: Matrix) -> Layout {
        let [m, n, k] = self.shape;
        let (mut rows, mut cols) = [(m, k), (k, n), (m, n)][matrix.index()];
        if matrix != Matrix::C && self.ops[matrix.index()] != Op::Plain {
            std::mem::swap(&mut rows, &mut cols);
        }
        let [p, q] = self.grid;
        let grid = ProcessGrid::new(p, q, p * q + self.idle, Order::RowMajor).unwrap();
        let sub = &self.subs[matrix.index()];
        let descriptor = Descriptor {
            m: sub.corner[0] + rows + sub.beyond[0],
            n: sub.corner[1] + cols + sub.beyond[1],
            mb: sub.block[0],
            nb: sub.block[1],
            rsrc: sub.source[0] % p,
            csrc: sub.source[1] % q,
        };
        let lead = |rank: usize| {
            let rows = descriptor.local_rows(&grid, (rank / q).min(p - 1));
            Some(rows.max(1) + sub.lead)
        };
        let whole = descriptor.layout(&grid, lead).unwrap();
        let [down, right] = sub.corner;
        Descriptor::sub_matrix(&whole, down + 1, right + 1, rows, cols).unwrap()
    }
}

/// A small number that depends on its place and is exact in every element type.
fn entry<T: Scalar>(seed: u64, row: u64, col: u64) -> T {
    let mixed = (row * 31 + col * 17 + seed * 7) % 11;
    T::from_parts(mixed as f64 - 5.0, (mixed * 3 % 7) as f64 - 3.0)
}

/// An element of op(X).
fn operand<T: Scalar>(op: Op, seed: u64, row: u64, col: u64) -> T {
    match op {
        Op::Plain => entry(seed, row, col),
        Op::Transposed => entry(seed, col, row),
        Op::Conjugated => entry::<T>(seed, col, row).conjugate(),
    }
}

/// A rank's memory: its elements, and a mark everywhere else.
fn memory<T: Scalar>(layout: &Layout, rank: usize, element: impl Fn(u64, u64) -> T) -> Vec<T> {
    let mut words = vec![T::from_real(MARK); layout.memory(rank) as usize + 2];
    for row in 0..layout.rows() {
        for col in 0..layout.cols() {
            if let Some((owner, place)) = layout.locate(row, col)
                && owner == rank
            {
                words[place as usize] = element(row, col);
            }
        }
    }
    words
}

const MARK: f64 = 12_345.0;

fn check<T: Scalar>(case: &Case, choice: Choice) {
    check_in_pieces::<T>(case, choice, Sizes::default());
}

fn check_in_pieces<T: Scalar>(case: &Case, choice: Choice, sizes: Sizes) {
    let layouts = Matrix::ALL.map(|matrix| case.layout(matrix));
    let [a, b, c] = &layouts;
    let (alpha, beta) = (T::from_parts(case.alpha, 1.0), T::from_real(case.beta));
    let old = |row, col| {
        if case.beta == 0.0 {
            T::from_real(f64::NAN)
        } else {
            entry::<T>(3, row, col)
        }
    };
    let [op_a, op_b] = case.ops;
    let expected = |row: u64, col: u64| {
        let sum = (0..case.shape[2]).fold(T::ZERO, |sum, t| {
            sum.plus(operand::<T>(op_a, 1, row, t).times(operand(op_b, 2, t, col)))
        });
        let old = if case.beta == 0.0 {
            T::ZERO
        } else {
            beta.times(old(row, col))
        };
        alpha.times(sum).plus(old)
    };
    let outcome = threads::run(a.ranks(), |comm| {
        let rank = comm.rank();
        let given = Given {
            layouts: [a, b, c],
            ops: case.ops,
        };
        let product = Multiplication::with_pieces(&given, choice, sizes, rank)?;
        let (left, right) = (
            memory(a, rank, |row, col| entry::<T>(1, row, col)),
            memory(b, rank, |row, col| entry::<T>(2, row, col)),
        );
        let counted = Counted::new(
            comm.duplicate()
                .map_err(redblue_dist::layout::LayoutError::from)?,
        );
        // With nothing to multiply nothing moves.
        let works = alpha != T::ZERO && case.shape.iter().all(|&length| length > 0);
        let predicted = if works {
            product.flow()
        } else {
            Flow::default()
        };
        let wanted = memory(c, rank, expected);
        // A second time with the buffers of the first, after a product that left no number in them.
        let mut spare = Spare::default();
        let nothing = |_, _| T::from_real(f64::NAN);
        let (no_left, no_right) = (memory(a, rank, nothing), memory(b, rank, nothing));
        for (left, right, valid) in [
            (&left, &right, true),
            (&no_left, &no_right, false),
            (&left, &right, true),
        ] {
            let mut result = memory(c, rank, old);
            let words = Words {
                a: left,
                b: right,
                c: &mut result,
            };
            counted.take();
            product.multiply_with(&counted, alpha, beta, words, &Backend::Simd, &mut spare)?;
            let flow = counted.tally().matrices();
            let what = format!("rank {rank} of {case:?} {}", product.description());
            assert_eq!(
                (flow.sent, flow.received),
                (predicted.sent, predicted.received),
                "{what}"
            );
            assert!(u128::from(flow.volume()) <= product.volume());
            assert!(!valid || result == wanted, "{what}: {result:?} {wanted:?}");
        }
        Ok::<_, CallerError>(())
    });
    outcome.expect("every rank succeeds");
}

fn sub() -> impl Strategy<Value = Sub> {
    let block = [1_u64..9, 1_u64..9];
    let corner = [0_u64..12, 0_u64..12];
    let beyond = [0_u64..5, 0_u64..5];
    let parts = (block, [0_usize..4, 0..4], corner, beyond, 0_u64..3);
    parts.prop_map(|(block, source, corner, beyond, lead)| Sub {
        block,
        source,
        corner,
        beyond,
        lead,
    })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![Just(Op::Plain), Just(Op::Transposed), Just(Op::Conjugated)]
}

fn case() -> impl Strategy<Value = Case> {
    let shape = [0_u64..24, 0_u64..24, 0_u64..24];
    let factors = (
        prop_oneof![Just(0.0), Just(1.0), Just(-2.0)],
        prop_oneof![Just(0.0), Just(1.0), Just(0.5)],
    );
    let grid = ([1_usize..4, 1..4], 0_usize..2);
    (shape, grid, [sub(), sub(), sub()], [op(), op()], factors).prop_map(
        |(shape, (grid, idle), subs, ops, (alpha, beta))| Case {
            shape,
            grid,
            idle,
            subs,
            ops,
            alpha,
            beta,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn random_sub_matrices(case in case(), kind in 0..4) {
        for choice in [Choice::Quick, Choice::Least, Choice::Stay, Choice::Native] {
            match kind {
                0 => check::<f32>(&case, choice),
                1 => check::<f64>(&case, choice),
                2 => check::<Complex<f32>>(&case, choice),
                _ => check::<Complex<f64>>(&case, choice),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Slabs of a few indices and tiles of a few words: panels of several pieces are under way at once.
    #[test]
    fn small_pieces(case in case(), slab in 1_u64..9, panel in 1_u128..99) {
        check_in_pieces::<Complex<f64>>(&case, Choice::Stay, Sizes { slab, panel });
    }
}

/// Several slabs, so that the pipeline runs: deep routes, partial sums in flight, and panels used in place.
#[test]
fn long_products_run_in_slabs() {
    let plain = Sub {
        block: [32, 32],
        source: [0, 0],
        corner: [0, 0],
        beyond: [0, 0],
        lead: 0,
    };
    for shape in [[20, 24, 1500], [24, 1500, 20], [1500, 20, 24]] {
        for (grid, block) in [([1, 5], 32), ([2, 2], 7), ([3, 2], 150), ([4, 1], 64)] {
            for ops in [[Op::Plain; 2], [Op::Transposed, Op::Conjugated]] {
                let sub = Sub {
                    block: [block; 2],
                    ..plain.clone()
                };
                let case = Case {
                    shape,
                    grid,
                    idle: 0,
                    subs: [sub.clone(), sub.clone(), sub],
                    ops,
                    alpha: 1.0,
                    beta: 0.0,
                };
                check::<Complex<f64>>(&case, Choice::Stay);
                check::<f64>(&case, Choice::Least);
            }
        }
    }
}
