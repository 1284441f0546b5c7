//! Sums in any order: a running value need not come in, but what is added up must go on.
//!
//! # Statement
//! If sums may be taken in any order and by any tree, a phase can start as many new partial sums as it likes (U-4), but
//! each of them has to be at hand again later, or is a result. With V summands in L sums, `loads ≥ T·(V/U(S+T) − L/(S+T) − 1) + S·min(1, …)`,
//! U(K) = s^s(1−s)^{1−s}·Π (s_j/(w_j·σ'))^{s_j}·K^σ. For the matrix product: (8/(3√3))·mnk/√S − (2/3)·mn − S, about 1.54·mnk/√S
//! where the program's own order gives 2·mnk/√S.
//!
//! # Assumptions
//! No recomputation; one associative and commutative sum per label, whose summands are operations.
//!
//! # Certificate
//! A phase argument with capacity `merging`; its doc comment has the proof. The exponent s belongs to the label of the
//! sums, the others to families of words that summands need.
//!
//! # Fails when
//! Operands of one summand are themselves running values of the same sums.
//!
//! # Example
//! `gemm`, `matmul` and all tensor contractions with `--reassociate`.
//!
//! # References
//! The argument is this project's own; with stores counted as well and recomputation allowed, √2·mnk/√S was known (C-5).

use redblue_cert::Proof;
use redblue_cert::certificate::{Capacity, Group, Merging, Phases};
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};

use crate::analysis::Search;
use crate::error::Result;
use crate::exponents;
use crate::family::{Family, Seed, Trace, Words};
use crate::graph::Graph;
use crate::plan;
use crate::reduction::{chain_dims, unit_rows};
use crate::seeds::seeds;
use crate::targets::Targets;

/// Most choices of exponents for one node.
const MOST_CHOICES: usize = 3;

/// All proofs of this kind; none where sums keep their order, because running values prove more there.
pub fn find(search: &Search<'_>) -> Result<Vec<Proof>> {
    let mut found = Vec::new();
    if search.model.sums == redblue_cert::Sums::Fixed || search.model.recompute {
        return Ok(found);
    }
    for node in 0..search.graph.nodes.len() {
        if search.is_over() {
            break;
        }
        if let Some(kept) = chain_dims(search.whole, node, true) {
            let arguments = arguments(search.graph, node, &kept)?;
            found.extend(arguments.into_iter().map(Proof::Phases));
        }
    }
    Ok(found)
}

/// The arguments for the sums of one node, in a graph without running values.
fn arguments(graph: &Graph, node: usize, kept: &[usize]) -> Result<Vec<Phases>> {
    let targets = Targets::of_node(graph, node)?;
    let projection = unit_rows(targets.dimension, kept);
    let rows = projection
        .iter()
        .map(|row| row.iter().map(|&x| int(x)).collect());
    let label = Matrix::new(targets.dimension, rows.collect())?;
    let mut found = Vec::new();
    for shallow in [false, true] {
        let families = families(graph, &targets, shallow)?;
        let mut maps: Vec<&Matrix> = families.iter().map(Family::projection).collect();
        maps.push(&label);
        let regimes = exponents::regimes(targets.dimension, &maps, &[])?;
        let choices = regimes
            .iter()
            .flat_map(|regime| regime.choices.iter().rev());
        let mixed = |choice: &&Vec<Rational>| {
            choice
                .last()
                .is_some_and(|own| *own > int(0) && *own < int(1))
        };
        for choice in choices.filter(mixed).take(MOST_CHOICES) {
            found.extend(argument(graph, &targets, &families, &projection, choice)?);
        }
        if !found.is_empty() {
            break;
        }
    }
    Ok(found)
}

/// One family per operand and kernel, among those that begin at an operand of the summand.
fn families(graph: &Graph, targets: &Targets, shallow: bool) -> Result<Vec<Family>> {
    let mut found: Vec<Family> = Vec::new();
    for seed in seeds(graph, targets)? {
        if seed.chain || seed.shallow != shallow || found.iter().any(|family| same(family, &seed)) {
            continue;
        }
        let Some(trace) = Trace::new(graph, targets, seed)? else {
            continue;
        };
        let family = trace.family(graph, targets, &Words::new())?;
        let mut served = true;
        for unserved in &family.unserved {
            served &= unserved.is_empty()?;
        }
        if served {
            found.push(family);
        }
    }
    Ok(found)
}

