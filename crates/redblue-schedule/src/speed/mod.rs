//! An order for speed on real hardware: unit stride inside, registers and caches outside.
//!
//! ```text
//! [ ⌊v/512⌋, ⌊k/128⌋, ⌊i/4⌋, ⌊k/4⌋, v, i, k ]     v: unit stride, i and k: a register tile, ⌊v⌋ and ⌊k⌋: the cache
//! ```
//!
//! Orders with the least traffic in words are not the fastest code: lines, vector units and registers ask for more.
//! This chooser looks for loops that may be exchanged, puts one along which neighbouring cells are written
//! innermost, writes a small tile of the others around it, and keeps the program's own order wherever it
//! predicts no gain (nothing is reused, or the strides are good already).
//!
//! Legality. Statements of different strongly connected components of the dependence graph follow each other in
//! topological order. Within one, a dimension is used only if it is *forward*: no dependence that is left runs
//! against it. A sequential dimension removes the dependences it strictly obeys; a band of forward dimensions
//! is tiled and permuted freely (all of its dimensions are weakly obeyed, whole or divided); the program's own
//! time decides ties. All of it is proved with isl on the exact dependences of memory.

mod dependence;
mod shape;

use redblue_poly::{Map, PolyError};
use redblue_program::Program;
use redblue_program::error::{ProgramError, Result};

use dependence::{Dependence, Oracle, Row, dependences};
use shape::{has_reuse, vector_score};

use crate::expand::expand;

/// What the order is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// Bytes of the cache that tiles should stay in: the second level.
    pub cache_bytes: u64,
    /// Bytes of one cell.
    pub word_bytes: u64,
}

impl Default for Hardware {
    fn default() -> Hardware {
        Hardware {
            cache_bytes: 1 << 19,
            word_bytes: 8,
        }
    }
}

/// Statements of a register tile along each of its two dimensions.
const REGISTER: i64 = 4;

/// A faster order of the program, or `None` if none is expected.
pub fn order_for_speed(program: &Program, hardware: Hardware) -> Result<Option<Program>> {
    let plain = Chooser::new(program, hardware)?.run()?;
    let expanded = expand(program)?;
    let private = Chooser::new(&expanded, hardware)?.run()?;
    Ok(match (plain, private) {
        // Expansion costs memory, so it must gain something.
        (Some((gain, order)), Some((more, _))) if gain >= more => Some(order),
        (_, Some((_, order))) => Some(order),
        (Some((_, order)), None) => Some(order),
        (None, None) => None,
    })
}

struct Chooser<'p> {
    program: &'p Program,
    oracle: Oracle<'p>,
    hardware: Hardware,
    rows: Vec<Vec<String>>,
    /// Number of statements that got a vector loop they profit from.
    gain: usize,
    stages: u64,
}

/// One function per statement of a component, in the order of its statements.
type Family = Vec<Row>;

