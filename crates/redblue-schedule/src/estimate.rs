//! A cheap estimate of words and traffic of an order, to find good tile sizes.
//!
//! Within a subtree that fixes some dimensions, a subscript written in terms of the dimensions spans
//! `1 + Σ |a|·(w - 1)`, where w is the side of a tile, 1 for a fixed function and the whole extent otherwise. A
//! group of references at a depth needs the product of its spans, and moves it once per subtree, twice if it is
//! both loaded and stored. Exact for boxes; what is printed is counted by [`crate::residency`].

use std::cell::RefCell;
use std::collections::BTreeMap;

use num_rational::Ratio;
use redblue_program::{ArrayId, StatementId};

use crate::error::Result;
use crate::linear::express;
use crate::order::{Family, Row};
use crate::sample::Sample;
use crate::shape::Shape;
use crate::site::{Reference, Site};

/// One dimension of a form of order whose tile sizes are open.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Axis {
    pub(crate) family: Family,
    /// Which of the open sizes it is tiled with.
    pub(crate) size: Option<usize>,
}

/// References of an array that move together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) array: ArrayId,
    pub(crate) references: Vec<Reference>,
    /// Each subscript in terms of the families, `None` where it is not.
    key: Vec<Option<Vec<Ratio<i64>>>>,
}

impl Group {
    /// The families that its subscripts move along.
    pub(crate) fn support(&self, families: usize) -> Vec<usize> {
        let uses = |at: &usize| {
            self.key
                .iter()
                .flatten()
                .any(|coefficients| coefficients.get(*at).is_some_and(|c| *c != Ratio::from(0)))
        };
        (0..families).filter(uses).collect()
    }
}

/// How a group behaves at a depth.
struct Level {
    /// Per subscript: a start, and `(coefficient, open size)` for tiles.
    spans: Vec<Span>,
    /// Number of subtrees with tiles of side one.
    subtrees: u128,
    /// `(extent, open size, whether the cell tells it)` of tiles among the fixed dimensions.
    tiles: Vec<(u128, usize, bool)>,
    loads: bool,
    stores: bool,
}

struct Span {
    start: Ratio<i64>,
    tiles: Vec<(Ratio<i64>, usize)>,
    most: u128,
}

/// An order with open tile sizes, prepared for evaluation.
pub(crate) struct Form {
    pub(crate) axes: Vec<Axis>,
    pub(crate) groups: Vec<Group>,
    /// Per group, per depth.
    levels: Vec<Vec<Level>>,
    /// Extent of each open size.
    pub(crate) extents: Vec<u128>,
    /// Whether stores count.
    stores_count: bool,
}

/// What an evaluation found: cost, and the depth of each group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) words: u128,
    pub(crate) cost: u128,
    pub(crate) depths: Vec<usize>,
}

/// All that estimates look at.
pub(crate) struct Estimator<'p> {
    pub(crate) site: &'p Site<'p>,
    pub(crate) shape: &'p Shape,
    pub(crate) sample: &'p Sample,
    pub(crate) stores_count: bool,
    /// Whether two functions agree on all pairs of the small run.
    pub(crate) equal: RefCell<BTreeMap<(StatementId, Row, StatementId, Row), bool>>,
}

