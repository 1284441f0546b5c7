//! Ownership balanced between sending and receiving, for trees that are not grids.
//!
//! In a grid every word of a matrix has equally many users, and ranks that own equal shares send as much as they
//! receive. In an uneven tree they do not: a rank whose words have many users sends more than it receives, and the
//! volume of a rank is the larger of the two. So words are handed over between users of a cell, from the rank with
//! the largest volume to less loaded neighbours, until no rank moves more than the rank with the largest faces must
//! move anyway, `max_r (faces_r - own_r)`, or nothing helps. Then words are handed back as far as that costs nothing.
//!
//! Equal shares and small volumes exclude each other: on a cube with 5 ranks, the best of all trees with proportional
//! cuts moves 1.41 times the bound when every user owns its equal part of each cell, and 1.25 times after handing over.
//!
//! Effect of handing over `w` words of a cell with `u` users:
//!
//! ```text
//!                 giver                            taker
//! A, B    sends (u-1)·w less, receives w more      the reverse
//! C       receives (u-1)·w less, sends w more      the reverse
//! ```

use super::cells::{Cell, User, cells};
use super::tree::Tree;
use crate::shape::{Brick, Matrix, Shape};

/// Trees with more ranks keep the shares they have: balancing looks at all cells.
const RANKS: u64 = 4096;
/// Handovers tried for each rank, at most.
const HANDOVERS: usize = 64;

/// All cells of the three matrices, and which of them each rank uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ownership {
    cells: [Vec<Cell>; 3],
    used: Vec<[Vec<usize>; 3]>,
}

impl Ownership {
    /// The balanced ownership of a tree, unless it is a grid or too large.
    pub(crate) fn balanced(tree: &Tree, shape: Shape) -> Option<Ownership> {
        if tree.as_grid().is_some() || tree.ranks() > RANKS || shape.is_empty() {
            return None;
        }
        let mut balance = Balance::new(Ownership::equal(tree, shape)?);
        balance.run();
        balance.restore();
        Some(balance.finish())
    }

    /// Shares in proportion to work.
    fn equal(tree: &Tree, shape: Shape) -> Option<Ownership> {
        let whole = Brick::whole(shape);
        let cells =
            Matrix::ALL.map(|matrix| cells(tree, &whole, matrix, &whole.face(matrix), [1, 1]));
        let ranks = usize::try_from(tree.ranks()).ok()?;
        let mut used = vec![[const { Vec::new() }; 3]; ranks];
        for matrix in Matrix::ALL {
            for (index, cell) in cells[matrix.index()].iter().enumerate() {
                for user in &cell.users {
                    used.get_mut(usize::try_from(user.rank).ok()?)?[matrix.index()].push(index);
                }
            }
        }
        Some(Ownership { cells, used })
    }

    /// The cells of a matrix that a rank uses.
    pub(crate) fn cells_of(&self, rank: u64, matrix: Matrix) -> Vec<Cell> {
        let used = usize::try_from(rank)
            .ok()
            .and_then(|rank| self.used.get(rank));
        let indices = used
            .map(|used| used[matrix.index()].as_slice())
            .unwrap_or(&[]);
        indices
            .iter()
            .map(|&index| self.cells[matrix.index()][index].clone())
            .collect()
    }
}

/// A handover of words of a cell from one user to another, both given by their position among its users.
#[derive(Clone, Copy)]
struct Handover {
    matrix: Matrix,
    cell: usize,
    giver: usize,
    taker: usize,
    words: u128,
}

/// Words sent and received.
#[derive(Clone, Copy, Default)]
struct Load {
    sent: i128,
    received: i128,
}

impl Load {
    fn volume(self) -> i128 {
        self.sent.max(self.received)
    }

    fn plus(self, other: Load) -> Load {
        Load {
            sent: self.sent + other.sent,
            received: self.received + other.received,
        }
    }
}

struct Balance {
    ownership: Ownership,
    /// Words of each cell that each user owns.
    owned: [Vec<Vec<u128>>; 3],
    loads: Vec<Load>,
    /// Words of each matrix that each rank owns beyond its equal share.
    surplus: Vec<[i128; 3]>,
    goal: i128,
}

impl Balance {
    fn new(ownership: Ownership) -> Balance {
        let owned = Matrix::ALL.map(|matrix| {
            let cells = ownership.cells[matrix.index()].iter();
            cells
                .map(|cell| cell.users.iter().map(User::owned).collect())
                .collect()
        });
        let mut balance = Balance {
            loads: vec![Load::default(); ownership.used.len()],
            surplus: vec![[0; 3]; ownership.used.len()],
            ownership,
            owned,
            goal: 0,
        };
        let mut touched = vec![0i128; balance.loads.len()];
        for matrix in Matrix::ALL {
            for cell in &balance.ownership.cells[matrix.index()] {
                for user in &cell.users {
                    let (own, all) = (words(user.owned()), words(cell.rect.words()));
                    let rank = user.rank as usize;
                    let load = load(matrix, all - own, own * (cell.users.len() as i128 - 1));
                    balance.loads[rank] = balance.loads[rank].plus(load);
                    touched[rank] += all - own;
                }
            }
        }
        balance.goal = touched.into_iter().max().unwrap_or(0);
        balance
    }

