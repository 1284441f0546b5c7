//! Schedules: other orders of a program, and the code for them.
//!
//! ```text
//! Program ──expand──► Program ──(another schedule)──► Program
//! ```
//!
//! A schedule is a [`Program`](redblue_program::Program) whose statements have other time maps; the scanner, the
//! simulators, the interpreter and the code generator work on it unchanged.

pub mod expand;

pub use expand::expand;
