//! Products in the caller's layout: one matrix stays where it is, the others come and go straight (C-10, C-15).
//!
//! ```text
//! C stays   every rank computes the part of C it holds, along all of k         A, B come
//! A stays   every rank multiplies the part of A it holds, along all of n       B comes, partial sums of C leave
//! B stays   every rank multiplies the part of B it holds, along all of m       A comes, partial sums of C leave
//! ```
//!
//! On a block-cyclic layout the first is SUMMA. Words travel on **routes**: what one rank holds and a group of
//! ranks with equal needs uses goes from one rank to the next, so each user receives each word once and nobody
//! sends more often than once; partial sums take the same way back and are added up on it. Who is the last stop
//! of a route, and need not send, is chosen so that the busiest rank is relieved; where that leaves ranks unequal,
//! routes are divided into thinner ones and shared out again. No rank then moves more than in the broadcasts and
//! reductions of SUMMA, whatever their topology.
//!
//! The product is cut into **slabs** along the axis that the resident matrix lacks, and slab i takes hop d of a
//! route at time i + d, while earlier slabs are multiplied.
//!
//! Not here: moving anything, and layouts in which a rank holds several parts of a matrix.

use std::cmp::Reverse;
use std::ops::Range;

use crate::comm::Flow;
use crate::layout::{Layout, LayoutError, Patch, Stripe};
use crate::shape::{Axis, Matrix, Rect, Shape};

/// Length of a slab where the sizes allow: long enough for the local product to run at full speed.
const SLAB: u64 = 256;
/// A slab is at least so long, even if that leaves little to overlap.
const LEAST_SLAB: u64 = 128;
/// Slabs for each hop of the longest route, if they are not too short then.
const SLABS_PER_HOP: u64 = 4;

/// Strips into which routes are divided for each rank of the group, where whole ones leave ranks unequal.
const STRIPS: u64 = 2;
/// Changes of routes for each of them until they are good enough.
const RELIEFS: usize = 2;

/// The way of words that one rank holds and a group of ranks uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The matrix they belong to.
    pub matrix: Matrix,
    /// The rank that holds them in the caller's layout: the first stop of inputs, the last of partial sums.
    pub holder: usize,
    /// Ranks in the order of travel, the holder included.
    pub stops: Vec<usize>,
    /// The rows and columns that the group uses.
    pub used: (Stripe, Stripe),
    /// Where in the matrix: the words in it that the holder has and the group uses travel on this route.
    pub window: Rect,
    /// Whether the holder is one of the group.
    pub holder_uses: bool,
    /// Number of words.
    pub words: u128,
}

/// A product in the caller's layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    resident: Matrix,
    shape: Shape,
    /// Per rank: its indices along m, n and k, if it holds any of the resident matrix.
    bricks: Vec<Option<[Stripe; 3]>>,
    routes: Vec<Route>,
    slabs: Vec<Range<u64>>,
    /// Per rank: words sent and received.
    flows: Vec<[u128; 2]>,
}

impl Stay {
    /// The way that moves least, if it can be done: every rank holds at most one part of each matrix. Between
    /// equals the one with less work on the busiest rank.
    ///
    /// # Errors
    /// When the layouts do not fit each other.
    pub fn best(layouts: [&Layout; 3]) -> Result<Option<Stay>, LayoutError> {
        let mut best: Option<Stay> = None;
        for resident in [Matrix::C, Matrix::A, Matrix::B] {
            let Some(found) = Stay::new(resident, layouts)? else {
                return Ok(None);
            };
            let cost = |stay: &Stay| (stay.volume(), stay.work());
            if best.as_ref().is_none_or(|best| cost(&found) < cost(best)) {
                best = Some(found);
            }
        }
        Ok(best)
    }

    /// The product in which one matrix stays.
    ///
    /// # Errors
    /// When the layouts do not fit each other.
    pub fn new(resident: Matrix, layouts: [&Layout; 3]) -> Result<Option<Stay>, LayoutError> {
        let shape = check(layouts)?;
        let ranks = layouts[0].ranks();
        let single = |layout: &&Layout| (0..ranks).all(|rank| layout.patches(rank).len() <= 1);
        if !layouts.iter().all(single) {
            return Ok(None);
        }
        let through = resident.missing();
        let brick = |rank: usize| {
            let patch = patch(layouts[resident.index()], rank)?;
            let stripe = |axis: Axis| {
                if axis == through {
                    Stripe::all(0..shape.length(axis))
                } else {
                    along(patch, resident, axis).clone()
                }
            };
            Some(Axis::ALL.map(stripe))
        };
        let mut stay = Stay {
            resident,
            shape,
            bricks: (0..ranks).map(brick).collect(),
            routes: Vec::new(),
            slabs: Vec::new(),
            flows: vec![[0; 2]; ranks],
        };
        stay.route_all(layouts, false);
        if stay.volume() > stay.mean() {
            let mut finer = stay.clone();
            finer.route_all(layouts, true);
            if finer.volume() < stay.volume() {
                stay = finer;
            }
        }
        stay.slabs = stay.cut(layouts);
        Ok(Some(stay))
    }

