//! The dumbest exact player, the oracle of the others.

use std::collections::{BTreeMap, VecDeque};

use redblue_pebble::{Cdag, Game};

/// The least traffic by breadth-first search over single moves, or nothing if no play exists.
///
/// It knows no normal form, no estimate and no symmetry: only the rules of theory G-2 and G-3.
pub(crate) fn brute_force(graph: &Cdag, game: &Game, capacity: usize) -> Option<u64> {
    let n = graph.len();
    let set = |list: &[usize]| list.iter().fold(0u16, |set, &v| set | 1 << v);
    let inputs = set(graph.inputs());
    let goal_blue = if game.final_stores {
        set(graph.outputs())
    } else {
        0
    };
    let goal_computed = match game.recompute {
        true => set(graph.outputs()) & !inputs,
        false => ((1u32 << n) - 1) as u16 & !inputs,
    };
    // A position is (red, blue, computed); moves cost 0 or 1, so a double-ended queue suffices.
    let start = (0u16, inputs, 0u16);
    let mut best = BTreeMap::from([(start, 0u64)]);
    let mut queue = VecDeque::from([(start, 0u64)]);
    while let Some((position, cost)) = queue.pop_front() {
        if best[&position] < cost {
            continue;
        }
        let (red, blue, computed) = position;
        if goal_blue & !blue == 0 && goal_computed & !computed == 0 {
            return Some(cost);
        }
        let full = red.count_ones() as usize >= capacity;
        let mut next = Vec::new();
        for v in 0..n {
            let bit = 1u16 << v;
            let operands = set(graph.preds(v));
            if red & bit == 0 && blue & bit != 0 && !full {
                next.push(((red | bit, blue, computed), 1));
            }
            if red & bit != 0 {
                next.push(((red & !bit, blue, computed), 0));
                if blue & bit == 0 && !game.automatic_stores {
                    next.push(((red, blue | bit, computed), 1));
                }
            }
            let again = computed & bit == 0 || game.recompute;
            if inputs & bit == 0 && operands & !red == 0 && red & bit == 0 && again {
                let saved = if game.automatic_stores {
                    blue | bit
                } else {
                    blue
                };
                if !full {
                    next.push(((red | bit, saved, computed | bit), 0));
                }
                for u in graph.preds(v).iter().filter(|_| game.slide) {
                    next.push((((red | bit) & !(1 << u), saved, computed | bit), 0));
                }
            }
        }
        for (position, step) in next {
            let total = cost + step;
            if best.get(&position).is_none_or(|&known| known > total) {
                best.insert(position, total);
                match step {
                    0 => queue.push_front((position, total)),
                    _ => queue.push_back((position, total)),
                }
            }
        }
    }
    None
}
