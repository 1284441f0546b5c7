//! Memory sizes at which bounds tend to be wrong (T-4).

use redblue_pebble::Game;

use crate::arena::Arena;

/// Sizes from the smallest playable one up to "everything fits", ascending: near the minimum, just below and
/// above each array and each landmark of the sizes, near the square roots of these, and powers of two between.
pub fn adversarial(arena: &Arena, game: &Game) -> Vec<usize> {
    let graph = arena.graph();
    let wanted = game.must_compute(graph);
    let operands = (0..graph.len())
        .filter(|&v| wanted[v])
        .map(|v| graph.preds(v).len())
        .max();
    let least = game.pebbles_for(operands.unwrap_or(0));
    let counts = [graph.inputs().len(), graph.outputs().len(), graph.len()];
    let landmarks = counts.into_iter().chain(arena.landmarks().iter().copied());
    let near = |x: usize| [x.saturating_sub(1), x, x + 1];
    let powers = (0..usize::BITS - 1)
        .map(|e| 1usize << e)
        .take_while(|&x| x <= 2 * graph.len());
    let mut sizes: Vec<usize> = landmarks
        .flat_map(|words| [words, words.isqrt()])
        .flat_map(near)
        .chain(near(least))
        .chain(powers)
        .filter(|&size| size >= least)
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
