//! Equal ownership with balanced service, for trees that are not grids.
//!
//! Every rank owns an equal share of each matrix, a strip of every cell it uses. In a grid every word has equally
//! many users, so owners that serve their words themselves send as much as they receive. In an uneven tree they do
//! not: an owner whose words have many users sends more than it receives, and the volume of a rank is the larger of
//! the two. So owners leave some words to less loaded users of the same cell, which pass them on: the owner sends a
//! word once and keeps it, and its *server*, which needs the word anyway, sends it to the remaining users. Partial
//! sums of C take the same way back. All ranks together move not a word more than without.
//!
//! What leaving `w` words of a cell with `u` users to another changes:
//!
//! ```text
//!         owner                          server
//! A, B    sends (u-2)·w less             sends (u-2)·w more
//! C       receives (u-2)·w less          receives (u-2)·w more
//! ```
//!
//! The least that can be hoped for is `max_r (faces_r - own_r)`: what the rank with the largest faces receives of A and
//! B and sends of C in any case. Service is shifted from the rank with the largest volume until that is reached or
//! nothing helps.
//!
//! There is a case in which that is not enough. An owner sends each word that others use at least once, so with equal
//! shares of shared matrices a rank sends at least two shares of A and B, and its face of C without one. On a cube with
//! 5 ranks equal shares cost at least 1.33 times the bound in every tree (`tests/ownership.rs` shows it), whichever user
//! passes words on. Then, and only if it brings the volume within what is [`accepted`], ownership itself is shifted in
//! the same way: the giver sends `(u-1)·w` less and receives `w` more of A or B, and the reverse of C.

use super::cells::{Cell, User, cells};
use super::tree::Tree;
use crate::bound;
use crate::shape::{Brick, Matrix, Shape};

/// Trees with more ranks serve what they own: balancing looks at all cells.
const RANKS: u64 = 4096;
/// Shifts tried for each rank, at most.
const SHIFTS: usize = 64;

/// Percent of the bound that a plan with equal shares may move before ownership is shifted, where no grid of a few
/// ranks is good: 2 and 3 parts of a cube are far from cubes in any case.
fn accepted(ranks: u64) -> u128 {
    match ranks {
        2 => 129,
        3 => 152,
        _ => 130,
    }
}

/// Whether a largest volume is so large that shares may be unequal.
pub(super) fn is_too_much(shape: Shape, ranks: u64, volume: u128) -> bool {
    let bound = bound::equal_work(shape, ranks);
    volume.saturating_mul(100 * u128::from(bound.ranks))
        > accepted(ranks).saturating_mul(bound.total)
}

/// All cells of the three matrices, and which of them each rank uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ownership {
    cells: [Vec<Cell>; 3],
    used: Vec<[Vec<usize>; 3]>,
    /// Whether shares are in proportion to work.
    is_equal: bool,
}

impl Ownership {
    /// Ownership and service of a tree, unless it is a grid or too large.
    pub(crate) fn balanced(tree: &Tree, shape: Shape) -> Option<Ownership> {
        if tree.as_grid().is_some() || tree.ranks() > RANKS || shape.is_empty() {
            return None;
        }
        let mut balance = Balance::new(Ownership::equal(tree, shape)?);
        balance.run(&[Kind::Service]);
        let is_too_much = |balance: &Balance| {
            let volume = u128::try_from(balance.volume()).unwrap_or(0);
            is_too_much(shape, tree.ranks(), volume)
        };
        if is_too_much(&balance) {
            let mut shifted = balance.clone();
            shifted.run(&[Kind::Service, Kind::Ownership]);
            if !is_too_much(&shifted) {
                balance = shifted;
            }
        }
        Some(balance.finish())
    }

    /// Shares in proportion to work, served by their owners.
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
        Some(Ownership {
            cells,
            used,
            is_equal: true,
        })
    }

    /// Whether every rank owns a share in proportion to its work.
    pub(crate) fn is_equal(&self) -> bool {
        self.is_equal
    }

    /// Whether words are served by others than their owners.
    pub(crate) fn relays(&self) -> bool {
        let mut users = self.cells.iter().flatten().flat_map(|cell| &cell.users);
        users.any(|user| user.words != user.serves)
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

/// What one user leaves to another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// To send words to the others, or to collect sums from them.
    Service,
    /// The words themselves, and to serve them.
    Ownership,
}

/// Words of a cell that one user leaves to another, both given by their position among its users.
#[derive(Clone, Copy)]
struct Shift {
    kind: Kind,
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