impl Estimator<'_> {
    /// The groups of references of some statements, told apart by families.
    pub(crate) fn groups(&self, statements: &[StatementId], families: &[Family]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for &id in statements {
            let statement = self.site.program.statement(id);
            let reads = (0..statement.reads.len()).map(Some);
            for operand in reads.chain([None]) {
                let reference = Reference {
                    statement: id,
                    operand,
                };
                let array = self.site.array(reference);
                let key = self.key(reference, families);
                let known = groups
                    .iter_mut()
                    .find(|group| group.array == array && (group.key == key || key.is_empty()));
                match known {
                    Some(group) => group.references.push(reference),
                    None => groups.push(Group {
                        array,
                        references: vec![reference],
                        key,
                    }),
                }
            }
        }
        groups
    }

    fn subscripts(&self, reference: Reference) -> Option<&Vec<Row>> {
        let id = reference.statement.0;
        match reference.operand {
            Some(position) => self.shape.reads[id][position].as_ref(),
            None => self.shape.writes[id].as_ref(),
        }
    }

    fn key(&self, reference: Reference, families: &[Family]) -> Vec<Option<Vec<Ratio<i64>>>> {
        let rows: Vec<&[i64]> = families
            .iter()
            .filter_map(|family| family.row(reference.statement))
            .map(|row| row.dims.as_slice())
            .collect();
        match self.subscripts(reference) {
            Some(subscripts) => subscripts
                .iter()
                .map(|subscript| express(&rows, &subscript.dims))
                .collect(),
            None => vec![None; self.site.cells(reference).n_out()],
        }
    }

    /// Prepares an order with open sizes.
    pub(crate) fn form(&self, axes: Vec<Axis>, groups: &[Group]) -> Result<Form> {
        let mut extents: Vec<u128> = Vec::new();
        for axis in &axes {
            if let Some(size) = axis.size {
                extents.resize(extents.len().max(size + 1), 1);
                extents[size] = self.extent(&axis.family);
            }
        }
        let mut levels = Vec::new();
        for group in groups {
            let mut list = Vec::new();
            for depth in 0..=axes.len() {
                list.push(self.level(&axes, depth, group)?);
            }
            list.push(self.alone(group));
            levels.push(list);
        }
        Ok(Form {
            axes,
            groups: groups.to_vec(),
            levels,
            extents,
            stores_count: self.stores_count,
        })
    }

    fn extent(&self, family: &Family) -> u128 {
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for id in self.site.program.statement_ids() {
            if let Some(row) = family.row(id).filter(|_| self.site.size(id) > 0) {
                let (l, h) = self.site.range(id, row);
                low = low.min(l);
                high = high.max(h);
            }
        }
        if low > high {
            1
        } else {
            (high - low + 1) as u128
        }
    }

    fn level(&self, axes: &[Axis], depth: usize, group: &Group) -> Result<Level> {
        let mut spans: Vec<Span> = Vec::new();
        let mut subtrees = 0;
        let mut tiles: Vec<(u128, usize, bool)> = Vec::new();
        for reference in &group.references {
            let id = reference.statement;
            if self.site.size(id) == 0 {
                continue;
            }
            for (at, span) in self.spans(axes, depth, *reference).into_iter().enumerate() {
                match spans.get_mut(at) {
                    Some(known) if known.larger_than(&span) => {}
                    Some(known) => *known = span,
                    None => spans.push(span),
                }
            }
            let fixed = &axes[..depth];
            let rows: Vec<&Row> = fixed.iter().filter_map(|a| a.family.row(id)).collect();
            let here = self.site.images(id, &rows)?;
            if here >= subtrees {
                subtrees = here;
                tiles = self.tiles(fixed, *reference);
            }
        }
        Ok(Level {
            spans,
            subtrees,
            tiles,
            loads: self.moves(axes, depth, group, true),
            stores: self.moves(axes, depth, group, false),
        })
    }

    /// Nothing stays: every instance loads its operands. The words are those every instance needs anyway.
    fn alone(&self, group: &Group) -> Level {
        let mut moves: u128 = 0;
        for reference in &group.references {
            if reference.operand.is_some() || self.stores_count {
                moves += self.site.size(reference.statement);
            }
        }
        Level {
            spans: vec![Span::none()],
            subtrees: moves,
            tiles: Vec::new(),
            loads: true,
            stores: false,
        }
    }

    fn tiles(&self, fixed: &[Axis], reference: Reference) -> Vec<(u128, usize, bool)> {
        let id = reference.statement;
        let cell: Vec<&[i64]> = self
            .subscripts(reference)
            .into_iter()
            .flatten()
            .map(|row| row.dims.as_slice())
            .collect();
        // What single functions and other tiles tell already divides the subtrees no further.
        let mut told: Vec<&[i64]> = fixed
            .iter()
            .filter(|axis| axis.size.is_none())
            .filter_map(|axis| axis.family.row(id).map(|row| row.dims.as_slice()))
            .collect();
        let mut tiles = Vec::new();
        for axis in fixed {
            let (Some(size), Some(row)) = (axis.size, axis.family.row(id)) else {
                continue;
            };
            if crate::linear::spans(&told, &row.dims) {
                continue;
            }
            told.push(&row.dims);
            let (low, high) = self.site.range(id, row);
            let known = crate::linear::spans(&cell, &row.dims);
            tiles.push(((high - low + 1) as u128, size, known));
        }
        tiles
    }

    /// The span of each subscript of a reference while the first dimensions are fixed.
    fn spans(&self, axes: &[Axis], depth: usize, reference: Reference) -> Vec<Span> {
        let id = reference.statement;
        let loops = self.site.program.statement(id).iterators.len();
        let params = self.site.program.params.len();
        // Fixed functions first, then tiles, then whole loops: the first that tell a subscript are used.
        let mut basis: Vec<(Row, Option<usize>, u128)> = Vec::new();
        let fixed = &axes[..depth];
        for axis in fixed.iter().filter(|axis| axis.size.is_none()) {
            basis.extend(axis.family.row(id).map(|row| (row.clone(), None, 1)));
        }
        for axis in fixed.iter().filter(|axis| axis.size.is_some()) {
            basis.extend(axis.family.row(id).map(|row| (row.clone(), axis.size, 1)));
        }
        for at in 0..loops {
            let row = Row::unit(loops, params, at);
            let (low, high) = self.site.range(id, &row);
            basis.push((row, None, (high - low + 1).max(1) as u128));
        }
        let rows: Vec<&[i64]> = basis.iter().map(|(row, ..)| row.dims.as_slice()).collect();
        let Some(subscripts) = self.subscripts(reference) else {
            return vec![Span::whole(u64::MAX as u128); self.site.cells(reference).n_out()];
        };
        let mut spans = Vec::new();
        for subscript in subscripts {
            let (low, high) = self.site.range(id, subscript);
            let most = (high - low + 1).max(1) as u128;
            let Some(coefficients) = express(&rows, &subscript.dims) else {
                spans.push(Span::whole(most));
                continue;
            };
            let mut span = Span {
                start: Ratio::from(1),
                tiles: Vec::new(),
                most,
            };
            for (coefficient, (_, size, width)) in coefficients.iter().zip(&basis) {
                let weight = if *coefficient < Ratio::from(0) {
                    -coefficient
                } else {
                    *coefficient
                };
                match size {
                    Some(size) if weight > Ratio::from(0) => {
                        span.start -= weight;
                        span.tiles.push((weight, *size));
                    }
                    _ => span.start += weight * Ratio::from(*width as i64 - 1),
                }
            }
            spans.push(span);
        }
        spans
    }

    /// Whether two functions have the same value at both ends of every flow of the small run.
    fn agree(
        &self,
        (from, source): (StatementId, &Row),
        (to, target): (StatementId, &Row),
    ) -> bool {
        let key = (from, source.clone(), to, target.clone());
        if let Some(known) = self.equal.borrow().get(&key) {
            return *known;
        }
        let equal = self.sample.flow_stays((from, source), (to, target));
        self.equal.borrow_mut().insert(key, equal);
        equal
    }

    /// Whether a group moves at all at a depth: some value comes from or goes to another subtree or group.
    fn moves(&self, axes: &[Axis], depth: usize, group: &Group, loads: bool) -> bool {
        let fixed = &axes[..depth];
        let stays = |from: StatementId, to: StatementId| {
            fixed
                .iter()
                .all(|axis| match (axis.family.row(from), axis.family.row(to)) {
                    (Some(source), Some(target)) => self.agree((from, source), (to, target)),
                    _ => false,
                })
        };
        let member = |reference: Reference| group.references.contains(&reference);
        group.references.iter().any(|reference| {
            let id = reference.statement;
            match (reference.operand, loads) {
                (Some(position), true) => {
                    let operand = self.site.operand(id, position);
                    let write = |statement| Reference {
                        statement,
                        operand: None,
                    };
                    operand.input.is_some()
                        || operand
                            .producers
                            .iter()
                            .any(|(from, _)| !member(write(*from)) || !stays(*from, id))
                }
                (None, false) => {
                    self.site.live(id).is_some()
                        || self
                            .site
                            .consumers(id)
                            .iter()
                            .any(|(to, _)| !member(*to) || !stays(id, to.statement))
                }
                _ => false,
            }
        })
    }
}

