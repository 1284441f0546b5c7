//! Attacking the phase capacity of a proof directly (T-5).
//!
//! A phase argument rests on U(K): no convex set of vertices with at most K in-set elements (G-5) holds more
//! than U(K) target vertices. [`Frontier::explore`] looks for convex sets with many targets for every K, without
//! knowing U; [`Frontier::check`] then compares. This does not depend on any schedule's traffic, and one
//! exploration serves every U that is claimed for the same targets.
//!
//! ```text
//! intervals of orders ──┐
//! climbing from the best ├──► Frontier: most targets seen, for each size of the in-set ── U ──► counterexample
//! all sets, if few ─────┘
//! ```
//!
//! For bounds that allow recomputation, U(K) must hold for what a set of K vertices *dominates* (G-8, R-2): see
//! [`Form::Dominated`].

mod exhaustive;
mod region;

use std::ops::Range;
use std::sync::Arc;

use redblue_math::Rational;
use redblue_math::rational::int;
use redblue_pebble::{Cdag, Error, Random, Vertex};

use self::region::Region;
use crate::arena::{Arena, Source};
use crate::model::{Model, Sums};

/// What a phase is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A convex set; K is the size of its in-set (G-6).
    Convex,
    /// The vertices outside a set of K whose every path from an input meets that set (G-8).
    Dominated,
}

/// How hard to look.
#[derive(Debug, Clone, Copy)]
pub struct PhaseEffort {
    /// Orders whose intervals are looked at.
    pub orders: usize,
    /// Random orders among them, in addition.
    pub random_orders: u64,
    /// Intervals grown in each order.
    pub starts: usize,
    /// Climbs, spread over all sizes of in-sets.
    pub climbs: usize,
    /// Moves of a climb, for each vertex of the graph.
    pub moves_per_vertex: usize,
    /// Graphs with at most this many computed vertices have all their convex sets listed.
    pub exhaustive: usize,
}

impl PhaseEffort {
    /// Some milliseconds on graphs of some hundred vertices.
    pub const QUICK: PhaseEffort = PhaseEffort {
        orders: 40,
        random_orders: 4,
        starts: 24,
        climbs: 12,
        moves_per_vertex: 20,
        exhaustive: 14,
    };

    /// For long runs.
    pub const THOROUGH: PhaseEffort = PhaseEffort {
        orders: 1_000,
        random_orders: 100,
        starts: 200,
        climbs: 300,
        moves_per_vertex: 200,
        exhaustive: 20,
    };
}

/// A phase that holds more targets than claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// The set, ascending.
    pub set: Vec<Vertex>,
    /// Size of its in-set, or of what dominates it.
    pub in_set: u64,
    /// Targets in it.
    pub targets: u64,
}

/// The most targets seen in a phase, for each size of the in-set.
#[derive(Debug, Clone)]
pub struct Frontier {
    /// By size of the in-set, exactly.
    seen: Vec<Option<Seen>>,
}

/// The best phase for its size of the in-set.
#[derive(Debug, Clone)]
struct Seen {
    targets: u64,
    witness: Witness,
}

/// A set of vertices; intervals share their order.
#[derive(Debug, Clone)]
enum Witness {
    Interval(Arc<[Vertex]>, Range<usize>),
    Set(Vec<Vertex>),
}

impl Witness {
    fn vertices(&self) -> &[Vertex] {
        match self {
            Witness::Interval(order, range) => &order[range.clone()],
            Witness::Set(set) => set,
        }
    }
}

/// Looks for a phase with more targets than `capacity` allows for its in-set.
///
/// # Errors
/// None that a well-formed graph could cause.
pub fn attack_capacity(
    arena: &Arena,
    is_target: impl Fn(Vertex) -> bool,
    capacity: impl Fn(u64) -> Rational,
    form: Form,
    effort: &PhaseEffort,
) -> Result<Option<Counterexample>, Error> {
    Ok(Frontier::explore(arena, is_target, form, effort)?.check(capacity))
}

