//! Code from a program: readable C or Rust that executes its statements in the order of its schedule.
//!
//! ```text
//! Program ──► Plan: loops (isl), names, folded storage ──► c.rs, rust.rs: text
//! ```
//!
//! Any [`Program`] will do; a reordered or tiled one is a program like any other. Sizes stay symbolic, names stay
//! those of the source as far as they mean the same: a loop over a statement's own counter has that counter's
//! name, a loop over tiles of `i` is called `it`. Each statement becomes one assignment whose operations are
//! exactly the statement's, so the results are bit for bit those of the original whenever the order is legal.
//!
//! Complete tiles are separated from those at the rim ([`tiles`]), local storage is only as large as the order
//! needs ([`fold`]), and loops are marked parallel only when isl proves it ([`conflict`]).
//! Nothing here chooses an order.

mod access;
mod c;
mod conflict;
mod driver;
mod fold;
mod inner;
mod integer;
mod isolate;
mod names;
mod plan;
mod rust;
mod tiles;
mod unroll;
mod value;

use redblue_poly::PolyError;
use redblue_program::{Program, ProgramError};
use thiserror::Error;

pub use driver::{Agreement, Timed, timing_c, verify_c};
pub use fold::{Fold, fold};

/// How code is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmitOptions {
    /// Name of the function; the program's own (as an identifier) if none is given.
    pub function: Option<String>,
    /// Lines for the comment at the top, for example what the tiling achieves.
    pub comment: Vec<String>,
    /// Marks the outermost parallel loops for OpenMP (C only).
    pub openmp: bool,
    /// Writes register tiles out and tells the compiler what is proved about innermost loops (C only).
    pub speed: bool,
}

/// Why a program cannot be written as code.
#[derive(Debug, Error)]
pub enum EmitError {
    /// An analysis of the program failed.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The set arithmetic failed.
    #[error(transparent)]
    Poly(#[from] PolyError),
    /// The target language has no word for something in the program.
    #[error("cannot write {0}")]
    Unsupported(String),
}

/// Result of writing code.
pub type Result<T> = std::result::Result<T, EmitError>;

/// The program as a C99 function.
pub fn emit_c(program: &Program, options: &EmitOptions) -> Result<String> {
    c::write(&plan::Plan::new(program, options)?)
}

/// The program as a Rust function on slices.
pub fn emit_rust(program: &Program, options: &EmitOptions) -> Result<String> {
    rust::write(&plan::Plan::new(program, options)?)
}

/// A name as an identifier of C and Rust.
pub fn identifier(name: &str) -> String {
    let mut text: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert_str(0, "kernel_");
    }
    text
}
