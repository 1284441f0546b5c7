//! Everything about the code that does not depend on the language: loops, names, storage.

use std::collections::BTreeSet;

use redblue_poly::scan::{Call, Condition, Expr, Loop, Node, SymbolicNest};
use redblue_poly::{Map, Set};
use redblue_program::{Access, Array, ArrayId, Program, Role};

use super::conflict::Conflicts;
use super::fold::{Fold, fold};
use super::integer::Scope;
use super::names::{self, Component};
use super::{EmitError, EmitOptions, Result, access, identifier, isolate, tiles, unroll};

/// The code as a tree, before it is spelt.
pub(super) struct Plan<'p> {
    pub(super) program: &'p Program,
    pub(super) options: &'p EmitOptions,
    pub(super) function: String,
    pub(super) roots: Vec<Node>,
    pub(super) params: usize,
    components: Vec<Vec<Component>>,
    /// Tile sizes that can be changed in one place: component, size, name.
    pub(super) sizes: Vec<(usize, i64, String)>,
    pub(super) arrays: Vec<Storage>,
    pub(super) conflicts: Conflicts,
}

/// How an array is passed or declared.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    /// Extents over the parameters; `None` only for the first of an array of the caller.
    pub(super) extents: Vec<Option<Expr>>,
    /// How subscripts of local storage are folded.
    pub(super) fold: Fold,
    pub(super) kind: Kind,
}

/// Who owns an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number passed by value.
    Value,
    /// A number passed by address, because the caller sees it change.
    Cell,
    /// An array of the caller.
    Array,
    /// A variable of the function.
    Local,
}