impl Frontier {
    /// Looks for phases with many targets. Inputs are never targets.
    ///
    /// # Errors
    /// None that a well-formed graph could cause.
    pub fn explore(
        arena: &Arena,
        is_target: impl Fn(Vertex) -> bool,
        form: Form,
        effort: &PhaseEffort,
    ) -> Result<Frontier, Error> {
        let graph = arena.graph();
        let is_target: Vec<bool> = (0..graph.len())
            .map(|v| !graph.is_input(v) && is_target(v))
            .collect();
        let mut explorer = Explorer {
            graph,
            is_target: &is_target,
            frontier: Frontier {
                seen: vec![None; graph.len() + 1],
            },
        };
        let computed = graph.len() - graph.inputs().len();
        if computed <= effort.exhaustive {
            explorer.list();
        }
        let keys = arena.keys(effort.orders).into_iter().map(Source::Key);
        let random = (0..effort.random_orders).map(Source::Random);
        for source in keys.chain([Source::DepthFirst]).chain(random) {
            if let Some(field) = arena.field(&source, &Model::LOADS.game(), Sums::Fixed)? {
                explorer.intervals(&field.order, effort.starts);
            }
        }
        explorer.climb(effort);
        Ok(match form {
            Form::Convex => explorer.frontier,
            Form::Dominated => explorer.dominated(),
        })
    }

    /// The most targets seen in a phase with at most `in_set` elements in its in-set.
    pub fn most(&self, in_set: usize) -> u64 {
        let seen = self.seen.iter().take(in_set.saturating_add(1)).flatten();
        seen.map(|phase| phase.targets).max().unwrap_or(0)
    }

    /// The first phase, by size of the in-set, that holds more targets than `capacity` allows.
    pub fn check(&self, capacity: impl Fn(u64) -> Rational) -> Option<Counterexample> {
        let mut best: Option<(usize, &Seen)> = None;
        for (in_set, seen) in self.seen.iter().enumerate() {
            let better = |seen: &&Seen| best.is_none_or(|(_, best)| seen.targets > best.targets);
            let here = seen.as_ref().filter(better).map(|seen| (in_set, seen));
            best = here.or(best);
            // A phase with fewer in-set elements counts for every larger K, too.
            if let Some((own, seen)) = best
                && int(seen.targets) > capacity(in_set as u64)
            {
                let mut set = seen.witness.vertices().to_vec();
                set.sort_unstable();
                return Some(Counterexample {
                    set,
                    in_set: own as u64,
                    targets: seen.targets,
                });
            }
        }
        None
    }
}

struct Explorer<'a> {
    graph: &'a Cdag,
    is_target: &'a [bool],
    frontier: Frontier,
}

