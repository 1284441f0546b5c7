//! How a box of products is cut into one brick per rank.
//!
//! A tree of cuts. Each cut divides one axis among its children in proportion to their rank counts, so that
//! every rank gets the same share of the work up to rounding, whatever the number of ranks:
//!
//! ```text
//! 1                 one rank: no cut
//! m4                four equal parts along m, one rank each
//! n2(k3)            two equal parts along n, each cut in three along k: 6 ranks
//! m{3:k3,4:n2(k2)}  two parts along m with 3 and 4 of 7 ranks
//! n{2*3:k3,5:k5}    three parts along n: two with 3 ranks, one with 5
//! ```
//!
//! A tree says nothing of sizes. Positions of cuts are rounded to integers by cumulative shares, so that
//! equal parts differ by at most one. Ranks are numbered in the order of the leaves.

use std::ops::Range;
use std::sync::Arc;

use crate::shape::{Axis, Brick};

/// A tree of cuts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// One rank takes the whole box.
    Leaf,
    /// One axis is divided among the children.
    Cut(Cut),
}

/// A division of one axis in proportion to the ranks of the parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    axis: Axis,
    ranks: u64,
    parts: Vec<Part>,
}

/// Equal neighbours in a cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// How many neighbours are alike.
    pub repeat: u64,
    /// How each of them goes on.
    pub tree: Arc<Tree>,
}

/// A child of a cut, with the part of the cut's range and of its ranks that it gets.
#[derive(Clone, Debug)]
pub(crate) struct Child<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) range: Range<u64>,
    pub(crate) first_rank: u64,
}

impl Tree {
    /// A cut of one axis among these parts, in normal form: a child that cuts the same axis again is replaced by
    /// its own children, neighbours alike are merged, a single child is returned itself, and a grid cuts m, n, k.
    pub fn cut(axis: Axis, parts: impl IntoIterator<Item = Part>) -> Tree {
        let mut merged: Vec<Part> = Vec::new();
        let mut push = |part: Part| match merged.last_mut() {
            Some(last) if last.tree == part.tree => last.repeat += part.repeat,
            _ => merged.push(part),
        };
        for part in parts.into_iter().filter(|part| part.repeat > 0) {
            match &*part.tree {
                Tree::Cut(inner)
                    if inner.axis == axis && (inner.parts.len() == 1 || part.repeat == 1) =>
                {
                    for below in &inner.parts {
                        push(Part {
                            repeat: below.repeat * part.repeat,
                            tree: Arc::clone(&below.tree),
                        });
                    }
                }
                _ => push(part),
            }
        }
        match merged.as_slice() {
            [] => Tree::Leaf,
            [only] if only.repeat == 1 => (*only.tree).clone(),
            // Equal cuts commute: a grid is always written in the same order of axes.
            [even] => match even.tree.as_grid() {
                Some(mut grid) => {
                    grid[axis.index()] *= even.repeat;
                    Tree::grid(grid)
                }
                None => Tree::node(axis, merged),
            },
            _ => Tree::node(axis, merged),
        }
    }

    fn node(axis: Axis, parts: Vec<Part>) -> Tree {
        let ranks = parts.iter().fold(0u64, |sum, part| {
            sum.saturating_add(part.repeat.saturating_mul(part.tree.ranks()))
        });
        Tree::Cut(Cut { axis, ranks, parts })
    }

    /// Equal parts along one axis.
    pub fn even(axis: Axis, repeat: u64, tree: Tree) -> Tree {
        Tree::cut(
            axis,
            [Part {
                repeat,
                tree: Arc::new(tree),
            }],
        )
    }