impl Span {
    fn none() -> Span {
        Span {
            start: Ratio::from(0),
            tiles: Vec::new(),
            most: 0,
        }
    }

    fn whole(most: u128) -> Span {
        Span {
            start: Ratio::from(i64::try_from(most).unwrap_or(i64::MAX / 4)),
            tiles: Vec::new(),
            most,
        }
    }

    fn larger_than(&self, other: &Span) -> bool {
        let weight = |span: &Span| -> Ratio<i64> {
            let tiles: Ratio<i64> = span.tiles.iter().map(|(w, _)| *w * Ratio::from(16)).sum();
            span.start + tiles
        };
        weight(self) >= weight(other)
    }

    fn value(&self, sizes: &[u64]) -> u128 {
        let mut value = self.start;
        for (weight, size) in &self.tiles {
            value += *weight * Ratio::from(sizes[*size] as i64);
        }
        let value = value.ceil().to_integer().max(1) as u128;
        value.min(self.most)
    }
}

impl Clone for Span {
    fn clone(&self) -> Span {
        Span {
            start: self.start,
            tiles: self.tiles.clone(),
            most: self.most,
        }
    }
}

impl Form {
    /// Words and traffic of a group at a depth.
    fn at(&self, group: usize, depth: usize, sizes: &[u64]) -> (u128, u128) {
        let level = &self.levels[group][depth];
        let words = level.spans.iter().fold(1u128, |product, span| {
            product.saturating_mul(span.value(sizes))
        });
        let times = u128::from(level.loads) + u128::from(level.stores && self.stores_count);
        if times == 0 {
            return (words, 0);
        }
        let mut pairs = level.subtrees.saturating_mul(words.max(1));
        for (extent, size, known) in &level.tiles {
            let side = u128::from(sizes[*size]).min(*extent).max(1);
            if *known {
                pairs = pairs.div_ceil(side);
            } else {
                pairs = pairs
                    .saturating_mul(extent.div_ceil(side))
                    .div_ceil(*extent);
            }
        }
        (words, pairs * times)
    }