    /// The matrix that stays.
    pub fn resident(&self) -> Matrix {
        self.resident
    }

    /// Sizes of the product.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.bricks.len()
    }

    /// The indices along m, n and k of the products that a rank computes.
    pub fn brick(&self, rank: usize) -> Option<&[Stripe; 3]> {
        self.bricks.get(rank)?.as_ref()
    }

    /// The ways of all words that some rank lacks, and of those that a rank uses itself.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// The slabs along the axis that the resident matrix lacks.
    pub fn slabs(&self) -> &[Range<u64>] {
        &self.slabs
    }

    /// Hops of the longest route of inputs, or of partial sums.
    pub fn hops(&self, partial: bool) -> usize {
        let some = self
            .routes
            .iter()
            .filter(|route| (route.matrix == Matrix::C) == partial);
        some.map(|route| route.stops.len().saturating_sub(1))
            .max()
            .unwrap_or(0)
    }

    /// Words that a rank sends and receives; messages are not counted.
    pub fn flow(&self, rank: usize) -> Flow {
        let [sent, received] = self.flows.get(rank).copied().unwrap_or_default();
        let whole = |words: u128| u64::try_from(words).unwrap_or(u64::MAX);
        Flow {
            sent: whole(sent),
            received: whole(received),
            messages: 0,
        }
    }

    /// The larger of the words that the busiest rank sends and receives.
    pub fn volume(&self) -> u128 {
        self.flows.iter().flatten().copied().max().unwrap_or(0)
    }

    /// Products of the rank that computes most.
    pub fn work(&self) -> u128 {
        let work = |brick: &[Stripe; 3]| {
            brick.iter().fold(1_u128, |work, stripe| {
                work.saturating_mul(u128::from(stripe.len()))
            })
        };
        self.bricks.iter().flatten().map(work).max().unwrap_or(0)
    }

    /// Words that a rank sends on average: no rank less than that moves them all.
    fn mean(&self) -> u128 {
        let sent: u128 = self.flows.iter().map(|flow| flow[0]).sum();
        sent.div_ceil(self.flows.len().max(1) as u128)
    }

    /// Finds the routes of all words, and shares the hops out among the ranks.
    fn route_all(&mut self, layouts: [&Layout; 3], finer: bool) {
        self.routes.clear();
        self.flows.fill([0; 2]);
        if !self.shape.is_empty() {
            let resident = self.resident;
            for matrix in Matrix::ALL.into_iter().filter(|&matrix| matrix != resident) {
                self.route(matrix, layouts[matrix.index()], finer);
            }
        }
        self.relieve();
    }

    /// The windows of a route between so many ranks: the matrix, or strips of it across the slabs.
    fn windows(&self, matrix: Matrix, members: usize, finer: bool) -> Vec<Rect> {
        let (rows, cols) = matrix.axes();
        let (height, width) = (self.shape.length(rows), self.shape.length(cols));
        if !finer {
            return vec![Rect::new(0..height, 0..width)];
        }
        let along_rows = cols == self.through();
        let length = if along_rows { height } else { width };
        let strips = (STRIPS * members as u64).clamp(1, length.max(1));
        let edge =
            |strip: u64| (u128::from(length) * u128::from(strip) / u128::from(strips)) as u64;
        let strip = |number: u64| {
            let range = edge(number)..edge(number + 1);
            if along_rows {
                Rect::new(range, 0..width)
            } else {
                Rect::new(0..height, range)
            }
        };
        (0..strips).map(strip).collect()
    }

    /// The axis along which the product is cut into slabs.
    pub fn through(&self) -> Axis {
        self.resident.missing()
    }

    /// Adds the routes of one matrix: from every holder to every group of ranks with equal needs.
    fn route(&mut self, matrix: Matrix, layout: &Layout, finer: bool) {
        let (rows, cols) = matrix.axes();
        let mut groups: Vec<((Stripe, Stripe), Vec<usize>)> = Vec::new();
        for (rank, brick) in self.bricks.iter().enumerate() {
            let Some(brick) = brick else { continue };
            let used = (brick[rows.index()].clone(), brick[cols.index()].clone());
            match groups.iter_mut().find(|(other, _)| *other == used) {
                Some((_, members)) => members.push(rank),
                None => groups.push((used, vec![rank])),
            }
        }
        for (used, members) in &groups {
            for holder in 0..self.bricks.len() {
                let Some(held) = patch(layout, holder) else {
                    continue;
                };
                // Around the group from the holder on, so that neighbours hand words to each other.
                let place = members.partition_point(|&member| member <= holder);
                let others = members[place..].iter().chain(&members[..place]);
                let mut stops = vec![holder];
                stops.extend(others.copied().filter(|&member| member != holder));
                if matrix == Matrix::C {
                    stops.reverse();
                }
                let finer = finer && stops.len() > 2;
                for window in self.windows(matrix, members.len(), finer) {
                    let height = held.rows().clip(&window.rows).overlap(&used.0);
                    let width = held.cols().clip(&window.cols).overlap(&used.1);
                    let words = u128::from(height) * u128::from(width);
                    if words > 0 {
                        self.routes.push(Route {
                            matrix,
                            holder,
                            stops: stops.clone(),
                            used: used.clone(),
                            window,
                            holder_uses: members.contains(&holder),
                            words,
                        });
                    }
                }
            }
        }
    }

    /// Chooses the far end of every route, which sends (or, of partial sums, receives) nothing, so that the busiest
    /// rank is relieved: as long as one of its routes can end at it, and the stop that takes its place is still less
    /// busy then. Counts what every rank moves.
    fn relieve(&mut self) {
        for route in &self.routes {
            for hop in route.stops.windows(2) {
                self.flows[hop[0]][0] += route.words;
                self.flows[hop[1]][1] += route.words;
            }
        }
        // Each time the busiest rank loses a route; some multiple of all routes is plenty.
        for _ in 0..RELIEFS * self.routes.len() {
            let relieved = [0, 1].map(|way| self.relieve_busiest(way));
            if relieved == [false; 2] {
                break;
            }
        }
    }

    /// Relieves the rank that sends (0) or receives (1) most; false if nothing helps.
    fn relieve_busiest(&mut self, way: usize) -> bool {
        let numbered = self.flows.iter().enumerate();
        let Some((busiest, load)) = numbered
            .map(|(rank, flow)| (rank, flow[way]))
            .max_by_key(|&(rank, load)| (load, Reverse(rank)))
        else {
            return false;
        };
        // The change that leaves the two ranks concerned least busy.
        let change = |(index, route): (usize, &Route)| {
            let last = route.stops.len() - 1;
            let (its_way, far, holder) = match route.matrix {
                Matrix::C => (1, 0, last),
                Matrix::A | Matrix::B => (0, last, 0),
            };
            let place = route.stops.iter().position(|&stop| stop == busiest)?;
            if its_way != way || place == far || place == holder {
                return None;
            }
            let after = (self.flows[route.stops[far]][way] + route.words).max(load - route.words);
            (after < load).then_some((after, index, place, far))
        };
        let changes = self.routes.iter().enumerate().filter_map(change);
        let Some((_, index, place, far)) = changes.min() else {
            return false;
        };
        let Route { stops, words, .. } = &mut self.routes[index];
        self.flows[busiest][way] -= *words;
        self.flows[stops[far]][way] += *words;
        let moved = stops.remove(place);
        stops.insert(far, moved);
        true
    }

    /// Cuts the product into slabs, at the ends of blocks where that is possible.
    fn cut(&self, layouts: [&Layout; 3]) -> Vec<Range<u64>> {
        let through = self.through();
        let length = self.shape.length(through);
        let hops = self.hops(false).max(1) as u64;
        let step = (length / (SLABS_PER_HOP * hops)).clamp(LEAST_SLAB, SLAB);
        // The blocks of the first moved matrix; equal blocks are usual.
        let mut moved = Matrix::ALL
            .into_iter()
            .filter(|&matrix| matrix != self.resident);
        let blocks = moved.next().and_then(|matrix| {
            let layout = layouts[matrix.index()];
            let held = (0..layout.ranks()).find_map(|rank| patch(layout, rank))?;
            Some(along(held, matrix, through))
        });
        let mut slabs = Vec::new();
        let mut start = 0;
        while start < length {
            let far = (start + step).min(length);
            let edge = blocks.map_or(far, |stripe| stripe.block_start(far));
            let end = if far < length && edge > start {
                edge
            } else {
                far
            };
            slabs.push(start..end);
            start = end;
        }
        slabs
    }
}

