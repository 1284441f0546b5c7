//! Equal shares: what every rank owns, on the shapes and rank counts of the ratios; and why 5 ranks on a cube differ.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use redblue_dist::bound::equal_work;
use redblue_dist::plan::tree::Part;
use redblue_dist::plan::{Plan, Problem, Tree, search};
use redblue_dist::{Axis, Brick, Matrix, Rect, Shape};
use redblue_math::random::Random;

fn is_soak() -> bool {
    std::env::var_os("REDBLUE_SOAK").is_some()
}

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

/// The one case among the five shapes in which equal shares would cost more than 1.30 times the bound.
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
    for case in 0..64 {
        let ranks = match case {
            0..16 => 2 + case % 4,
            _ => 6 + random.below(59) as u64,
        };
        let mut length = |most: usize| 16 * ranks + random.below(most * ranks as usize) as u64;
        let shape = Shape::new(length(48), length(48), length(184));
        let plan = found(shape, ranks);
        // Unequal shares need a proof that equal ones cost too much.
        match plan.has_equal_shares() {
            true => check(&plan),
            false => assert!(
                ranks == 5 && is_too_much(least_of_trees(shape, ranks), shape, ranks),
                "{plan} for {shape} has unequal shares"
            ),
        }
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
/// A group of ranks with `g` members owns `g` shares. Words used by members only are theirs, and their `u` users send
/// each of them `u-1` times together. Every other word that members own is used by others, and sent by its owner
/// at least once. Sums of C are received like that, and what a rank uses and does not own moves in any case.
fn least_volume(bricks: &[Brick], shape: Shape) -> u128 {
    let ranks = bricks.len() as u128;
    let users = Matrix::ALL.map(|matrix| users(bricks, matrix));
    let mut least = 0;
    for group in 1u32..1 << ranks {
        let members = u128::from(group.count_ones());
        let (mut fetched, mut served) = ([0; 3], [0; 3]);
        for matrix in Matrix::ALL {
            let at = matrix.index();
            let own = members * shape.face(matrix) / ranks;
            let (mut used, mut inside) = (0, 0);
            for &(set, words) in &users[at] {
                used += u128::from((set & group).count_ones()) * words;
                if set & !group == 0 {
                    inside += words;
                    served[at] += words * u128::from(set.count_ones() - 1);
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

/// The sets of ranks that use words of a matrix, as bits, and how many words each set uses.
fn users(bricks: &[Brick], matrix: Matrix) -> Vec<(u32, u128)> {
    let faces: Vec<Rect> = bricks.iter().map(|brick| brick.face(matrix)).collect();
    let edges = |side: fn(&Rect) -> &Range<u64>| {
        let ends = faces
            .iter()
            .map(side)
            .flat_map(|side| [side.start, side.end]);
        let ends: BTreeSet<u64> = ends.collect();
        ends.into_iter().collect::<Vec<u64>>()
    };
    let (rows, cols) = (edges(|face| &face.rows), edges(|face| &face.cols));
    let mut found = Vec::new();
    for row in rows.windows(2) {
        for col in cols.windows(2) {
            let rect = Rect::new(row[0]..row[1], col[0]..col[1]);
            let uses = |face: &Rect| u32::from(face.intersect(&rect) == rect);
            let set = faces
                .iter()
                .rev()
                .fold(0, |set, face| set << 1 | uses(face));
            found.push((set, rect.words()));
        }
    }
    found
}

/// The bricks of a tree.
fn bricks(tree: &Tree, shape: Shape) -> Vec<Brick> {
    let whole = Brick::whole(shape);
    let brick = |rank| tree.brick(&whole, rank).expect("a rank of the tree");
    (0..tree.ranks()).map(brick).collect()
}

/// The least that equal shares cost in trees of proportional cuts.
fn least_of_trees(shape: Shape, ranks: u64) -> u128 {
    let costs = trees(ranks).into_iter();
    let costs = costs.map(|tree| least_volume(&bricks(&tree, shape), shape));
    costs.min().expect("a tree")
}

/// Whether so many words are more than 1.30 times the bound.
fn is_too_much(volume: u128, shape: Shape, ranks: u64) -> bool {
    100 * volume * u128::from(ranks) > 130 * equal_work(shape, ranks).total
}

/// A division of a box into bricks under construction: the unit cubes in order, and which brick has them.
///
/// The first cube that is in no brick is the first corner of the next one, so trying all sizes there meets every
/// division into bricks once, those that no sequence of cuts gives included.
struct Division {
    shape: Shape,
    ranks: usize,
    taken: Vec<bool>,
    bricks: Vec<Brick>,
}

impl Division {
    fn index(&self, [i, j, t]: [u64; 3]) -> usize {
        ((i * self.shape.n + j) * self.shape.k + t) as usize
    }

    fn set(&mut self, brick: &Brick, taken: bool) {
        for i in brick.m.clone() {
            for j in brick.n.clone() {
                let first = self.index([i, j, brick.k.start]);
                self.taken[first..first + (brick.k.end - brick.k.start) as usize].fill(taken);
            }
        }
    }

    /// How far a row of free cubes goes from a corner.
    fn free(&self, [i, j, t]: [u64; 3]) -> u64 {
        let first = self.index([i, j, t]);
        let row = &self.taken[first..first + (self.shape.k - t) as usize];
        row.iter().take_while(|taken| !**taken).count() as u64
    }

    fn complete(&mut self, each: &mut impl FnMut(&[Brick])) {
        let Some(first) = self.taken.iter().position(|taken| !taken) else {
            return each(&self.bricks);
        };
        if self.bricks.len() == self.ranks {
            return;
        }
        let (first, Shape { m, n, k }) = (first as u64, self.shape);
        let [i, j, t] = [first / (n * k), first / k % n, first % k];
        for height in 1..=m - i {
            let mut deep = self.free([i + height - 1, j, t]);
            if deep == 0 {
                break;
            }
            for width in 1..=n - j {
                let layers = (i..i + height).map(|layer| self.free([layer, j + width - 1, t]));
                deep = layers.min().unwrap_or(0).min(deep);
                if deep == 0 {
                    break;
                }
                for depth in 1..=deep {
                    let brick = Brick {
                        m: i..i + height,
                        n: j..j + width,
                        k: t..t + depth,
                    };
                    self.set(&brick, true);
                    self.bricks.push(brick.clone());
                    self.complete(each);
                    self.bricks.pop();
                    self.set(&brick, false);
                }
            }
        }
    }
}

/// All divisions of a box into so many bricks.
fn divisions(shape: Shape, ranks: usize) -> Vec<Vec<Brick>> {
    let mut division = Division {
        shape,
        ranks,
        taken: vec![false; shape.work() as usize],
        bricks: Vec::new(),
    };
    let mut found = Vec::new();
    division.complete(&mut |bricks| {
        if bricks.len() == ranks {
            found.push(bricks.to_vec());
        }
    });
    found
}

/// Whether a sequence of cuts, each through a whole box, gives these bricks.
fn is_cut_by_cut(bricks: &[Brick]) -> bool {
    bricks.len() == 1
        || Axis::ALL.into_iter().any(|axis| {
            bricks.iter().any(|brick| {
                let at = brick.range(axis).end;
                let below = |other: &&Brick| other.range(axis).end <= at;
                let (one, two): (Vec<&Brick>, Vec<&Brick>) = bricks.iter().partition(below);
                let [one, two] =
                    [one, two].map(|part| part.into_iter().cloned().collect::<Vec<_>>());
                !two.is_empty()
                    && two.iter().all(|other| at <= other.range(axis).start)
                    && is_cut_by_cut(&one)
                    && is_cut_by_cut(&two)
            })
        })
}

/// Four bricks around a fifth, all of them as long as the box along `axis`, on coordinates from 0 to `size`. Along the first
/// of the other axes the middle is at `inner[0]`, along the second at `inner[1]`; `mirrored` turns the other way round.
fn pinwheel(axis: Axis, size: u64, inner: [Range<u64>; 2], mirrored: bool) -> Vec<Brick> {
    let [u, v] = inner;
    let mut plane = [
        [0..u.end, 0..v.start],
        [u.end..size, 0..v.end],
        [u.start..size, v.end..size],
        [0..u.start, v.start..size],
        [u, v],
    ];
    if mirrored {
        for [first, _] in &mut plane {
            *first = size - first.end..size - first.start;
        }
    }
    let whole = Brick::whole(Shape::new(size, size, size));
    let others: Vec<Axis> = Axis::ALL
        .into_iter()
        .filter(|other| *other != axis)
        .collect();
    let bricks = plane.map(|[u, v]| whole.with(others[0], u).with(others[1], v));
    bricks.to_vec()
}

/// Every division of a box into five bricks is cut by cut, or a pinwheel, or has two bricks in opposite corners of the box that
/// meet in a point. Of these one has at most an eighth of the work, `xyz·(1-x)(1-y)(1-z) ≤ 1/64`, and others too much.
///
/// Five bricks have at most four different ends inside the box along each axis, for each of these is the beginning of a brick
/// and one brick begins with the box. So all divisions are like one of a box of 5×5×5 cubes.
#[test]
fn five_bricks_are_cut_by_cut_or_a_pinwheel_or_uneven() {
    // Four cubes along each axis are enough for all but those with four ends on one axis; the rest takes a minute.
    let size = if is_soak() { 5 } else { 4 };
    let mut sorted = divisions(Shape::new(size, size, size), 5);
    sorted.retain(|bricks| !is_cut_by_cut(bricks) && !has_opposite_corners(bricks, size));
    let order = |bricks: &mut Vec<Brick>| {
        bricks.sort_by_key(|brick| {
            Axis::ALL.map(|axis| (brick.range(axis).start, brick.range(axis).end))
        });
    };
    sorted.iter_mut().for_each(order);
    let inner = || (1..size).flat_map(|start| (start + 1..size).map(move |end| start..end));
    let mut expected = Vec::new();
    for axis in Axis::ALL {
        for u in inner() {
            for v in inner() {
                for mirrored in [false, true] {
                    let mut bricks = pinwheel(axis, size, [u.clone(), v.clone()], mirrored);
                    order(&mut bricks);
                    expected.push(bricks);
                }
            }
        }
    }
    assert_eq!(sorted.len(), expected.len());
    assert!(expected.iter().all(|bricks| sorted.contains(bricks)));
}

/// Whether two bricks in opposite corners of a box of so many cubes along each axis meet in a point.
fn has_opposite_corners(bricks: &[Brick], size: u64) -> bool {
    let meet = |one: &Brick, two: &Brick| {
        Axis::ALL.into_iter().all(|axis| {
            let mut ranges = [one.range(axis), two.range(axis)];
            ranges.sort_by_key(|range| range.start);
            let [low, high] = ranges;
            low.start == 0 && low.end == high.start && high.end == size
        })
    };
    bricks
        .iter()
        .any(|one| bricks.iter().any(|two| meet(one, two)))
}

/// Calls `each` with the bricks of every sequence of cuts of a box whose parts all have a work in the range.
fn cut_by_cut(boxes: &[(Brick, u64)], work: &RangeInclusive<u64>, each: &mut impl FnMut(&[Brick])) {
    let next = boxes.iter().position(|(_, ranks)| *ranks > 1);
    let Some(next) = next else {
        let bricks: Vec<Brick> = boxes.iter().map(|(brick, _)| brick.clone()).collect();
        return each(&bricks);
    };
    let (brick, ranks) = boxes[next].clone();
    for axis in Axis::ALL {
        let range = brick.range(axis);
        for at in range.start + 1..range.end {
            for first in 1..ranks {
                let parts = [(range.start..at, first), (at..range.end, ranks - first)];
                let parts = parts.map(|(range, ranks)| (brick.with(axis, range), ranks));
                let fits = |(part, ranks): &(Brick, u64)| {
                    let products = part.shape().work() as u64;
                    work.start() * ranks <= products && products <= work.end() * ranks
                };
                if parts.iter().all(fits) {
                    let mut boxes = boxes.to_vec();
                    boxes.splice(next..=next, parts);
                    cut_by_cut(&boxes, work, each);
                }
            }
        }
    }
}

/// The least that equal shares cost in any division of a cube into bricks with at most 3 % more work than an equal share,
/// and the number of divisions looked at, some of them several times.
fn least_of_divisions(side: u64, ranks: u64) -> (u128, usize) {
    let shape = Shape::new(side, side, side);
    let most = 103 * side.pow(3) / (100 * ranks);
    let work = side.pow(3) - (ranks - 1) * most..=most;
    let (mut least, mut count) = (u128::MAX, 0);
    let mut each = |bricks: &[Brick]| {
        least = least.min(least_volume(bricks, shape));
        count += 1;
    };
    cut_by_cut(&[(Brick::whole(shape), ranks)], &work, &mut each);
    if ranks == 5 {
        let inner = || (1..side).flat_map(|start| (start + 1..side).map(move |end| start..end));
        // The middle has no more than its share, and neither have the bricks beside it.
        for u in inner() {
            for v in inner().filter(|v| (v.end - v.start) * (u.end - u.start) * side <= most) {
                let one = pinwheel(Axis::M, side, [u.clone(), v.clone()], false);
                if one
                    .iter()
                    .all(|brick| work.contains(&(brick.shape().work() as u64)))
                {
                    for axis in Axis::ALL {
                        for mirrored in [false, true] {
                            each(&pinwheel(axis, side, [u.clone(), v.clone()], mirrored));
                        }
                    }
                }
            }
        }
    }
    (least, count)
}

/// On a cube with 5 ranks equal shares cost more than the 1.30 times the bound that are asked of plans, in every division
/// into bricks with up to 3 % more work on a rank. With 4 and 6 ranks there are divisions that may do.
#[test]
fn five_ranks_on_a_cube_need_unequal_shares() {
    // Divisible by whatever the cuts divide by: all work and all shares can be equal, without rounding.
    let side = if is_soak() { 120 } else { 60 };
    for ranks in [4, 5] {
        let shape = Shape::new(side, side, side);
        let (least, count) = least_of_divisions(side, ranks);
        let percent = 100.0 * least as f64 * ranks as f64 / equal_work(shape, ranks).total as f64;
        println!("{count} divisions of {side}³ into {ranks}: at least {percent:.2} % of the bound");
        assert!(least <= least_of_trees(shape, ranks), "a tree is missing");
        assert_eq!(
            is_too_much(least, shape, ranks),
            ranks == 5,
            "{percent} % on {ranks}"
        );
    }
    let shape = Shape::new(60, 60, 60);
    assert!(!is_too_much(least_of_trees(shape, 6), shape, 6));
}
