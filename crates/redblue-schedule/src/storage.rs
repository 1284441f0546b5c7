//! The forms of a program that orders are searched for: with its own storage, or with other storage.

use redblue_program::{Array, Dataflow, Program};

use crate::error::Result;
use crate::expand::expand;
use crate::release::release;
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
    let mut all = vec![Stored::new(program.clone())?];
    if let Some(unfolded) = unfold(program)? {
        all.push(Stored::new(unfolded)?);
    }
    let Some(Stored { program, flow }) = all.last() else {
        return Ok(all);
    };
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
    Ok(all)
}
