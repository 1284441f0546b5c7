//! Which rank should take which part of a target layout, so that most words stay where they are.
//!
//! Moving words costs, the names of ranks do not: give part b to rank `labels[b]` such that the sum of the
//! words that part b and rank `labels[b]` already share is greatest. That is the assignment problem. It is
//! solved exactly for up to [`EXACT_RANKS`] ranks (shortest augmenting paths, O(p³)); beyond that, pairs are
//! taken greedily from the largest overlap down, which keeps at least half of the optimum.

/// Largest number of ranks for which the assignment is optimal.
pub const EXACT_RANKS: usize = 512;

/// The labels that keep the most words in place, for a table of overlaps `(rank, part, words)`; entries for
/// the same pair add up, so the tables of several matrices may be concatenated. Entries that name no rank or
/// part are ignored. Renames nothing when that is as good.
pub fn best(ranks: usize, table: &[(usize, usize, u128)]) -> Vec<usize> {
    let table: Vec<_> = table
        .iter()
        .copied()
        .filter(|&(a, b, _)| a < ranks && b < ranks)
        .collect();
    let labels = if ranks <= EXACT_RANKS {
        exact(ranks, &table)
    } else {
        greedy(ranks, &table)
    };
    let same: Vec<usize> = (0..ranks).collect();
    if kept(&table, &same) >= kept(&table, &labels) {
        same
    } else {
        labels
    }
}

/// Words that stay where they are with these labels.
pub fn kept(table: &[(usize, usize, u128)], labels: &[usize]) -> u128 {
    let stays = |&&(rank, part, _): &&(usize, usize, u128)| labels.get(part) == Some(&rank);
    table.iter().filter(stays).map(|&(_, _, words)| words).sum()
}

fn greedy(ranks: usize, table: &[(usize, usize, u128)]) -> Vec<usize> {
    let mut pairs = std::collections::BTreeMap::new();
    for &(rank, part, words) in table {
        *pairs.entry((rank, part)).or_insert(0_u128) += words;
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    // Largest first; between equals, parts that need no new label first, then in order.
    pairs
        .sort_by_key(|&((rank, part), words)| (std::cmp::Reverse(words), rank != part, rank, part));
    let (mut labels, mut taken) = (vec![None; ranks], vec![false; ranks]);
    for ((rank, part), _) in pairs {
        if labels[part].is_none() && !taken[rank] {
            (labels[part], taken[rank]) = (Some(rank), true);
        }
    }
    for part in 0..ranks {
        if labels[part].is_none() && !taken[part] {
            (labels[part], taken[part]) = (Some(part), true);
        }
    }
    let mut free = (0..ranks).filter(|&rank| !taken[rank]);
    labels
        .into_iter()
        .map(|label| label.or_else(|| free.next()).unwrap_or_default())
        .collect()
}

/// The Hungarian method with potentials: parts are assigned one after another, each along a cheapest
/// augmenting path. Costs are negated overlaps.
fn exact(ranks: usize, table: &[(usize, usize, u128)]) -> Vec<usize> {
    // Row and column 0 are the artificial start of every path.
    let mut cost = vec![vec![0_i128; ranks + 1]; ranks + 1];
    for &(rank, part, words) in table {
        let words = i128::try_from(words).unwrap_or(i128::MAX / 4);
        cost[part + 1][rank + 1] = cost[part + 1][rank + 1].saturating_sub(words);
    }
    let (mut part_price, mut rank_price) = (vec![0_i128; ranks + 1], vec![0_i128; ranks + 1]);
    let mut part_of = vec![0; ranks + 1];
    for part in 1..=ranks {
        part_of[0] = part;
        let (mut rank, mut seen) = (0, vec![false; ranks + 1]);
        let (mut slack, mut came_from) = (vec![i128::MAX; ranks + 1], vec![0; ranks + 1]);
        while part_of[rank] != 0 {
            seen[rank] = true;
            let part = part_of[rank];
            let (mut step, mut nearest) = (i128::MAX, 0);
            for next in (1..=ranks).filter(|&next| !seen[next]) {
                let reduced = cost[part][next] - part_price[part] - rank_price[next];
                if reduced < slack[next] {
                    (slack[next], came_from[next]) = (reduced, rank);
                }
                if slack[next] < step {
                    (step, nearest) = (slack[next], next);
                }
            }
            for next in 0..=ranks {
                if seen[next] {
                    part_price[part_of[next]] += step;
                    rank_price[next] -= step;
                } else {
                    slack[next] = slack[next].saturating_sub(step);
                }
            }
            rank = nearest;
        }
        while rank != 0 {
            let previous = came_from[rank];
            part_of[rank] = part_of[previous];
            rank = previous;
        }
    }
    let mut labels = vec![0; ranks];
    for rank in 1..=ranks {
        labels[part_of[rank] - 1] = rank - 1;
    }
    labels
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn best_by_trying_all(
        table: &[(usize, usize, u128)],
        labels: &mut Vec<usize>,
        from: usize,
    ) -> u128 {
        if from == labels.len() {
            return kept(table, labels);
        }
        let mut most = 0;
        for other in from..labels.len() {
            labels.swap(from, other);
            most = most.max(best_by_trying_all(table, labels, from + 1));
            labels.swap(from, other);
        }
        most
    }

    fn is_permutation(labels: &[usize]) -> bool {
        let mut sorted = labels.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..labels.len())
    }

    proptest! {
        #[test]
        fn labels_are_optimal_and_greedy_ones_at_least_half_as_good(
            ranks in 1_usize..7,
            entries in prop::collection::vec((0_usize..6, 0_usize..6, 0_u128..50), 0..30),
        ) {
            let table: Vec<_> = entries.into_iter().filter(|&(a, b, _)| a < ranks && b < ranks).collect();
            let optimum = best_by_trying_all(&table, &mut (0..ranks).collect(), 0);
            let labels = best(ranks, &table);
            prop_assert!(is_permutation(&labels));
            prop_assert_eq!(kept(&table, &labels), optimum);
            let quick = greedy(ranks, &table);
            prop_assert!(is_permutation(&quick));
            prop_assert!(2 * kept(&table, &quick) >= optimum);
        }
    }

    #[test]
    fn a_rotation_is_undone_and_an_equal_choice_renames_nothing() {
        let ranks = 600;
        let table: Vec<_> = (0..ranks)
            .map(|part| ((part + 7) % ranks, part, 10))
            .collect();
        for count in [ranks, 400] {
            let labels = best(count, &table);
            assert!(is_permutation(&labels));
            assert!((0..count.min(ranks) - 7).all(|part| labels[part] == part + 7));
        }
        let flat: Vec<_> = (0..9)
            .flat_map(|a| (0..9).map(move |b| (a, b, 4)))
            .collect();
        assert_eq!(best(9, &flat), (0..9).collect::<Vec<_>>());
    }
}
