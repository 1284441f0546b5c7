//! Which ranks use which words of a matrix, and which of them owns each word (C-20, generalised).
//!
//! The faces of the bricks on one matrix overlap. Their overlay divides the matrix into *cells*, each used as a
//! whole by a set of ranks. A line of products through a word of a cell, along the axis that the matrix does not
//! have, is divided among exactly the users of the cell, so giving each user a strip of the cell in proportion to
//! its part of that line has two consequences:
//!
//! * a rank owns words only of what it uses;
//! * a rank with brick `V` owns `V/(length of the missing axis)` words, an equal share when the work is equal.
//!
//! ```text
//!  A of m{3:k3,4:n2(k2)}          users of a cell, and its strips
//!  ┌─────┬─────┬─────┐
//!  │  0  │  1  │  2  │            one user each: no word moves
//!  ├─────┴──┬──┴─────┤
//!  │ 3,5    │ 4,6    │            two users: the upper half is owned by the first
//!  └────────┴────────┘
//! ```
//!
//! A user may also *serve* words of a cell that another owns: it is handed them before the first round and passes them
//! on to the remaining users, or collects their partial sums and hands the sum to the owner after the last round
//! ([`super::ownership`] says when). Owned and served ranges divide the cell into [`Piece`]s.
//!
//! Cells are found by walking the tree only where a window asks, so that one rank of a million costs no more than
//! the ranks it talks to. The division does not depend on the window.

use std::ops::Range;

use super::tree::{Child, Tree, share};
use crate::shape::{Axis, Brick, Matrix, Rect, common};

/// A part of a matrix that a set of ranks uses as a whole.
///
/// The users own consecutive ranges of its words, counted row by row or column by column. Ranges begin and end with
/// whole lines where a line is a small part of a share, and with any word elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Which part.
    pub rect: Rect,
    /// Its users, in order along the axis the matrix does not have.
    pub users: Vec<User>,
    by_rows: bool,
    unit: u64,
}

/// A rank that uses a cell and owns a range of its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Number of the rank.
    pub rank: u64,
    /// The products of the rank.
    pub brick: Brick,
    /// The words of the cell it owns, possibly none.
    pub words: Range<u128>,
    /// The words of the cell that it sends to the users who have not got them, or collects from them.
    pub serves: Range<u128>,
}

impl User {
    /// How many words of the cell it owns.
    pub fn owned(&self) -> u128 {
        self.words.end - self.words.start
    }

    /// How many words of the cell it serves.
    pub fn served(&self) -> u128 {
        self.serves.end - self.serves.start
    }
}

/// Words of a cell with one owner and one server, both given by their position among its users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which words.
    pub words: Range<u128>,
    /// Who owns them.
    pub owner: usize,
    /// Who deals with the users that are neither: often the owner.
    pub server: usize,
}

impl Piece {
    /// How many words.
    pub fn count(&self) -> u128 {
        self.words.end - self.words.start
    }

    /// Whether the owner leaves the words to another.
    pub fn is_relayed(&self) -> bool {
        self.owner != self.server
    }
}

impl Cell {
    /// A cell for so many users, none of them there yet.
    pub(crate) fn new(matrix: Matrix, rect: Rect, users: u64) -> Cell {
        let by_rows = by_rows(matrix, &rect, users);
        let (lines, line) = if by_rows {
            (rect.height(), rect.width())
        } else {
            (rect.width(), rect.height())
        };
        let whole_lines =
            lines.is_multiple_of(users.max(1)) || lines >= VERY_FINE.saturating_mul(users);
        let unit = if whole_lines { line } else { 1 };
        Cell {
            rect,
            users: Vec::new(),
            by_rows,
            unit,
        }
    }

    /// The position of a rank among the users.
    pub fn position(&self, rank: u64) -> Option<usize> {
        self.users.iter().position(|user| user.rank == rank)
    }

