//! Attacking claimed bounds.
//!
//! All claims about one program at fixed sizes are attacked together: each order of the suite is made once and
//! replayed under Belady's rule for every memory size that is still standing. Then the best order of each claim
//! is improved on its own, first as a key, then vertex by vertex. Whatever is reported was judged by the referee.

use redblue_pebble::bound::compulsory;
use redblue_pebble::exact::{Limits, Stop, solve};
use redblue_pebble::heuristic::{OrderSearch, Replay, search_order};
use redblue_pebble::program::ProgramGraphError;
use redblue_pebble::referee::judge;
use redblue_pebble::{Cdag, Error, Move, Random};
use redblue_program::{Program, ProgramError, Sizes};

use crate::arena::{Arena, Source};
use crate::key::Key;
use crate::model::{Model, Sums};
use crate::sums::free_sums;

/// A claimed lower bound at fixed sizes.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The program it is claimed for.
    pub program: &'a Program,
    /// Its sizes.
    pub sizes: &'a Sizes,
    /// Memory, model and value.
    pub stake: Stake,
}

/// What is claimed about an [`Arena`]: no play moves fewer than `value` words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stake {
    /// Words of fast memory.
    pub capacity: usize,
    /// What is counted and allowed.
    pub model: Model,
    /// The claimed bound.
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
    /// Changes of the best key tried for each claim.
    pub key_changes: u64,
    /// Changes of the best order tried for each claim.
    pub order_changes: u64,
}

impl Effort {
    /// A few milliseconds per claim on graphs of some hundred vertices: for hundreds of sizes in a test.
    pub const QUICK: Effort = Effort {
        vertices: 4_000,
        exact_vertices: 16,
        exact_states: 4_000,
        orders: 60,
        random_orders: 2,
        key_changes: 6,
        order_changes: 0,
    };

    /// About a second per claim on graphs of some thousand vertices.
    pub const USUAL: Effort = Effort {
        vertices: 200_000,
        exact_vertices: 24,
        exact_states: 200_000,
        orders: 400,
        random_orders: 20,
        key_changes: 100,
        order_changes: 200,
    };

    /// For long runs.
    pub const THOROUGH: Effort = Effort {
        vertices: 1_000_000,
        exact_vertices: 30,
        exact_states: 5_000_000,
        orders: 4_000,
        random_orders: 200,
        key_changes: 1_000,
        order_changes: 5_000,
    };
}

/// Where a play came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attack {
    /// The exact player; its play is optimal.
    Optimum,
    /// The exact player, cut by its limits or on one of several graphs; its play is legal.
    Exact,
    /// Belady's rule on an order, with sums in the program's order or in that order.
    Order(Source, Sums),
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
    /// The program's sums could not be found.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The game cannot be played, or a player failed.
    #[error(transparent)]
    Game(#[from] Error),
    /// The referee and the player disagree about the traffic of a play.
    #[error("a player counts {claimed} words, the referee {judged}")]
    Miscounted {
        /// What the player said.
        claimed: u64,
        /// What the referee says.
        judged: u64,
    },
}

/// Tries to break a claim.
///
/// # Errors
/// Sizes that do not fit the program or the effort, or a capacity with which no game can be played.
pub fn attack(claim: &Claim<'_>, effort: &Effort) -> Result<Verdict, AttackError> {
    let free = match claim.stake.model.sums {
        Sums::Free => free_sums(claim.program)?,
        Sums::Fixed => Vec::new(),
    };
    let arena = Arena::of_program(claim.program, claim.sizes, &free, effort.vertices)?;
    Duel::new(&arena, claim.stake)?.fight_alone(effort)
}

impl Arena {
    /// Tries to break claims, and says for each what became of it.
    ///
    /// # Errors
    /// A capacity with which no game can be played.
    pub fn attack(&self, stakes: &[Stake], effort: &Effort) -> Result<Vec<Verdict>, AttackError> {
        let duels = stakes.iter().map(|&stake| Duel::new(self, stake));
        let mut duels = duels.collect::<Result<Vec<_>, _>>()?;
        fight(self, &mut duels, effort)?;
        duels.into_iter().map(Duel::verdict).collect()
    }
}

