//! Fused chains on the catalogue: what is claimed, attacked and refused.

use redblue_math::Expr;

use crate::trial::{FREE, LOADS, analysis, at, attack, kernel, leading, refused, value};

const SPELLINGS: [&str; 3] = ["attention", "attention-fused", "attention-online"];

/// The largest of some leading terms at N = M = 10⁶, D = 64, S = 10⁶.
fn strongest(terms: &[String]) -> i64 {
    let sizes = [
        ("N", 1_000_000),
        ("M", 1_000_000),
        ("D", 64),
        ("S", 1_000_000),
    ];
    let value = |term: &String| at(&term.parse::<Expr>().unwrap(), &sizes);
    terms.iter().map(value).max().unwrap_or(0)
}

#[test]
fn own_order_reaches_four() {
    for name in SPELLINGS {
        let found = analysis(&kernel(name), "fused", LOADS);
        let sizes = [
            ("N", 1_000_000),
            ("M", 1_000_000),
            ("D", 64),
            ("S", 1_000_000),
        ];
        // 4·N²d²/S − N·d.
        assert!(
            value(&found, &sizes) >= 4 * 1_000_000 * 4096 - 64_000_000,
            "{name}"
        );
    }
}

#[test]
fn any_order_reaches_two_point_nine() {
    for name in ["attention", "attention-fused"] {
        let found = analysis(&kernel(name), "fused", FREE);
        let sizes = [
            ("N", 1_000_000),
            ("M", 1_000_000),
            ("D", 64),
            ("S", 1_000_000),
        ];
        // 2.9142·N²d²/S − N·d/2.
        assert!(
            value(&found, &sizes) >= 29_142 * 409_600 - 32_000_000,
            "{name}"
        );
    }
}

#[test]
fn between_the_sources_and_flash_attention() {
    // FlashAttention-2 reads N·d + ⌈N/B⌉·2N·d words, B = ⌊(S − 2d)/(2d + 3)⌋ rows at a time.
    let own = analysis(&kernel("attention-online"), "fused", LOADS);
    for (n, d, s) in [
        (1024, 64, 65_536),
        (4096, 16, 4096),
        (100_000, 64, 1_000_000),
        (512, 4, 200),
        (64, 2, 64),
    ] {
        let block = (s - 2 * d) / (2 * d + 3);
        let flash = n * d + (n + block - 1) / block * 2 * n * d;
        let bound = value(&own, &[("N", n), ("M", n), ("D", d), ("S", s)]);
        assert!(
            bound <= flash,
            "N = {n}, d = {d}, S = {s}: {bound} > {flash}"
        );
    }
    let (n, d, s) = (1_000_000, 64, 1_000_000);
    let block = (s - 2 * d) / (2 * d + 3);
    let flash = n * d + (n + block - 1) / block * 2 * n * d;
    let bound = value(&own, &[("N", n), ("M", n), ("D", d), ("S", s)]);
    assert!(bound * 100 >= flash * 95, "{bound} against {flash}");
}

#[test]
fn layers_and_products() {
    // V·(d_1 + d_2)²/S: two dense layers, and two products in a row.
    let found = analysis(&kernel("mlp"), "fused", LOADS);
    let sizes = [
        ("B", 100_000),
        ("NI", 30),
        ("NH", 100_000),
        ("NO", 50),
        ("S", 100_000),
    ];
    assert!(value(&found, &sizes) >= 100_000 * 6400 - 100_000 * 50);
    let found = analysis(&kernel("2mm"), "fused", LOADS);
    let sizes = [
        ("NI", 100_000),
        ("NK", 30),
        ("NJ", 100_000),
        ("NL", 50),
        ("S", 100_000),
    ];
    assert!(value(&found, &sizes) >= 100_000 * 6400);
}

#[test]
fn plain_products_are_not_fused() {
    for name in ["gemm", "syrk", "jacobi-1d", "lu", "atax"] {
        assert_eq!(strongest(&leading(name, "fused", LOADS)), 0, "{name}");
    }
}

#[test]
fn no_schedule_does_better() {
    let sizes: [&[(&str, i64)]; 5] = [
        &[("N", 2), ("M", 2), ("D", 1)],
        &[("N", 4), ("M", 5), ("D", 1)],
        &[("N", 6), ("M", 6), ("D", 1)],
        &[("N", 8), ("M", 8), ("D", 2)],
        &[("N", 12), ("M", 10), ("D", 1)],
    ];
    let memories = [3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 32, 40];
    let mut attacked = 0;
    for name in SPELLINGS {
        attacked += attack(name, "fused", LOADS, &sizes, &memories);
    }
    attacked += attack("attention", "fused", FREE, &sizes, &memories);
    attacked += attack(
        "2mm",
        "fused",
        LOADS,
        &[&[("NI", 8), ("NJ", 8), ("NK", 1), ("NL", 1)]],
        &memories,
    );
    attacked += attack(
        "mlp",
        "fused",
        LOADS,
        &[&[("B", 8), ("NI", 1), ("NH", 9), ("NO", 1)]],
        &memories,
    );
    assert!(attacked >= 60, "{attacked}");
}

#[test]
fn changed_certificates_are_refused() {
    let certificate = analysis(&kernel("attention"), "fused", LOADS).certificate;
    refused(&certificate, "\"words\":\"D\"", "\"words\":\"D + 1\"");
    refused(&certificate, "\"formula\":\"", "\"formula\":\"1 + ");
    refused(&certificate, "\"recompute\":false", "\"recompute\":true");
    refused(&certificate, "\"sums\":\"fixed\"", "\"sums\":\"free\"");
    refused(
        &certificate,
        "\"projection\":[[1,0]]",
        "\"projection\":[[0,1]]",
    );
    let free = analysis(&kernel("attention"), "fused", FREE).certificate;
    refused(
        &free,
        "\"sums\":{\"projection\":[[1,0]]",
        "\"sums\":{\"projection\":[[0,1]]",
    );
}
