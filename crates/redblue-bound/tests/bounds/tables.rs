//! `docs/bounds.md` shows what is proved: its rows are made again and looked for.

use crate::table::SECTIONS;

/// Kernels that are quick to analyse, at least one of every section.
const QUICK: &[&str] = &[
    "gemm",
    "symm",
    "syrk",
    "trisolv",
    "mgs",
    "ab-ac-cb",
    "attention-online",
    "matmul",
];

#[test]
fn the_table_in_the_docs_is_up_to_date() {
    let whole = std::env::var_os("REDBLUE_SOAK").is_some_and(|value| value == "1");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/bounds.md");
    let shown = std::fs::read_to_string(path).expect("the table");
    let mut rest = shown.lines();
    let mut stale = Vec::new();
    for section in SECTIONS {
        for line in section.head.lines() {
            if !rest.any(|shown| shown == line) {
                stale.push(line.to_owned());
            }
        }
        for kernel in (section.kernels)() {
            if whole || QUICK.contains(&kernel) {
                for row in (section.rows)(kernel).expect("rows") {
                    if !shown.lines().any(|line| line == row) {
                        stale.push(row);
                    }
                }
            }
        }
    }
    assert!(
        stale.is_empty(),
        "make docs/bounds.md again:\n{}",
        stale.join("\n")
    );
}