    /// With so many words more that are used and not owned (`fetched`) and that are passed on (`served`).
    fn plus(self, matrix: Matrix, fetched: i128, served: i128) -> Load {
        let [sent, received] = match matrix {
            Matrix::A | Matrix::B => [served, fetched],
            Matrix::C => [fetched, served],
        };
        Load {
            sent: self.sent + sent,
            received: self.received + received,
        }
    }
}

#[derive(Clone)]
struct Balance {
    ownership: Ownership,
    /// Words of each cell that each user owns.
    owned: [Vec<Vec<u128>>; 3],
    /// Words of each cell that each user serves.
    served: [Vec<Vec<u128>>; 3],
    loads: Vec<Load>,
    /// Words of each matrix that each rank owns beyond its equal share.
    surplus: Vec<[i128; 3]>,
    goal: i128,
}

impl Balance {
    fn new(ownership: Ownership) -> Balance {
        let amounts = |of: fn(&User) -> u128| {
            Matrix::ALL.map(|matrix| {
                let cells = ownership.cells[matrix.index()].iter();
                cells
                    .map(|cell| cell.users.iter().map(of).collect())
                    .collect()
            })
        };
        let [owned, served] = [amounts(User::owned), amounts(User::served)];
        let mut loads = vec![Load::default(); ownership.used.len()];
        let mut touched = vec![0i128; loads.len()];
        for matrix in Matrix::ALL {
            for cell in &ownership.cells[matrix.index()] {
                let others = words(cell.users.len() as u128) - 1;
                for user in cell.users.iter().filter(|_| others > 0) {
                    let rank = user.rank as usize;
                    let fetched = words(cell.rect.words()) - words(user.owned());
                    let served = words(user.owned()) + words(user.served()) * (others - 1);
                    loads[rank] = loads[rank].plus(matrix, fetched, served);
                    touched[rank] += fetched;
                }
            }
        }
        Balance {
            ownership,
            owned,
            served,
            surplus: vec![[0; 3]; loads.len()],
            loads,
            goal: touched.into_iter().max().unwrap_or(0),
        }
    }

    /// The largest volume of a rank.
    fn volume(&self) -> i128 {
        self.loads
            .iter()
            .map(|load| load.volume())
            .max()
            .unwrap_or(0)
    }

    fn run(&mut self, kinds: &[Kind]) {
        for _ in 0..SHIFTS * self.loads.len() {
            let volumes = self.loads.iter().map(|load| load.volume()).enumerate();
            let largest = volumes.max_by_key(|&(_, volume)| volume);
            let Some((rank, volume)) = largest.filter(|&(_, volume)| volume > self.goal) else {
                return;
            };
            let Some(best) = self.relief(rank, volume, kinds) else {
                return;
            };
            self.apply(best);
        }
    }

    /// The shift that leaves the pair of ranks with the least largest volume, if that is less than before; among those
    /// that reach the goal, the one that keeps shares most equal, and the smallest.
    fn relief(&self, rank: usize, volume: i128, kinds: &[Kind]) -> Option<Shift> {
        let mut best: Option<((i128, i128, u128), Shift)> = None;
        for matrix in Matrix::ALL {
            // Serving A and B is sending, serving C is receiving.
            let load = self.loads[rank];
            let serving = match matrix {
                Matrix::A | Matrix::B => load.sent == volume,
                Matrix::C => load.received == volume,
            };
            for &cell in &self.ownership.used[rank][matrix.index()] {
                let users = &self.ownership.cells[matrix.index()][cell].users;
                let Some(own) = users.iter().position(|user| user.rank as usize == rank) else {
                    continue;
                };
                for other in (0..users.len()).filter(|&other| other != own) {
                    for &kind in kinds {
                        // With two users the owner serves the other in any case.
                        if kind == Kind::Service && (!serving || users.len() == 2) {
                            continue;
                        }
                        let (giver, taker) = if serving { (own, other) } else { (other, own) };
                        let none = Shift {
                            kind,
                            matrix,
                            cell,
                            giver,
                            taker,
                            words: 0,
                        };
                        for words in self.amounts(none, users[other].rank as usize, volume) {
                            let shift = Shift { words, ..none };
                            let [(_, one), (_, two)] = self.after(shift);
                            let result = one.volume().max(two.volume());
                            let cost = (result.max(self.goal), self.skew(shift), words);
                            if result < volume && best.is_none_or(|(least, _)| cost < least) {
                                best = Some((cost, shift));
                            }
                        }
                    }
                }
            }
        }
        best.map(|(_, shift)| shift)
    }

