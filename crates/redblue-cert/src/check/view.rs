//! The program as the checker sees it: names resolved, texts read, everything within the sizes considered.
//!
//! Every set and map of a proof enters through [`View`], which aligns its parameters with the program's,
//! restricts it to the program's sizes and refuses names and dimensions the program does not have. If the
//! user gave a program, its sets are the only ones that are used; the certificate's own text plays no role.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use redblue_poly::{Context, Map, Set, UnionMap, UnionSet};
use redblue_program::{Array, Expression, Program, Statement};

use crate::certificate::IslText;
use crate::refusal::{Cause, Refusal, Result, demand};

/// The name of the size of the fast memory in formulas.
pub(crate) const FAST: &str = "S";

/// A program with its sizes.
pub(crate) struct View {
    program: Program,
    sizes: Set,
    positive: Set,
    names: Vec<String>,
    /// What [`View::before`] has found, by the names of the statements.
    orders: RefCell<BTreeMap<(String, String), Map>>,
}

/// What a statement is in the graph (G-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It computes: its instances are vertices.
    Operation,
    /// Its value is a bare operand: not a vertex but another name for one.
    Copy,
    /// It has no operands: free, and no vertex.
    Constant,
}

impl View {
    /// The view of a program whose invariants hold.
    pub(crate) fn new(program: Program) -> Result<View> {
        let names: Vec<String> = program.params.iter().map(|p| p.name.clone()).collect();
        demand(
            !names.iter().any(|name| name == FAST),
            Cause::Program,
            || format!("a size is called {FAST}, which is the fast memory"),
        )?;
        let statements = program.statements.iter().map(|s| &s.name);
        let mut seen = BTreeSet::new();
        for name in statements.chain(program.arrays.iter().map(|a| &a.name)) {
            // Words are known by tuple name: a cell and an instance must never look alike.
            demand(seen.insert(name.clone()), Cause::Program, || {
                format!("two statements or arrays are called {name}")
            })?;
        }
        for statement in &program.statements {
            // Ways through the graph end only where there is an end.
            demand(statement.domain.is_bounded()?, Cause::Program, || {
                format!("{} has infinitely many instances", statement.name)
            })?;
        }
        let context = program.context.align_params(&names)?;
        let at_least = |least: i64| -> Result<Set> {
            let all: Vec<String> = names
                .iter()
                .map(|name| format!("{name} >= {least}"))
                .collect();
            let text = format!("[{}] -> {{ : {} }}", names.join(", "), all.join(" and "));
            Ok(context.intersect(&Set::parse(context.context(), &text)?)?)
        };
        // Symbols of formulas stand for numbers that are not negative.
        let (sizes, positive) = (at_least(0)?, at_least(1)?);
        Ok(View {
            program,
            sizes,
            positive,
            names,
            orders: RefCell::default(),
        })
    }

    pub(crate) fn isl(&self) -> &Context {
        self.program.context.context()
    }

    /// The sizes considered, none of them negative.
    pub(crate) fn sizes(&self) -> &Set {
        &self.sizes
    }

    /// The sizes that formulas are for: those without a zero, which would only clutter them with cases.
    pub(crate) fn positive(&self) -> &Set {
        &self.positive
    }

