//! Plans: who computes which products, who owns which words, and what moves in which round.
//!
//! ```text
//! Shape, ranks, memory ──search──► Plan { tree, schedule } ──► RankPlan of any rank ──► execution
//!                                    │            └──classes──► Summary (volume, memory, work)
//!                                    └──text──► `m{3:k3,4:n2(k2)}` and back
//! ```
//!
//! A plan is small: the tree of cuts and the schedule. The parts of single ranks are derived from it when asked,
//! one rank at a time, so that a plan for a million ranks is no larger than one for eight.

pub mod cells;
pub mod classes;
mod clock;
mod grid;
pub mod joint;
mod memory;
mod ownership;
pub mod rank;
pub mod schedule;
pub mod search;
pub mod stay;
pub mod text;
pub mod tree;

use std::sync::Arc;

use crate::bound::{self, Received};
use crate::shape::Shape;
use classes::{Class, classes};
pub use memory::Memory;
use ownership::Ownership;
pub use rank::{RankPlan, Round, Traffic, Transfer};
pub use schedule::Schedule;
pub use search::{Found, Problem, Stop, search, search_until};
pub use tree::Tree;

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// No rank at all.
    #[error("a plan needs at least one rank")]
    NoRanks,
    /// Sums of words or numbers of ranks would exceed what is computed with.
    #[error(
        "at most 2^100 words, 2^120 products and 2^24 ranks can be planned for, not {shape} on {ranks} ranks"
    )]
    TooLarge {
        /// Sizes of the product.
        shape: Shape,
        /// Number of ranks.
        ranks: u64,
    },
    /// The tree has more ranks than the caller.
    #[error("the plan is for {needed} ranks, but there are only {ranks}")]
    TooManyRanks {
        /// Ranks of the tree.
        needed: u64,
        /// Ranks there are.
        ranks: u64,
    },
    /// A number of tiles, steps or chunks is zero.
    #[error("tiles, steps and chunks are counted from 1")]
    EmptySchedule,
    /// Tiles of `C` need bricks that share their faces wholly.
    #[error("only grids can be tiled: `{tree}` is not a grid")]
    TiledTree {
        /// The tree.
        tree: String,
    },
    /// The time was over before any plan that fits was found.
    #[error("no plan that fits the memory was found before the time limit")]
    TimeLimit,
    /// No schedule fits the memory.
    #[error("{needed} words per rank are needed, the limit is {limit}: {} words are missing", needed.saturating_sub(*limit))]
    Memory {
        /// Words that the smallest plan found needs on some rank.
        needed: u128,
        /// Words there are.
        limit: u128,
    },
}

/// The most ranks that can be planned for: counts of messages and of alike ranks are sums over ranks in a row.
pub const MOST_RANKS: u64 = 1 << 24;

/// A distributed matrix product: the tree of cuts and the schedule of every rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    shape: Shape,
    ranks: u64,
    tree: Tree,
    schedule: Schedule,
    ownership: Option<Arc<Ownership>>,
}

/// Refuses what no plan can be made for.
pub(crate) fn check_sizes(shape: Shape, ranks: u64) -> Result<(), PlanError> {
    let large = shape.words() > 1 << 100 || shape.work() > 1 << 120 || ranks > MOST_RANKS;
    match ranks {
        0 => Err(PlanError::NoRanks),
        _ if large => Err(PlanError::TooLarge { shape, ranks }),
        _ => Ok(()),
    }
}

/// What a plan costs, exactly: the largest values over all ranks, and the sums.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Largest volume of a rank: the larger of the words it sends and receives, its own data excluded.
    pub volume: u128,
    /// Words sent by all ranks, which are the words received by all ranks.
    pub volume_total: u128,
    /// Largest number of products of a rank.
    pub work: u128,
    /// Memory of the rank that needs most.
    pub memory: Memory,
    /// Largest number of messages that a rank sends or receives.
    pub messages: u64,
    /// Ranks with products to compute.
    pub busy: u64,
    /// Words that some rank receives at least when the work is shared as in this plan (C-13b).
    pub bound: Received,
}

impl Plan {
    /// A plan with this tree and schedule; ranks beyond those of the tree stay idle.
    pub fn new(
        shape: Shape,
        ranks: u64,
        tree: Tree,
        schedule: Schedule,
    ) -> Result<Plan, PlanError> {
        check_sizes(shape, ranks)?;
        if tree.ranks() > ranks {
            return Err(PlanError::TooManyRanks {
                needed: tree.ranks(),
                ranks,
            });
        }
        let [a, b] = schedule.tiles;
        if a == 0 || b == 0 || schedule.steps == 0 || schedule.chunks == 0 {
            return Err(PlanError::EmptySchedule);
        }
        if schedule.tiles != [1, 1] && tree.as_grid().is_none() {
            return Err(PlanError::TiledTree {
                tree: tree.to_string(),
            });
        }
        let ownership = Ownership::balanced(&tree, shape).map(Arc::new);
        Ok(Plan {
            shape,
            ranks,
            tree,
            schedule,
            ownership,
        })
    }

    /// Sizes of the product.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Number of ranks, idle ones included.
    pub fn ranks(&self) -> u64 {
        self.ranks
    }

    /// The tree of cuts.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The schedule of every rank.
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// The same tree with another schedule, which must not tile unless the tree is a grid.
    pub(crate) fn with_schedule(&self, schedule: Schedule) -> Plan {
        Plan {
            schedule,
            ..self.clone()
        }
    }

    /// Whether some rank passes words on for their owners.
    pub fn relays(&self) -> bool {
        self.ownership
            .as_ref()
            .is_some_and(|ownership| ownership.relays())
    }

    /// Whether every rank owns a share of each matrix in proportion to its work, up to whole lines.
    pub fn has_equal_shares(&self) -> bool {
        self.ownership
            .as_ref()
            .is_none_or(|ownership| ownership.is_equal())
    }

    /// The part of one rank.
    pub fn rank(&self, rank: u64) -> RankPlan {
        RankPlan::new(self, rank)
    }

    /// Ranks that stand for all ranks of the tree.
    pub fn classes(&self) -> Vec<Class> {
        classes(self)
    }

    /// What the plan costs.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary {
            volume: 0,
            volume_total: 0,
            work: 0,
            memory: Memory::default(),
            messages: 0,
            busy: 0,
            bound: Received {
                total: 0,
                ranks: self.ranks,
            },
        };
        let mut shares = Vec::new();
        for class in self.classes() {
            let Class {
                count,
                work,
                traffic,
                memory,
                ..
            } = class;
            summary.volume = summary.volume.max(traffic.volume());
            summary.volume_total += u128::from(count) * traffic.sent;
            summary.work = summary.work.max(work);
            summary.messages = summary
                .messages
                .max(traffic.messages_sent)
                .max(traffic.messages_received);
            if memory.total() > summary.memory.total() {
                summary.memory = memory;
            }
            if work > 0 {
                summary.busy += count;
                shares.push((count, work));
            }
        }
        summary.bound = bound::given_work(self.shape, self.ranks, shares);
        summary
    }
}
