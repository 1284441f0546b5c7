//! Sums in any order: a running value need not come in, but what is added up must go on.
//!
//! # Statement
//! If sums may be taken in any order and by any tree, a phase can start as many new partial sums as it likes (U-4), but
//! each of them has to be at hand again later, or is a result. With V summands in L sums, `loads ≥ T·(V/U(S+T) − L/(S+T) − 1) + S`,
//! U(K) = s^s(1−s)^{1−s}·Π (s_j/(w_j·σ'))^{s_j}·K^σ. For the matrix product: (8/(3√3))·mnk/√S − (2/3)·mn − S, about 1.54·mnk/√S
//! where the program's own order gives 2·mnk/√S.
//!
//! # Assumptions
//! No recomputation; one associative and commutative sum per label, whose summands are operations.
//!
//! # Certificate
//! A phase argument with capacity `merging`; its doc comment has the proof. The exponent s belongs to the label of the
//! sums, the others to families of words that summands need. A product that is kept in a temporary before it is added
//! (`t = a·b; c += t`) is the target itself, with its way to the sum.
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
use redblue_cert::certificate::{Capacity, Edge, Group, IslText, Merging, Onto, Phases, Reach};
use redblue_math::rational::int;
use redblue_math::{Matrix, Rational};

use crate::analysis::Search;
use crate::error::Result;
use crate::exponents;
use crate::family::{Family, Seed, Trace, Words};
use crate::graph::{Graph, Source};
use crate::plan;
use crate::reduction::{chain_dims, coordinates, unit_rows};
use crate::seeds::seeds;
use crate::targets::{Part, Targets};
use crate::write;

/// Most steps from a target to the sum it goes into.
const LONGEST_WAY: usize = 2;
/// Most choices of exponents for one node.
const MOST_CHOICES: usize = 3;

/// All proofs of this kind; none where sums keep their order, because running values prove more there.
pub fn find(search: &Search<'_>) -> Result<()> {
    if search.model.sums == redblue_cert::Sums::Fixed || search.model.recompute {
        return Ok(());
    }
    for node in 0..search.graph.nodes.len() {
        if search.is_over() {
            break;
        }
        if let Some(kept) = chain_dims(search.whole, node, true) {
            for summands in Summands::all(search.graph, node, &kept)? {
                let arguments = summands.arguments(search.graph)?;
                search.propose(arguments.into_iter().map(Proof::Phases));
            }
        }
    }
    Ok(())
}

/// What goes into the sums of one node.
struct Summands {
    /// The targets, at points of the node's coordinates.
    targets: Targets,
    /// From points to sums.
    projection: Vec<Vec<i64>>,
    /// The sums, if they are not running values themselves.
    onto: Option<Onto>,
}

impl Summands {
    /// The running values of a node, and values that lead to them, one for one.
    fn all(graph: &Graph, node: usize, kept: &[usize]) -> Result<Vec<Summands>> {
        let targets = Targets::of_node(graph, node)?;
        let projection = unit_rows(targets.dimension, kept);
        let label = |part: &Part| -> Result<IslText> {
            let labels = part
                .map()?
                .apply_range(&coordinates(&part.map()?.range()?, kept)?)?;
            write::labelled(&graph.nodes[part.node], &labels)
        };
        let mut all = Vec::new();
        let mut open = Vec::new();
        for part in &targets.parts {
            let sums = vec![label(part)?];
            let ways = Reach {
                members: sums.clone(),
                edges: Vec::new(),
            };
            open.push((part.clone(), Onto { sums, ways }));
        }
        all.push(Summands {
            targets,
            projection: projection.clone(),
            onto: None,
        });
        for _ in 0..LONGEST_WAY {
            let mut next = Vec::new();
            for (reader, onto) in open {
                for (part, edge) in carriers(graph, &reader)? {
                    let mut onto = onto.clone();
                    onto.ways.members.push(label(&part)?);
                    onto.ways.edges.push(edge);
                    all.push(Summands {
                        targets: Targets {
                            parts: vec![part.clone()],
                            dimension: part.embedding.rows().len(),
                        },
                        projection: projection.clone(),
                        onto: Some(onto.clone()),
                    });
                    next.push((part, onto));
                }
            }
            open = next;
        }
        Ok(all)
    }

