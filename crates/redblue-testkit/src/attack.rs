//! Attacking one claimed bound.

use redblue_pebble::exact::{Limits, Stop, solve};
use redblue_pebble::heuristic::{OrderSearch, belady, search_order};
use redblue_pebble::program::{ProgramGraph, ProgramGraphError};
use redblue_pebble::referee::judge;
use redblue_pebble::{Cdag, Error, Game, Move, Vertex};
use redblue_program::{Program, Sizes};

use crate::orders::{Coordinates, Key, Timetable, key_count, keys, random_order};

/// A claimed lower bound at fixed sizes.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The program it is claimed for.
    pub program: &'a Program,
    /// Its sizes.
    pub sizes: &'a Sizes,
    /// Words of fast memory.
    pub capacity: usize,
    /// What is counted and allowed. Bounds must hold with sliding too, the easier game to win (G-3).
    pub game: Game,
    /// No play of the game moves fewer words, it is claimed.
    pub value: u64,
}

/// How hard to try.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Largest graph, in vertices; larger ones are refused.
    pub vertices: usize,
    /// Largest graph given to the exact player.
    pub exact_vertices: usize,
    /// States the exact player may store.
    pub exact_states: u64,
    /// Most orders tried from keys.
    pub orders: usize,
    /// Random topological orders tried.
    pub random_orders: u64,
    /// Random changes of the best order.
    pub trials: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort {
            vertices: 200_000,
            exact_vertices: 24,
            exact_states: 200_000,
            orders: 400,
            random_orders: 20,
            trials: 200,
        }
    }
}

/// Where a play came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attack {
    /// The exact player; its play is optimal.
    Optimum,
    /// The exact player, cut by its limits; its play is legal.
    Exact,
    /// Belady's rule on an order of the suite.
    Order(Key),
    /// Belady's rule on a random order with this seed.
    Random(u64),
    /// Belady's rule on an order found by local search.
    Search,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No play beat it.
    Survived {
        /// The least traffic seen.
        best: u64,
        /// Where it was seen.
        by: Attack,
        /// How many plays were judged.
        plays: usize,
    },
    /// A legal play moves less: the claim is false.
    Broken {
        /// Traffic of that play.
        io: u64,
        /// Where it came from.
        by: Attack,
        /// The play itself.
        play: Vec<Move>,
    },
}