fn same(family: &Family, seed: &Seed) -> bool {
    *family.projection() == seed.projection && family.trace.seed().operands == seed.operands
}

/// The argument with some exponents, the last one for the sums; families that share words share weight.
fn argument(
    graph: &Graph,
    targets: &Targets,
    families: &[Family],
    projection: &[Vec<i64>],
    choice: &[Rational],
) -> Result<Option<Phases>> {
    let Some((own, shares)) = choice.split_last() else {
        return Ok(None);
    };
    let used: Vec<usize> = (0..shares.len())
        .filter(|&at| shares[at] > int(0))
        .collect();
    let families: Vec<Family> = used.iter().map(|&at| families[at].clone()).collect();
    let shares: Vec<Rational> = used.iter().map(|&at| shares[at].clone()).collect();
    let classes = plan::classes(&families)?;
    let mut written = Vec::new();
    for (at, family) in families.iter().enumerate() {
        let class = (0..families.len()).filter(|&other| classes[other] == classes[at]);
        let total: Rational = class.map(|other| &shares[other]).sum();
        let Some(family) = family.write(graph, &(&shares[at] / total))? else {
            return Ok(None);
        };
        written.push(family);
    }
    let sum: Rational = choice.iter().sum();
    if sum <= int(1) {
        return Ok(None);
    }
    let length = (int(1) / (sum - int(1))).round().max(int(1));
    let group = Group {
        private: Vec::new(),
        targets: targets.texts(graph)?,
        families: written,
        capacity: Capacity::Merging(Merging {
            exponents: shares.iter().map(ToString::to_string).collect(),
            projection: projection.to_vec(),
            exponent: own.to_string(),
        }),
    };
    let lengths = vec![format!("{length}*S")];
    Ok(Some(Phases {
        groups: vec![group],
        lengths,
    }))
}

#[cfg(test)]
mod tests {
    use crate::trial::{FREE, LOADS, analysis, attack, kernel, refused, value};

    #[test]
    fn products_in_any_order() {
        for (name, k) in [("gemm", "NK"), ("matmul", "K"), ("matmul-tiled", "K")] {
            let found = analysis(&kernel(name), "any-order", FREE);
            let (m, n) = if name == "gemm" {
                ("NI", "NJ")
            } else {
                ("M", "N")
            };
            // 8/(3√3)·10¹²·/100 − 2/3·10⁸ − 10⁴.
            let bound = value(
                &found,
                &[(m, 10_000), (n, 10_000), (k, 10_000), ("S", 10_000)],
            );
            assert!(bound >= 15_396_000_000 - 66_700_000, "{name}: {bound}");
            assert!(bound < 20_000_000_000, "{name}: {bound}");
        }
    }

    #[test]
    fn silent_where_sums_have_an_order() {
        assert!(
            analysis(&kernel("gemm"), "any-order", LOADS)
                .bounds
                .is_empty()
        );
    }

    #[test]
    fn no_schedule_does_better() {
        let memories = [3, 4, 5, 6, 8, 10, 12, 16];
        let sizes: [&[(&str, i64)]; 3] = [
            &[("M", 4), ("N", 4), ("K", 4)],
            &[("M", 7), ("N", 6), ("K", 8)],
            &[("M", 10), ("N", 10), ("K", 10)],
        ];
        let small: &[(&str, i64)] = &[("M", 6), ("N", 6)];
        let attacked = attack("matmul", "any-order", FREE, &sizes, &memories)
            + attack("syrk", "any-order", FREE, &[small], &memories)
            + attack("symm", "any-order", FREE, &[small], &memories)
            + attack("trmm", "any-order", FREE, &[small], &memories)
            + attack("nbody", "any-order", FREE, &[&[("N", 8)]], &memories)
            + attack(
                "mttkrp",
                "any-order",
                FREE,
                &[&[("i", 3), ("j", 4), ("k", 4), ("r", 3)]],
                &memories,
            );
        assert!(attacked >= 20, "{attacked}");
    }

    #[test]
    fn changed_certificates_are_refused() {
        let certificate = analysis(&kernel("matmul"), "any-order", FREE).certificate;
        refused(&certificate, "\"exponent\":\"1/2\"", "\"exponent\":\"1/3\"");
        refused(&certificate, "\"formula\":\"", "\"formula\":\"1 + ");
        refused(&certificate, "\"recompute\":false", "\"recompute\":true");
        refused(
            &certificate,
            "\"exponents\":[\"1/2\",",
            "\"exponents\":[\"1/4\",",
        );
    }
}
