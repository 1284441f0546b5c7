//! Flat indices: `a[i*n + k]` is the cell `a[i][k]` of rows of length n.
//!
//! For every array whose subscripts contain products, candidate row lengths (strides) are read off the
//! factors of loop variables. A chain of strides, each a multiple of the next smaller one, is accepted only
//! if every access splits into quotients and remainders that are affine and provably in range:
//!
//! ```text
//! index = q·stride + r   with 0 <= r < stride on the whole domain
//! ```
//!
//! Then the split is the unique one, so two accesses touch the same flat cell exactly if they touch the
//! same row and column. Where no chain fits, sizes with a known number become numbers; other products are
//! reported.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::One;

use super::draft::{AccessDraft, StatementDraft};
use super::{Lowering, is_empty};
use crate::affine::{self, AffineError, Atom, Formula, Polynomial, Value};
use crate::c::obstacle::{Obstacle, Place};
use crate::diagnostic::Diagnostic;

/// Chains of strides that are tried for one array.
const MAX_CHAINS: usize = 16;

impl Lowering<'_> {
    /// Splits all flat indices.
    pub(super) fn split_flat_indices(&mut self) {
        for array in 0..self.arrays.len() {
            // Positions to the left stay where they are when one is split.
            for position in (0..self.arrays[array].extents.len()).rev() {
                let indices = self.indices(array, position);
                if indices.iter().any(|(.., index)| index.degree() > 1) {
                    self.split_position(array, position, &indices);
                }
            }
        }
    }

    /// All subscripts at one position of an array that have no branches: statement, access, index.
    fn indices(&self, array: usize, position: usize) -> Vec<(usize, usize, Polynomial)> {
        let mut found = Vec::new();
        for (at, statement) in self.statements.iter().enumerate() {
            for (access_at, access) in statement.accesses().enumerate() {
                if access.array == array
                    && let Some(index) = access.subscripts[position].as_leaf()
                {
                    found.push((at, access_at, index.clone()));
                }
            }
        }
        found
    }

    fn split_position(
        &mut self,
        array: usize,
        position: usize,
        indices: &[(usize, usize, Polynomial)],
    ) {
        let mut blame = None;
        // An index with cases cannot be split, and then none can.
        let n_accesses = self.statements.iter().flat_map(StatementDraft::accesses);
        let all_plain = n_accesses.filter(|access| access.array == array).count() == indices.len();
        for chain in chains(indices).iter().filter(|_| all_plain) {
            match self.split_all(chain, indices) {
                Ok(splits) => return self.apply(array, position, chain, indices, splits),
                Err(at) => blame = blame.or(Some(at)),
            }
        }
        self.report_flat(array, blame, indices);
    }

    /// The subscripts that every index splits into, or the position of one that does not.
    fn split_all(
        &self,
        chain: &[Polynomial],
        indices: &[(usize, usize, Polynomial)],
    ) -> Result<Vec<Vec<Value>>, usize> {
        let split = |(at, (statement, _, index)): (usize, &(usize, usize, Polynomial))| {
            self.split_index(&self.statements[*statement], index, chain)
                .ok_or(at)
        };
        indices.iter().enumerate().map(split).collect()
    }

    /// The subscripts of one index, outermost first, if they are affine and in range.
    fn split_index(
        &self,
        statement: &StatementDraft,
        index: &Polynomial,
        chain: &[Polynomial],
    ) -> Option<Vec<Value>> {
        let Some((stride, inner)) = chain.split_first() else {
            index.to_linear().ok()?;
            return Some(vec![Value::Leaf(index.clone())]);
        };
        let (quotient, remainder) = index.divide(stride)?;
        // The remainder `n - 1 - k` divides as 1·n + (-1 - k): look one row up and down as well.
        for shift in [0, -1, 1] {
            let shift = BigInt::from(shift);
            let row = quotient.add_scaled(&Polynomial::constant(1), &shift);
            let rest = remainder.add_scaled(stride, &-shift);
            if row.to_linear().is_err() {
                continue;
            }
            let Some(columns) = self.split_index(statement, &rest, inner) else {
                continue;
            };
            if self.is_within(statement, columns.first()?, &extent_of(stride, inner)?) {
                return Some([vec![Value::Leaf(row)], columns].concat());
            }
        }
        None
    }

    /// Whether `0 <= column < extent` wherever the statement runs.
    fn is_within(&self, statement: &StatementDraft, column: &Value, extent: &Polynomial) -> bool {
        let below = Value::Leaf(extent.add_scaled(&Polynomial::constant(1), &BigInt::from(-1)))
            .add_scaled(column, &BigInt::from(-1))
            .and_then(|distance| distance.nonnegative());
        let (Ok(below), Ok(above)) = (below, column.nonnegative()) else {
            return false;
        };
        let mut all = self.guards[..self.n_facts].to_vec();
        all.push(statement.domain.clone());
        all.push(Formula::all(vec![below, above]).negated());
        is_empty(self.context, &Formula::all(all), statement.iterators.len())
    }

    fn apply(
        &mut self,
        array: usize,
        position: usize,
        chain: &[Polynomial],
        indices: &[(usize, usize, Polynomial)],
        splits: Vec<Vec<Value>>,
    ) {
        for ((statement, access, _), split) in indices.iter().zip(splits) {
            if let Some(access) = self.statements[*statement].accesses_mut().nth(*access) {
                access.subscripts.splice(position..=position, split);
            }
        }
        let whole = self.arrays[array].extents[position].clone();
        let outer = whole.as_ref().and_then(Value::as_leaf).and_then(|whole| {
            let (rows, rest) = whole.divide(chain.first()?)?;
            rest.is_zero().then_some(Value::Leaf(rows))
        });
        let mut extents = vec![outer];
        for at in 0..chain.len() {
            extents.push(extent_of(&chain[at], &chain[at + 1..]).map(Value::Leaf));
        }
        self.arrays[array]
            .extents
            .splice(position..=position, extents);
    }

    fn report_flat(
        &mut self,
        array: usize,
        blame: Option<usize>,
        indices: &[(usize, usize, Polynomial)],
    ) {
        let is_product = |(.., index): &&(usize, usize, Polynomial)| index.degree() > 1;
        let blamed = blame
            .and_then(|at| indices.get(at))
            .or(indices.iter().find(is_product));
        let Some((statement, access, index)) = blamed else {
            return;
        };
        let Some(access) = self.statements[*statement].accesses().nth(*access) else {
            return;
        };
        let span = access.span;
        // With numbers for sizes, or for a product of loop variables, it is no flat index at all.
        if let Err(error @ AffineError::Product(_)) = index.to_linear() {
            let product = Obstacle::from_affine(error, span);
            let fix = product.sizes_to_fix();
            if fix.iter().all(|size| self.number_of(size).is_some()) {
                return self.refuse(&product, Place::Subscript);
            }
        }
        let name = &self.arrays[array].name;
        let code = &affine::codes::FLAT_SUBSCRIPT;
        let problem = Diagnostic::error(code, "flat index cannot be split into subscripts")
            .at(span)
            .note(format!(
                "the columns of `{name}` must provably lie between 0 and the length of a row"
            ))
            .hint(format!(
                "declare `{name}` with two dimensions, or add `#pragma redblue assume`"
            ));
        self.problem(problem);
    }
}