    fn run(&mut self) {
        for _ in 0..HANDOVERS * self.loads.len() {
            let largest = self
                .loads
                .iter()
                .map(|load| load.volume())
                .enumerate()
                .max_by_key(|&(_, volume)| volume);
            let Some((rank, volume)) = largest.filter(|&(_, volume)| volume > self.goal) else {
                return;
            };
            let Some(best) = self.relief(rank, volume) else {
                return;
            };
            self.apply(best);
        }
    }

    /// The handover that leaves the pair of ranks with the least largest volume, if that is less than before; among
    /// those that reach the goal, the one that keeps shares most equal.
    fn relief(&self, rank: usize, volume: i128) -> Option<Handover> {
        let load = self.loads[rank];
        let mut best: Option<((i128, i128), Handover)> = None;
        for matrix in Matrix::ALL {
            // Owning less of A and B means sending less, owning less of C receiving less.
            let gives = (load.sent >= load.received) == (matrix != Matrix::C);
            for &cell in &self.ownership.used[rank][matrix.index()] {
                let users = &self.ownership.cells[matrix.index()][cell].users;
                let Some(own) = users.iter().position(|user| user.rank as usize == rank) else {
                    continue;
                };
                for other in (0..users.len()).filter(|&other| other != own) {
                    let (giver, taker) = if gives { (own, other) } else { (other, own) };
                    let none = Handover {
                        matrix,
                        cell,
                        giver,
                        taker,
                        words: 0,
                    };
                    for words in self.amounts(none, users[other].rank as usize, volume) {
                        let handover = Handover { words, ..none };
                        let [mine, theirs] = self.after(handover, own == giver);
                        let result = self.loads[rank].plus(mine).volume();
                        let result = result
                            .max(self.loads[users[other].rank as usize].plus(theirs).volume());
                        let cost = (result.max(self.goal), self.skew(handover));
                        if result < volume && best.is_none_or(|(least, _)| cost < least) {
                            best = Some((cost, handover));
                        }
                    }
                }
            }
        }
        best.map(|(_, handover)| handover)
    }

    /// How far from its share the giver or the taker is after a handover.
    fn skew(&self, handover: Handover) -> i128 {
        let users = &self.ownership.cells[handover.matrix.index()][handover.cell].users;
        let surplus =
            |position: usize| self.surplus[users[position].rank as usize][handover.matrix.index()];
        let moved = words(handover.words);
        let [giver, taker] = [
            surplus(handover.giver) - moved,
            surplus(handover.taker) + moved,
        ];
        giver.abs().max(taker.abs())
    }

    /// Hands words back from ranks above their share to ranks below it, as far as no volume exceeds the largest.
    fn restore(&mut self) {
        let largest = self.loads.iter().map(|load| load.volume()).max();
        let limit = largest.unwrap_or(0).max(self.goal);
        for matrix in Matrix::ALL {
            for cell in 0..self.ownership.cells[matrix.index()].len() {
                let users = self.ownership.cells[matrix.index()][cell].users.len();
                for giver in 0..users {
                    for taker in (0..users).filter(|&taker| taker != giver) {
                        let words = self.returnable(matrix, cell, giver, taker, limit);
                        if words > 0 {
                            self.apply(Handover {
                                matrix,
                                cell,
                                giver,
                                taker,
                                words,
                            });
                        }
                    }
                }
            }
        }
    }

    fn returnable(
        &self,
        matrix: Matrix,
        cell: usize,
        giver: usize,
        taker: usize,
        limit: i128,
    ) -> u128 {
        let owned = self.owned[matrix.index()][cell][giver];
        let cell = &self.ownership.cells[matrix.index()][cell];
        let ranks = [giver, taker].map(|position| cell.users[position].rank as usize);
        let [above, below] = ranks.map(|rank| self.surplus[rank][matrix.index()]);
        // The giver fetches what it hands back, the taker serves it to all others.
        let [fetched, served] = match matrix {
            Matrix::A | Matrix::B => [self.loads[ranks[0]].received, self.loads[ranks[1]].sent],
            Matrix::C => [self.loads[ranks[0]].sent, self.loads[ranks[1]].received],
        };
        let room = (limit - served) / (cell.users.len() as i128 - 1);
        let most = above.min(-below).min(limit - fetched).min(room);
        let most = u128::try_from(most).unwrap_or(0).min(owned);
        most / cell.unit() * cell.unit()
    }

