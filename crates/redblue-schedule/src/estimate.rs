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
use crate::footprint::common_strides;
use crate::form::{Form, Level, Span, View, compatible};
use crate::linear::express;
use crate::order::{Family, Row};
use crate::sample::Sample;
use crate::shape::Shape;
use crate::site::{Reference, Site};
use crate::twins::Twins;

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
    pub(crate) key: Vec<Option<Vec<Ratio<i64>>>>,
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

/// All that estimates look at.
pub(crate) struct Estimator<'p> {
    pub(crate) site: &'p Site<'p>,
    pub(crate) shape: &'p Shape,
    pub(crate) sample: &'p Sample,
    pub(crate) stores_count: bool,
    /// Arrays whose tiles need no more room together than one of them.
    pub(crate) twins: &'p Twins,
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
                let key = self.key(&[reference], families);
                let mut known = None;
                for (at, group) in groups.iter().enumerate() {
                    if group.array != array {
                        continue;
                    }
                    if group.key == key || key.is_empty() {
                        known = Some((at, group.key.clone()));
                        break;
                    }
                    // Families that are alike in one statement may tell subscripts in several ways.
                    let all = [group.references.as_slice(), &[reference]].concat();
                    let joint = self.key(&all, families);
                    if known.is_none() && joint.iter().all(Option::is_some) {
                        known = Some((at, joint));
                    }
                }
                match known {
                    Some((at, key)) => {
                        groups[at].references.push(reference);
                        groups[at].key = key;
                    }
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

    /// Subscripts in terms of families, in the same way for all references, which are of one array.
    fn key(&self, references: &[Reference], families: &[Family]) -> Vec<Option<Vec<Ratio<i64>>>> {
        let told = |family: &Family| -> Option<Vec<i64>> {
            let rows = references.iter().map(|one| family.row(one.statement));
            let rows: Option<Vec<&[i64]>> = rows.map(|row| Some(row?.dims.as_slice())).collect();
            Some(rows?.concat())
        };
        let rows: Vec<Vec<i64>> = families.iter().filter_map(told).collect();
        let rows: Vec<&[i64]> = rows.iter().map(Vec::as_slice).collect();
        let Some(first) = references.first() else {
            return Vec::new();
        };
        let subscript = |at: usize| -> Option<Vec<i64>> {
            let list = references.iter().map(|one| self.subscripts(*one));
            let list: Option<Vec<&[i64]>> = list
                .map(|subscripts| Some(subscripts?.get(at)?.dims.as_slice()))
                .collect();
            Some(list?.concat())
        };
        let count = self.site.cells(*first).n_out();
        (0..count)
            .map(|at| express(&rows, &subscript(at)?))
            .collect()
    }

    /// Prepares an order with open sizes. With windows, cells that come by only for a while are expected to need room
    /// only then: true for stencils, too hopeful where steps of other statements use them again.
    pub(crate) fn form(&self, axes: Vec<Axis>, groups: &[Group], windows: bool) -> Result<Form> {
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
                list.push(self.level(&axes, depth, group, windows)?);
            }
            list.push(self.alone(group));
            levels.push(list);
        }
        let families: Vec<Family> = axes.iter().map(|axis| axis.family.clone()).collect();
        let kin = |at: usize| {
            let same = |other: &usize| {
                let (one, other) = (&groups[at], &groups[*other]);
                match one.array == other.array {
                    true => compatible(&one.key, &other.key),
                    false => {
                        self.twins.are(one.array, other.array)
                            && self.aligned(one, other, &families)
                    }
                }
            };
            (0..at).filter(same).collect()
        };
        let different = |list: &Vec<Level>| {
            let first = |depth: &usize| !list[..*depth].contains(&list[*depth]);
            (0..list.len()).filter(first).collect()
        };
        Ok(Form {
            axes,
            different: levels.iter().map(different).collect(),
            kin: (0..groups.len()).map(kin).collect(),
            groups: groups.to_vec(),
            levels,
            extents,
            twins: self.twins.clone(),
            stores_count: self.stores_count,
        })
    }

    /// Whether the subscripts of two groups are the same functions of families.
    fn aligned(&self, one: &Group, other: &Group, families: &[Family]) -> bool {
        let references = [one, other].map(|group| group.references.first().copied());
        let [Some(first), Some(second)] = references else {
            return false;
        };
        let key = self.key(&[first, second], families);
        key.iter().all(Option::is_some)
    }

    /// How many values a family spans, over all statements.
    pub(crate) fn extent(&self, family: &Family) -> u128 {
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

    fn level(&self, axes: &[Axis], depth: usize, group: &Group, windows: bool) -> Result<Level> {
        let mut views: Vec<View> = Vec::new();
        let window = depth + usize::from(windows && self.slides(axes, depth, group));
        for reference in &group.references {
            let id = reference.statement;
            if self.site.size(id) == 0 {
                continue;
            }
            let fixed = &axes[..depth];
            let rows: Vec<&Row> = fixed.iter().filter_map(|a| a.family.row(id)).collect();
            let here = self.site.images(id, &rows)?;
            let spread = self.spread(group, *reference);
            let spans = self.spans(axes, depth, *reference, &spread);
            let inner = match window == depth {
                true => spans.clone(),
                false => self.spans(axes, window, *reference, &spread),
            };
            let is_read = reference.operand.is_some();
            let tiles = self.tiles(fixed, *reference);
            View::new(spans, inner, here, tiles, is_read).join(&mut views);
        }
        Ok(Level {
            views,
            loads: self.moves(axes, depth, group, true),
            stores: self.moves(axes, depth, group, false),
            hands_on: self.hands_on(axes, depth, group),
        })
    }

    /// Whether cells come by only for a while as the next dimension grows: cell and fixed dimensions tell its value, up to
    /// the extent of tiles.
    fn slides(&self, axes: &[Axis], depth: usize, group: &Group) -> bool {
        let Some(next) = axes.get(depth) else {
            return false;
        };
        let mut params: Option<&[i64]> = None;
        group.references.iter().all(|reference| {
            let id = reference.statement;
            let (Some(subscripts), Some(row)) = (self.subscripts(*reference), next.family.row(id))
            else {
                return false;
            };
            let fixed = axes[..depth].iter().filter_map(|axis| axis.family.row(id));
            let known: Vec<&[i64]> = fixed
                .chain(subscripts)
                .map(|row| row.dims.as_slice())
                .collect();
            let same = *params.get_or_insert(&row.params) == row.params;
            same && row.dims.iter().any(|c| *c != 0) && crate::linear::spans(&known, &row.dims)
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
            views: vec![View::new(
                vec![Span::none()],
                vec![Span::none()],
                moves,
                Vec::new(),
                true,
            )],
            loads: true,
            stores: false,
            hands_on: false,
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

    /// By subscript, how far references of a group that differ in constants only are from each other, and the stride of
    /// the cells of the group.
    fn spread(&self, group: &Group, reference: Reference) -> Vec<(i64, u64)> {
        let Some(own) = self.subscripts(reference) else {
            return Vec::new();
        };
        let alike = |other: &&Reference| other.statement == reference.statement;
        let others = group.references.iter().filter(alike);
        let mut ends: Vec<(i64, i64)> = own.iter().map(|s| (s.constant, s.constant)).collect();
        for other in others.filter_map(|other| self.subscripts(*other)) {
            for ((low, high), (mine, theirs)) in ends.iter_mut().zip(own.iter().zip(other)) {
                if (&mine.dims, &mine.params) == (&theirs.dims, &theirs.params) {
                    *low = theirs.constant.min(*low);
                    *high = theirs.constant.max(*high);
                }
            }
        }
        let rows = group.references.iter().map(|one| self.subscripts(*one));
        let rows: Option<Vec<&Vec<Row>>> = rows.collect();
        let strides = rows.map_or_else(|| vec![1; ends.len()], |rows| common_strides(&rows));
        let spread = ends.iter().map(|(low, high)| high - low);
        spread.zip(strides).collect()
    }

    /// The span of each subscript of a reference and its neighbours while the first dimensions are fixed.
    fn spans(
        &self,
        axes: &[Axis],
        depth: usize,
        reference: Reference,
        spread: &[(i64, u64)],
    ) -> Vec<Span> {
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
        for (subscript, (spread, stride)) in subscripts.iter().zip(spread) {
            let stride = *stride as i64;
            let (low, high) = self.site.range(id, subscript);
            let most = ((high - low + spread) / stride + 1).max(1) as u128;
            let Some(coefficients) = express(&rows, &subscript.dims) else {
                spans.push(Span::whole(most));
                continue;
            };
            let (mut start, mut tiles) = (Ratio::new(stride + spread, stride), Vec::new());
            for (coefficient, (_, size, width)) in coefficients.iter().zip(&basis) {
                let weight = if *coefficient < Ratio::from(0) {
                    -coefficient
                } else {
                    *coefficient
                } / stride;
                match size {
                    Some(size) if weight > Ratio::from(0) => {
                        start -= weight;
                        tiles.push((weight, *size));
                    }
                    _ => start += weight * Ratio::from(*width as i64 - 1),
                }
            }
            spans.push(Span::new(start, &tiles, most));
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

    /// Whether values that go from one statement to another do so within subtrees.
    fn stays(&self, fixed: &[Axis], from: StatementId, to: StatementId) -> bool {
        fixed
            .iter()
            .all(|axis| match (axis.family.row(from), axis.family.row(to)) {
                (Some(source), Some(target)) => self.agree((from, source), (to, target)),
                _ => false,
            })
    }

    /// Whether some values of a group are used by itself, in the subtree in which they came about.
    fn hands_on(&self, axes: &[Axis], depth: usize, group: &Group) -> bool {
        group.references.iter().any(|reference| {
            let to = reference.statement;
            let operand = reference.operand.map(|at| self.site.operand(to, at));
            operand
                .into_iter()
                .flat_map(|o| &o.producers)
                .any(|(from, _)| {
                    let write = Reference {
                        statement: *from,
                        operand: None,
                    };
                    group.references.contains(&write) && self.stays(&axes[..depth], *from, to)
                })
        })
    }

    /// Whether a group moves at all at a depth: some value comes from or goes to another subtree or group.
    fn moves(&self, axes: &[Axis], depth: usize, group: &Group, loads: bool) -> bool {
        let stays = |from: StatementId, to: StatementId| self.stays(&axes[..depth], from, to);
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
