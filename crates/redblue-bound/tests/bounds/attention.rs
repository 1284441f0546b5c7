//! Attention from its C source, in every regime of A-6: with recomputation A-4, without it A-5 and better.

use crate::common::{at, best, bounds, kernel};
use crate::published::ATTENTION;
use redblue_cert::{Counted, Model, Sums};

#[test]
fn all_regimes_of_attention() {
    let mut weak = Vec::new();
    for name in ["attention", "attention-fused", "attention-online"] {
        let program = kernel(name);
        let recompute = Model {
            recompute: true,
            ..Model::DEFAULT
        };
        let any_order = Model {
            sums: Sums::Free,
            ..Model::DEFAULT
        };
        for (model, which) in [
            (recompute, "A-4"),
            (any_order, "A-5"),
            (Model::DEFAULT, "A-5"),
        ] {
            let analysis = bounds(&program, model);
            for &(n, d, fast, four, five) in ATTENTION {
                let point = at(&[("N", n), ("M", n), ("D", d)], fast);
                let value = best(&analysis, &point, Counted::Total);
                let goal = if model.recompute {
                    four
                } else {
                    four.max(five)
                };
                if value < goal.into() {
                    weak.push(format!(
                        "{name} {which} N={n} d={d} S={fast}: {value} < {goal}"
                    ));
                }
            }
        }
    }
    assert!(weak.is_empty(), "{weak:#?}");
}
