//! The forms of a program that orders are searched for: with its own storage, or with other storage.

use std::time::Instant;

use redblue_program::{Array, Dataflow, Program};

use crate::error::Result;
use crate::expand::expand;
use crate::release::release;
use crate::retain::retain;
use crate::unfold::unfold;

/// A program with some storage, and its dataflow, which is dear to find out.
pub(crate) struct Stored {
    pub(crate) program: Program,
    pub(crate) flow: Dataflow,
}

impl Stored {
    pub(crate) fn new(program: Program) -> Result<Stored> {
        let flow = Dataflow::of(&program)?;
        Ok(Stored { program, flow })
    }
}

/// The program, first as it is, and with other storage where that makes a difference.
pub(crate) fn storages(program: &Program) -> Result<Vec<Stored>> {
    storages_until(program, None)
}

/// The same; only the program as it is if others are not found by the end.
pub(crate) fn storages_until(program: &Program, end: Option<Instant>) -> Result<Vec<Stored>> {
    let own = Stored::new(program.clone())?;
    let found = program.context.context().until(end, || others(&own));
    let others = match found {
        Err(_) if end.is_some_and(|end| Instant::now() >= end) => Vec::new(),
        found => found?,
    };
    Ok([own].into_iter().chain(others).collect())
}

/// Other storage for a program.
fn others(own: &Stored) -> Result<Vec<Stored>> {
    let mut all: Vec<Stored> = Vec::new();
    if let Some(unfolded) = unfold(&own.program)? {
        all.push(Stored::new(unfolded)?);
    }
    let Stored { program, flow } = all.last().unwrap_or(own);
    let expanded = expand(program)?;
    let same = |(one, other): (&Array, &Array)| one.extents.len() == other.extents.len();
    let more = program.arrays.len() != expanded.arrays.len()
        || !program.arrays.iter().zip(&expanded.arrays).all(same);
    let released = release(program, flow)?.map(|released| expand(&released));
    if more {
        all.push(Stored::new(expanded)?);
    }
    if let Some(released) = released {
        all.push(Stored::new(released?)?);
    }
    let Stored { program, flow } = all.last().unwrap_or(own);
    if let Some(retained) = retain(program, flow)? {
        all.push(Stored::new(retained)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use redblue_program::catalogue::find;

    use super::*;

    #[test]
    fn what_is_late_is_left_out() {
        let kernel = find("doitgen").unwrap();
        let program = kernel.read(&Default::default()).program.unwrap();
        let all = storages(&program).unwrap();
        assert!(all.len() > 1);
        let late = storages_until(&program, Some(Instant::now())).unwrap();
        assert_eq!(late.len(), 1);
        assert_eq!(late[0].program.arrays.len(), program.arrays.len());
        // Nothing of the interruption is left.
        assert_eq!(storages(&program).unwrap().len(), all.len());
    }
}