    /// The names of the sizes.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn statements(&self) -> &[Statement] {
        &self.program.statements
    }

    pub(crate) fn statement(&self, name: &str) -> Result<&Statement> {
        let found = self.program.statements.iter().find(|s| s.name == name);
        found.ok_or_else(|| unknown("statement", name))
    }

    pub(crate) fn array(&self, name: &str) -> Result<&Array> {
        let found = self.program.arrays.iter().find(|a| a.name == name);
        found.ok_or_else(|| unknown("array", name))
    }

    pub(crate) fn array_of(&self, access: &redblue_program::Access) -> Result<&Array> {
        let found = self.program.arrays.get(access.array.0);
        found.ok_or_else(|| unknown("array", &access.array.0.to_string()))
    }

    /// What a statement is in the graph.
    pub(crate) fn kind(&self, statement: &Statement) -> Kind {
        match &statement.value {
            Expression::Read(_) => Kind::Copy,
            value if value.operands().is_empty() => Kind::Constant,
            _ => Kind::Operation,
        }
    }

    /// The instances of a statement at the sizes considered.
    pub(crate) fn domain(&self, statement: &Statement) -> Result<Set> {
        Ok(statement.domain.intersect_params(&self.sizes)?)
    }

    /// A map of a statement, on its domain.
    pub(crate) fn on_domain(&self, map: &Map, statement: &Statement) -> Result<Map> {
        Ok(map.intersect_domain(&self.domain(statement)?)?)
    }

    /// `{ first -> second }` with the first strictly before the second in the program's order.
    pub(crate) fn before(&self, first: &Statement, second: &Statement) -> Result<Map> {
        let key = (first.name.clone(), second.name.clone());
        if let Some(known) = self.orders.borrow().get(&key) {
            return Ok(known.clone());
        }
        let from = self.on_domain(&first.schedule, first)?;
        let to = self.on_domain(&second.schedule, second)?;
        let later = Map::lex_lt(&from.space()?.range()?)?;
        let order = from.apply_range(&later)?.apply_range(&to.reverse()?)?;
        self.orders.borrow_mut().insert(key, order.clone());
        Ok(order)
    }

    /// A relation from text.
    pub(crate) fn map(&self, text: &IslText) -> Result<Map> {
        let map = Map::parse(self.isl(), text)?.align_params(&self.names)?;
        Ok(map.intersect_params(&self.sizes)?)
    }

    /// A condition on the sizes from text.
    pub(crate) fn condition(&self, text: &IslText) -> Result<Set> {
        let condition = Set::parse(self.isl(), text)?;
        demand(condition.is_params()?, Cause::Format, || {
            format!("{text} is no condition on sizes")
        })?;
        Ok(condition.align_params(&self.names)?)
    }

    /// Instances of some statement from text.
    pub(crate) fn instances(&self, text: &IslText) -> Result<(&Statement, Set)> {
        let set = Set::parse(self.isl(), text)?.align_params(&self.names)?;
        let set = set.intersect_params(&self.sizes)?;
        let statement = self.statement(&set.tuple_name().unwrap_or_default())?;
        demand(set.is_subset(&statement.domain)?, Cause::Program, || {
            format!("{text} is not inside the domain of {}", statement.name)
        })?;
        Ok((statement, set))
    }

    /// Sets of vertices from text.
    pub(crate) fn vertices(&self, texts: &[IslText]) -> Result<UnionSet> {
        let mut all = UnionSet::empty(self.isl())?;
        for text in texts {
            let (statement, set) = self.instances(text)?;
            self.demand_vertex(statement)?;
            all = all.union(&set.to_union()?)?;
        }
        Ok(all)
    }

    /// Labels of vertices from text: `{ S0[i, j] -> [i] : … }`, a function into tuples of length `length`.
    pub(crate) fn vertex_labels(&self, texts: &[IslText], length: usize) -> Result<UnionMap> {
        function(self.vertex_relation(texts, length)?, texts)
    }

    /// Labels of vertices from text, any number of them for each vertex.
    pub(crate) fn vertex_relation(&self, texts: &[IslText], length: usize) -> Result<UnionMap> {
        let mut all = UnionMap::empty(self.isl())?;
        for text in texts {
            let map = self.label(text, length)?;
            let statement = self.statement(&map.in_tuple().unwrap_or_default())?;
            self.demand_vertex(statement)?;
            demand(
                map.domain()?.is_subset(&statement.domain)?,
                Cause::Program,
                || format!("{text} is not inside the domain of {}", statement.name),
            )?;
            all = all.union(&map.to_union()?)?;
        }
        Ok(all)
    }

    /// Labels of cells of arrays from text: `{ A[i, j] -> [i] : … }`.
    pub(crate) fn cell_labels(&self, texts: &[IslText], length: usize) -> Result<UnionMap> {
        let mut all = UnionMap::empty(self.isl())?;
        for text in texts {
            let map = self.label(text, length)?;
            self.array(&map.in_tuple().unwrap_or_default())?;
            all = all.union(&map.to_union()?)?;
        }
        function(all, texts)
    }

    fn label(&self, text: &IslText, length: usize) -> Result<Map> {
        let map = self.map(text)?;
        demand(
            map.out_tuple().is_none() && map.n_out() == length,
            Cause::Program,
            || format!("the labels of {text} should be unnamed tuples of length {length}"),
        )?;
        Ok(map)
    }

    fn demand_vertex(&self, statement: &Statement) -> Result<()> {
        demand(
            self.kind(statement) == Kind::Operation,
            Cause::Program,
            || format!("{} is a copy or a constant, not a vertex", statement.name),
        )
    }
}

fn function(labels: UnionMap, texts: &[IslText]) -> Result<UnionMap> {
    demand(labels.is_single_valued()?, Cause::Path, || {
        format!("something has two labels in {}", texts.join("; "))
    })?;
    Ok(labels)
}

fn unknown(what: &str, name: &str) -> Refusal {
    Refusal::new(Cause::Program, format!("there is no {what} `{name}`"))
}
