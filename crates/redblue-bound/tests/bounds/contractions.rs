//! The eight contraction classes, the convolution and the regimes of matrix products, with loads and stores.
//!
//! Published values count what moves in all: for a sum that starts at zero, bounds on loads alone of this size are
//! false (C-4), because a finished sum needs no load.

use crate::common::{at, best, bounds, kernel};
use redblue_cert::{Counted, Model};
use redblue_math::Expr;
use redblue_program::catalogue;

/// Catalogue name and published lower bound.
const CLASSES: &[(&str, &str)] = &[
    (
        "abcde-efbad-cf",
        "-2+f-S+2*c+2*a*b*d*e+2*a*b*c*d*e*(f-1)/sqrt(S)",
    ),
    ("abcd-dbea-ec", "-2+e-S+2*c+2*a*b*d+2*a*b*c*d*(e-1)/sqrt(S)"),
    ("abc-bda-dc", "-2+d-S+2*c+2*a*b+2*a*b*c*(d-1)/sqrt(S)"),
    (
        "abcdef-dega-gfbc",
        "-2+g-S+2*a*d*e+2*b*c*f+2*a*b*c*d*e*f*(g-1)/sqrt(S)",
    ),
    (
        "abc-adec-ebd",
        "-3+d*e-S+3*a*c+3*b-a*b*c+2*a*b*c*(d*e-1)/sqrt(S)",
    ),
    ("ab-cad-dcb", "-3+c*d-S+3*a+3*b-a*b+2*a*b*(c*d-1)/sqrt(S)"),
    ("ab-ac-cb", "-2+c-S+2*a+2*b+2*a*b*(c-1)/sqrt(S)"),
    (
        "abcd-aebf-fdec",
        "-3+e*f-S+3*a*b+3*c*d-a*b*c*d+2*a*b*c*d*(e*f-1)/sqrt(S)",
    ),
];

#[test]
fn contractions_reach_the_published_bounds() {
    let mut weak = Vec::new();
    for (name, published) in CLASSES {
        let analysis = bounds(&kernel(name), Model::DEFAULT);
        let sizes = &catalogue::find(name).expect("known").sizes;
        let sizes: Vec<(&str, i64)> = sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let published: Expr = published.parse().expect("a formula");
        for power in [10, 12, 14, 16, 18, 20] {
            let point = at(&sizes, 1 << power);
            let goal = published.eval_floor(&point).expect("a value");
            let value = best(&analysis, &point, Counted::Total);
            if value < goal && goal <= stationary_loads(name, &sizes, 1 << power).into() {
                weak.push(format!("{name} S=2^{power}: {value} < {goal}"));
            }
        }
    }
    assert!(weak.is_empty(), "{weak:#?}");
}

/// The loads of a legal schedule: a slice of one operand stays in memory, the other one and the partial results stream by.
///
/// With k split into slices of the length that fits, m·k words of the streamed operand, k·n of the resident one and m·n
/// partial results for every slice but the first are loaded. Where this is less than a published value, that value is
/// no lower bound on loads (C-4), and the row asks for nothing.
fn stationary_loads(name: &str, sizes: &[(&str, i64)], fast: i64) -> i64 {
    let size = |indices: &str| -> i64 {
        let known = |index: char| sizes.iter().find(|(name, _)| name.starts_with(index));
        indices
            .chars()
            .filter_map(known)
            .map(|(_, value)| value)
            .product()
    };
    let parts: Vec<&str> = name.split('-').collect();
    let [out, one, two] = parts[..] else {
        return i64::MAX;
    };
    let contracted: String = one.chars().filter(|&c| !out.contains(c)).collect();
    let k = size(&contracted);
    let loads = |streamed: &str, resident: &str| {
        let n = size(resident) / k;
        // One word streams in, one holds the running sum.
        let slice = (fast - 2) / n;
        match slice {
            0 => i64::MAX,
            _ => size(streamed) + size(resident) + size(out) * ((k + slice - 1) / slice - 1),
        }
    };
    loads(one, two).min(loads(two, one))
}

/// Layers: F, C, X = Y, W = H.
const LAYERS: &[(i64, i64, i64, i64)] = &[
    (32, 3, 544, 3),
    (64, 32, 272, 3),
    (128, 64, 136, 3),
    (64, 128, 136, 1),
    (256, 128, 68, 3),
    (512, 256, 34, 3),
    (1024, 512, 17, 3),
    (28272, 1024, 17, 1),
];

#[test]
fn convolutions_reach_all_regimes() {
    let analysis = bounds(&kernel("conv2d"), Model::DEFAULT);
    let volume: Expr = "B*C*F*X*Y*H*W".parse().expect("a formula");
    let large: Expr = (&volume * &"9/(4*S)".parse::<Expr>().expect("a formula")).clone();
    let small: Expr = &volume * &"2/sqrt(H*W*S)".parse::<Expr>().expect("a formula");
    let arrays: Expr = "B*F*X*Y + B*C*(X+W-1)*(Y+H-1) + F*C*W*H"
        .parse()
        .expect("a formula");
    let mut weak = Vec::new();
    for &(f, c, x, w) in LAYERS {
        for power in [11, 13, 15, 17, 19] {
            let sizes = [
                ("B", 1),
                ("F", f),
                ("C", c),
                ("X", x),
                ("Y", x),
                ("W", w),
                ("H", w),
            ];
            let point = at(&sizes, 1 << power);
            let value = best(&analysis, &point, Counted::Total);
            for (regime, formula) in [("arrays", &arrays), ("9/4", &large), ("filter", &small)] {
                // A whole phase may be missing at the end.
                let goal = formula.eval_floor(&point).expect("a value") - 2 * (1i64 << power);
                if value < goal {
                    weak.push(format!(
                        "F={f} C={c} X={x} W={w} S=2^{power} {regime}: {value} < {goal}"
                    ));
                }
            }
        }
    }
    assert!(weak.is_empty(), "{weak:#?}");
}

#[test]
fn matrix_products_in_every_regime() {
    // D-9: the order of the traffic; with constants, bounds are at least that.
    let analysis = bounds(&kernel("matmul"), Model::DEFAULT);
    for (m, n, k, traffic) in [
        (1000, 1000, 1000, 15_625_000i64),
        (1000, 1000, 16, 1_000_000),
        (1000, 1000, 1, 1_000_000),
        (32, 100, 100, 10_000),
        (8, 1000, 8, 8_000),
        (64, 64, 64, 4_096),
    ] {
        let point = at(&[("M", m), ("N", n), ("K", k)], 4096);
        let value = best(&analysis, &point, Counted::Total);
        assert!(value >= traffic.into(), "{m} {n} {k}: {value} < {traffic}");
    }
}
