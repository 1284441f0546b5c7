//! Superfluous states of the games with recomputation: a known rival does at least as well.
//!
//! | the rival has | head start | because from the rival |
//! |---|---|---|
//! | one more value saved | 0 | loading it costs less |
//! | one more value computed | 0 | it can be loaded |
//! | one more value red | 0 | it is evicted when its pebble is needed |
//! | one value fewer saved | 1 | its next load pays the store |
//! | one value fewer red | its price | the next step that reads it loads it |
//!
//! *Why no optimum is lost.* Take any steps from the state. From the rival the same steps can be
//! taken, less those that became pointless, for no more than the head start extra: with one more
//! value red, that one is evicted first; in the last two rows the difference vanishes with the load.
//! Hence cost so far plus cost to the end is no larger for the rival, nor is the number of steps to
//! the end. A rival is cheaper, or as cheap and larger, so a chain of rivals ends, and as the
//! estimate grows by no more than the head start, it ends at a state that was expanded or is queued
//! no later. Now take, of the known states that lie on optimal plays, one with the fewest steps to
//! the end and at the end of its chain. It is queued: if it had been expanded, the next state of
//! its play would be known and have fewer steps left.

use super::again::Again;
use super::board::{Rules, State};
use super::mask::Mask;

/// Whether `known` confirms a rival of `state`, given with the head start in cost that it needs.
pub(super) fn rivals<M: Mask>(
    rules: &Again<M>,
    state: State<M>,
    mut known: impl FnMut(State<M>, u32) -> bool,
) -> bool {
    let board = rules.board();
    let unfinished = rules.unfinished(state);
    let alive = rules.alive(unfinished);
    let State {
        red,
        computed,
        saved,
    } = state;
    let available = (computed | board.inputs) & alive;
    let unsaved = (computed & alive).minus(saved);
    let ready = |&x: &usize| board.preds[x].within(available);
    let next = (alive & board.wanted).minus(computed | unfinished);
    let spare = red.len() < board.capacity;
    let addable = if spare {
        available.minus(red)
    } else {
        M::default()
    };
    let price = |x| rules.price(state, M::bit(x)) as u32;

    let more_saved = |x| State {
        saved: saved.with(x),
        ..state
    };
    let more_computed = |x| State {
        computed: computed.with(x),
        saved: match board.game.automatic_stores {
            true => saved.with(x),
            false => saved,
        },
        ..state
    };
    let more_red = |x| State {
        red: red.with(x),
        ..state
    };
    let fewer_saved = |x| State {
        saved: saved.minus(M::bit(x)),
        ..state
    };
    let fewer_red = |x| State {
        red: red.minus(M::bit(x)),
        ..state
    };
    unsaved.members().any(|x| known(more_saved(x), 0))
        || next
            .members()
            .filter(ready)
            .any(|x| known(more_computed(x), 0))
        || addable.members().any(|x| known(more_red(x), 0))
        || saved.members().any(|x| known(fewer_saved(x), 1))
        || red.members().any(|x| known(fewer_red(x), price(x)))
}
