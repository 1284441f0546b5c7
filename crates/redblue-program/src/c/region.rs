//! Which part of a function is analysed.
//!
//! With `#pragma scop` it is what stands between the pragmas, in one block; without, the whole body.

use super::ast::{Stmt, StmtKind};
use super::codes;
use crate::diagnostic::{Diagnostic, Span};

/// A function body cut in two.
#[derive(Debug)]
pub(crate) struct Region<'a> {
    /// What stands before, in this block and the blocks around it.
    pub(crate) prelude: Vec<&'a Stmt>,
    /// What is analysed.
    pub(crate) statements: &'a [Stmt],
}

impl<'a> Region<'a> {
    /// Finds the region in a function body.
    pub(crate) fn of(body: &'a [Stmt], diagnostics: &mut Vec<Diagnostic>) -> Region<'a> {
        let mut prelude = Vec::new();
        let mut block = body;
        loop {
            let scops: Vec<usize> = positions(block, |kind| matches!(kind, StmtKind::Scop));
            if let Some(&start) = scops.first() {
                prelude.extend(&block[..start]);
                let rest = &block[start + 1..];
                let end = positions(rest, |kind| matches!(kind, StmtKind::EndScop))
                    .first()
                    .copied();
                if end.is_none() {
                    let message = "`#pragma scop` without `#pragma endscop` in the same block";
                    report(block[start].span, message, diagnostics);
                }
                if let Some(&second) = scops.get(1) {
                    let message = "a second `#pragma scop` in the same function";
                    report(block[second].span, message, diagnostics);
                }
                let statements = &rest[..end.unwrap_or(rest.len())];
                return Region {
                    prelude,
                    statements,
                };
            }
            // Descend into the block that holds the pragma, if there is one.
            let inner = block.iter().enumerate().find_map(|(at, statement)| {
                let StmtKind::Block(inner) = &statement.kind else {
                    return None;
                };
                inner.iter().any(has_scop).then_some((at, inner))
            });
            match inner {
                Some((at, inner)) => {
                    prelude.extend(&block[..at]);
                    block = inner;
                }
                None => {
                    return Region {
                        prelude: Vec::new(),
                        statements: body,
                    };
                }
            }
        }
    }
}

fn positions(block: &[Stmt], is_wanted: impl Fn(&StmtKind) -> bool) -> Vec<usize> {
    (0..block.len())
        .filter(|&at| is_wanted(&block[at].kind))
        .collect()
}

fn has_scop(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Scop => true,
        StmtKind::Block(inner) => inner.iter().any(has_scop),
        _ => false,
    }
}

fn report(span: Span, message: &str, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.push(
        Diagnostic::error(&codes::SCOP, message)
            .at(span)
            .hint("put one pair of pragmas around everything that is meant, in one block"),
    );
}
