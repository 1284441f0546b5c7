//! The whole catalogue: every dependence of the front end's dataflow holds for the checker too, found by another way.

#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use redblue_cert::Checker;
use redblue_program::catalogue;

#[test]
fn dependences_of_every_kernel_hold() {
    for entry in catalogue::catalogue() {
        let program = kernel(entry.name);
        let mut certificate = certificate(&program);
        // Not every instance is live, but none of no instances is dead.
        certificate.live.clear();
        if let Err(refusal) = Checker::of(&certificate, Some(&program)) {
            panic!("{}: {refusal}", entry.name);
        }
    }
}