/// Why a claim could not be attacked.
#[derive(Debug, thiserror::Error)]
pub enum AttackError {
    /// The program has no graph at these sizes.
    #[error(transparent)]
    Graph(#[from] ProgramGraphError),
    /// The game cannot be played, or a player failed.
    #[error(transparent)]
    Game(#[from] Error),
}

/// Tries to break a claim.
///
/// # Errors
/// Sizes that do not fit the program or the effort, or a capacity with which no game can be played.
pub fn attack(claim: &Claim<'_>, effort: &Effort) -> Result<Verdict, AttackError> {
    let graph = ProgramGraph::of(claim.program, claim.sizes, effort.vertices)?;
    let timetable = Timetable::of(claim.program, &graph);
    let mut field = Field::new(&graph.graph, claim.game, claim.capacity, claim.value);
    field.run(Some(&timetable), effort)
}

/// Tries to break a claim about an explicit graph.
///
/// # Errors
/// A capacity with which no game can be played.
pub fn attack_graph(
    graph: &Cdag,
    game: Game,
    capacity: usize,
    value: u64,
    effort: &Effort,
) -> Result<Verdict, AttackError> {
    Field::new(graph, game, capacity, value).run(None, effort)
}

/// The state of one attack.
struct Field<'a> {
    graph: &'a Cdag,
    game: Game,
    capacity: usize,
    value: u64,
    best: Option<(u64, Attack)>,
    plays: usize,
}

impl<'a> Field<'a> {
    fn new(graph: &'a Cdag, game: Game, capacity: usize, value: u64) -> Field<'a> {
        Field {
            graph,
            game,
            capacity,
            value,
            best: None,
            plays: 0,
        }
    }

    fn run(
        &mut self,
        timetable: Option<&Timetable>,
        effort: &Effort,
    ) -> Result<Verdict, AttackError> {
        self.game.check_capacity(self.graph, self.capacity)?;
        if self.graph.len() <= effort.exact_vertices {
            let limits = Limits {
                states: effort.exact_states,
                ..Limits::default()
            };
            let outcome = solve(self.graph, &self.game, self.capacity, &limits)?;
            let optimal = outcome.stop == Stop::Optimal;
            let by = if optimal {
                Attack::Optimum
            } else {
                Attack::Exact
            };
            let broken = self.judge(by, outcome.play)?;
            if optimal || broken.is_some() {
                return Ok(broken.unwrap_or_else(|| self.survived()));
            }
        }
        if let Some(timetable) = timetable {
            for key in suite(timetable, self.capacity, effort.orders) {
                let order = timetable.order(self.graph, &key);
                if let Some(broken) = self.order(Attack::Order(key), &order)? {
                    return Ok(broken);
                }
            }
        }
        for seed in 0..effort.random_orders {
            let order = random_order(self.graph, seed);
            if let Some(broken) = self.order(Attack::Random(seed), &order)? {
                return Ok(broken);
            }
        }
        let search = OrderSearch {
            trials: effort.trials,
            ..OrderSearch::default()
        };
        let play = search_order(self.graph, &self.game, self.capacity, &search)?;
        Ok(self
            .judge(Attack::Search, play)?
            .unwrap_or_else(|| self.survived()))
    }

    fn order(&mut self, by: Attack, order: &[Vertex]) -> Result<Option<Verdict>, AttackError> {
        let wanted = self.game.must_compute(self.graph);
        let order: Vec<Vertex> = order.iter().copied().filter(|&v| wanted[v]).collect();
        let play = belady(self.graph, &self.game, self.capacity, &order)?;
        self.judge(by, play)
    }

    fn judge(&mut self, by: Attack, play: Vec<Move>) -> Result<Option<Verdict>, AttackError> {
        let judged = judge(self.graph, &self.game, self.capacity, &play);
        let io = judged.map_err(Error::PlayRefused)?.io();
        self.plays += 1;
        if io < self.value {
            return Ok(Some(Verdict::Broken { io, by, play }));
        }
        if self.best.as_ref().is_none_or(|(best, _)| io < *best) {
            self.best = Some((io, by));
        }
        Ok(None)
    }

    fn survived(&self) -> Verdict {
        let (best, by) = self.best.clone().unwrap_or((u64::MAX, Attack::Search));
        Verdict::Survived {
            best,
            by,
            plays: self.plays,
        }
    }
}

/// The keys to try, half of them on cells, half on loops.
fn suite(timetable: &Timetable, capacity: usize, most: usize) -> Vec<Key> {
    let kinds = [Coordinates::Cells, Coordinates::Loops];
    let keys = |kind| {
        sample(
            kind,
            timetable.dimensions(kind),
            capacity,
            most / kinds.len(),
        )
    };
    kinds.into_iter().flat_map(keys).collect()
}

/// All keys of a kind where they are few enough, else an even sample.
fn sample(kind: Coordinates, dimensions: usize, capacity: usize, most: usize) -> Vec<Key> {
    let side = i64::try_from(capacity.isqrt()).unwrap_or(i64::MAX);
    let mut lengths = vec![1, 2, 3, 4, side / 2, side - 1, side, i64::MAX];
    lengths.retain(|&length| length >= 1);
    lengths.sort_unstable();
    lengths.dedup();
    // Deep nests: fewer lengths rather than a thin sample of many.
    while lengths.len() > 3 && key_count(dimensions, lengths.len()) > 64 * most {
        lengths.remove(lengths.len() / 2);
    }
    let keys = keys(kind, dimensions, &lengths);
    // A step coprime to the number of choices of each dimension meets all of them.
    let coprime = |step: &usize| {
        [2, 3, 5, 7]
            .iter()
            .all(|&prime| !step.is_multiple_of(prime))
    };
    let step = keys.len().div_ceil(most.max(1)).max(1);
    let step = if step == 1 {
        1
    } else {
        (step..).find(coprime).unwrap_or(step)
    };
    keys.into_iter().step_by(step).collect()
}
