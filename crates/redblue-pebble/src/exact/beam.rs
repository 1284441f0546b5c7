//! A quick good play: breadth-first over the number of computed values, keeping the most promising
//! states of each generation.
//!
//! It plays by the same rules as the search and so never does anything a short exchange argument
//! would improve; unlike the search it forgets states, hence proves nothing. Its play is the
//! ceiling under which the search looks.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::board::{Rules, State, Step};
use super::mask::Mask;
use super::symmetry::Symmetry;
use crate::game::Move;

/// A state of a generation and how it was reached.
#[derive(Clone, Copy)]
struct Ancestor<M> {
    state: State<M>,
    total: u32,
    /// Generation and index of the state before, with the step between; nothing for the start.
    from: Option<(usize, usize, Step<M>)>,
}

/// Most steps considered in one generation, and no more than 16 per place in the beam from one state: a
/// state of a wide graph can have more steps than can be listed.
const MOST_STEPS: usize = 1 << 20;

/// Steps taken between two looks at the clock.
const BETWEEN_LOOKS: usize = 64;

/// Plays to the end with at most `width` states per generation. The rules must compute one more
/// value with every step. Returns nothing if it finds no play below `ceiling` before it is `late`.
pub(super) fn beam<M: Mask, R: Rules<M>>(
    rules: &R,
    symmetry: &Symmetry<M>,
    width: usize,
    ceiling: u64,
    late: &mut dyn FnMut() -> bool,
) -> Option<Vec<Move>> {
    let n = rules.board().n;
    let (start, cost) = rules.settle(rules.start(), |_, _, _| {});
    let total = cost + rules.estimate(start);
    let mut waiting: Vec<BTreeMap<State<M>, Ancestor<M>>> = Vec::new();
    waiting.resize_with(n + 1, BTreeMap::new);
    let first = Ancestor {
        state: start,
        total,
        from: None,
    };
    waiting[start.computed.len()].insert(symmetry.canonical(start), first);
    let mut generations: Vec<Vec<Ancestor<M>>> = Vec::new();
    let mut steps = Vec::new();
    for generation in 0..=n {
        let mut states: Vec<Ancestor<M>> = std::mem::take(&mut waiting[generation])
            .into_values()
            .collect();
        // Equal totals: fewer red values leave more room for what comes.
        states.sort_by_key(|ancestor| (ancestor.total, ancestor.state.red.len()));
        states.truncate(width);
        for (index, ancestor) in states.iter().enumerate() {
            if index % 16 == 0 && late() {
                return None;
            }
            if rules.is_finished(ancestor.state) {
                return Some(replay(rules, &generations, *ancestor));
            }
            list_steps(rules, ancestor.state, width, &mut steps);
            let cost = ancestor.total - rules.estimate(ancestor.state);
            for (taken, &step) in steps.iter().enumerate() {
                if taken % BETWEEN_LOOKS == BETWEEN_LOOKS - 1 && late() {
                    return None;
                }
                let (next, first) = rules.apply(ancestor.state, step);
                let (next, more) = rules.settle(next, |_, _, _| {});
                let total = cost + first + more + rules.estimate(next);
                if u64::from(total) >= ceiling {
                    continue;
                }
                let from = Some((generation, index, step));
                let new = Ancestor {
                    state: next,
                    total,
                    from,
                };
                let rivals = &mut waiting[next.computed.len()];
                let best = rivals.entry(symmetry.canonical(next)).or_insert(new);
                if best.total > total {
                    *best = new;
                }
            }
        }
        generations.push(states);
    }
    None
}

/// Lists the steps of a state in the order of their rise, `width` of them or a few more.
fn list_steps<M: Mask, R: Rules<M>>(
    rules: &R,
    state: State<M>,
    width: usize,
    steps: &mut Vec<Step<M>>,
) {
    steps.clear();
    let mut left = (16 * width).min(MOST_STEPS / width);
    for rise in 0.. {
        let more = rules.choices(state, rise, &mut |step| {
            steps.extend(step);
            left = left.saturating_sub(1);
            match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        if more != ControlFlow::Continue(true) || steps.len() >= width {
            return;
        }
    }
}

fn replay<M: Mask, R: Rules<M>>(
    rules: &R,
    generations: &[Vec<Ancestor<M>>],
    end: Ancestor<M>,
) -> Vec<Move> {
    let mut path = Vec::new();
    let mut from = end.from;
    while let Some((generation, index, step)) = from {
        let ancestor = &generations[generation][index];
        path.push((ancestor.state, step));
        from = ancestor.from;
    }
    let board = rules.board();
    let mut play = Vec::new();
    let mut record = |before, step, after| board.moves(before, step, after, &mut play);
    rules.settle(rules.start(), &mut record);
    for &(state, step) in path.iter().rev() {
        let (next, _) = rules.apply(state, step);
        record(state, step, next);
        rules.settle(next, &mut record);
    }
    play
}
