//! Finding forward families: functions along which a program may be cut.
//!
//! ```text
//! seed: a subscript of an array, a loop of a deep statement, a skewed loop
//!   └─ completed for the other statements by guesses that a small run does not refute
//!        └─ proved forward for all sizes with isl, or dropped
//! ```
//!
//! A family is kept if it tells apart instances of some statement that those before it do not. The search is
//! a heuristic; what it returns is proved.

use std::collections::BTreeMap;

use redblue_program::{Program, StatementId};

use crate::dependence::Dependences;
use crate::error::Result;
use crate::linear::spans;
use crate::order::{Family, Row};
use crate::sample::Sample;
use crate::shape::Shape;
use crate::told::tells;

/// Guesses per seed.
const GUESSES: usize = 300;
/// Guesses per seed that the small run does not refute and that are given to isl: a size that is there by chance
/// where another one belongs takes one.
const PROOFS: usize = 6;
/// Constants that are tried with one linear part.
const SHIFTS: usize = 3;
/// Families of one component.
const FAMILIES: usize = 7;

/// What the search for families looks at.
pub(crate) struct Finder<'p> {
    pub(crate) program: &'p Program,
    pub(crate) shape: &'p Shape,
    pub(crate) sample: &'p Sample,
    pub(crate) dependences: &'p Dependences,
}

/// A family that no dependence turns around.
pub(crate) struct Forward {
    pub(crate) family: Family,
    /// Positions of families that must come before it as single functions: only dependences that leave them equal
    /// were looked at.
    pub(crate) after: Vec<usize>,
}

/// The completion of one seed.
struct Quest<'f> {
    sign: i64,
    found: &'f [&'f Family],
    /// Only dependences that leave these equal count.
    equal: &'f [&'f Family],
    guesses: usize,
    proofs: usize,
}

/// A function for some statements.
struct Seed {
    rows: BTreeMap<StatementId, Row>,
}

