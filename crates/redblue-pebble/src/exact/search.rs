//! A* over canonical states with a bucket queue on cost plus estimate.
//!
//! Estimates are consistent, so the first finished state taken from the queue is optimal, and at
//! any moment the current bucket is a proven lower bound. Within a bucket the newest state goes
//! first: the last bucket is explored depth-first and usually left early.
//!
//! Expansion is partial: a state in bucket `b` only takes the steps that lead into bucket `b`, and
//! then waits in the next one for its more expensive steps, so that states which no optimal play
//! could visit are hardly ever stored. A new state is compared with older ones with the same computed
//! values and dropped if one of them [dominates](Rules::handicap) it; a state taken from the queue is
//! dropped if the table holds a [rival](Rules::has_rival) of it.

use std::ops::ControlFlow;

use super::Stop;
use super::board::{Rules, State};
use super::mask::Mask;
use super::symmetry::Symmetry;
use super::table::{Node, Table};
use super::watch::{Progress, Timer};
use crate::cdag::Vertex;
use crate::game::Move;

/// A new state is compared with this many older ones with the same computed values.
const MOST_COMPARED: usize = 256;

/// States expanded and steps considered between two looks at the limits.
const BETWEEN_CHECKS: u64 = 64;

/// When a search gives up.
pub(super) struct Budget<'a, 'w> {
    pub(super) states: u64,
    pub(super) memory: u64,
    pub(super) timer: &'a mut Timer<'w>,
    /// The share of the time limit after which the search ends.
    pub(super) percent: u32,
}

/// What a search established.
pub(super) enum Verdict {
    /// An optimal play.
    Optimal(Vec<Move>),
    /// No play is cheaper than the ceiling.
    NothingCheaper,
    /// A limit was hit; no play is cheaper than `lower_bound`.
    Stopped { lower_bound: u64, stop: Stop },
}

/// A finished search and how many states it stored.
pub(super) struct Report {
    pub(super) verdict: Verdict,
    pub(super) states: u64,
}

/// Looks for a play cheaper than `ceiling`.
pub(super) fn search<M: Mask, R: Rules<M>>(
    rules: &R,
    symmetry: &Symmetry<M>,
    mut budget: Budget<'_, '_>,
    ceiling: u64,
) -> Report {
    let mut run = Run {
        rules,
        symmetry,
        ceiling: u16::try_from(ceiling).unwrap_or(u16::MAX),
        table: Table::new(),
        buckets: Vec::new(),
        queued: 0,
    };
    let verdict = run.run(&mut budget);
    Report {
        verdict,
        states: run.table.len() as u64,
    }
}

struct Run<'a, M, R> {
    rules: &'a R,
    symmetry: &'a Symmetry<M>,
    ceiling: u16,
    table: Table<M>,
    /// Indices of nodes by total plus rise; an index may be stale.
    buckets: Vec<Vec<u32>>,
    queued: usize,
}