impl<'p> Chooser<'p> {
    fn new(program: &'p Program, hardware: Hardware) -> Result<Chooser<'p>> {
        Ok(Chooser {
            program,
            oracle: Oracle::new(program),
            hardware,
            rows: vec![Vec::new(); program.statements.len()],
            gain: 0,
            stages: 0,
        })
    }

    fn run(mut self) -> Result<Option<(usize, Program)>> {
        let all: Vec<usize> = (0..self.program.statements.len()).collect();
        let dependences = match dependences(self.program) {
            Err(ProgramError::Poly(PolyError::Budget { .. })) => return Ok(None),
            other => other?,
        };
        self.component(&all, &dependences, &[])?;
        if self.gain == 0 {
            return Ok(None);
        }
        let order = self.apply()?;
        Ok(Some((self.gain, order)))
    }

    /// The program with the rows before its own time.
    fn apply(&self) -> Result<Program> {
        let mut program = self.program.clone();
        let depth = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        for (statement, rows) in program.statements.iter_mut().zip(&self.rows) {
            let dims: Vec<String> = (0..statement.iterators.len())
                .map(|p| format!("x{p}"))
                .collect();
            let mut rows = rows.clone();
            rows.resize(depth, "0".to_string());
            let names: Vec<&str> = self
                .program
                .params
                .iter()
                .map(|p| p.name.as_str())
                .collect();
            let text = format!(
                "[{}] -> {{ {}[{}] -> [{}] }}",
                names.join(", "),
                statement.name,
                dims.join(", "),
                rows.join(", ")
            );
            let first = Map::parse(statement.schedule.context(), &text)?;
            statement.schedule = first.flat_range_product(&statement.schedule)?;
        }
        Ok(program)
    }

    /// Orders some statements, given the dependences among them that are left and the loops that are fixed.
    fn component(
        &mut self,
        statements: &[usize],
        left: &[Dependence],
        outer: &[Family],
    ) -> Result<()> {
        let parts = components(statements, left);
        let several = parts.len() > 1;
        for (number, part) in parts.iter().enumerate() {
            if several {
                part.iter()
                    .for_each(|s| self.rows[*s].push(number.to_string()));
            }
            let within = |d: &&Dependence| part.contains(&d.from) && part.contains(&d.to);
            let left: Vec<Dependence> = left.iter().filter(within).cloned().collect();
            let place = |s: &usize| statements.iter().position(|t| t == s).unwrap_or(0);
            let outer: Vec<Family> = outer
                .iter()
                .map(|family| part.iter().map(|s| family[place(s)]).collect())
                .collect();
            self.part(part, &left, outer)?;
        }
        Ok(())
    }

    fn part(&mut self, part: &[usize], left: &[Dependence], mut outer: Vec<Family>) -> Result<()> {
        self.stages += 1;
        let stage = self.stages;
        let depth = |s: &usize| self.program.statements[*s].iterators.len();
        let deepest = part.iter().map(depth).max().unwrap_or(0);
        let heavy: Vec<usize> = (0..part.len())
            .filter(|at| depth(&part[*at]) == deepest)
            .collect();
        let remaining = deepest.saturating_sub(outer.len());
        if deepest < 3 || remaining == 0 {
            return Ok(());
        }
        let mut band: Vec<Family> = Vec::new();
        for position in 0..deepest {
            let taken = |family: &Family| family[heavy[0]] == Row::Counter(position);
            if outer.iter().any(taken) {
                continue;
            }
            if let Some(family) = self.family(part, left, heavy[0], position, stage)? {
                let new = heavy.iter().all(|at| {
                    matches!(family[*at], Row::Counter(_))
                        && outer
                            .iter()
                            .chain(&band)
                            .all(|other| other[*at] != family[*at])
                });
                if new {
                    band.push(family);
                }
            }
        }
        if band.len() == remaining && remaining >= 2 {
            return self.band(part, &heavy, &band, left);
        }
        // One loop stays outside; what it obeys need not be obeyed inside.
        let Some(first) = band.into_iter().next().filter(|_| remaining > 2) else {
            return Ok(());
        };
        for (s, row) in part.iter().zip(&first) {
            self.rows[*s].push(row.text("x"));
        }
        let row = |s: usize| first[part.iter().position(|t| *t == s).unwrap_or(0)];
        let mut inside = Vec::new();
        for d in left {
            let pairs = self.oracle.related(d, row(d.from), "=", row(d.to))?;
            if !pairs.is_empty()? {
                inside.push(Dependence { pairs, ..d.clone() });
            }
        }
        outer.push(first);
        self.component(part, &inside, &outer)
    }

    /// A forward family that is this loop for this statement.
    fn family(
        &self,
        part: &[usize],
        left: &[Dependence],
        seed: usize,
        position: usize,
        stage: u64,
    ) -> Result<Option<Family>> {
        let name = &self.program.statements[part[seed]].iterators[position];
        let mut order: Vec<usize> = (0..part.len()).filter(|at| *at != seed).collect();
        order.insert(0, seed);
        let mut family: Vec<Option<Row>> = vec![None; part.len()];
        family[seed] = Some(Row::Counter(position));
        let found = self.complete(part, left, &order, 1, name, &mut family, stage)?;
        Ok(found.then(|| {
            family
                .into_iter()
                .map(|row| row.unwrap_or(Row::First))
                .collect()
        }))
    }

    #[allow(clippy::too_many_arguments)]
    fn complete(
        &self,
        part: &[usize],
        left: &[Dependence],
        order: &[usize],
        next: usize,
        name: &str,
        family: &mut Vec<Option<Row>>,
        stage: u64,
    ) -> Result<bool> {
        // Whatever is decided must be forward; the statement decided last is the one to check.
        let last = order[next - 1];
        for d in left
            .iter()
            .filter(|d| d.from == part[last] || d.to == part[last])
        {
            let row = |s: usize| part.iter().position(|t| *t == s).and_then(|at| family[at]);
            if let (Some(from), Some(to)) = (row(d.from), row(d.to))
                && !self.oracle.is_forward(d, from, to, stage)?
            {
                return Ok(false);
            }
        }
        let Some(at) = order.get(next).copied() else {
            return Ok(true);
        };
        let statement = &self.program.statements[part[at]];
        let mut choices: Vec<usize> = (0..statement.iterators.len()).collect();
        choices.sort_by_key(|p| statement.iterators[*p] != name);
        let mut rows: Vec<Row> = choices.into_iter().map(Row::Counter).collect();
        rows.push(Row::First);
        for row in rows {
            family[at] = Some(row);
            if self.complete(part, left, order, next + 1, name, family, stage)? {
                return Ok(true);
            }
        }
        family[at] = None;
        Ok(false)
    }

    /// Loops that may be exchanged and tiled: chooses which is innermost, or leaves everything as it is.
    fn band(
        &mut self,
        part: &[usize],
        heavy: &[usize],
        band: &[Family],
        left: &[Dependence],
    ) -> Result<()> {
        let Some(inner) = self.innermost(part, heavy, band, left)? else {
            return Ok(());
        };
        let others: Vec<usize> = (0..band.len()).filter(|f| *f != inner).collect();
        let position = |family: &Family, at: usize| match family[at] {
            Row::Counter(position) => position,
            Row::First => 0,
        };
        let mut reused = 0;
        let mut moved = 0;
        for at in heavy {
            let statement = &self.program.statements[part[*at]];
            let last = statement.iterators.len() - 1;
            moved += usize::from(position(&band[inner], *at) != last);
            for family in &others {
                reused += usize::from(has_reuse(statement, position(&band[*family], *at))?);
            }
        }
        if moved == 0 && (reused == 0 || band.len() < 3) {
            return Ok(());
        }
        self.gain += heavy.len();
        // A sum is the inner dimension of the register tile: its cell is read and written once.
        let statement = &self.program.statements[part[heavy[0]]];
        let mut tile: Vec<usize> = others.clone();
        let sums = |f: &usize| {
            shape::stride(&statement.write, position(&band[*f], heavy[0]))
                .is_ok_and(|stride| stride == shape::Stride::None)
        };
        tile.sort_by_key(sums);
        let tile = &tile[tile.len().saturating_sub(2)..];
        let outer: Vec<usize> = others
            .iter()
            .copied()
            .filter(|f| !tile.contains(f))
            .collect();
        let row = |f: usize, at: usize| band[f][at].text("x");
        let floor = |f: usize, at: usize, size: i64| match band[f][at] {
            Row::First => "0".to_string(),
            Row::Counter(_) => format!("floor({}/{size})", row(f, at)),
        };
        // Rows of the inner tile times the sum's tile fill half of the cache.
        let words = self.hardware.cache_bytes / self.hardware.word_bytes.max(1) / 2;
        let (long, wide) = (
            512,
            i64::try_from(words / 512).unwrap_or(128).clamp(16, 256),
        );
        let wide = wide / REGISTER * REGISTER;
        for (at, s) in part.iter().enumerate() {
            let mut rows = Vec::new();
            rows.extend(outer.iter().map(|f| row(*f, at)));
            if band.len() >= 3
                && let Some(sum) = tile.last()
            {
                rows.push(floor(inner, at, long));
                rows.push(floor(*sum, at, wide));
            }
            rows.extend(tile.iter().map(|f| floor(*f, at, REGISTER)));
            rows.push(row(inner, at));
            rows.extend(tile.iter().map(|f| row(*f, at)));
            self.rows[*s].extend(rows);
        }
        Ok(())
    }

    /// The loop with the best strides for the heavy statements, if one of unit stride carries no dependence.
    fn innermost(
        &self,
        part: &[usize],
        heavy: &[usize],
        band: &[Family],
        left: &[Dependence],
    ) -> Result<Option<usize>> {
        let mut best: Option<(i64, usize)> = None;
        'families: for (number, family) in band.iter().enumerate() {
            let mut score = 0;
            for at in heavy {
                let Row::Counter(position) = family[*at] else {
                    continue 'families;
                };
                match vector_score(&self.program.statements[part[*at]], position)? {
                    Some(more) => score += more,
                    None => continue 'families,
                }
            }
            let row =
                |family: &Family, s: usize| family[part.iter().position(|t| *t == s).unwrap_or(0)];
            for d in left {
                let deep = |s: usize| heavy.iter().any(|at| part[*at] == s);
                if !deep(d.from) || !deep(d.to) {
                    continue;
                }
                let mut inside = d.clone();
                for other in band.iter().filter(|other| *other != family) {
                    let (from, to) = (row(other, d.from), row(other, d.to));
                    inside.pairs = self.oracle.related(&inside, from, "=", to)?;
                }
                let (from, to) = (row(family, d.from), row(family, d.to));
                if !self.oracle.related(&inside, from, ">", to)?.is_empty()? {
                    continue 'families;
                }
            }
            if best.is_none_or(|(least, _)| score > least) {
                best = Some((score, number));
            }
        }
        Ok(best.map(|(_, number)| number))
    }
}

/// Strongly connected components in topological order; of those that may come next, the textually first.
fn components(statements: &[usize], left: &[Dependence]) -> Vec<Vec<usize>> {
    let n = statements.len();
    let place = |s: usize| statements.iter().position(|t| *t == s);
    let mut reach = vec![vec![false; n]; n];
    for d in left {
        if let (Some(from), Some(to)) = (place(d.from), place(d.to)) {
            reach[from][to] = true;
        }
    }
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut done = vec![false; n];
    while let Some(next) = (0..n).find(|at| {
        let ready = |other: usize| done[other] || !reach[other][*at] || reach[*at][other];
        !done[*at] && (0..n).all(ready)
    }) {
        let together = |at: &usize| *at == next || (reach[next][*at] && reach[*at][next]);
        let part: Vec<usize> = (0..n).filter(together).collect();
        part.iter().for_each(|at| done[*at] = true);
        parts.push(part.into_iter().map(|at| statements[at]).collect());
    }
    parts
}
