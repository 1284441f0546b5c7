//! The arguments of a product and what can be wrong with them, in PBLAS's numbering.
//!
//! ```text
//!          1      2      3 4 5 6     7 8  9  10    11 12 13 14    15   16 17 18 19
//! p?gemm ( TRANSA TRANSB M N K ALPHA A IA JA DESCA B  IB JB DESCB BETA C  IC JC DESCC )
//! ```
//!
//! A bad argument has the number `-position`, a bad entry of a descriptor `-(100·position + entry)`, entries counted
//! from 1. Of several the first position is reported.

use redblue_dist::layout::Op;
use redblue_dist::layout::block_cyclic::{Descriptor, ProcessGrid};

/// A sub-matrix: its corner, counted from 1, and the descriptor of the matrix it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sub {
    /// First row.
    pub row: i32,
    /// First column.
    pub col: i32,
    /// The nine integers.
    pub descriptor: [i32; 9],
}

/// Everything but the words and the two factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// TRANSA and TRANSB.
    pub transpose: [u8; 2],
    /// M, N and K.
    pub sizes: [i32; 3],
    /// `A`, `B` and `C`.
    pub subs: [Sub; 3],
}

/// A place in the list of arguments, as a negative number.
pub type Info = i32;

/// Position of each descriptor in the list.
const DESCRIPTORS: [i32; 3] = [10, 14, 19];
/// Positions of M, N and K.
const SIZES: [i32; 3] = [3, 4, 5];

/// What arguments mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A product that this library computes.
    Ours,
    /// A matrix of a kind that this library does not know but PBLAS does: a descriptor of type 2, or rows or
    /// columns that every process has a copy of. The number says where.
    Foreign(Info),
    /// An illegal argument.
    Illegal(Info),
}

impl Arguments {
    /// The BLACS context.
    pub fn context(&self) -> i32 {
        self.subs[0].descriptor[1]
    }

    /// The operations on `A` and `B`, if they are legal.
    pub fn ops(&self) -> Option<[Op; 2]> {
        let [a, b] = self.transpose.map(op);
        Some([a?, b?])
    }

    /// Rows and columns of the three sub-matrices as they are stored, and the positions of these sizes.
    pub fn shapes(&self) -> [[(i32, i32); 2]; 3] {
        let [m, n, k] = [0, 1, 2].map(|size| (self.sizes[size], SIZES[size]));
        let stored = |rows, cols, letter| match op(letter) {
            None | Some(Op::Plain) => [rows, cols],
            Some(Op::Transposed | Op::Conjugated) => [cols, rows],
        };
        let [a, b] = self.transpose;
        [stored(m, k, a), stored(k, n, b), [m, n]]
    }

    /// Checks everything against the grid, where this process is in row `x` and column `y`.
    pub fn check(&self, grid: &ProcessGrid, [x, y]: [usize; 2]) -> Meaning {
        let mut worst = Worst::default();
        let mut foreign = Worst::default();
        for (letter, position) in self.transpose.into_iter().zip([1, 2]) {
            worst.unless(op(letter).is_some(), position, 0);
        }
        for ((sub, shape), position) in self.subs.iter().zip(self.shapes()).zip(DESCRIPTORS) {
            let [kind, context, m, n, mb, nb, rsrc, csrc, lld] = sub.descriptor;
            if kind != 1 {
                let list = if kind == 2 { &mut foreign } else { &mut worst };
                list.unless(false, position, 1);
                continue;
            }
            let [(rows, rows_at), (cols, cols_at)] = shape;
            worst.unless(rows >= 0, rows_at, 0);
            worst.unless(cols >= 0, cols_at, 0);
            worst.unless(sub.row >= 1, position - 2, 0);
            worst.unless(sub.col >= 1, position - 1, 0);
            worst.unless(context == self.context(), position, 2);
            worst.unless(m >= 0, position, 3);
            worst.unless(n >= 0, position, 4);
            worst.unless(mb >= 1, position, 5);
            worst.unless(nb >= 1, position, 6);
            worst.unless((-1..grid.rows() as i64).contains(&rsrc.into()), position, 7);
            worst.unless((-1..grid.cols() as i64).contains(&csrc.into()), position, 8);
            foreign.unless(rsrc != -1, position, 7);
            foreign.unless(csrc != -1, position, 8);
            worst.unless(lld >= 1, position, 9);
            // A sub-matrix without elements may lie anywhere.
            if rows > 0 && cols > 0 {
                let beyond = |first: i32, length: i32| i64::from(first) - 1 + i64::from(length);
                worst.unless(beyond(sub.row, rows) <= m.into(), position - 2, 0);
                worst.unless(beyond(sub.col, cols) <= n.into(), position - 1, 0);
                if let Ok((descriptor, lld)) = Descriptor::read(&sub.descriptor, grid) {
                    let local = descriptor.local_rows(grid, x);
                    let stored = descriptor.local_cols(grid, y) > 0;
                    worst.unless(!stored || lld >= local, position, 9);
                }
            }
        }
        match (worst.0, foreign.0) {
            (Some(place), _) => Meaning::Illegal(number(place)),
            (None, Some(place)) => Meaning::Foreign(number(place)),
            (None, None) => Meaning::Ours,
        }
    }