impl<'p> Plan<'p> {
    pub(super) fn new(program: &'p Program, options: &'p EmitOptions) -> Result<Plan<'p>> {
        let mut components = Vec::new();
        for statement in &program.statements {
            components.push(names::components(&statement.schedule)?);
        }
        let scales = names::scales(&components);
        let schedules = schedules(program, &scales)?;
        let statements: Vec<&str> = program.statements.iter().map(|s| s.name.as_str()).collect();
        let nest = SymbolicNest::build(&schedules, &statements, &program.context)?;
        let tiles = Positions {
            params: nest.params,
            components: &components,
        };
        let mut roots = tiles::separate(nest.roots, &tiles)?;
        let arrays = storage(program)?;
        let conflicts = Conflicts::new(program, &arrays, &schedules)?;
        if options.speed {
            roots = unroll::unroll(roots, false)?;
            let params: Vec<String> = program.params.iter().map(|p| p.name.clone()).collect();
            let isolation = isolate::Isolation {
                conflicts: &conflicts,
                params: &params,
            };
            roots = isolation.split(roots)?;
        }
        let mut plan = Plan {
            program,
            options,
            function: identifier(options.function.as_deref().unwrap_or(&program.name)),
            roots,
            params: nest.params,
            components,
            sizes: Vec::new(),
            conflicts,
            arrays,
        };
        plan.sizes = plan.named_sizes(&scales);
        Ok(plan)
    }

    /// Tile sizes of which every occurrence in the code is understood as such.
    fn named_sizes(&self, scales: &[i64]) -> Vec<(usize, i64, String)> {
        let mut named: Vec<(usize, i64, String)> = Vec::new();
        for (dim, size) in scales.iter().enumerate().filter(|(_, size)| **size > 1) {
            let position = self.params + dim;
            let same: Vec<usize> = (0..scales.len())
                .filter(|other| scales[*other] == *size)
                .map(|other| self.params + other)
                .collect();
            // A folded subscript would keep the old size.
            let modulus = u64::try_from(*size).ok();
            let folded = self.arrays.iter().any(|a| a.fold.moduli.contains(&modulus));
            if folded || !tiles::only_as_tile(&self.roots, position, *size, &same) {
                continue;
            }
            let counter = self.components.iter().zip(&self.program.statements);
            let mut counter = counter.filter_map(|(times, statement)| match times[dim] {
                Component::Tile { iterator, .. } => statement.iterators.get(iterator),
                _ => None,
            });
            let base = format!("T{}", counter.next().map_or("", |name| name).to_uppercase());
            let taken = |name: &String| {
                self.is_reserved(name) || named.iter().any(|(_, _, other)| other == name)
            };
            let more = (2..).map(|n| format!("{base}{n}"));
            let mut names = std::iter::once(base.clone()).chain(more);
            let name = names.find(|name| !taken(name)).unwrap_or(base);
            named.push((dim, *size, name));
        }
        named
    }

    /// Names that loops must not take.
    pub(super) fn is_reserved(&self, name: &str) -> bool {
        const WORDS: [&str; 12] = [
            "MIN", "MAX", "FLOORD", "fn", "in", "if", "do", "as", "int", "for", "it_", "main",
        ];
        WORDS.contains(&name)
            || self.function == name
            || self.program.params.iter().any(|param| param.name == name)
            || self.program.arrays.iter().any(|array| array.name == name)
            || self.sizes.iter().any(|(_, _, size)| size == name)
            || self.calls().contains(name)
    }

    /// Names of all functions called.
    pub(super) fn calls(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for statement in &self.program.statements {
            statement.value.visit(&mut |node| {
                if let redblue_program::Expression::Call(name, _) = node {
                    found.insert(name.clone());
                }
            });
        }
        found
    }

    /// The scope of the function's body.
    pub(super) fn scope(&self) -> Scope {
        let mut scope = Scope::default();
        for (position, param) in self.program.params.iter().enumerate() {
            scope.bind(position, &param.name, 1);
        }
        for (dim, size, name) in &self.sizes {
            scope.bind_size(self.params + dim, *size, name);
        }
        scope
    }

    /// Name and sign of a loop.
    pub(super) fn loop_name(&self, at: &Loop, scope: &Scope) -> (String, i64) {
        names::loop_name(
            self.program,
            &self.components,
            self.params,
            at,
            scope,
            &|name| self.is_reserved(name),
        )
    }

    /// The name of a loop's stride, if it has one.
    pub(super) fn stride(&self, at: &Loop) -> String {
        let dim = at.iterator - self.params;
        let named = self
            .sizes
            .iter()
            .find(|(d, size, _)| *d == dim && *size == at.step);
        named.map_or(at.step.to_string(), |(_, _, name)| name.clone())
    }

    /// Names of the parameters.
    pub(super) fn param_names(&self) -> Vec<String> {
        self.program
            .params
            .iter()
            .map(|param| param.name.clone())
            .collect()
    }

    /// The subscripts of an access at a call.
    pub(super) fn subscripts(&self, call: &Call, access: &Access) -> Result<Vec<Expr>> {
        let cell = access::coordinates(&access.map, self.params, &call.point)?;
        let fold = &self.arrays[access.array.0].fold;
        Ok(fold.apply(cell))
    }

    /// Whether the generated integers need a function.
    pub(super) fn needs(&self, test: &dyn Fn(&Expr) -> bool) -> Result<bool> {
        let mut found = false;
        self.visit(&self.roots, &mut |expr| found |= test(expr))?;
        Ok(found)
    }

    /// All integer expressions of the code, and their parts.
    fn visit(&self, nodes: &[Node], see: &mut dyn FnMut(&Expr)) -> Result<()> {
        for node in nodes {
            match node {
                Node::Loop(at) => {
                    visit_expr(&at.first, see);
                    visit_expr(&at.last, see);
                    self.visit(&at.body, see)?;
                }
                Node::Guard {
                    condition,
                    then,
                    otherwise,
                } => {
                    visit_condition(condition, see);
                    self.visit(then, see)?;
                    self.visit(otherwise, see)?;
                }
                Node::Call(call) => {
                    let statement = &self.program.statements[call.statement];
                    for access in statement.reads.iter().chain([&statement.write]) {
                        for subscript in self.subscripts(call, access)? {
                            visit_expr(&subscript, see);
                        }
                    }
                    call.point.iter().for_each(|e| visit_expr(e, see));
                }
            }
        }
        Ok(())
    }
}

/// What the components of the statements' times say about loops.
struct Positions<'a> {
    params: usize,
    components: &'a [Vec<Component>],
}

impl Positions<'_> {
    fn at(&self, times: &[Component], position: usize) -> Option<Component> {
        let dim = position.checked_sub(self.params)?;
        times.get(dim).copied()
    }
}

