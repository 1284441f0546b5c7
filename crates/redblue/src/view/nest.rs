//! The loops of a tiling, outermost first, with what stays in fast memory while they run.
//!
//! ```text
//! for i in tiles of 31
//! | for j in tiles of 32
//! | | C stays: 992 words
//! | | for k
//! | | | A stays: 31 words
//! | | | << S1 >>
//! ```
//!
//! A dimension that is the same number in every instance of a statement is no loop: it only says which statements come
//! first, and they follow each other at the same depth.

use std::collections::BTreeMap;

use redblue_program::StatementId;
use redblue_schedule::{Component, Dim, Resident, Row, Tiling, Together};

/// The loops as text. Nested memories, nearest first, share one order, and each line says in which memory cells stay.
pub(super) fn nest(levels: &[&Tiling]) -> String {
    let mut out = String::new();
    let Some(last) = levels.last() else {
        return out;
    };
    if last.is_original {
        out.push_str("nothing better than the program's own order was found\n");
    }
    for (number, component) in last.order.components.iter().enumerate() {
        let mut nest = Nest {
            levels,
            tiling: last,
            number,
            component,
            out: &mut out,
        };
        nest.write(&component.statements, 0, 0);
    }
    out
}

/// `fast memory: 1023 of 1024 words`.
pub(super) fn used(tiling: &Tiling) -> String {
    format!(
        "fast memory: {} of {} words\n",
        tiling.fast_words, tiling.fast
    )
}

struct Nest<'a> {
    levels: &'a [&'a Tiling],
    tiling: &'a Tiling,
    number: usize,
    component: &'a Component,
    out: &'a mut String,
}

impl Nest<'_> {
    /// Some statements from a dimension on.
    fn write(&mut self, statements: &[StatementId], at: usize, indent: usize) {
        let levels = self.levels;
        for level in levels.iter().rev() {
            for resident in self.residents(level, statements) {
                if resident.depth == at && resident.words > 0 {
                    let plural = if resident.words == 1 { "" } else { "s" };
                    let array = &self.tiling.program.array(resident.array).name;
                    let place = self.place(level);
                    let words = resident.words;
                    let mut stays = format!("{array} stays: {words} word{plural}{place}");
                    if let Some(Together { with, words }) = resident.together {
                        let with = &self.tiling.program.array(with).name;
                        stays.push_str(&format!(", {words} together with {with}"));
                    }
                    self.line(indent, &stays);
                }
            }
        }
        let Some(dim) = self.component.dims.get(at) else {
            return self.body(statements, at, indent);
        };
        let row = |id: &StatementId| dim.family.rows.get(id.0).and_then(Option::as_ref);
        let moves = |row: &Row| row.dims.iter().any(|c| *c != 0);
        if self.is_told(at) {
            return self.write(statements, at + 1, indent);
        }
        if statements.iter().filter_map(row).any(moves) {
            let name = self.loop_name(statements, at);
            self.line(
                indent,
                &match dim.tile {
                    Some(side) if side > 1 => format!("for {name} in tiles of {side}"),
                    _ => format!("for {name}"),
                },
            );
            return self.write(statements, at + 1, indent + 1);
        }
        let mut parts: BTreeMap<i64, Vec<StatementId>> = BTreeMap::new();
        for id in statements {
            let value = row(id).map_or(0, |row| self.value(row));
            parts.entry(value).or_default().push(*id);
        }
        for part in parts.values() {
            self.write(part, at + 1, indent);
        }
    }

    /// Whether dimensions before this one leave it a single value.
    fn is_told(&self, at: usize) -> bool {
        let dim = &self.component.dims[at];
        self.component.dims[..at]
            .iter()
            .any(|outer| match outer.tile {
                None | Some(1) => moves_alike(outer, dim),
                side => dim.tile == side && outer.family.rows == dim.family.rows,
            })
    }

    /// What every iteration of the innermost loop does.
    fn body(&mut self, statements: &[StatementId], depth: usize, indent: usize) {
        let levels = self.levels;
        for level in levels.iter().rev() {
            let mut streamed: Vec<&str> = Vec::new();
            for resident in self.residents(level, statements) {
                let name = self.tiling.program.array(resident.array).name.as_str();
                if resident.depth > depth && !streamed.contains(&name) {
                    streamed.push(name);
                }
            }
            let passes = match streamed.len() {
                0 => continue,
                1 => "passes",
                _ => "pass",
            };
            let place = self.place(level);
            self.line(
                indent,
                &format!("{} {passes} through{place}", streamed.join(", ")),
            );
        }
        let names = statements.iter();
        let names: Vec<&str> = names
            .map(|id| self.tiling.program.statement(*id).name.as_str())
            .collect();
        self.line(indent, &format!("<< {} >>", names.join(", ")));
    }

    fn line(&mut self, indent: usize, text: &str) {
        self.out
            .push_str(&format!("{}{text}\n", "| ".repeat(indent)));
    }

    /// Which of several memories.
    fn place(&self, level: &Tiling) -> String {
        match self.levels.len() {
            1 => String::new(),
            _ => format!(" of {}", level.fast),
        }
    }

    /// What some of the statements keep.
    fn residents<'t>(&self, level: &'t Tiling, statements: &[StatementId]) -> Vec<&'t Resident> {
        let names: Vec<&str> = statements
            .iter()
            .map(|id| level.program.statement(*id).name.as_str())
            .collect();
        let of = |reference: &String| {
            let statement = reference.split(':').next();
            statement.is_some_and(|name| names.contains(&name))
        };
        let all = level.resident.iter();
        all.filter(|r| r.component == self.number && r.references.iter().any(of))
            .collect()
    }

    /// The name of a dimension; that of a part of the statements is one of their own loops. The loops of an einsum are
    /// called like its sizes, which inside a program they may not be.
    fn loop_name(&self, statements: &[StatementId], at: usize) -> String {
        let mut name = self.own_name(statements, at);
        for param in &self.tiling.program.params {
            if name == format!("{}_", param.name) {
                name.pop();
            }
        }
        name
    }

    fn own_name(&self, statements: &[StatementId], at: usize) -> String {
        let family = &self.component.dims[at].family;
        if statements.len() < self.component.statements.len() {
            for id in statements {
                let loops = &self.tiling.program.statement(*id).iterators;
                let row = family.rows.get(id.0).and_then(Option::as_ref);
                let at = row.and_then(|row| row.dims.iter().position(|c| *c == 1));
                if let Some(name) = at.and_then(|at| loops.get(at)) {
                    return name.clone();
                }
            }
        }
        family.name.clone()
    }

    /// The value of a function without loops.
    fn value(&self, row: &Row) -> i64 {
        let params = self.tiling.program.params.iter();
        let sizes = params.map(|p| self.tiling.sizes.get(&p.name).copied().unwrap_or(0));
        let terms = row.params.iter().zip(sizes);
        terms.fold(row.constant, |sum, (factor, size)| {
            sum.saturating_add(factor.saturating_mul(size))
        })
    }
}

/// Whether two dimensions differ by a constant, the same for all statements.
fn moves_alike(one: &Dim, other: &Dim) -> bool {
    let mut shift = None;
    one.family.rows.iter().zip(&other.family.rows).all(|rows| {
        let (Some(one), Some(other)) = rows else {
            return rows == (&None, &None);
        };
        let distance = one.constant - other.constant;
        one.dims == other.dims
            && one.params == other.params
            && *shift.get_or_insert(distance) == distance
    })
}