/// Length of the dimension inside `stride`, whose own inner dimensions are `inner`.
fn extent_of(stride: &Polynomial, inner: &[Polynomial]) -> Option<Polynomial> {
    match inner.first() {
        None => Some(stride.clone()),
        Some(next) => {
            let (extent, rest) = stride.divide(next)?;
            rest.is_zero().then_some(extent)
        }
    }
}

/// Chains of strides to try, each largest first.
fn chains(indices: &[(usize, usize, Polynomial)]) -> Vec<Vec<Polynomial>> {
    let mut candidates: BTreeSet<(usize, usize, Polynomial)> = BTreeSet::new();
    for (.., index) in indices {
        for factor in factors(index) {
            let lead = factor.leading_monomial();
            for stride in [Some(factor), lead].into_iter().flatten() {
                if stride.is_stride() {
                    candidates.insert((stride.degree(), stride.terms().count(), stride));
                }
            }
        }
    }
    let candidates: Vec<Polynomial> = candidates.into_iter().map(|(.., stride)| stride).collect();
    let mut chains = Vec::new();
    for innermost in &candidates {
        let mut chain = vec![innermost.clone()];
        for larger in &candidates {
            let last = &chain[chain.len() - 1];
            let is_multiple = larger.degree() > last.degree()
                && larger.divide(last).is_some_and(|(_, rest)| rest.is_zero());
            if is_multiple {
                chain.push(larger.clone());
            }
        }
        chain.reverse();
        chains.push(chain);
    }
    chains.truncate(MAX_CHAINS);
    chains
}

/// What loop variables are multiplied with, if it is not a number.
fn factors(index: &Polynomial) -> Vec<Polynomial> {
    let mut by_variable: Vec<(Vec<Atom>, Polynomial)> = Vec::new();
    for (monomial, coefficient) in index.terms() {
        let (sizes, variables): (Vec<Atom>, Vec<Atom>) = monomial
            .iter()
            .cloned()
            .partition(|atom| matches!(atom, Atom::Parameter(_)));
        if variables.is_empty() {
            continue;
        }
        let part = Polynomial::monomial(sizes, coefficient.clone());
        match by_variable
            .iter_mut()
            .find(|(known, _)| *known == variables)
        {
            Some((_, factor)) => *factor = factor.add_scaled(&part, &BigInt::one()),
            None => by_variable.push((variables, part)),
        }
    }
    by_variable
        .into_iter()
        .map(|(_, factor)| factor)
        .filter(|factor| factor.degree() > 0)
        .collect()
}

impl AccessDraft {
    /// Whether all subscripts are affine.
    pub(super) fn is_affine(&self) -> bool {
        let affine = |value: &Value| {
            value.cases().is_ok_and(|cases| {
                cases
                    .iter()
                    .all(|(_, polynomial)| polynomial.to_linear().is_ok())
            })
        };
        self.subscripts.iter().all(affine)
    }
}
