//! A* over canonical states with a bucket queue on cost plus estimate.
//!
//! Estimates are consistent, so the first finished state taken from the queue is optimal, and at
//! any moment the current bucket is a proven lower bound. Within a bucket the newest state goes
//! first: the last bucket is explored depth-first and usually left early.
//!
//! Expansion is partial: a state in bucket `b` only takes the steps that lead into bucket `b`, and
//! then waits in the next one for its more expensive steps, so that states which no optimal play
//! could visit are hardly ever stored. A new state is compared with older ones of the same progress
//! and dropped if one of them [dominates](Rules::handicap) it.

use std::time::Instant;

use super::Stop;
use super::board::{Rules, State};
use super::mask::Mask;
use super::symmetry::Symmetry;
use super::table::{Node, Table};
use crate::cdag::Vertex;
use crate::game::Move;

/// A new state is compared with this many older ones of the same progress.
const MOST_COMPARED: usize = 256;

/// When a search gives up.
pub(super) struct Budget {
    pub(super) deadline: Option<Instant>,
    pub(super) states: u64,
    pub(super) memory: u64,
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
    budget: &Budget,
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
    let verdict = run.run(budget);
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
    fn run(&mut self, budget: &Budget) -> Verdict {
        let (start, cost) = self.rules.settle(self.rules.start(), |_, _, _| {});
        self.reach(start, cost + self.rules.estimate(start), None);
        let mut steps = Vec::new();
        let mut bucket = 0;
        let mut expanded = 0u64;
        while bucket < self.buckets.len() {
            let Some(index) = self.buckets[bucket].pop() else {
                bucket += 1;
                continue;
            };
            self.queued -= 1;
            let node = self.table.node(index);
            if usize::from(node.total) + usize::from(node.rise) != bucket {
                // The state was reached more cheaply after it had been queued here.
                continue;
            }
            if self.rules.is_finished(node.state) {
                return Verdict::Optimal(self.replay(index));
            }
            expanded += 1;
            if expanded.is_multiple_of(64)
                && let Some(stop) = self.limit_hit(budget)
            {
                return Verdict::Stopped {
                    lower_bound: bucket as u64,
                    stop,
                };
            }
            steps.clear();
            let rise = u32::from(node.rise);
            if self.rules.choices(node.state, rise, &mut steps) {
                self.table.node_mut(index).rise += 1;
                self.enqueue(index);
            }
            let cost = u32::from(node.total) - self.rules.estimate(node.state);
            for &step in &steps {
                let (next, first) = self.rules.apply(node.state, step);
                let (next, more) = self.rules.settle(next, |_, _, _| {});
                let estimate = self.rules.estimate(next);
                self.reach(next, cost + first + more + estimate, Some(index));
            }
        }
        Verdict::NothingCheaper
    }

    fn limit_hit(&self, budget: &Budget) -> Option<Stop> {
        let bytes = self.table.bytes() + self.queued * 8;
        // Indices are 32 bits wide.
        if self.table.len() as u64 >= budget.states.min(u64::from(u32::MAX) / 2) {
            Some(Stop::StateLimit)
        } else if bytes as u64 >= budget.memory {
            Some(Stop::MemoryLimit)
        } else {
            budget
                .deadline
                .filter(|&deadline| Instant::now() >= deadline)
                .map(|_| Stop::TimeLimit)
        }
    }

    /// Records a way to reach a state, unless it is no better than what is known.
    fn reach(&mut self, state: State<M>, total: u32, parent: Option<u32>) {
        let total = u16::try_from(total).unwrap_or(u16::MAX);
        if total >= self.ceiling {
            return;
        }
        let state = self.symmetry.canonical(state);
        let index = match self.table.find(state) {
            Some(index) => {
                let node = self.table.node_mut(index);
                if node.total <= total {
                    return;
                }
                node.total = total;
                node.rise = 0;
                node.parent = parent.unwrap_or(index);
                index
            }
            None if self.is_dominated(state, total) => return,
            None => {
                let index = self.table.insert(state, parent, total);
                if R::COMPARABLE {
                    self.table.list(index, |state| self.rules.progress(state));
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
        let progress = |state| self.rules.progress(state);
        let older = self.table.listed(progress(state), progress);
        older.take(MOST_COMPARED).any(|node| {
            let ahead = u32::from(total).checked_sub(u32::from(node.total));
            ahead.is_some_and(|ahead| self.rules.handicap(node.state, state) <= ahead)
        })
    }

    /// Queues a node for its next steps, unless they are too expensive.
    fn enqueue(&mut self, index: u32) {
        let node = self.table.node(index);
        let bucket = usize::from(node.total) + usize::from(node.rise);
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
        let mut steps = Vec::new();
        for pair in path.windows(2).rev() {
            let (to, from) = (self.table.node(pair[0]), self.table.node(pair[1]));
            let cost = |node: Node<M>| u32::from(node.total) - self.rules.estimate(node.state);
            steps.clear();
            self.rules
                .choices(from.state, u32::from(to.total - from.total), &mut steps);
            for &step in &steps {
                let (next, first) = self.rules.apply(from.state, step);
                let (settled, more) = self.rules.settle(next, |_, _, _| {});
                if cost(from) + first + more == cost(to)
                    && self.symmetry.canonical(settled) == to.state
                {
                    board.moves(from.state, step, next, &mut moves);
                    self.rules.settle(next, |before, step, after| {
                        board.moves(before, step, after, &mut moves);
                    });
                    self.translate(&mut moves, &mut play, &mut real, settled);
                    break;
                }
            }
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