impl Explorer<'_> {
    /// Notes a phase, if it is the best for its in-set.
    fn note(&mut self, in_set: u64, targets: u64, witness: impl FnOnce() -> Witness) {
        let Some(seen) = self.frontier.seen.get_mut(in_set as usize) else {
            return;
        };
        if seen.as_ref().is_none_or(|best| targets > best.targets) {
            let witness = witness();
            *seen = Some(Seen { targets, witness });
        }
    }

    /// Looks at all convex sets.
    fn list(&mut self) {
        let targets = (0..self.graph.len().min(64)).filter(|&v| self.is_target[v]);
        let targets = targets.fold(0u64, |mask, v| mask | 1 << v);
        let graph = self.graph;
        exhaustive::convex_sets(graph, &mut |set, in_set| {
            let count = u64::from((set & targets).count_ones());
            self.note(in_set, count, || {
                Witness::Set((0..graph.len()).filter(|v| set >> v & 1 == 1).collect())
            });
        });
    }

    /// Looks at intervals of an order: from some starts, all lengths.
    fn intervals(&mut self, order: &[Vertex], starts: usize) {
        let graph = self.graph;
        let shared: Arc<[Vertex]> = order.into();
        let stride = order.len().div_ceil(starts.max(1)).max(1);
        // Per vertex, the start of the interval that last counted it as a member or in its in-set.
        let mut counted = vec![usize::MAX; graph.len()];
        for start in (0..order.len()).step_by(stride) {
            let (mut in_set, mut targets) = (0, 0);
            for (last, &v) in order.iter().enumerate().skip(start) {
                for &u in graph.preds(v) {
                    if std::mem::replace(&mut counted[u], start) != start {
                        in_set += 1;
                    }
                }
                counted[v] = start;
                targets += u64::from(self.is_target[v]);
                let interval = || Witness::Interval(shared.clone(), start..last + 1);
                self.note(in_set, targets, interval);
            }
        }
    }

    /// Climbs from the best phases: moves that gain targets or free in-set elements are kept, at a price per
    /// element of about the frontier's slope.
    fn climb(&mut self, effort: &PhaseEffort) {
        let known: Vec<usize> = (0..self.frontier.seen.len())
            .filter(|&k| self.frontier.seen[k].is_some())
            .collect();
        let mut random = Random::new(1);
        for climb in 0..effort.climbs.min(known.len() * 3) {
            let k = known[climb * known.len() / effort.climbs.max(1) % known.len()];
            let Some(start) = self.frontier.seen[k].clone() else {
                continue;
            };
            // U grows like K, K^(3/2) or K², so an element is worth one to two times the average.
            let price = (start.targets * (2 + climb as u64 % 3), 2 * k.max(1) as u64);
            let set = start.witness.vertices();
            let mut region = Region::new(self.graph, self.is_target, set);
            for _ in 0..effort.moves_per_vertex * self.graph.len() {
                self.step(&mut region, price, &mut random);
            }
        }
    }

    /// One move of a climb, undone if it does not pay. The price is a fraction: targets per element.
    fn step(&mut self, region: &mut Region<'_>, price: (u64, u64), random: &mut Random) {
        let members = region.members();
        let Some(&member) = members.get(random.below(members.len())) else {
            return;
        };
        let neighbours = match random.below(3) {
            0 => self.graph.preds(member),
            1 => self.graph.succs(member),
            _ => &[],
        };
        let v = neighbours
            .get(random.below(neighbours.len()))
            .copied()
            .unwrap_or(member);
        let worth = |region: &Region<'_>| {
            i128::from(region.targets) * i128::from(price.1)
                - i128::from(region.in_set) * i128::from(price.0)
        };
        let before = worth(region);
        let Some(was) = region.shift(v, random.chance(50)) else {
            return;
        };
        let set = || Witness::Set(region.members().to_vec());
        self.note(region.in_set, region.targets, set);
        // Now and then a bad move is kept, to get out of dead ends.
        if worth(region) < before && !random.chance(5) {
            region.put_back(v, was);
        }
    }

    /// For each phase seen, what its in-set dominates.
    fn dominated(self) -> Frontier {
        let Explorer {
            graph,
            is_target,
            frontier,
        } = self;
        let mut explorer = Explorer {
            graph,
            is_target,
            frontier: Frontier {
                seen: vec![None; graph.len() + 1],
            },
        };
        for (in_set, seen) in frontier.seen.iter().enumerate() {
            let set = seen
                .as_ref()
                .map_or(&[][..], |seen| seen.witness.vertices());
            let covered = explorer.covered_with(set);
            let targets = covered.iter().filter(|&&v| is_target[v]).count() as u64;
            explorer.note(in_set as u64, targets, || Witness::Set(covered));
        }
        explorer.frontier
    }

    /// What the in-set of a set dominates, without the in-set itself.
    fn covered_with(&self, set: &[Vertex]) -> Vec<Vertex> {
        let graph = self.graph;
        let mut member = vec![false; graph.len()];
        set.iter().for_each(|&v| member[v] = true);
        let mut dominator = vec![false; graph.len()];
        let read = set.iter().flat_map(|&v| graph.preds(v));
        read.filter(|&&u| !member[u])
            .for_each(|&u| dominator[u] = true);
        let mut covered = vec![false; graph.len()];
        for &v in graph.order() {
            let open = !graph.is_input(v) && !dominator[v];
            covered[v] = open && graph.preds(v).iter().all(|&u| dominator[u] || covered[u]);
        }
        (0..graph.len()).filter(|&v| covered[v]).collect()
    }
}