    /// Numbers of words worth trying: to reach the goal, to meet the other rank half-way, and the least.
    fn amounts(
        &self,
        none: Shift,
        other: usize,
        volume: i128,
    ) -> impl Iterator<Item = u128> + use<> {
        let at = |all: &[Vec<Vec<u128>>; 3]| all[none.matrix.index()][none.cell][none.giver];
        let cell = &self.ownership.cells[none.matrix.index()][none.cell];
        let (unit, users) = (cell.unit(), cell.users.len() as u128);
        let (available, fewer) = match none.kind {
            Kind::Service => (at(&self.served), users - 2),
            Kind::Ownership => (at(&self.served).min(at(&self.owned)), users - 1),
        };
        let excess = |target: i128| {
            let words = u128::try_from(volume - target).unwrap_or(0).div_ceil(fewer);
            words.div_ceil(unit) * unit
        };
        let middle = (volume + self.loads[other].volume()) / 2;
        [unit, excess(self.goal), excess(middle.max(self.goal))]
            .into_iter()
            .map(move |words| words.min(available))
            .filter(|&words| words > 0)
    }

    /// How far from its share the giver or the taker is after a shift.
    fn skew(&self, shift: Shift) -> i128 {
        if shift.kind == Kind::Service {
            return 0;
        }
        let users = &self.ownership.cells[shift.matrix.index()][shift.cell].users;
        let moved = words(shift.words);
        let after = |position: usize, moved: i128| {
            let rank = users[position].rank as usize;
            (self.surplus[rank][shift.matrix.index()] + moved).abs()
        };
        after(shift.giver, -moved).max(after(shift.taker, moved))
    }

    /// The giver and the taker of a shift with their loads after it.
    fn after(&self, shift: Shift) -> [(usize, Load); 2] {
        let users = &self.ownership.cells[shift.matrix.index()][shift.cell].users;
        let others = words(users.len() as u128 - 1);
        [(shift.giver, -1), (shift.taker, 1)].map(|(position, sign)| {
            let moved = sign * words(shift.words);
            let (fetched, served) = match shift.kind {
                Kind::Service => (0, moved * (others - 1)),
                Kind::Ownership => (-moved, moved * others),
            };
            let rank = users[position].rank as usize;
            (rank, self.loads[rank].plus(shift.matrix, fetched, served))
        })
    }

    fn apply(&mut self, shift: Shift) {
        for (rank, load) in self.after(shift) {
            self.loads[rank] = load;
        }
        let moved = |amounts: &mut [Vec<Vec<u128>>; 3]| {
            let amounts = &mut amounts[shift.matrix.index()][shift.cell];
            amounts[shift.giver] -= shift.words;
            amounts[shift.taker] += shift.words;
        };
        moved(&mut self.served);
        if shift.kind == Kind::Ownership {
            moved(&mut self.owned);
            let users = &self.ownership.cells[shift.matrix.index()][shift.cell].users;
            for (position, sign) in [(shift.giver, -1), (shift.taker, 1)] {
                let rank = users[position].rank as usize;
                self.surplus[rank][shift.matrix.index()] += sign * words(shift.words);
            }
        }
    }

    fn finish(mut self) -> Ownership {
        self.ownership.is_equal = self.surplus.iter().flatten().all(|&surplus| surplus == 0);
        for matrix in Matrix::ALL {
            let at = matrix.index();
            let amounts = self.owned[at].iter().zip(&self.served[at]);
            for (cell, (owned, served)) in self.ownership.cells[at].iter_mut().zip(amounts) {
                cell.divide(owned, served);
            }
        }
        self.ownership
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

    /// With cuts in proportion to ranks every rank owns an equal share of each matrix, however it is served.
    #[test]
    fn shares_are_equal() {
        let shape = Shape::new(420, 420, 420);
        for text in [
            "m{15:k{6:n3(m2),9:n{3:k3,6:n2(k3)}},20:k4(n5)}",
            "k{3:m3,4:m2(n2)}",
        ] {
            let tree: Tree = text.parse().unwrap();
            let balanced = Ownership::balanced(&tree, shape).unwrap();
            for rank in 0..tree.ranks() {
                for matrix in Matrix::ALL {
                    let cells = balanced.cells_of(rank, matrix);
                    let owned: u128 = cells
                        .iter()
                        .filter_map(|cell| Some(cell.users[cell.position(rank)?].owned()))
                        .sum();
                    let share = 420 * 420 / u128::from(tree.ranks());
                    assert!(
                        owned.abs_diff(share) <= cells.iter().map(Cell::unit).sum(),
                        "{owned} of {matrix} on {rank} of {text}: {share}"
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
