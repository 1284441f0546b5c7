//! The spectral bound of Jain and Zaharia (theory X-6).
//!
//! Statement: give edge (u, v) the weight 1/outdeg(u) and let λ_1 <= λ_2 <= … be the eigenvalues of
//! the Laplacian of the n vertices. Cut any order of the vertices into k runs of at least ⌊n/k⌋. A
//! run touches, through its border, at least as many words as its cut weighs, and all but S of
//! those that enter and all but S of those that leave are moved. Summed over the runs,
//!
//! ```text
//!   loads + stores >= max_k ⌊n/k⌋·(λ_1 + … + λ_k) - 2kS
//! ```
//!
//! An input that leaves its run without being stored is charged to its first load. Outputs without
//! readers cross no border, so their stores come on top.
//!
//! Assumptions: no recomputation, stores counted. **Floating point**: eigenvalues come from Jacobi
//! rotations, whose error is far below the margin that is taken off each of them; the margin is an
//! engineering choice, not a proof, so treat the number as evidence rather than as a certificate.
//!
//! Fails when: the graph is larger than [`MOST_VERTICES`] (zero is returned) or expands poorly.

use crate::cdag::Cdag;
use crate::game::Game;

/// Larger graphs would take too long: the work grows with the cube of the size.
const MOST_VERTICES: usize = 400;

/// The spectral bound; zero for games it does not cover and graphs it does not try.
pub fn spectral(graph: &Cdag, game: &Game, capacity: usize) -> u64 {
    let n = graph.len();
    if game.recompute || game.automatic_stores || n > MOST_VERTICES {
        return 0;
    }
    let sinks = graph
        .outputs()
        .iter()
        .filter(|&&v| graph.succs(v).is_empty());
    let stores = match game.final_stores {
        true => sinks.filter(|&&v| !graph.is_input(v)).count() as u64,
        false => 0,
    };
    // No play has more red pebbles than there are values.
    let capacity = capacity.min(n);
    let eigenvalues = safe_eigenvalues(laplacian(graph));
    let mut sum = 0.0;
    let mut best = 0.0f64;
    for (index, value) in eigenvalues.iter().enumerate() {
        let runs = index + 1;
        sum += value;
        best = best.max((n / runs) as f64 * sum - (2 * runs * capacity) as f64);
    }
    // The margin keeps the value below the true one, so rounding up to a whole word would be the
    // tighter choice; rounding down forgives the last floating-point operations as well.
    best.floor() as u64 + stores
}

fn laplacian(graph: &Cdag) -> Vec<Vec<f64>> {
    let n = graph.len();
    let mut matrix = vec![vec![0.0; n]; n];
    for (u, v) in graph.edges() {
        let weight = 1.0 / graph.succs(u).len() as f64;
        matrix[u][v] -= weight;
        matrix[v][u] -= weight;
        matrix[u][u] += weight;
        matrix[v][v] += weight;
    }
    matrix
}

/// Lower bounds on the eigenvalues of a symmetric matrix, ascending, by cyclic Jacobi rotations.
fn safe_eigenvalues(mut matrix: Vec<Vec<f64>>) -> Vec<f64> {
    let n = matrix.len();
    let norm = matrix.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    const SWEEPS: usize = 60;
    for _ in 0..SWEEPS {
        if off_diagonal(&matrix) <= 1e-13 * norm {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut matrix, p, q);
            }
        }
    }
    // By Weyl's inequality what is left off the diagonal moves no eigenvalue by more than its norm;
    // rounding adds a modest multiple of n² units in the last place.
    let rounding = (n * n) as f64 * 64.0 * f64::EPSILON * norm;
    let margin = off_diagonal(&matrix) + rounding;
    let mut values: Vec<f64> = (0..n).map(|i| (matrix[i][i] - margin).max(0.0)).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn off_diagonal(matrix: &[Vec<f64>]) -> f64 {
    let rows = matrix.iter().enumerate();
    let squares = rows.flat_map(|(i, row)| {
        row.iter()
            .enumerate()
            .filter(move |&(j, _)| i != j)
            .map(|(_, x)| x * x)
    });
    squares.sum::<f64>().sqrt()
}

/// The rotation in the plane of axes p and q that makes entry (p, q) vanish.
fn rotate(matrix: &mut [Vec<f64>], p: usize, q: usize) {
    let entry = matrix[p][q];
    if entry == 0.0 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * entry);
    let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let turn = |x: &mut f64, y: &mut f64| {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    };
    for row in matrix.iter_mut() {
        let (left, right) = row.split_at_mut(q);
        turn(&mut left[p], &mut right[0]);
    }
    let (above, below) = matrix.split_at_mut(q);
    for (x, y) in above[p].iter_mut().zip(below[0].iter_mut()) {
        turn(x, y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn eigenvalues_of_a_path_are_known() {
        // The Laplacian of a path of n vertices has eigenvalues 2 - 2·cos(πi/n).
        let edges: Vec<_> = (0..9).map(|v| (v, v + 1)).collect();
        let graph = Cdag::from_parts(10, &edges, None, None).expect("fine");
        for (i, value) in safe_eigenvalues(laplacian(&graph)).into_iter().enumerate() {
            let exact = 2.0 - 2.0 * (std::f64::consts::PI * i as f64 / 10.0).cos();
            assert!(
                value <= exact + 1e-15 && exact - value < 1e-9,
                "{i}: {value} {exact}"
            );
        }
    }

    #[test]
    fn it_speaks_only_of_games_it_covers() {
        let graph = generate::fft(5).expect("fine");
        assert!(spectral(&graph, &Game::red_blue_white(), 2) >= 32);
        assert_eq!(spectral(&graph, &Game::red_blue(), 2), 0);
        assert_eq!(spectral(&graph, &Game::red_white(), 2), 0);
    }
}