impl tiles::Tiles for Positions<'_> {
    fn is_tile(&self, position: usize) -> bool {
        let tile = |times: &Vec<Component>| {
            matches!(self.at(times, position), Some(Component::Tile { .. }))
        };
        self.components.iter().any(tile)
    }

    fn is_tile_of(&self, position: usize, tile: usize) -> bool {
        self.components.iter().any(|times| {
            let counter = match self.at(times, position) {
                Some(Component::Counter { iterator, .. } | Component::Tile { iterator, .. }) => {
                    iterator
                }
                _ => return false,
            };
            matches!(self.at(times, tile), Some(Component::Tile { iterator, .. }) if iterator == counter)
        })
    }
}

pub(super) fn visit_expr(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    match expr {
        Expr::Linear(_) => {}
        Expr::Sum(list) | Expr::Min(list) | Expr::Max(list) => {
            list.iter().for_each(|e| visit_expr(e, see));
        }
        Expr::Scaled(_, e) | Expr::FloorDiv(e, _) | Expr::Modulo(e, _) => visit_expr(e, see),
        Expr::Select(condition, yes, no) => {
            visit_condition(condition, see);
            visit_expr(yes, see);
            visit_expr(no, see);
        }
    }
}

pub(super) fn visit_condition(condition: &Condition, see: &mut dyn FnMut(&Expr)) {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().for_each(|part| visit_condition(part, see));
        }
        Condition::Zero(_, e) => visit_expr(e, see),
    }
}

/// The schedules on their domains, tiles numbered by their first values.
fn schedules(program: &Program, scales: &[i64]) -> Result<Vec<Map>> {
    let dims: Vec<String> = (0..scales.len()).map(|d| format!("t{d}")).collect();
    let scaled: Vec<String> = scales
        .iter()
        .enumerate()
        .map(|(d, k)| format!("{k}*t{d}"))
        .collect();
    let text = format!("{{ [{}] -> [{}] }}", dims.join(", "), scaled.join(", "));
    let scale = Map::parse(program.context.context(), &text)?;
    let mut maps = Vec::new();
    for statement in &program.statements {
        let domain = statement.domain.intersect_params(&program.context)?;
        let time = statement.schedule.intersect_domain(&domain)?;
        maps.push(time.apply_range(&scale)?);
    }
    Ok(maps)
}

fn storage(program: &Program) -> Result<Vec<Storage>> {
    let folds = fold(program)?;
    let mut all = Vec::new();
    for (position, (array, fold)) in program.arrays.iter().zip(folds).enumerate() {
        let written = program
            .statements
            .iter()
            .any(|s| s.write.array == ArrayId(position));
        let kind = match (array.role, array.extents.is_empty()) {
            (Role::Local, _) if !array.output => Kind::Local,
            (_, false) => Kind::Array,
            (Role::Parameter, true) if !array.output => Kind::Value,
            (_, true) if !written => Kind::Value,
            _ => Kind::Cell,
        };
        let mut extents = Vec::new();
        for (dim, extent) in array.extents.iter().enumerate() {
            let extent = match extent {
                Some(text) => Some(declared(program, text)?),
                None if dim == 0 && kind == Kind::Array => None,
                None => return Err(no_extent(array)),
            };
            extents.push(extent);
        }
        all.push(Storage {
            extents,
            fold,
            kind,
        });
    }
    Ok(all)
}

fn no_extent(array: &Array) -> EmitError {
    EmitError::Unsupported(format!(
        "array {}, an extent of which is not declared",
        array.name
    ))
}

/// An extent given in isl notation.
fn declared(program: &Program, text: &str) -> Result<Expr> {
    let names: Vec<&str> = program.params.iter().map(|p| p.name.as_str()).collect();
    let set = format!("[{}] -> {{ [{text}] }}", names.join(", "));
    let set = Set::parse(program.context.context(), &set)?.align_params(&names)?;
    let value = set.dim_max(0)?;
    match &value.pieces()?[..] {
        [(_, affine)] => access::affine(affine, names.len(), &[]),
        _ => Err(EmitError::Unsupported(format!("the extent {text}"))),
    }
}
