//! Equal shares: what every rank owns, on the shapes and rank counts of the ratios; and why 5 ranks on a cube differ.

use std::sync::Arc;

use redblue_dist::bound::equal_work;
use redblue_dist::plan::cells::cells;
use redblue_dist::plan::tree::Part;
use redblue_dist::plan::{Plan, Problem, Tree, search};
use redblue_dist::{Axis, Brick, Matrix, Rect, Shape};
use redblue_math::random::Random;

fn found(shape: Shape, ranks: u64) -> Plan {
    let problem = Problem {
        shape,
        ranks,
        memory: None,
    };
    search(&problem).expect("a plan").0
}

/// Every rank owns its share of every matrix, inside what it uses, up to a row and a column of its block: lengths are
/// whole numbers, so the blocks themselves differ by that.
fn check(plan: &Plan) {
    let shape = plan.shape();
    for rank in 0..plan.ranks() {
        let part = plan.rank(rank);
        for matrix in Matrix::ALL {
            let owned = &part.owned[matrix.index()];
            let face = part.brick.face(matrix);
            assert!(owned.iter().all(|rect| rect.intersect(&face) == *rect));
            let own: u128 = owned.iter().map(Rect::words).sum();
            let ranks = u128::from(plan.ranks());
            let lines = u128::from(face.height() + face.width());
            assert!(
                (own * ranks).abs_diff(shape.face(matrix)) <= lines * ranks,
                "{own} words of {matrix} on rank {rank} of {plan} for {shape}"
            );
        }
    }
}

/// The one case among those below in which equal shares would cost more than 1.30 times the bound.
fn is_exempt(shape: Shape, ranks: u64) -> bool {
    ranks == 5 && shape.m == shape.n && shape.n == shape.k
}

#[test]
fn shares_are_equal_on_the_five_shapes() {
    let shapes = [
        Shape::new(1024, 1024, 1024),
        Shape::new(2048, 2048, 2048),
        Shape::new(256, 256, 65536),
        Shape::new(65536, 256, 256),
        Shape::new(4096, 4096, 256),
    ];
    for shape in shapes {
        for ranks in (2..=64).filter(|&ranks| !is_exempt(shape, ranks)) {
            check(&found(shape, ranks));
        }
    }
}

#[test]
fn shares_are_equal_on_ragged_shapes() {
    let mut random = Random::new(7);
    for _ in 0..48 {
        let ranks = 6 + random.below(59) as u64;
        let mut length = |most: usize| 16 * ranks + random.below(most * ranks as usize) as u64;
        check(&found(
            Shape::new(length(48), length(48), length(184)),
            ranks,
        ));
    }
}

/// All ways to cut a box in proportion to ranks; cuts into more parts are cuts of cuts.
fn trees(ranks: u64) -> Vec<Arc<Tree>> {
    if ranks == 1 {
        return vec![Arc::new(Tree::Leaf)];
    }
    let mut all = Vec::new();
    for first in 1..ranks {
        let seconds = trees(ranks - first);
        for one in trees(first) {
            for two in &seconds {
                let parts = [&one, two].map(|tree| Part {
                    repeat: 1,
                    tree: tree.clone(),
                });
                all.extend(Axis::ALL.map(|axis| Arc::new(Tree::cut(axis, parts.clone()))));
            }
        }
    }
    all
}

/// Words that some rank sends or receives at least, if every rank owns an equal share of each matrix inside what it
/// uses and words are passed on by their users, in any way.
///
/// A group of ranks with `g` members owns `g` shares. Cells used by members only are theirs, and their `u` users send
/// each word of them `u-1` times together. Every other word that members own is used by others, and sent by its owner
/// at least once. Sums of C are received like that, and what a rank uses and does not own moves in any case.
fn least_volume(tree: &Tree, shape: Shape) -> u128 {
    let ranks = tree.ranks();
    let whole = Brick::whole(shape);
    let bricks: Vec<Brick> = (0..ranks)
        .map(|rank| tree.brick(&whole, rank).expect("a rank of the tree"))
        .collect();
    let cells = Matrix::ALL.map(|matrix| cells(tree, &whole, matrix, &whole.face(matrix), [1, 1]));
    let mut least = 0;
    for group in 1u64..1 << ranks {
        let members = u128::from(group.count_ones());
        let is_member = |rank: u64| group >> rank & 1 == 1;
        let (mut fetched, mut served) = ([0; 3], [0; 3]);
        for matrix in Matrix::ALL {
            let at = matrix.index();
            let own = members * shape.face(matrix) / u128::from(ranks);
            let used = (0..ranks).filter(|&rank| is_member(rank));
            let used: u128 = used
                .map(|rank| bricks[rank as usize].face(matrix).words())
                .sum();
            let mut inside = 0;
            for cell in &cells[at] {
                if cell.users.iter().all(|user| is_member(user.rank)) {
                    inside += cell.rect.words();
                    served[at] += cell.rect.words() * (cell.users.len() as u128 - 1);
                }
            }
            if own < inside || used < own {
                return u128::MAX;
            }
            fetched[at] = used - own;
            served[at] += own - inside;
        }
        let sent = served[0] + served[1] + fetched[2];
        let received = fetched[0] + fetched[1] + served[2];
        least = least.max(sent.max(received).div_ceil(members));
    }
    least
}

/// On a cube with 5 ranks equal shares cost at least 1.33 times the bound, in every tree of proportional cuts, so the
/// 1.30 asked of plans need unequal ones. With 6 ranks there are trees that may.
#[test]
fn five_ranks_on_a_cube_need_unequal_shares() {
    // Divisible by whatever the cuts divide by: all work and all shares are equal, without rounding.
    for (ranks, side) in [(5, 60), (6, 60)] {
        let shape = Shape::new(side, side, side);
        let bound = equal_work(shape, ranks);
        let all = trees(ranks);
        let least = all.iter().map(|tree| least_volume(tree, shape)).min();
        let percent = 100 * least.expect("trees") * u128::from(ranks) / bound.total;
        assert_eq!(percent >= 133, ranks == 5, "{percent} % on {ranks}");
        assert_eq!(percent < 130, ranks != 5, "{percent} % on {ranks}");
        assert_eq!(is_exempt(shape, ranks), ranks == 5);
    }
}
