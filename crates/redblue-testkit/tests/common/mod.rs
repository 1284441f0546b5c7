//! Kernels and sizes for the tests of the harness.

use redblue_program::reading::ReadOptions;
use redblue_program::{Program, Sizes, catalogue};
use redblue_testkit::Arena;
use redblue_testkit::sums::free_sums;

pub(crate) fn kernel(name: &str) -> Program {
    let entry = catalogue::find(name).expect("in the catalogue");
    entry.read(&ReadOptions::default()).program.expect("reads")
}

#[allow(dead_code, reason = "not every test needs sizes by name")]
pub(crate) fn sizes(list: &[(&str, i64)]) -> Sizes {
    let named = list.iter().map(|&(name, value)| (name.to_string(), value));
    named.collect()
}

#[allow(dead_code, reason = "not every test has one arena")]
pub(crate) fn arena(name: &str, at: &[(&str, i64)]) -> Arena {
    let program = kernel(name);
    let free = free_sums(&program).expect("has a dataflow");
    Arena::of_program(&program, &sizes(at), &free, 100_000).expect("small")
}
