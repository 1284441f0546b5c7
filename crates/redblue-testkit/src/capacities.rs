//! Memory sizes at which bounds tend to be wrong (T-4).

use redblue_pebble::{Cdag, Game};

/// Sizes from the smallest playable one up to "everything fits", ascending: near the minimum, near the
/// numbers of inputs, outputs and vertices and their square roots, and powers of two between.
pub fn adversarial(graph: &Cdag, game: &Game) -> Vec<usize> {
    let wanted = game.must_compute(graph);
    let operands = (0..graph.len())
        .filter(|&v| wanted[v])
        .map(|v| graph.preds(v).len())
        .max();
    let least = game.pebbles_for(operands.unwrap_or(0));
    let landmarks = [graph.inputs().len(), graph.outputs().len(), graph.len()];
    let near = |x: usize| [x.saturating_sub(1), x, x + 1];
    let roots = landmarks.map(usize::isqrt);
    let powers = (0..usize::BITS - 1)
        .map(|e| 1usize << e)
        .take_while(|&x| x <= 2 * graph.len());
    let mut sizes: Vec<usize> = landmarks
        .into_iter()
        .chain(roots)
        .flat_map(near)
        .chain(near(least))
        .chain(powers)
        .filter(|&size| size >= least)
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