/// The sources of orders that all claims are attacked with.
fn suite(arena: &Arena, effort: &Effort) -> Vec<Source> {
    let keys = arena.keys(effort.orders).into_iter().map(Source::Key);
    let random = (0..effort.random_orders).map(Source::Random);
    keys.chain([Source::DepthFirst]).chain(random).collect()
}

fn fight(arena: &Arena, duels: &mut [Duel<'_>], effort: &Effort) -> Result<(), AttackError> {
    for duel in duels.iter_mut() {
        duel.play_exactly(effort)?;
    }
    let mut models: Vec<Model> = duels.iter().map(|duel| duel.stake.model).collect();
    models.sort_unstable();
    models.dedup();
    for model in models {
        let mut duels: Vec<&mut Duel<'_>> = duels
            .iter_mut()
            .filter(|duel| duel.stake.model == model)
            .collect();
        for source in suite(arena, effort) {
            if duels.iter().all(|duel| duel.over) {
                break;
            }
            let game = model.game();
            for &sums in model.sums() {
                let Some(field) = arena.field(&source, &game, sums)? else {
                    continue;
                };
                let replay = Replay::new(&field.graph, &game, &field.order)?;
                for duel in duels.iter_mut().filter(|duel| !duel.over) {
                    duel.try_source(&field.graph, &replay, &source, sums);
                }
            }
        }
    }
    for duel in duels.iter_mut() {
        duel.change_keys(effort)?;
        duel.change_orders(effort)?;
    }
    Ok(())
}

/// How many keys are changed at the same time.
const PARENTS: usize = 6;

/// One claim under attack.
struct Duel<'a> {
    arena: &'a Arena,
    stake: Stake,
    best: Option<(u64, Attack)>,
    /// A play that is not the replay of an order.
    play: Option<Vec<Move>>,
    /// The best keys of the suite with their traffic, best first.
    keys: Vec<(u64, Key)>,
    /// What no play can avoid: nothing below it needs to be looked for.
    floor: u64,
    over: bool,
}

