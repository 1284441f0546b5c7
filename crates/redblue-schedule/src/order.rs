//! Orders of execution: what a tiling does to a program.
//!
//! ```text
//! time of an instance = (component, ⌊φ₁/B₁⌋, ⌊φ₂/B₂⌋, φ₃, …, the program's own time)
//! ```
//!
//! A *family* φ is one affine function per statement. A component is a run of neighbouring loop nests that
//! share dimensions; components follow each other in program order.
//!
//! **Theorem (legality).** Call φ *forward* if φ(t) >= φ(s) for every pair s → t of instances that touch one cell,
//! one of them writing, s first in the program's own order. If every dimension of an order is a forward family,
//! tiled or not, then the order is legal. *Proof.* ⌊·/B⌋ is monotone, so each dimension of t is at least that of
//! s; either some dimension is larger at the first place where they differ, or all are equal and the program's
//! own time, which comes last, decides for s. So no such pair is turned around, every read sees the same last
//! writer as before, and the final contents are the same. ∎
//!
//! A dimension may also be forward only on the pairs that leave some functions equal, if these stand before it as they
//! are: the other pairs are decided there or earlier. So sums over several loops keep the program's order of terms.
//!
//! The dimensions of the program's own time, in their order and after all tiles, need no proof of their own:
//! they are compared lexicographically, and the program's order is legal.

use redblue_poly::Map;
use redblue_program::{Program, StatementId};

use crate::error::Result;

/// An affine function on the instances of one statement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row {
    /// Coefficients of the loops.
    pub dims: Vec<i64>,
    /// Coefficients of the size parameters.
    pub params: Vec<i64>,
    /// The constant.
    pub constant: i64,
}

impl Row {
    /// The loop at this position.
    pub(crate) fn unit(dims: usize, params: usize, at: usize) -> Row {
        let mut row = Row::zero(dims, params);
        row.dims[at] = 1;
        row
    }

    /// Zero.
    pub(crate) fn zero(dims: usize, params: usize) -> Row {
        Row {
            dims: vec![0; dims],
            params: vec![0; params],
            constant: 0,
        }
    }

    /// The value at an instance.
    pub(crate) fn at(&self, point: &[i64], sizes: &[i64]) -> i64 {
        self.constant + dot(&self.dims, point) + dot(&self.params, sizes)
    }

    /// The function turned around.
    pub(crate) fn negated(&self) -> Row {
        let minus = |list: &[i64]| list.iter().map(|c| -c).collect();
        Row {
            dims: minus(&self.dims),
            params: minus(&self.params),
            constant: -self.constant,
        }
    }

    /// In isl notation, with `loops` and `params` as names.
    pub(crate) fn text(&self, loops: &[String], params: &[String]) -> String {
        let mut text = self.constant.to_string();
        let named = self.dims.iter().zip(loops);
        for (coefficient, name) in named.chain(self.params.iter().zip(params)) {
            if *coefficient != 0 {
                text.push_str(&format!(" + {coefficient}{name}"));
            }
        }
        text
    }
}

pub(crate) fn dot(left: &[i64], right: &[i64]) -> i64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// One affine function per statement of a component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Family {
    /// How people call it: a loop's name if there is one.
    pub name: String,
    /// By statement of the program; `None` outside the component.
    pub rows: Vec<Option<Row>>,
}

impl Family {
    /// The function of a statement.
    pub(crate) fn row(&self, statement: StatementId) -> Option<&Row> {
        self.rows.get(statement.0).and_then(Option::as_ref)
    }
}

/// One dimension of an order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dim {
    /// The functions.
    pub family: Family,
    /// The side of a tile, or the function itself.
    pub tile: Option<u64>,
}

impl Dim {
    /// `i / 31` for a tile, `i` otherwise.
    pub fn name(&self) -> String {
        match self.tile {
            Some(side) => format!("{}/{side}", self.family.name),
            None => self.family.name.clone(),
        }
    }
}

/// Loop nests that share dimensions.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its statements in textual order.
    pub statements: Vec<StatementId>,
    /// Its dimensions, outermost first. The program's own time follows.
    pub dims: Vec<Dim>,
}

/// An order of execution of a whole program.
#[derive(Clone, Debug)]
pub struct Order {
    /// In the order they run.
    pub components: Vec<Component>,
}

impl Order {
    /// The same program with this order as its own.
    pub fn apply(&self, program: &Program) -> Result<Program> {
        let depth = self.components.iter().map(|c| c.dims.len()).max();
        let depth = depth.unwrap_or(0);
        let mut reordered = program.clone();
        for (number, component) in self.components.iter().enumerate() {
            for id in &component.statements {
                let statement = &mut reordered.statements[id.0];
                let head = head(program, *id, number, &component.dims, depth)?;
                statement.schedule = head
                    .intersect_domain(&statement.domain)?
                    .flat_range_product(&statement.schedule)?;
            }
        }
        Ok(reordered)
    }
}

/// The function to `(component, dims…, 0…)`.
fn head(
    program: &Program,
    id: StatementId,
    number: usize,
    dims: &[Dim],
    depth: usize,
) -> Result<Map> {
    let statement = program.statement(id);
    let params: Vec<String> = program.params.iter().map(|p| p.name.clone()).collect();
    let loops = loop_names("i", statement.iterators.len());
    let mut times = vec![number.to_string()];
    for dim in dims {
        let text = dim
            .family
            .row(id)
            .map_or_else(|| "0".to_owned(), |row| row.text(&loops, &params));
        times.push(match dim.tile {
            Some(side) => format!("floor(({text})/{side})"),
            None => text,
        });
    }
    times.resize(depth + 1, "0".to_owned());
    let text = format!(
        "[{}] -> {{ {}[{}] -> [{}] }}",
        params.join(", "),
        statement.name,
        loops.join(", "),
        times.join(", ")
    );
    Ok(Map::parse(program.context.context(), &text)?)
}

/// Names for the loops of an instance that no parameter can have: isl lets them end with primes, C does not.
pub(crate) fn loop_names(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{prefix}{at}'")).collect()
}