impl Finder<'_> {
    /// Forward families of these statements, independent of each other; then those that are forward as long as
    /// others are equal.
    pub(crate) fn families(&self, statements: &[StatementId]) -> Result<Vec<Forward>> {
        let mut found: Vec<Forward> = Vec::new();
        let seeds = self.seeds(statements);
        for seed in &seeds {
            self.grow(statements, seed, &[], &mut found)?;
        }
        for seed in seeds.iter().filter(|seed| seed.rows.len() == 1) {
            let Some((id, row)) = seed.rows.first_key_value() else {
                continue;
            };
            let plain = row.dims.iter().filter(|c| **c != 0).count() == 1;
            let families: Vec<&Family> = found.iter().map(|known| &known.family).collect();
            if let Some(carrier) = self.sample.carrier((*id, row), &families).filter(|_| plain) {
                let mut after = found[carrier].after.clone();
                after.push(carrier);
                self.grow(statements, seed, &after, &mut found)?;
            }
        }
        Ok(found)
    }

    /// Adds the family of a seed, in one direction or the other, if there is one that tells more.
    fn grow(
        &self,
        statements: &[StatementId],
        seed: &Seed,
        after: &[usize],
        found: &mut Vec<Forward>,
    ) -> Result<()> {
        let known: Vec<&Family> = found.iter().map(|known| &known.family).collect();
        if known.len() >= FAMILIES || !self.adds(&known, &seed.rows)? {
            return Ok(());
        }
        let equal: Vec<&Family> = after.iter().map(|at| known[*at]).collect();
        for sign in [1, -1] {
            let turned = |row: &Row| match sign {
                1 => row.clone(),
                _ => row.negated(),
            };
            let rows = seed.rows.iter().map(|(id, row)| (*id, turned(row)));
            let mut quest = Quest {
                sign,
                found: &known,
                equal: &equal,
                guesses: GUESSES,
                proofs: PROOFS,
            };
            if let Some(family) = self.complete(statements, rows.collect(), &mut quest)? {
                let after = after.to_vec();
                found.push(Forward { family, after });
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether some function of a seed tells apart instances that the families do not.
    fn adds(&self, found: &[&Family], rows: &BTreeMap<StatementId, Row>) -> Result<bool> {
        for (id, row) in rows {
            let known: Vec<&Row> = found.iter().filter_map(|family| family.row(*id)).collect();
            if !tells(self.program, *id, &known, row)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn seeds(&self, statements: &[StatementId]) -> Vec<Seed> {
        let mut seeds = Vec::new();
        let depth = |id: &StatementId| self.program.statement(*id).iterators.len();
        let deepest = statements.iter().map(depth).max().unwrap_or(0);
        let heavy: Vec<StatementId> = statements
            .iter()
            .copied()
            .filter(|id| depth(id) == deepest)
            .collect();
        self.subscripts(statements, &mut seeds);
        let params = self.program.params.len();
        let one = |id: StatementId, row: Row| Seed {
            rows: BTreeMap::from([(id, row)]),
        };
        for &id in &heavy {
            for at in 0..deepest {
                let row = Row::unit(deepest, params, at);
                seeds.push(one(id, row));
            }
        }
        for &id in heavy.iter().take(1) {
            for at in 1..deepest {
                for skew in 1..=3 {
                    for others in 0..2 {
                        let mut row = Row::unit(deepest, params, at);
                        row.dims[0] = skew;
                        if others == 1 {
                            if at == 1 {
                                continue;
                            }
                            for between in 1..at {
                                row.dims[between] = 1;
                            }
                        }
                        seeds.push(one(id, row));
                    }
                }
            }
        }
        seeds
    }

    /// One seed per dimension of an array: that subscript of the cell written, or else of the first one read.
    fn subscripts(&self, statements: &[StatementId], seeds: &mut Vec<Seed>) {
        for array in 0..self.program.arrays.len() {
            for dim in 0..self.program.arrays[array].extents.len() {
                let mut rows = BTreeMap::new();
                let mut plain = false;
                for &id in statements {
                    let statement = self.program.statement(id);
                    let mut subscripts: Option<&Vec<Row>> = None;
                    if statement.write.array.0 == array {
                        subscripts = self.shape.writes[id.0].as_ref();
                    } else {
                        let reads = statement.reads.iter().zip(&self.shape.reads[id.0]);
                        for (read, known) in reads {
                            if read.array.0 == array && subscripts.is_none() {
                                subscripts = known.as_ref();
                            }
                        }
                    }
                    let Some(row) = subscripts.and_then(|list| list.get(dim)) else {
                        continue;
                    };
                    plain |= row.dims.contains(&1);
                    rows.insert(id, row.clone());
                }
                if plain {
                    seeds.push(Seed { rows });
                }
            }
        }
    }

    /// Functions for all statements: guesses that the small run does not refute, until one is proved.
    fn complete(
        &self,
        statements: &[StatementId],
        fixed: BTreeMap<StatementId, Row>,
        quest: &mut Quest<'_>,
    ) -> Result<Option<Family>> {
        for (id, row) in &fixed {
            if !self.agrees(&fixed, *id, row, quest) {
                return Ok(None);
            }
        }
        let missing: Vec<StatementId> = statements
            .iter()
            .copied()
            .filter(|id| !fixed.contains_key(id))
            .collect();
        self.assign(fixed, &missing, quest)
    }

    fn assign(
        &self,
        known: BTreeMap<StatementId, Row>,
        missing: &[StatementId],
        quest: &mut Quest<'_>,
    ) -> Result<Option<Family>> {
        // The statement that touches a known one is next: its function is the most constrained.
        let next = missing.iter().position(|id| {
            known.keys().any(|other| {
                self.dependences.between(*id, *other) || self.dependences.between(*other, *id)
            })
        });
        let Some((&id, rest)) = missing.split_first() else {
            return self.proved(known, quest);
        };
        let (id, rest): (StatementId, Vec<StatementId>) = match next {
            Some(at) => {
                let mut rest = missing.to_vec();
                let id = rest.remove(at);
                (id, rest)
            }
            None => (id, rest.to_vec()),
        };
        for linear in self.directions(&known, id, quest) {
            for row in self.shifted(&known, id, &linear, quest) {
                if quest.guesses == 0 || quest.proofs == 0 {
                    return Ok(None);
                }
                quest.guesses -= 1;
                if !self.agrees(&known, id, &row, quest) {
                    continue;
                }
                let mut more = known.clone();
                more.insert(id, row);
                if let Some(family) = self.assign(more, &rest, quest)? {
                    return Ok(Some(family));
                }
            }
        }
        Ok(None)
    }

    /// What people call a family: its function of the deepest statement, in the words of the source. Independent
    /// families differ there, so their names do.
    fn name(&self, rows: &BTreeMap<StatementId, Row>) -> String {
        let moving = rows
            .iter()
            .filter(|(_, row)| row.dims.iter().any(|c| *c != 0));
        let deepest = moving.max_by_key(|(id, row)| (row.dims.len(), std::cmp::Reverse(**id)));
        let Some((id, row)) = deepest else {
            return String::new();
        };
        let mut text = String::new();
        for (factor, name) in row.dims.iter().zip(&self.program.statement(*id).iterators) {
            match factor {
                0 => continue,
                f if *f < 0 => text.push('-'),
                _ if !text.is_empty() => text.push('+'),
                _ => {}
            }
            text.push_str(&times(factor.abs(), name));
        }
        text
    }

    /// The family, if it is forward for all sizes.
    fn proved(
        &self,
        rows: BTreeMap<StatementId, Row>,
        quest: &mut Quest<'_>,
    ) -> Result<Option<Family>> {
        quest.proofs = quest.proofs.saturating_sub(1);
        let mut family = Family {
            name: self.name(&rows),
            rows: vec![None; self.program.statements.len()],
        };
        for (id, row) in rows {
            family.rows[id.0] = Some(row);
        }
        let forward = self
            .dependences
            .forward(self.program, &family, quest.equal)?;
        Ok(forward.then_some(family))
    }

    /// Whether the small run has no dependence that these functions turn around.
    fn agrees(
        &self,
        known: &BTreeMap<StatementId, Row>,
        id: StatementId,
        row: &Row,
        quest: &Quest<'_>,
    ) -> bool {
        let forward = |from, to| {
            let least = self.sample.least_gap(from, to, quest.equal);
            least.is_none_or(|gap| gap >= 0)
        };
        forward((id, row), (id, row))
            && known
                .iter()
                .filter(|(other, _)| **other != id)
                .all(|(other, theirs)| {
                    forward((id, row), (*other, theirs)) && forward((*other, theirs), (id, row))
                })
    }

    /// Linear parts that go through the cells of an array as a known function of another statement does, those of arrays
    /// with more dimensions first: what both read can be read once.
    fn alongside(&self, other: StatementId, row: &Row, id: StatementId, sign: i64) -> Vec<Row> {
        let accesses = |id: StatementId| {
            let statement = self.program.statement(id);
            let reads = statement.reads.iter().zip(&self.shape.reads[id.0]);
            let write = (&statement.write, &self.shape.writes[id.0]);
            let all = reads.chain([write]);
            all.filter_map(|(access, rows)| Some((access.array, rows.as_ref()?)))
        };
        let mut list: Vec<(usize, Row)> = Vec::new();
        for (array, theirs) in accesses(other) {
            for (_, own) in accesses(id).filter(|(same, _)| *same == array) {
                for (their, own) in theirs.iter().zip(own) {
                    let along = |c: &i64| c * sign;
                    if their.dims.iter().map(along).eq(row.dims.iter().copied()) {
                        let mut linear = Row::zero(own.dims.len(), own.params.len());
                        linear.dims = own.dims.iter().map(along).collect();
                        list.push((theirs.len(), linear));
                    }
                }
            }
        }
        list.sort_by_key(|(dims, _)| std::cmp::Reverse(*dims));
        list.into_iter().map(|(_, linear)| linear).collect()
    }

    /// Linear parts worth trying: as in a known statement on shared loops, then along shared arrays, then, in a statement as
    /// deep as a known one, loops that the families found so far do not tell, then none, then all loops.
    fn directions(
        &self,
        known: &BTreeMap<StatementId, Row>,
        id: StatementId,
        quest: &Quest<'_>,
    ) -> Vec<Row> {
        let depth = self.program.statement(id).iterators.len();
        let params = self.program.params.len();
        let mut list: Vec<Row> = Vec::new();
        for (other, row) in known {
            let shared = self.shape.shared_loops(id, *other);
            let used = row
                .dims
                .iter()
                .rposition(|c| *c != 0)
                .map_or(0, |at| at + 1);
            let same_depth = row.dims.len() == depth;
            let skewed = row.dims.iter().filter(|c| **c != 0).count() > 1;
            if used > 0 && (used <= shared || (same_depth && skewed)) {
                let mut copy = Row::zero(depth, params);
                copy.dims[..used].copy_from_slice(&row.dims[..used]);
                list.push(copy);
            } else if skewed && depth > shared {
                // A statement outside of some of the loops is skewed along with the others in its own.
                for coefficient in row.dims[shared..].iter().filter(|c| **c != 0) {
                    for at in shared..depth {
                        let mut copy = Row::zero(depth, params);
                        copy.dims[..shared].copy_from_slice(&row.dims[..shared]);
                        copy.dims[at] = *coefficient;
                        list.push(copy);
                    }
                }
            }
        }
        for (other, row) in known {
            list.extend(self.alongside(*other, row, id, quest.sign));
        }
        let told: Vec<&[i64]> = quest
            .found
            .iter()
            .filter_map(|family| family.row(id).map(|row| row.dims.as_slice()))
            .collect();
        let units = (0..depth).map(|at| {
            let mut unit = Row::zero(depth, params);
            unit.dims[at] = quest.sign;
            unit
        });
        let (old, new): (Vec<Row>, Vec<Row>) = units.partition(|row| spans(&told, &row.dims));
        if known.values().any(|row| row.dims.len() == depth) {
            list.extend(new.clone());
        }
        list.push(Row::zero(depth, params));
        list.extend(new);
        list.extend(old);
        let mut unique: Vec<Row> = Vec::new();
        for row in list {
            if !unique.contains(&row) {
                unique.push(row);
            }
        }
        // Values that are used at an even distance from where they are made can stay between.
        let uneven = |row: &Row| -> i64 {
            let with = known.iter().map(|(other, theirs)| {
                self.sample.flow_spread((*other, theirs), (id, row))
                    + self.sample.flow_spread((id, row), (*other, theirs))
            });
            with.sum()
        };
        unique.sort_by_cached_key(uneven);
        unique
    }

    /// The linear part with the constants that the known statements leave.
    fn shifted(
        &self,
        known: &BTreeMap<StatementId, Row>,
        id: StatementId,
        linear: &Row,
        quest: &Quest<'_>,
    ) -> Vec<Row> {
        let (mut low, mut high) = (i64::MIN, i64::MAX);
        for (other, row) in known {
            let least = |from, to| self.sample.least_gap(from, to, quest.equal);
            if let Some(gap) = least((*other, row), (id, linear)) {
                low = low.max(-gap);
            }
            if let Some(gap) = least((id, linear), (*other, row)) {
                high = high.min(gap);
            }
        }
        // A value at the end of what is left is the likely one, and a plain number before a size. After a loop of N
        // steps, N is as good as N - 1 and right also if there are none.
        let mut list: Vec<(i64, bool, i64, Row)> = Vec::new();
        let mut offer = |row: Row, value: i64| {
            if low <= value && value <= high {
                let slack = value.saturating_sub(low).min(high.saturating_sub(value));
                let slack = if low == i64::MIN && high == i64::MAX {
                    0
                } else {
                    slack
                };
                let sized = row.params.iter().any(|c| *c != 0);
                let slack = if sized { slack.max(1) } else { slack };
                list.push((slack, sized, row.constant.abs(), row));
            }
        };
        for constant in -3..=3 {
            let mut row = linear.clone();
            row.constant = constant;
            offer(row, constant);
        }
        for (at, size) in self.sample.sizes.iter().enumerate() {
            // Several steps over the same loop, one after the other, need several of its lengths.
            for sign in [1, -1, 2, 3] {
                for constant in -3..=3 {
                    let mut row = linear.clone();
                    row.params[at] = sign;
                    row.constant = constant;
                    offer(row, sign * size + constant);
                }
            }
        }
        list.sort();
        list.truncate(SHIFTS);
        list.into_iter().map(|(.., row)| row).collect()
    }
}

fn times(factor: i64, name: &str) -> String {
    match factor {
        1 => name.to_owned(),
        _ => format!("{factor}{name}"),
    }
}
