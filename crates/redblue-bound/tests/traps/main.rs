//! Each trap U-1 to U-20 and each correction of the theory has a test that fails if someone falls into it.
//!
//! [`INDEX`] says where: most are here, in files of their own name; the others are with the code they are about.
//! Numbers are the theory's counterexamples and exact optima (T-2), never what the code printed.

#[allow(
    dead_code,
    reason = "shared with the tests of bounds, which use more of it"
)]
#[path = "../bounds/arena.rs"]
mod arena;
#[allow(
    dead_code,
    reason = "shared with the tests of bounds, which use more of it"
)]
#[path = "../bounds/common.rs"]
mod common;
mod corrections;
mod published;
mod traps;

/// What falls into it, the file under `crates/`, and the test.
const INDEX: &[(&str, &str, &str)] = &[
    ("R-1", HERE_R, "r01_one_phase_is_enough"),
    ("R-2", HERE_R, "r02_small_games_with_recomputation"),
    ("R-3", HERE_R, "r03_words_behind_other_values"),
    ("R-4", HERE_R, "r04_parts_of_a_program"),
    ("R-5", HERE_R, "r05_results_are_stored"),
    ("R-6", HERE_R, "r06_elements_created_on_the_way"),
    ("R-7", HERE_R, "r07_sliding_windows"),
    ("R-8", "redblue-dist/src/bound.rs", "memory_bound"),
    (
        "R-9",
        "redblue-dist/src/bound.rs",
        "uneven_work_is_never_bounded_more",
    ),
    ("R-10", HERE_R, "r10_operands_that_are_computed"),
    ("R-11", HERE_R, "r11_words_read_for_several_rows"),
    (
        "R-11",
        "redblue-cert/tests/attacks.rs",
        "widths_at_negative_coordinates",
    ),
    ("U-1", HERE_U, "u01_sources_are_subtracted"),
    (
        "U-1",
        "redblue-cert/tests/patterns.rs",
        "sums_that_start_from_zero_end_no_path",
    ),
    ("U-2", HERE_U, "u02_the_last_phase"),
    (
        "U-3",
        "redblue-cert/tests/projections.rs",
        "one_array_read_twice_is_one_array",
    ),
    (
        "U-3",
        "redblue-cert/tests/patterns.rs",
        "symmetric_accesses_are_worth_a_root_of_two",
    ),
    ("U-4", HERE_U, "u04_products_from_zero"),
    (
        "U-4",
        "redblue-cert/tests/attacks.rs",
        "running_values_are_found_wherever_they_are",
    ),
    ("U-5", HERE_U, "u05_diamonds_are_cheaper_with_recomputation"),
    (
        "U-6",
        "redblue-bound/src/parallel/tests.rs",
        "values_of_the_theory",
    ),
    ("U-7", HERE_U, "u07_everything_fits"),
    ("U-8", HERE_U, "u08_widths_are_the_least"),
    (
        "U-8",
        "redblue-cert/tests/patterns.rs",
        "spoilt_hourglasses_are_refused",
    ),
    ("U-9", HERE_U, "u09_exact_volumes"),
    ("U-10", HERE_U, "u10_square_matrices"),
    ("U-11", HERE_U, "u11_statements_that_share_an_array"),
    ("U-12", HERE_U, "u12_sliding"),
    (
        "U-13",
        "redblue-pebble/src/game.rs",
        "too_few_pebbles_are_explained",
    ),
    ("U-14", HERE_U, "u14_exact_powers"),
    ("U-15", HERE_U, "u15_unused_inputs_and_copies"),
    (
        "U-16",
        "redblue-sim/tests/loop_orders.rs",
        "match_the_formulas",
    ),
    ("U-17", HERE_U, "u17_finite_fields_are_reported_only"),
    (
        "U-18",
        "redblue-sim/tests/engines.rs",
        "opt_is_optimal_for_loads_only",
    ),
    (
        "U-19",
        "redblue-dist/src/bound.rs",
        "uneven_work_is_never_bounded_more",
    ),
    (
        "U-20",
        "redblue-bound/src/fused/tests.rs",
        "between_the_sources_and_flash_attention",
    ),
    (
        "U-20",
        "redblue-pebble/tests/properties.rs",
        "the_referee_is_not_fooled",
    ),
];

const HERE_R: &str = "redblue-bound/tests/traps/corrections.rs";
const HERE_U: &str = "redblue-bound/tests/traps/traps.rs";

#[test]
fn every_trap_has_its_test() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (id, file, test) in INDEX {
        let text = std::fs::read_to_string(crates.join(file)).unwrap_or_default();
        assert!(
            text.contains(&format!("fn {test}(")),
            "{id}: no {test} in {file}"
        );
    }
    let listed = |id: String| INDEX.iter().any(|(known, ..)| **known == id);
    assert!((1..=11).all(|at| listed(format!("R-{at}"))));
    assert!((1..=20).all(|at| listed(format!("U-{at}"))));
}