/// The part of a matrix that a rank holds, if any.
fn patch(layout: &Layout, rank: usize) -> Option<&Patch> {
    layout
        .patches(rank)
        .first()
        .filter(|patch| !patch.is_empty())
}

/// The indices of a part of a matrix along one of the matrix's axes.
fn along(patch: &Patch, matrix: Matrix, axis: Axis) -> &Stripe {
    if matrix.axes().0 == axis {
        patch.rows()
    } else {
        patch.cols()
    }
}

/// Checks that the layouts are those of the three matrices of a product on the same ranks.
fn check([a, b, c]: [&Layout; 3]) -> Result<Shape, LayoutError> {
    for (layout, what) in [(a, "the layout of A"), (b, "the layout of B")] {
        if layout.ranks() != c.ranks() {
            return Err(LayoutError::Ranks {
                what,
                found: layout.ranks(),
                expected: c.ranks(),
            });
        }
    }
    let shape = Shape::new(c.rows(), c.cols(), a.cols());
    for (layout, rows, cols) in [(a, shape.m, shape.k), (b, shape.k, shape.n)] {
        if (layout.rows(), layout.cols()) != (rows, cols) {
            return Err(LayoutError::Shapes(
                layout.rows(),
                layout.cols(),
                rows,
                cols,
            ));
        }
    }
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Order;
    use crate::layout::block_cyclic::{Descriptor, ProcessGrid};

    fn cyclic(
        m: u64,
        n: u64,
        [mb, nb]: [u64; 2],
        source: [usize; 2],
        grid: &ProcessGrid,
    ) -> Layout {
        let [rsrc, csrc] = source;
        let descriptor = Descriptor {
            m,
            n,
            mb,
            nb,
            rsrc,
            csrc,
        };
        descriptor.layout(grid, |_| None).unwrap()
    }

    fn holder(layout: &Layout, row: u64, col: u64) -> usize {
        layout.locate(row, col).unwrap().0
    }

    /// The dumb count: which words a rank must get, and which partial sums it must give away, if the products
    /// of each word of the resident matrix are computed where it is.
    fn needed(resident: Matrix, layouts: [&Layout; 3]) -> Vec<(u64, u64)> {
        let shape = check(layouts).unwrap();
        let mut used = vec![std::collections::BTreeSet::new(); layouts[0].ranks()];
        for i in 0..shape.m {
            for j in 0..shape.n {
                for t in 0..shape.k {
                    let words = [(i, t), (t, j), (i, j)];
                    let (row, col) = words[resident.index()];
                    let rank = holder(layouts[resident.index()], row, col);
                    for matrix in Matrix::ALL {
                        let (row, col) = words[matrix.index()];
                        if holder(layouts[matrix.index()], row, col) != rank {
                            used[rank].insert((matrix, row, col));
                        }
                    }
                }
            }
        }
        let count = |words: &std::collections::BTreeSet<(Matrix, u64, u64)>, partial: bool| {
            words
                .iter()
                .filter(|word| (word.0 == Matrix::C) == partial)
                .count() as u64
        };
        used.iter()
            .map(|words| (count(words, false), count(words, true)))
            .collect()
    }

    #[test]
    fn every_rank_moves_what_it_lacks_once() {
        for (shape, [rows, cols], blocks, sources) in [
            (Shape::new(12, 10, 14), [2, 2], [3, 3], [[0, 0]; 3]),
            (
                Shape::new(9, 20, 7),
                [2, 3],
                [2, 4],
                [[0, 1], [1, 0], [1, 2]],
            ),
            (Shape::new(8, 8, 20), [1, 4], [1, 1], [[0, 0]; 3]),
            (
                Shape::new(5, 30, 3),
                [3, 2],
                [2, 5],
                [[2, 1], [0, 0], [1, 1]],
            ),
        ] {
            let grid = ProcessGrid::new(rows, cols, rows * cols + 1, Order::RowMajor).unwrap();
            let a = cyclic(shape.m, shape.k, blocks, sources[0], &grid);
            let b = cyclic(shape.k, shape.n, blocks, sources[1], &grid);
            let c = cyclic(shape.m, shape.n, blocks, sources[2], &grid);
            let a_from_transposed =
                cyclic(shape.k, shape.m, blocks, sources[0], &grid).transposed();
            for layouts in [[&a, &b, &c], [&a_from_transposed, &b, &c]] {
                for resident in Matrix::ALL {
                    let stay = Stay::new(resident, layouts).unwrap().unwrap();
                    let needed = needed(resident, layouts);
                    let (mut taken, mut given) = (vec![0; needed.len()], vec![0; needed.len()]);
                    for route in stay.routes() {
                        for hop in route.stops.windows(2) {
                            let (counted, rank) = match route.matrix {
                                Matrix::C => (&mut given, hop[0]),
                                _ => (&mut taken, hop[1]),
                            };
                            counted[rank] += route.words as u64;
                        }
                    }
                    let counted: Vec<(u64, u64)> = taken.into_iter().zip(given).collect();
                    assert_eq!(counted, needed, "{shape} {resident} stays");
                    let flows: Vec<Flow> = (0..stay.ranks()).map(|rank| stay.flow(rank)).collect();
                    let all: u64 = needed.iter().map(|(taken, given)| taken + given).sum();
                    assert_eq!(flows.iter().map(|flow| flow.sent).sum::<u64>(), all);
                    assert_eq!(flows.iter().map(|flow| flow.received).sum::<u64>(), all);
                    let ends: Vec<u64> = stay.slabs().iter().map(|slab| slab.end).collect();
                    assert_eq!(ends.last(), Some(&shape.length(stay.through())));
                }
            }
        }
    }

    /// Where blocks divide the sizes, no rank sends more than it receives: the rings of SUMMA.
    #[test]
    fn equal_parts_are_balanced() {
        let grid = ProcessGrid::new(2, 3, 6, Order::ColumnMajor).unwrap();
        let layout = cyclic(48, 48, [4, 4], [0, 0], &grid);
        let stay = Stay::new(Matrix::C, [&layout; 3]).unwrap().unwrap();
        for rank in 0..6 {
            let words = 24 * 48 * 2 / 3 + 16 * 48 / 2;
            assert_eq!(
                (stay.flow(rank).sent, stay.flow(rank).received),
                (words, words)
            );
        }
    }

    /// Uneven parts: with thinner routes the busiest rank moves hardly more than the mean.
    #[test]
    fn thinner_routes_share_more_evenly() {
        let grid = ProcessGrid::new(2, 3, 6, Order::RowMajor).unwrap();
        let layout = |m, n| cyclic(m, n, [8, 8], [0, 0], &grid);
        let (a, b, c) = (layout(97, 83), layout(61, 83).transposed(), layout(97, 61));
        let stay = Stay::new(Matrix::A, [&a, &b, &c]).unwrap().unwrap();
        // Partial sums that the busiest rank must send: no balance helps against them.
        assert!(stay.volume() <= 2973, "{} {}", stay.volume(), stay.mean());
        let whole: u128 = stay.routes().iter().map(|route| route.words).sum();
        let matrices = u128::from(b.rows() * b.cols() + c.rows() * c.cols());
        assert_eq!(whole, matrices);
    }

    /// A matrix on one rank: the others pass it on, and its holder sends each word once.
    #[test]
    fn a_crowded_holder_sends_once() {
        let grid = ProcessGrid::new(1, 5, 5, Order::RowMajor).unwrap();
        let a = cyclic(10, 4, [10, 4], [0, 2], &grid);
        let (b, c) = (
            cyclic(4, 20, [4, 4], [0, 0], &grid),
            cyclic(10, 20, [4, 4], [0, 0], &grid),
        );
        let stay = Stay::new(Matrix::C, [&a, &b, &c]).unwrap().unwrap();
        assert_eq!(stay.volume(), 40);
        assert_eq!(stay.hops(false), 4);
    }

    #[test]
    fn slabs_end_where_blocks_end() {
        let grid = ProcessGrid::new(2, 2, 4, Order::RowMajor).unwrap();
        let layout = cyclic(1100, 1100, [96, 96], [1, 0], &grid);
        let part = layout.part(5..1005, 10..1010).unwrap();
        let stay = Stay::new(Matrix::C, [&part; 3]).unwrap().unwrap();
        let (last, before) = stay.slabs().split_last().unwrap();
        assert_eq!(last.end, 1000);
        assert!(before.iter().all(|slab| (slab.end + 10) % 96 == 0));
    }
}
