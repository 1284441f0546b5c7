//! Several families of hubs in one proof.
//!
//! ```text
//! top(i) ─► exp(i, j) ─► sum(i) ─► weight(i, j)      scores wait for top, exponentials for sum
//! ```
//!
//! What waits for the hubs of one family and what waits for those of another are loads and stores of different values if paths share no
//! vertex. A component is added to the indices that tells the families apart; then they are hubs like any others.

use std::cmp::Reverse;

use num_bigint::BigInt;
use redblue_cert::Proof;
use redblue_cert::certificate::{Bundle, Reach, Wavefront};
use redblue_poly::{Context, Map, Set};

use super::Crossing;
use crate::error::Result;
use crate::graph::{Graph, Source};

/// A family is worth adding if it brings at least the best one's part divided by this.
const SMALLEST: u32 = 16;

/// Most families of one proof.
const FAMILIES: usize = 4;

/// One proof for the best family of hubs and others that go well with it, if there are any; compared with this memory.
pub(super) fn joined(graph: &Graph, found: &[Crossing], fast: &BigInt) -> Result<Option<Proof>> {
    let score = |crossing: &Crossing| &crossing.paths - &crossing.hubs * fast;
    let mut single: Vec<(&Crossing, &Wavefront)> = Vec::new();
    for crossing in found {
        if let Proof::Wavefront(waves) = &crossing.proof
            && crossing.stands_alone()
        {
            single.push((crossing, waves));
        }
    }
    // Of equals, the one that leaves more to others.
    single.sort_by_key(|(crossing, _)| (Reverse(score(crossing)), crossing.visited.len()));
    let mut chosen: Vec<(&Crossing, &Wavefront)> = Vec::new();
    for (crossing, waves) in single {
        let least = chosen
            .first()
            .map_or(BigInt::from(0), |(first, _)| score(first) / SMALLEST);
        let mut apart = score(crossing) > least && chosen.len() < FAMILIES;
        for (other, _) in &chosen {
            apart = apart && disjoint(&crossing.visited, &other.visited)?;
        }
        if apart {
            chosen.push((crossing, waves));
        }
    }
    if chosen.len() < 2 {
        return Ok(None);
    }
    let proofs: Vec<&Wavefront> = chosen.iter().map(|(_, waves)| *waves).collect();
    Ok(Some(Proof::Wavefront(proof(
        graph.context.context(),
        &proofs,
    )?)))
}

/// Whether no vertex is in both lists.
fn disjoint(one: &[(Source, Set)], other: &[(Source, Set)]) -> Result<bool> {
    for (source, vertices) in one {
        for (_, others) in other.iter().filter(|(same, _)| same == source) {
            if !vertices.is_disjoint(others)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The proofs in one, with indices of one length.
fn proof(context: &Context, proofs: &[&Wavefront]) -> Result<Wavefront> {
    let mut length = 0;
    for hubs in proofs.iter().flat_map(|waves| &waves.hubs) {
        length = length.max(Map::parse(context, hubs)?.n_out());
    }
    let mut all = Wavefront {
        hubs: Vec::new(),
        bundles: Vec::new(),
        before: Reach {
            members: Vec::new(),
            edges: Vec::new(),
        },
        after: Reach {
            members: Vec::new(),
            edges: Vec::new(),
        },
        next: None,
    };
    for (number, waves) in proofs.iter().enumerate() {
        let number = Number { number, length };
        for hubs in &waves.hubs {
            all.hubs.push(number.labels(context, hubs)?);
        }
        for bundle in &waves.bundles {
            all.bundles.push(Bundle {
                ends: number.ends(context, &bundle.ends)?,
                steps: bundle.steps.clone(),
            });
        }
        for (own, reach) in [
            (&waves.before, &mut all.before),
            (&waves.after, &mut all.after),
        ] {
            for members in &own.members {
                reach.members.push(number.labels(context, members)?);
            }
            reach.edges.extend(own.edges.iter().cloned());
        }
    }
    for reach in [&mut all.before, &mut all.after] {
        reach.edges.sort();
        reach.edges.dedup();
    }
    Ok(all)
}

/// The number of a family, which becomes the last component of its indices, and the length of the others.
struct Number {
    number: usize,
    length: usize,
}

impl Number {
    /// `{ S[x] -> [t] }` with the longer index.
    fn labels(&self, context: &Context, text: &str) -> Result<String> {
        let map = Map::parse(context, text)?;
        let (index, longer) = self.index(map.n_out());
        let longer = Map::parse(context, &format!("{{ [{index}] -> [{longer}] }}"))?;
        Ok(map.apply_range(&longer)?.to_string())
    }

    /// `{ [[t] -> [l]] -> S[x] }` with the longer index.
    fn ends(&self, context: &Context, text: &str) -> Result<String> {
        let map = Map::parse(context, text)?;
        let paths = map.domain()?.unwrap_map()?;
        let (index, longer) = self.index(paths.n_in());
        let label: Vec<String> = (0..paths.n_out()).map(|at| format!("l{at}")).collect();
        let label = label.join(", ");
        let longer = format!("{{ [[{index}] -> [{label}]] -> [[{longer}] -> [{label}]] }}");
        Ok(map
            .apply_domain(&Map::parse(context, &longer)?)?
            .to_string())
    }

    /// An index of so many components, and the longer one.
    fn index(&self, components: usize) -> (String, String) {
        let index: Vec<String> = (0..components).map(|at| format!("t{at}")).collect();
        let mut longer = index.clone();
        longer.resize(self.length, "0".to_owned());
        longer.push(self.number.to_string());
        (index.join(", "), longer.join(", "))
    }
}