    /// The cell as pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + '_ {
        let (mut owner, mut server, mut start) = (0, 0, 0);
        std::iter::from_fn(move || {
            while self.users.get(owner)?.words.end <= start {
                owner += 1;
            }
            while self.users.get(server)?.serves.end <= start {
                server += 1;
            }
            let end = self.users[owner]
                .words
                .end
                .min(self.users[server].serves.end);
            let words = start..end;
            start = end;
            Some(Piece {
                words,
                owner,
                server,
            })
        })
    }

    /// A range of words as rectangles: whole lines, and the parts of a line before and after them.
    pub fn rects(&self, words: &Range<u128>) -> impl Iterator<Item = Rect> + use<> {
        let line = u128::from(if self.by_rows {
            self.rect.width()
        } else {
            self.rect.height()
        })
        .max(1);
        let Range { start, end } = *words;
        let (first, last) = (start.div_ceil(line), end / line);
        let pieces = if first > last {
            // Inside one line.
            [
                (last, start - last * line..end - last * line, 1),
                (0, 0..0, 0),
                (0, 0..0, 0),
            ]
        } else {
            [
                (
                    first.saturating_sub(1),
                    line - (first * line - start)..line,
                    1,
                ),
                (first, 0..line, last - first),
                (last, 0..end - last * line, 1),
            ]
        };
        let (rect, by_rows) = (self.rect.clone(), self.by_rows);
        let narrow = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
        let pieces = pieces
            .into_iter()
            .filter(|(_, across, count)| !across.is_empty() && *count > 0);
        pieces.map(move |(line, across, count)| {
            let (along, across) = (
                narrow(line)..narrow(line + count),
                narrow(across.start)..narrow(across.end),
            );
            let (rows, cols) = if by_rows {
                (along, across)
            } else {
                (across, along)
            };
            let (top, left) = (rect.rows.start, rect.cols.start);
            Rect::new(
                top + rows.start..top + rows.end,
                left + cols.start..left + cols.end,
            )
        })
    }

    /// Whether users own groups of rows rather than of columns.
    pub(crate) fn is_by_rows(&self) -> bool {
        self.by_rows
    }

    /// The number of words by which ownership may be divided: those of a line, or one.
    pub(crate) fn unit(&self) -> u128 {
        u128::from(self.unit)
    }

    /// Divides the cell anew: so many words to own and to serve for each user.
    pub(crate) fn divide(&mut self, owned: &[u128], served: &[u128]) {
        let (mut own, mut serve) = (0, 0);
        for (user, (owned, served)) in self.users.iter_mut().zip(owned.iter().zip(served)) {
            user.words = own..own + owned;
            user.serves = serve..serve + served;
            (own, serve) = (user.words.end, user.serves.end);
        }
    }

    /// The words for a user whose part of the missing axis, `whole`, is `range`.
    pub(crate) fn share(&self, range: &Range<u64>, whole: &Range<u64>) -> Range<u128> {
        let units = self.rect.words() / self.unit().max(1);
        let at = |position: u64| {
            self.unit() * wide_share(units, position - whole.start, whole.end - whole.start)
        };
        at(range.start)..at(range.end)
    }
}

/// A subtree whose brick meets the current rectangle.
#[derive(Clone)]
struct Branch<'a> {
    tree: &'a Tree,
    brick: Brick,
    first_rank: u64,
}

/// The cells of a matrix that meet `window`.
///
/// `tiles` divides each cell further before strips are assigned, along rows and columns: a schedule that tiles
/// C wants every message inside one tile.
pub fn cells(
    tree: &Tree,
    whole: &Brick,
    matrix: Matrix,
    window: &Rect,
    tiles: [u64; 2],
) -> Vec<Cell> {
    let mut walk = Walk {
        matrix,
        missing: whole.range(matrix.missing()),
        window,
        tiles,
        cells: Vec::new(),
    };
    if !whole.is_empty() {
        walk.visit(
            whole.face(matrix),
            vec![Branch {
                tree,
                brick: whole.clone(),
                first_rank: 0,
            }],
        );
    }
    walk.cells
}

struct Walk<'w> {
    matrix: Matrix,
    missing: Range<u64>,
    window: &'w Rect,
    tiles: [u64; 2],
    cells: Vec<Cell>,
}