    /// A rectangular grid of `pm`×`pn`×`pk` ranks (C-15).
    pub fn grid(grid: [u64; 3]) -> Tree {
        let mut tree = Tree::Leaf;
        for axis in Axis::ALL.into_iter().rev() {
            let repeat = grid[axis.index()];
            if repeat > 1 {
                tree = Tree::node(
                    axis,
                    vec![Part {
                        repeat,
                        tree: Arc::new(tree),
                    }],
                );
            }
        }
        tree
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u64 {
        match self {
            Tree::Leaf => 1,
            Tree::Cut(cut) => cut.ranks,
        }
    }

    /// The grid `[pm, pn, pk]`, if every rank's path has the same equal cuts, at most one along each axis.
    pub fn as_grid(&self) -> Option<[u64; 3]> {
        let mut grid = [1; 3];
        let mut at = self;
        while let Tree::Cut(cut) = at {
            let [part] = cut.parts.as_slice() else {
                return None;
            };
            let count = &mut grid[cut.axis.index()];
            if *count != 1 {
                return None;
            }
            *count = part.repeat;
            at = &part.tree;
        }
        Some(grid)
    }

    /// The same tree with its axes renamed: `names[i]` stands for axis number `i`.
    pub fn rename(&self, names: [Axis; 3]) -> Tree {
        let Tree::Cut(cut) = self else {
            return Tree::Leaf;
        };
        let parts = cut.parts.iter();
        let renamed = parts.map(|part| Part {
            repeat: part.repeat,
            tree: Arc::new(part.tree.rename(names)),
        });
        Tree::cut(names[cut.axis.index()], renamed)
    }

    /// The largest number of parts into which some rank's path cuts an axis.
    pub(crate) fn most_parts(&self, axis: Axis) -> u64 {
        let Tree::Cut(cut) = self else {
            return 1;
        };
        // A part with a larger share of the ranks gets a larger share of the axis.
        let parts = |part: &Part| {
            let here = if cut.axis == axis {
                cut.ranks.div_ceil(part.tree.ranks())
            } else {
                1
            };
            here.saturating_mul(part.tree.most_parts(axis))
        };
        cut.parts.iter().map(parts).max().unwrap_or(1)
    }

    /// The brick of one rank inside a box, if the tree has that rank.
    pub fn brick(&self, whole: &Brick, rank: u64) -> Option<Brick> {
        let mut rank = rank;
        let mut brick = whole.clone();
        let mut at = self;
        while let Tree::Cut(cut) = at {
            let child = cut.child_of_rank(&brick.range(cut.axis), rank)?;
            rank -= child.first_rank;
            brick = brick.with(cut.axis, child.range);
            at = child.tree;
        }
        (rank == 0).then_some(brick)
    }
}

impl Cut {
    /// The axis that is divided.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// The parts in order along the axis.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Number of children.
    fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.repeat).sum()
    }

    /// Child number `index` when the cut divides `range`.
    fn child(&self, range: &Range<u64>, index: u64) -> Option<Child<'_>> {
        let (mut index, mut first) = (index, 0);
        for part in &self.parts {
            let each = part.tree.ranks();
            if index < part.repeat {
                first += index * each;
                return Some(Child {
                    tree: &part.tree,
                    range: self.position(range, first)..self.position(range, first + each),
                    first_rank: first,
                });
            }
            index -= part.repeat;
            first += part.repeat * each;
        }
        None
    }

    fn child_of_rank(&self, range: &Range<u64>, rank: u64) -> Option<Child<'_>> {
        let (mut before, mut first) = (0, 0);
        for part in &self.parts {
            let each = part.tree.ranks();
            let all = each * part.repeat;
            if rank < first + all {
                return self.child(range, before + (rank - first) / each);
            }
            before += part.repeat;
            first += all;
        }
        None
    }

    /// The children whose parts of `range` meet `window`, in order.
    pub(crate) fn children(
        &self,
        range: Range<u64>,
        window: Range<u64>,
    ) -> impl Iterator<Item = Child<'_>> {
        // Ends of children grow with their number: skip those that end before the window by bisection.
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.child(&range, middle) {
                Some(child) if child.range.end <= window.start => low = middle + 1,
                _ => high = middle,
            }
        }
        (low..self.len())
            .map_while(move |index| self.child(&range, index))
            .take_while(move |child| child.range.start < window.end)
            .filter(|child| !child.range.is_empty())
    }

    /// Nearest integer to the share of the first `ranks` ranks.
    fn position(&self, range: &Range<u64>, ranks: u64) -> u64 {
        range.start + share(range.end - range.start, ranks, self.ranks)
    }
}

/// `length·part/whole` rounded to the nearest integer, halves up.
pub(crate) fn share(length: u64, part: u64, whole: u64) -> u64 {
    let (length, part, whole) = (
        u128::from(length),
        u128::from(part),
        u128::from(whole.max(1)),
    );
    // Two factors of 64 bits fit 128 bits; the doubled remainder fits as well.
    let (quotient, remainder) = (length * part / whole, length * part % whole);
    let rounded = quotient + u128::from(2 * remainder >= whole);
    u64::try_from(rounded).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    #[test]
    fn shares_round_to_nearest() {
        assert_eq!([0, 1, 2, 3].map(|part| share(10, part, 3)), [0, 3, 7, 10]);
        assert_eq!(share(u64::MAX, u64::MAX, u64::MAX), u64::MAX);
    }

    #[test]
    fn bricks_partition_the_box() {
        let three = Tree::even(Axis::K, 3, Tree::Leaf);
        let four = Tree::even(Axis::N, 2, Tree::even(Axis::K, 2, Tree::Leaf));
        let parts = [three, four].map(|tree| Part {
            repeat: 1,
            tree: Arc::new(tree),
        });
        let tree = Tree::cut(Axis::M, parts);
        assert_eq!(tree.ranks(), 7);
        assert_eq!(tree.as_grid(), None);
        let whole = Brick::whole(Shape::new(70, 11, 13));
        let bricks: Vec<Brick> = (0..7).filter_map(|rank| tree.brick(&whole, rank)).collect();
        assert_eq!(bricks.len(), 7);
        assert_eq!(tree.brick(&whole, 7), None);
        assert_eq!(
            bricks
                .iter()
                .map(|brick| brick.shape().work())
                .sum::<u128>(),
            70 * 11 * 13
        );
        assert_eq!((bricks[0].m.clone(), bricks[3].m.clone()), (0..30, 30..70));
    }

    #[test]
    fn grids_are_recognised() {
        for grid in [[1, 1, 1], [4, 4, 4], [1, 7, 1], [2, 1, 5]] {
            let tree = Tree::grid(grid);
            assert_eq!(tree.as_grid(), Some(grid));
            assert_eq!(tree.ranks(), grid.iter().product::<u64>());
        }
        assert_eq!(
            Tree::even(Axis::M, 2, Tree::even(Axis::M, 3, Tree::Leaf)),
            Tree::grid([6, 1, 1])
        );
    }
}