    /// Numbers of words worth trying: to reach the goal, to meet the other rank half-way, and the least.
    fn amounts(&self, none: Handover, other: usize, volume: i128) -> impl Iterator<Item = u128> {
        let available = self.owned[none.matrix.index()][none.cell][none.giver];
        let cell = &self.ownership.cells[none.matrix.index()][none.cell];
        let (unit, users) = (cell.unit(), cell.users.len() as u128);
        let excess = |target: i128| {
            let words = u128::try_from(volume - target)
                .unwrap_or(0)
                .div_ceil(users - 1);
            words.div_ceil(unit) * unit
        };
        let middle = (volume + self.loads[other].volume()) / 2;
        [unit, excess(self.goal), excess(middle.max(self.goal))]
            .into_iter()
            .map(move |words| words.min(available))
            .filter(|&words| words > 0)
    }

    /// What a handover adds to the loads of the rank in question and of the other.
    fn after(&self, handover: Handover, gives: bool) -> [Load; 2] {
        let users = self.ownership.cells[handover.matrix.index()][handover.cell]
            .users
            .len() as i128;
        let moved = words(handover.words);
        let giver = load(handover.matrix, moved, -moved * (users - 1));
        let taker = load(handover.matrix, -moved, moved * (users - 1));
        if gives {
            [giver, taker]
        } else {
            [taker, giver]
        }
    }

    fn apply(&mut self, handover: Handover) {
        let [giver, taker] = self.after(handover, true);
        let cell = &self.ownership.cells[handover.matrix.index()][handover.cell];
        let moved = words(handover.words);
        for (position, load, moved) in [
            (handover.giver, giver, -moved),
            (handover.taker, taker, moved),
        ] {
            let rank = cell.users[position].rank as usize;
            self.loads[rank] = self.loads[rank].plus(load);
            self.surplus[rank][handover.matrix.index()] += moved;
        }
        let owned = &mut self.owned[handover.matrix.index()][handover.cell];
        owned[handover.giver] -= handover.words;
        owned[handover.taker] += handover.words;
    }

    fn finish(mut self) -> Ownership {
        for matrix in Matrix::ALL {
            let cells = self.ownership.cells[matrix.index()].iter_mut();
            for (cell, owned) in cells.zip(&self.owned[matrix.index()]) {
                cell.divide(owned);
            }
        }
        self.ownership
    }
}

/// The load of words used and not owned (`fetched`) and of own words times their other users (`served`).
fn load(matrix: Matrix, fetched: i128, served: i128) -> Load {
    match matrix {
        Matrix::A | Matrix::B => Load {
            sent: served,
            received: fetched,
        },
        Matrix::C => Load {
            sent: fetched,
            received: served,
        },
    }
}

fn words(count: u128) -> i128 {
    i128::try_from(count).unwrap_or(i128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, Schedule};

    fn volume(ownership: &Ownership) -> i128 {
        let loads = Balance::new(ownership.clone()).loads;
        loads.into_iter().map(Load::volume).max().unwrap_or(0)
    }

    #[test]
    fn balancing_never_moves_more() {
        for text in [
            "m{2:n2,3:n{1:1,2:k2}}",
            "k{3:m3,4:m2(n2)}",
            "m{1:1,2:n2}",
            "n{5:m{2:k2,3:k3},6:m2(k3)}",
        ] {
            for shape in [
                Shape::new(120, 120, 120),
                Shape::new(64, 301, 77),
                Shape::new(5, 4, 3),
            ] {
                let tree: Tree = text.parse().unwrap();
                let equal = Ownership::equal(&tree, shape).unwrap();
                let balanced = Ownership::balanced(&tree, shape).unwrap();
                let goal = Balance::new(equal.clone()).goal;
                assert!(
                    volume(&balanced) <= volume(&equal).max(goal),
                    "{text} for {shape}"
                );
                let plan = Plan::new(shape, tree.ranks(), tree, Schedule::WHOLE).unwrap();
                assert_eq!(
                    plan.summary().volume as i128,
                    volume(&balanced),
                    "{text} for {shape}"
                );
            }
        }
    }

    /// With cuts in proportion to ranks every rank owns an equal share of each matrix, before any balancing.
    #[test]
    fn shares_are_equal_at_first() {
        let shape = Shape::new(420, 420, 420);
        for text in ["m{2:n2,3:n{1:1,2:k2}}", "k{3:m3,4:m2(n2)}"] {
            let tree: Tree = text.parse().unwrap();
            let equal = Ownership::equal(&tree, shape).unwrap();
            for rank in 0..tree.ranks() {
                for matrix in Matrix::ALL {
                    let cells = equal.cells_of(rank, matrix);
                    let owned: u128 = cells
                        .iter()
                        .filter_map(|cell| cell.of(rank))
                        .map(User::owned)
                        .sum();
                    let share = 420 * 420 / u128::from(tree.ranks());
                    assert!(
                        owned.abs_diff(share) <= cells.len() as u128,
                        "{matrix} on {rank} of {text}"
                    );
                }
            }
        }
    }

    #[test]
    fn grids_need_no_balancing() {
        assert_eq!(
            Ownership::balanced(&Tree::grid([2, 3, 4]), Shape::new(50, 50, 50)),
            None
        );
    }
}