impl Walk<'_> {
    fn visit(&mut self, rect: Rect, branches: Vec<Branch<'_>>) {
        if rect.intersect(self.window).is_empty() {
            return;
        }
        let mut settled = Vec::with_capacity(branches.len());
        for branch in branches {
            self.settle(branch, &rect, &mut settled);
        }
        let next = settled.iter().find_map(|branch| match branch.tree {
            Tree::Leaf => None,
            Tree::Cut(cut) => Some((cut, branch.brick.range(cut.axis()))),
        });
        let Some((cut, range)) = next else {
            self.finish(rect, settled);
            return;
        };
        let window = common(
            &span(&rect, self.matrix, cut.axis()),
            &span(self.window, self.matrix, cut.axis()),
        );
        for child in cut.children(range, window) {
            let mut part = rect.clone();
            let side = if cut.axis() == self.matrix.axes().0 {
                &mut part.rows
            } else {
                &mut part.cols
            };
            *side = common(side, &child.range);
            self.visit(part, settled.clone());
        }
    }

    /// Goes down from a branch as long as no cut divides the rectangle; cuts of the missing axis give several
    /// branches, which all use the whole rectangle.
    fn settle<'a>(&self, branch: Branch<'a>, rect: &Rect, out: &mut Vec<Branch<'a>>) {
        let Tree::Cut(cut) = branch.tree else {
            out.push(branch);
            return;
        };
        let axis = cut.axis();
        let range = branch.brick.range(axis);
        let below = |child: Child<'a>| Branch {
            tree: child.tree,
            brick: branch.brick.with(axis, child.range),
            first_rank: branch.first_rank + child.first_rank,
        };
        if axis == self.matrix.missing() {
            for child in cut.children(range.clone(), range) {
                self.settle(below(child), rect, out);
            }
            return;
        }
        let window = span(rect, self.matrix, axis);
        let inside = cut
            .children(range, window.clone())
            .next()
            .filter(|child| window.end <= child.range.end);
        match inside {
            Some(child) => self.settle(below(child), rect, out),
            None => out.push(branch),
        }
    }

    fn finish(&mut self, rect: Rect, users: Vec<Branch<'_>>) {
        for rows in parts(&rect.rows, self.tiles[0]) {
            for cols in parts(&rect.cols, self.tiles[1]) {
                let rect = Rect::new(rows.clone(), cols);
                if rect.intersect(self.window).is_empty() {
                    continue;
                }
                let mut cell = Cell::new(self.matrix, rect, users.len() as u64);
                let users = users.iter().map(|user| {
                    let words = cell.share(&user.brick.range(self.matrix.missing()), &self.missing);
                    User {
                        rank: user.first_rank,
                        brick: user.brick.clone(),
                        serves: words.clone(),
                        words,
                    }
                });
                cell.users = users.collect();
                self.cells.push(cell);
            }
        }
    }
}

/// Lines for each user from which the preferred side of a cell is divided.
const FINE: u64 = 64;
/// Lines for each user from which ownership by whole lines is equal enough even when they do not divide evenly: a
/// rank owns at most a thousandth more or less than its share.
const VERY_FINE: u64 = 1024;

/// Whether the words of a cell are counted row by row.
///
/// Groups of rows of `A` and of columns of `B` are preferred: then every user owns a part of every panel of k, and
/// all users send in every round. A side too short for that is left alone when the other is longer.
fn by_rows(matrix: Matrix, rect: &Rect, users: u64) -> bool {
    let (rows, cols) = (rect.height(), rect.width());
    let enough = users.saturating_mul(FINE);
    match matrix {
        Matrix::A | Matrix::C => rows >= enough || rows >= cols,
        Matrix::B => !(cols >= enough || cols >= rows),
    }
}

/// `length·part/whole` rounded down, without overflow as long as `part <= whole`.
fn wide_share(length: u128, part: u64, whole: u64) -> u128 {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    length / whole * part + length % whole * part / whole
}

/// The side of a rectangle of `matrix` along one of its axes.
fn span(rect: &Rect, matrix: Matrix, axis: Axis) -> Range<u64> {
    if axis == matrix.axes().0 {
        rect.rows.clone()
    } else {
        rect.cols.clone()
    }
}

/// A range in `count` nearly equal parts, some empty when it is shorter than that.
pub(crate) fn parts(range: &Range<u64>, count: u64) -> impl Iterator<Item = Range<u64>> {
    (0..count).map(move |index| part(range, index, count))
}

/// Part number `index` of `count` nearly equal parts of a range.
pub(crate) fn part(range: &Range<u64>, index: u64, count: u64) -> Range<u64> {
    let length = range.end - range.start;
    range.start + share(length, index, count)..range.start + share(length, index + 1, count)
}
