//! Schedules: other orders of a program, and the code for them.
//!
//! ```text
//! Program ──expand──► Program ──(another schedule)──► Program ──emit──► C, Rust
//! ```
//!
//! A schedule is a [`Program`](redblue_program::Program) whose statements have other time maps; the scanner, the
//! simulators, the interpreter and the code generator work on it unchanged.

pub mod emit;
pub mod expand;
pub mod speed;

pub use emit::{EmitError, EmitOptions, emit_c, emit_rust};
pub use expand::expand;
pub use speed::{Hardware, order_for_speed};