    /// What must be equal on all ranks, with names and numbers in the order of the list.
    pub fn common(&self) -> Vec<(String, Info, u64)> {
        let mut list = Vec::new();
        let mut add = |name: String, info: Info, value: i32| {
            list.push((name, info, i64::from(value) as u64));
        };
        for (name, letter, position) in [
            ("TRANSA", self.transpose[0], 1),
            ("TRANSB", self.transpose[1], 2),
        ] {
            add(
                name.to_owned(),
                -position,
                letter.to_ascii_uppercase().into(),
            );
        }
        for ((name, value), position) in ["M", "N", "K"].into_iter().zip(self.sizes).zip(SIZES) {
            add(name.to_owned(), -position, value);
        }
        for ((letter, sub), position) in ["A", "B", "C"].iter().zip(self.subs).zip(DESCRIPTORS) {
            add(format!("I{letter}"), -(position - 2), sub.row);
            add(format!("J{letter}"), -(position - 1), sub.col);
            // Leading dimensions, and the numbers of contexts, may differ between processes.
            for entry in [1, 3, 4, 5, 6, 7, 8] {
                let name = format!("DESC{letter}({entry})");
                add(
                    name,
                    number((position, entry)),
                    sub.descriptor[entry as usize - 1],
                );
            }
        }
        list
    }
}

fn op(letter: u8) -> Option<Op> {
    match letter.to_ascii_uppercase() {
        b'N' => Some(Op::Plain),
        b'T' => Some(Op::Transposed),
        b'C' => Some(Op::Conjugated),
        _ => None,
    }
}

/// The first place in the list that is wrong: position and entry.
#[derive(Default)]
struct Worst(Option<(i32, i32)>);

impl Worst {
    fn unless(&mut self, fine: bool, position: i32, entry: i32) {
        if !fine {
            let place = (position, entry);
            self.0 = Some(self.0.map_or(place, |worst| worst.min(place)));
        }
    }
}

fn number((position, entry): (i32, i32)) -> Info {
    match entry {
        0 => -position,
        entry => -(100 * position + entry),
    }
}

#[cfg(test)]
mod tests {
    use redblue_dist::layout::Order;

    use super::*;

    fn good() -> Arguments {
        let sub = Sub {
            row: 1,
            col: 1,
            descriptor: [1, 0, 8, 8, 2, 2, 0, 0, 8],
        };
        Arguments {
            transpose: *b"Nt",
            sizes: [8, 8, 8],
            subs: [sub; 3],
        }
    }

    fn check(change: impl Fn(&mut Arguments)) -> Meaning {
        let grid = ProcessGrid::new(2, 3, 6, Order::RowMajor).unwrap();
        let mut arguments = good();
        change(&mut arguments);
        arguments.check(&grid, [0, 1])
    }

    #[test]
    fn illegal_arguments_have_numbers() {
        use Meaning::{Foreign, Illegal, Ours};
        assert_eq!(check(|_| ()), Ours);
        assert_eq!(check(|a| a.transpose = *b"cC"), Ours);
        assert_eq!(check(|a| a.transpose[0] = b'X'), Illegal(-1));
        assert_eq!(check(|a| a.transpose = *b"XX"), Illegal(-1));
        assert_eq!(check(|a| a.transpose[1] = 0), Illegal(-2));
        assert_eq!(check(|a| a.sizes[0] = -1), Illegal(-3));
        assert_eq!(check(|a| a.sizes = [-1, -1, -1]), Illegal(-3));
        assert_eq!(check(|a| a.sizes[2] = -1), Illegal(-5));
        assert_eq!(check(|a| a.subs[0].row = 0), Illegal(-8));
        assert_eq!(check(|a| a.subs[0].row = 2), Illegal(-8));
        assert_eq!(check(|a| a.subs[1].col = 9), Illegal(-13));
        assert_eq!(check(|a| a.subs[2].row = i32::MAX), Illegal(-17));
        assert_eq!(check(|a| a.subs[1].descriptor[1] = 4), Illegal(-1402));
        for (entry, value) in [
            (1, 7),
            (3, -1),
            (4, -1),
            (5, 0),
            (6, 0),
            (7, 2),
            (8, 3),
            (9, 0),
        ] {
            let change = |a: &mut Arguments| a.subs[2].descriptor[entry as usize - 1] = value;
            // A matrix without rows or columns is also too small for the sub-matrix.
            let expected = match entry {
                3 => -17,
                4 => -18,
                _ => -(1900 + entry),
            };
            assert_eq!(check(change), Illegal(expected));
        }
        // 8 rows in blocks of 2 on 2 process rows: 4 local rows.
        assert_eq!(check(|a| a.subs[0].descriptor[8] = 4), Ours);
        assert_eq!(check(|a| a.subs[0].descriptor[8] = 3), Illegal(-1009));
        assert_eq!(check(|a| a.subs[1].descriptor[0] = 2), Foreign(-1401));
        assert_eq!(check(|a| a.subs[1].descriptor[6] = -1), Foreign(-1407));
        // Without elements a sub-matrix may lie anywhere.
        let empty = |a: &mut Arguments| {
            a.sizes[2] = 0;
            a.subs[0].row = 50;
        };
        assert_eq!(check(empty), Ours);
    }

    #[test]
    fn everything_common_has_its_number() {
        let common = good().common();
        assert_eq!(common.len(), 2 + 3 + 3 * 9);
        let find = |name: &str| common.iter().find(|(found, _, _)| found == name).unwrap().1;
        assert_eq!(find("TRANSB"), -2);
        assert_eq!(find("IB"), -12);
        assert_eq!(find("JC"), -18);
        assert_eq!(find("DESCA(3)"), -1003);
        assert_eq!(find("DESCC(8)"), -1908);
    }
}
