//! Complete reductions on the catalogue: what is claimed, attacked and refused.

use redblue_cert::Model;

use crate::trial::{FREE, LOADS, analysis, attack, kernel, refused, value};

/// Loads, with recomputation and sums in any order: the strongest model.
const ANYTHING: Model = Model {
    recompute: true,
    ..FREE
};

#[test]
fn attention_from_its_source() {
    for name in ["attention", "attention-fused", "attention-online"] {
        let found = analysis(
            &kernel(name),
            "complete-reduction",
            Model {
                recompute: true,
                ..LOADS
            },
        );
        // A-6, for N = M.
        for (n, d, s, least) in [
            (1024, 64, 8192, 524_288),
            (1024, 64, 16_384, 262_144),
            (8192, 64, 51_200, 5_368_709),
            (1024, 64, 4096, 778_240),
            (1024, 64, 1024, 968_704),
        ] {
            let bound = value(&found, &[("N", n), ("M", n), ("D", d), ("S", s)]);
            assert!(
                bound >= least,
                "{name}: N = {n}, d = {d}, S = {s}: {bound} < {least}"
            );
        }
    }
}

#[test]
fn any_order_and_recomputation() {
    for name in ["attention", "mlp", "matmul", "2mm"] {
        assert!(
            !analysis(&kernel(name), "complete-reduction", ANYTHING)
                .bounds
                .is_empty(),
            "{name}"
        );
    }
}

#[test]
fn no_schedule_does_better() {
    let memories = [3, 4, 5, 6, 8, 10, 12, 16, 24];
    let sizes: [&[(&str, i64)]; 3] = [
        &[("N", 3), ("M", 3), ("D", 1)],
        &[("N", 7), ("M", 6), ("D", 1)],
        &[("N", 10), ("M", 10), ("D", 2)],
    ];
    let attacked = attack("attention", "complete-reduction", LOADS, &sizes, &memories)
        + attack("attention", "complete-reduction", FREE, &sizes, &memories)
        + attack(
            "matmul",
            "complete-reduction",
            ANYTHING,
            &[
                &[("M", 2), ("N", 2), ("K", 1)],
                &[("M", 9), ("N", 9), ("K", 1)],
            ],
            &memories,
        );
    assert!(attacked >= 20, "{attacked}");
}

#[test]
fn changed_certificates_are_refused() {
    let certificate = analysis(&kernel("attention"), "complete-reduction", LOADS).certificate;
    refused(&certificate, "\"words\":\"D\"", "\"words\":\"D + 1\"");
    refused(
        &certificate,
        "\"projection\":[[1,0]]",
        "\"projection\":[[0,1]]",
    );
    refused(&certificate, "\"formula\":\"", "\"formula\":\"1 + ");
}