impl<'a> Duel<'a> {
    fn new(arena: &'a Arena, stake: Stake) -> Result<Duel<'a>, AttackError> {
        let game = stake.model.game();
        game.check_capacity(arena.graph(), stake.capacity)?;
        Ok(Duel {
            arena,
            stake,
            best: None,
            play: None,
            keys: Vec::new(),
            floor: compulsory(arena.graph(), &game).total(),
            over: false,
        })
    }

    fn fight_alone(mut self, effort: &Effort) -> Result<Verdict, AttackError> {
        fight(self.arena, std::slice::from_mut(&mut self), effort)?;
        self.verdict()
    }

    /// The most that is interesting still.
    fn ceiling(&self) -> u64 {
        self.best
            .as_ref()
            .map_or(u64::MAX, |(best, _)| best.saturating_sub(1))
    }

    fn improve(&mut self, io: u64, by: Attack) {
        self.over = io < self.stake.value || io <= self.floor || by == Attack::Optimum;
        self.best = Some((io, by));
    }

    fn play_exactly(&mut self, effort: &Effort) -> Result<(), AttackError> {
        let graph = self.arena.graph();
        if graph.len() > effort.exact_vertices {
            return Ok(());
        }
        let limits = Limits {
            states: effort.exact_states,
            ..Limits::default()
        };
        let outcome = solve(
            graph,
            &self.stake.model.game(),
            self.stake.capacity,
            &limits,
        )?;
        let only_graph = !self.arena.has_choice_of_sums(&self.stake.model);
        let by = match outcome.stop == Stop::Optimal && only_graph {
            true => Attack::Optimum,
            false => Attack::Exact,
        };
        self.improve(outcome.score.io(), by);
        self.play = Some(outcome.play);
        Ok(())
    }

    /// Belady's rule on an order. Returns its traffic unless that is more than `most`.
    fn replay(
        &mut self,
        graph: &Cdag,
        replay: &Replay<'_>,
        (source, sums): (&Source, Sums),
        most: u64,
    ) -> Option<u64> {
        let Stake {
            capacity, model, ..
        } = self.stake;
        // Another order of a sum may read more values at once than the program does.
        if sums == Sums::Free && model.game().check_capacity(graph, capacity).is_err() {
            return None;
        }
        let io = replay.traffic(capacity, most)?;
        if io <= self.ceiling() {
            self.improve(io, Attack::Order(source.clone(), sums));
            self.play = None;
        }
        Some(io)
    }

    /// Belady's rule on an order of the suite; the best keys are remembered for changes.
    fn try_source(&mut self, graph: &Cdag, replay: &Replay<'_>, source: &Source, sums: Sums) {
        let Source::Key(key) = source else {
            self.replay(graph, replay, (source, sums), self.ceiling());
            return;
        };
        let most = match self.keys.last() {
            Some((worst, _)) if self.keys.len() == PARENTS => worst.saturating_sub(1),
            _ => u64::MAX,
        };
        let family = |key: &Key| (key.coordinates, key.permutation.clone());
        if let Some(io) = self.replay(graph, replay, (source, sums), most) {
            // One of each family, so that the changes start from different places.
            match self
                .keys
                .iter()
                .position(|(_, known)| family(known) == family(key))
            {
                Some(same) if self.keys[same].0 <= io => return,
                Some(same) => drop(self.keys.remove(same)),
                None => self.keys.truncate(PARENTS - 1),
            }
            let place = self.keys.partition_point(|(better, _)| *better <= io);
            self.keys.insert(place, (io, key.clone()));
        }
    }

    /// Tries keys near the best ones, half of them near the very best, a quarter near the second, and so on.
    /// Keys that are as good replace their parents: walking along plateaus gets out of them.
    fn change_keys(&mut self, effort: &Effort) -> Result<(), AttackError> {
        let mut random = Random::new(self.stake.capacity as u64);
        let game = self.stake.model.game();
        let mut parents = std::mem::take(&mut self.keys);
        for change in 1..=effort.key_changes {
            let rank = (change.trailing_zeros() as usize).min(parents.len().saturating_sub(1));
            let Some((io, key)) = parents.get_mut(rank).filter(|_| !self.over) else {
                break;
            };
            let child = self.arena.neighbour(key, &mut random);
            let source = Source::Key(child.clone());
            for &sums in self.stake.model.sums() {
                let Some(field) = self.arena.field(&source, &game, sums)? else {
                    continue;
                };
                let replay = Replay::new(&field.graph, &game, &field.order)?;
                if let Some(less) = self.replay(&field.graph, &replay, (&source, sums), *io) {
                    (*io, *key) = (less, child.clone());
                }
            }
        }
        Ok(())
    }

    /// Tries to exchange computations, with sums in the program's order.
    fn change_orders(&mut self, effort: &Effort) -> Result<(), AttackError> {
        if self.over || effort.order_changes == 0 {
            return Ok(());
        }
        let search = OrderSearch {
            trials: effort.order_changes,
            ..OrderSearch::default()
        };
        let Stake {
            capacity, model, ..
        } = self.stake;
        let play = search_order(self.arena.graph(), &model.game(), capacity, &search)?;
        let costs = |step: &&Move| matches!(step, Move::Load(_) | Move::Store(_));
        let io = play.iter().filter(costs).count() as u64;
        if io <= self.ceiling() {
            self.improve(io, Attack::Search);
            self.play = Some(play);
        }
        Ok(())
    }

    /// Has the best play judged.
    fn verdict(self) -> Result<Verdict, AttackError> {
        let Stake {
            capacity,
            model,
            value,
        } = self.stake;
        let game = model.game();
        // The depth-first order is part of every suite, so there is a best play.
        let (claimed, by) = self.best.unwrap_or((u64::MAX, Attack::Search));
        let (judged, play) = match (&by, self.play) {
            (Attack::Order(source, sums), None) => {
                let field = self.arena.field(source, &game, *sums)?;
                let Some(field) = field else {
                    return Err(AttackError::Miscounted { claimed, judged: 0 });
                };
                let play = Replay::new(&field.graph, &game, &field.order)?.play(capacity)?;
                (judge(&field.graph, &game, capacity, &play), play)
            }
            (_, play) => {
                let play = play.unwrap_or_default();
                (judge(self.arena.graph(), &game, capacity, &play), play)
            }
        };
        let judged = judged.map_err(Error::PlayRefused)?.io();
        match judged == claimed {
            false => Err(AttackError::Miscounted { claimed, judged }),
            true if judged < value => Ok(Verdict::Broken {
                io: judged,
                by,
                play,
            }),
            true => Ok(Verdict::Survived { best: judged, by }),
        }
    }
}