    /// The arguments, in a graph without running values.
    fn arguments(&self, graph: &Graph) -> Result<Vec<Phases>> {
        let dimension = self.targets.dimension;
        let rows = self.projection.iter();
        let rows = rows.map(|row| row.iter().map(|&x| int(x)).collect());
        let label = Matrix::new(dimension, rows.collect())?;
        let mut found = Vec::new();
        for shallow in [false, true] {
            let families = families(graph, &self.targets, shallow)?;
            let mut maps: Vec<&Matrix> = families.iter().map(Family::projection).collect();
            maps.push(&label);
            let regimes = exponents::regimes(dimension, &maps, &[])?;
            let choices = regimes
                .iter()
                .flat_map(|regime| regime.choices.iter().rev());
            let mixed = |choice: &&Vec<Rational>| {
                choice
                    .last()
                    .is_some_and(|own| *own > int(0) && *own < int(1))
            };
            for choice in choices.filter(mixed).take(MOST_CHOICES) {
                found.extend(self.argument(graph, &families, choice)?);
            }
            if !found.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// The argument with some exponents, the last one for the sums; families that share words share weight.
    fn argument(
        &self,
        graph: &Graph,
        families: &[Family],
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
            targets: self.targets.texts(graph)?,
            families: written,
            capacity: Capacity::Merging(Merging {
                exponents: shares.iter().map(ToString::to_string).collect(),
                projection: self.projection.clone(),
                exponent: own.to_string(),
                onto: self.onto.clone(),
            }),
        };
        let lengths = vec![format!("{length}*S")];
        Ok(Some(Phases {
            groups: vec![group],
            lengths,
        }))
    }
}

/// Values of other nodes that some values read, one each: where they lie, and how they are read.
fn carriers(graph: &Graph, reader: &Part) -> Result<Vec<(Part, Edge)>> {
    let mut found = Vec::new();
    for (_, arrow) in graph.arrows_of(reader.node) {
        let Source::Node(node) = arrow.source else {
            continue;
        };
        let dims = reader.set.n_dim();
        if node == reader.node || graph.nodes[node].domain.n_dim() != dims {
            continue;
        }
        for piece in arrow.pieces.iter().filter(|piece| piece.is_full()) {
            let Some(back) = piece.step.inverse()? else {
                continue;
            };
            let embedding = reader.embedding.product(&back)?;
            if !embedding.rows().iter().flatten().all(|x| x.is_integer()) {
                continue;
            }
            let read = arrow.relation.intersect_domain(&piece.domain)?;
            let read = reader.set.apply(&read)?;
            let set = graph.nodes[node].live.intersect(&read)?.coalesce()?;
            if !set.is_empty()? {
                let part = Part {
                    node,
                    set,
                    embedding,
                };
                found.push((part, arrow.edge.clone()));
            }
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

#[cfg(test)]
mod tests {
    use crate::trial::{
        FREE, LOADS, analysis, attack, attack_program, kernel, refused, source, value,
    };

    /// The matrix product with its products in temporaries, or in a scalar that is overwritten, scaled on the way or not.
    const SPLIT: [&str; 3] = [
        "double t; t = A[i][k] * B[k][j]; C[i][j] += t;",
        "double t; t = A[i][k] * B[k][j]; C[i][j] += a * t;",
        "double t; double u; t = A[i][k] * B[k][j]; u = exp(t); C[i][j] = C[i][j] - u;",
    ];

    fn split(body: &str) -> redblue_program::Program {
        source(&format!(
            "void f(int M, int N, int K, double a, double A[M][K], double B[K][N], double C[M][N]) {{
#pragma scop
for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) for (int k = 0; k < K; k++) {{ {body} }}
#pragma endscop
}}"
        ))
    }

    #[test]
    fn products_in_temporaries() {
        let plain = analysis(&split("C[i][j] += A[i][k] * B[k][j];"), "any-order", FREE);
        for body in SPLIT {
            let program = split(body);
            let found = analysis(&program, "any-order", FREE);
            for size in [100, 1000] {
                for memory in [4, 64, 1000] {
                    let at = [("M", size), ("N", 2 * size), ("K", 3 * size), ("S", memory)];
                    assert_eq!(
                        value(&found, &at),
                        value(&plain, &at),
                        "{body} {size} {memory}"
                    );
                }
            }
            let sizes: [&[(&str, i64)]; 3] = [
                &[("M", 3), ("N", 3), ("K", 3)],
                &[("M", 4), ("N", 5), ("K", 6)],
                &[("M", 8), ("N", 7), ("K", 9)],
            ];
            let attacked =
                attack_program(&program, "any-order", FREE, &sizes, &[3, 4, 5, 6, 8, 12]);
            assert!(attacked >= 6, "{body}: {attacked}");
        }
    }

    #[test]
    fn a_temporary_of_many_sums_is_no_summand_of_one() {
        // t serves all j: C[i][j] += t needs no B, and no cubic bound holds.
        let shared = source(
            "void f(int N, double A[N][N], double B[N], double C[N][N]) {
#pragma scop
for (int i = 0; i < N; i++) for (int k = 0; k < N; k++) {
  double t = A[i][k] * B[k];
  for (int j = 0; j < N; j++) C[i][j] += t;
}
#pragma endscop
}",
        );
        let found = analysis(&shared, "any-order", FREE);
        // A, B and C are read once, row by row of C.
        assert!(value(&found, &[("N", 1000), ("S", 1100)]) <= 2 * 1_000_000 + 1000);
    }

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