impl<M: Mask, R: Rules<M>> Run<'_, M, R> {
    fn run(&mut self, budget: &mut Budget<'_, '_>) -> Verdict {
        let (start, cost) = self.rules.settle(self.rules.start(), |_, _, _| {});
        self.reach(start, cost, None);
        let rules = self.rules;
        let mut bucket = 0;
        let mut work = 0u64;
        while bucket < self.buckets.len() {
            let Some(index) = self.buckets[bucket].pop() else {
                bucket += 1;
                continue;
            };
            self.queued -= 1;
            let node = self.table.node(index);
            if usize::from(node.total()) + usize::from(node.rise) != bucket {
                // The state was reached more cheaply after it had been queued here.
                continue;
            }
            if self.rules.is_finished(node.state) {
                return Verdict::Optimal(self.replay(index));
            }
            if self.has_rival(node) {
                continue;
            }
            let lower_bound = bucket as u64;
            let mut limit = self.checked(&mut work, lower_bound, budget);
            let rise = u32::from(node.rise);
            let cost = u32::from(node.cost);
            let more = rules.choices(node.state, rise, &mut |step| {
                limit = limit.or(self.checked(&mut work, lower_bound, budget));
                if limit.is_some() {
                    return ControlFlow::Break(());
                }
                if let Some(step) = step {
                    let (next, first) = rules.apply(node.state, step);
                    let (next, more) = rules.settle(next, |_, _, _| {});
                    self.reach(next, cost + first + more, Some(index));
                }
                ControlFlow::Continue(())
            });
            if let Some(stop) = limit {
                return Verdict::Stopped { lower_bound, stop };
            }
            if more == ControlFlow::Continue(true) {
                self.table.node_mut(index).rise += 1;
                self.enqueue(index);
            }
        }
        Verdict::NothingCheaper
    }

    /// Counts one more piece of work; now and then looks at the limits and shows how far it has got.
    fn checked(
        &self,
        work: &mut u64,
        lower_bound: u64,
        budget: &mut Budget<'_, '_>,
    ) -> Option<Stop> {
        *work += 1;
        if !work.is_multiple_of(BETWEEN_CHECKS) {
            return None;
        }
        budget.timer.show(|elapsed| Progress {
            elapsed,
            states: self.table.len() as u64,
            frontier: self.queued as u64,
            lower_bound,
            upper_bound: u64::from(self.ceiling),
        });
        self.limit_hit(budget)
    }

    fn limit_hit(&self, budget: &mut Budget<'_, '_>) -> Option<Stop> {
        let bytes = self.table.bytes() + self.queued * 8;
        // Indices are 32 bits wide.
        if self.table.len() as u64 >= budget.states.min(u64::from(u32::MAX) / 2) {
            Some(Stop::StateLimit)
        } else if bytes as u64 >= budget.memory {
            Some(Stop::MemoryLimit)
        } else {
            let late = budget.timer.is_over(budget.percent);
            late.then_some(Stop::TimeLimit)
        }
    }

    /// Records a way to reach a state, unless it is no better than what is known.
    fn reach(&mut self, state: State<M>, cost: u32, parent: Option<u32>) {
        let cost = u16::try_from(cost).unwrap_or(self.ceiling);
        if cost >= self.ceiling {
            return;
        }
        let state = self.symmetry.canonical(state);
        let index = match self.table.find(state) {
            Some(index) => {
                let node = self.table.node_mut(index);
                if node.cost <= cost {
                    return;
                }
                node.cost = cost;
                node.rise = 0;
                node.parent = parent.unwrap_or(index);
                index
            }
            None => {
                let estimate = self.rules.estimate(state);
                let estimate = u16::try_from(estimate).unwrap_or(u16::MAX);
                let total = cost.saturating_add(estimate);
                if total >= self.ceiling || self.is_dominated(state, total) {
                    return;
                }
                let index = self.table.insert(state, parent, cost, estimate);
                if R::COMPARABLE {
                    self.table.list(index);
                }
                index
            }
        };
        self.enqueue(index);
    }

    fn is_dominated(&self, state: State<M>, total: u16) -> bool {
        if !R::COMPARABLE {
            return false;
        }
        let older = self.table.listed(state.computed);
        older.take(MOST_COMPARED).any(|node| {
            let ahead = u32::from(total).checked_sub(u32::from(node.total()));
            ahead.is_some_and(|ahead| self.rules.handicap(node.state, state) <= ahead)
        })
    }

    /// Whether the table holds a state that makes this one superfluous.
    fn has_rival(&self, node: Node<M>) -> bool {
        self.rules.has_rival(node.state, |rival, head_start| {
            let found = self.table.find(self.symmetry.canonical(rival));
            let cost = found.map(|index| u32::from(self.table.node(index).cost));
            cost.is_some_and(|cost| cost + head_start <= u32::from(node.cost))
        })
    }

    /// Queues a node for its next steps, unless they are too expensive.
    fn enqueue(&mut self, index: u32) {
        let node = self.table.node(index);
        let bucket = usize::from(node.total()) + usize::from(node.rise);
        if bucket >= usize::from(self.ceiling) {
            return;
        }
        if self.buckets.len() <= bucket {
            self.buckets.resize_with(bucket + 1, Vec::new);
        }
        self.buckets[bucket].push(index);
        self.queued += 1;
    }

    /// The play that leads to a node. Stored states are images of those of the real play, so each
    /// step is found between stored states and its moves are translated back.
    fn replay(&self, goal: u32) -> Vec<Move> {
        let mut path = vec![goal];
        let mut index = goal;
        while self.table.node(index).parent != index {
            index = self.table.node(index).parent;
            path.push(index);
        }
        let board = self.rules.board();
        // The real vertex behind each vertex of the current stored state.
        let mut real: Vec<Vertex> = (0..board.n).collect();
        let mut play = Vec::new();
        let mut moves = Vec::new();
        let (start, _) = self
            .rules
            .settle(self.rules.start(), |before, step, after| {
                board.moves(before, step, after, &mut moves);
            });
        self.translate(&mut moves, &mut play, &mut real, start);
        for pair in path.windows(2).rev() {
            let (to, from) = (self.table.node(pair[0]), self.table.node(pair[1]));
            let rise = u32::from(to.total() - from.total());
            let _ = self.rules.choices(from.state, rise, &mut |step| {
                let Some(step) = step else {
                    return ControlFlow::Continue(());
                };
                let (next, first) = self.rules.apply(from.state, step);
                let (settled, more) = self.rules.settle(next, |_, _, _| {});
                if u32::from(from.cost) + first + more != u32::from(to.cost)
                    || self.symmetry.canonical(settled) != to.state
                {
                    return ControlFlow::Continue(());
                }
                board.moves(from.state, step, next, &mut moves);
                self.rules.settle(next, |before, step, after| {
                    board.moves(before, step, after, &mut moves);
                });
                self.translate(&mut moves, &mut play, &mut real, settled);
                ControlFlow::Break(())
            });
        }
        play
    }

    /// Appends `moves` in real vertices to `play`, then follows the automorphisms that make
    /// `state` canonical.
    fn translate(
        &self,
        moves: &mut Vec<Move>,
        play: &mut Vec<Move>,
        real: &mut [Vertex],
        state: State<M>,
    ) {
        play.extend(moves.drain(..).map(|step| step.map(|v| real[v])));
        self.symmetry.reduce(state, |image| {
            let before = real.to_vec();
            for (v, &w) in image.iter().enumerate() {
                real[w] = before[v];
            }
        });
    }
}