    /// Words and traffic with given depths.
    pub(crate) fn fixed(&self, depths: &[usize], sizes: &[u64]) -> Estimate {
        let mut estimate = Estimate {
            words: 0,
            cost: 0,
            depths: Vec::new(),
        };
        for (group, depth) in depths.iter().enumerate() {
            let (words, cost) = self.at(group, *depth, sizes);
            estimate.words += self.joint(&estimate, group, *depth, words, sizes);
            estimate.cost += cost;
            estimate.depths.push(*depth);
        }
        estimate
    }

    /// The best depths for these sizes within so many words.
    pub(crate) fn evaluate(&self, sizes: &[u64], words: u128) -> Option<Estimate> {
        let mut front = vec![Estimate {
            words: 0,
            cost: 0,
            depths: Vec::new(),
        }];
        for group in 0..self.groups.len() {
            let mut options: Vec<(u128, u128, usize)> = (0..self.levels[group].len())
                .map(|depth| {
                    let (words, cost) = self.at(group, depth, sizes);
                    (words, cost, depth)
                })
                .filter(|option| option.0 <= words)
                .collect();
            prune_options(&mut options);
            let mut next = Vec::new();
            for known in &front {
                for (more, cost, depth) in &options {
                    let total = known.words + self.joint(known, group, *depth, *more, sizes);
                    if total <= words {
                        let mut depths = known.depths.clone();
                        depths.push(*depth);
                        next.push(Estimate {
                            words: total,
                            cost: known.cost + cost,
                            depths,
                        });
                    }
                }
            }
            next.sort_by(|a, b| (a.cost, a.words, &a.depths).cmp(&(b.cost, b.words, &b.depths)));
            let mut least = u128::MAX;
            next.retain(|estimate| {
                let better = estimate.words < least;
                least = least.min(estimate.words);
                better
            });
            next.truncate(24);
            front = next;
        }
        front.into_iter().next()
    }

    /// Words that a group adds to groups that are placed: those of one array at one depth may be the same cells.
    fn joint(
        &self,
        known: &Estimate,
        group: usize,
        depth: usize,
        words: u128,
        sizes: &[u64],
    ) -> u128 {
        for (other, at) in known.depths.iter().enumerate() {
            if *at == depth
                && self.groups[other].array == self.groups[group].array
                && compatible(&self.groups[other].key, &self.groups[group].key)
            {
                let (theirs, _) = self.at(other, depth, sizes);
                return words.saturating_sub(theirs);
            }
        }
        words
    }
}

/// Whether two keys agree wherever both are told by families.
fn compatible(one: &[Option<Vec<Ratio<i64>>>], other: &[Option<Vec<Ratio<i64>>>]) -> bool {
    one.iter()
        .zip(other)
        .all(|pair| !matches!(pair, (Some(a), Some(b)) if a != b))
}

fn prune_options(options: &mut Vec<(u128, u128, usize)>) {
    options.sort_by_key(|(words, cost, depth)| (*cost, *words, *depth));
    let mut least = u128::MAX;
    options.retain(|(words, ..)| {
        let better = *words < least;
        least = least.min(*words);
        better
    });
}
