//! For tests: the theorem of [`crate::residency`] played instance by instance, without sets.
//!
//! A cell is in fast memory from its first to its last use in each (class, subtree), and nowhere else. The walk counts
//! the loads, stores and words of exactly that play, which must not be more than what was proved.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use redblue_program::interpret::{Cell, Walk};
use redblue_program::{Program, Sizes, StatementId};

use crate::order::Dim;
use crate::plan::Plan;
use crate::site::Reference;

/// What a play moved, and the most words it had at a time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) loads: u64,
    pub(crate) stores: u64,
    pub(crate) words: u64,
}

/// One use of a cell.
struct Use {
    time: usize,
    write: bool,
    /// The last use of the same subtree and class.
    until: usize,
}

/// Plays a program in the order of plans, one per component.
pub(crate) fn play(reordered: &Program, sizes: &Sizes, plans: &[Plan]) -> Played {
    let values = reordered.size_values(sizes).unwrap();
    let mut time = 0;
    let mut uses: BTreeMap<Cell, Vec<Use>> = BTreeMap::new();
    // The last use so far, by class, subtree and cell: where it stands in `uses`.
    let mut open: BTreeMap<(usize, usize, Vec<i64>, Cell), Vec<usize>> = BTreeMap::new();
    let walk = Walk::new(reordered, sizes).unwrap();
    walk.run(|step| {
        let id = step.statement;
        let number = plans
            .iter()
            .position(|plan| plan.component.statements.contains(&id))
            .unwrap();
        let reads = step.reads.iter().enumerate().map(|(at, c)| (Some(at), *c));
        for (operand, cell) in reads.chain([(None, step.write)]) {
            let reference = Reference {
                statement: id,
                operand,
            };
            let class = plans[number]
                .classes
                .iter()
                .position(|(class, _)| class.references.contains(&reference))
                .unwrap();
            let depth = plans[number].classes[class].0.depth;
            let dims = &plans[number].component.dims;
            let list = uses.entry(cell).or_default();
            list.push(Use {
                time,
                write: operand.is_none(),
                until: time,
            });
            if depth <= dims.len() {
                let subtree = subtree(&dims[..depth], id, step.point, &values);
                let earlier = open.entry((number, class, subtree, cell)).or_default();
                for at in earlier.iter() {
                    list[*at].until = time;
                }
                earlier.push(list.len() - 1);
            }
        }
        time += 1;
        Ok(())
    })
    .unwrap();
    let mut played = Played {
        loads: 0,
        stores: 0,
        words: 0,
    };
    let mut changes: BTreeMap<usize, i64> = BTreeMap::new();
    for (cell, list) in &uses {
        let output = reordered.array(cell.array).output;
        let given = reordered.array(cell.array).role != redblue_program::Role::Local;
        let mut at = 0;
        let mut defined = given;
        while at < list.len() {
            let (mut end, mut last) = (at, list[at].until);
            while end + 1 < list.len() && list[end + 1].time <= last {
                end += 1;
                last = last.max(list[end].until);
            }
            played.loads += u64::from(!list[at].write && defined);
            let written = list[at..=end].iter().any(|one| one.write);
            defined |= written;
            let needed = match list.get(end + 1) {
                Some(next) => !next.write,
                None => output,
            };
            played.stores += u64::from(written && needed);
            // A result that nobody reads takes the place of an operand.
            let start = if list[at].write {
                list[at].time + 1
            } else {
                list[at].time
            };
            *changes.entry(start.min(last + 1)).or_default() += 1;
            *changes.entry(last + 1).or_default() -= 1;
            at = end + 1;
        }
    }
    let mut now = 0;
    for change in changes.values() {
        now += change;
        played.words = played.words.max(now as u64);
    }
    played
}

fn subtree(dims: &[Dim], id: StatementId, point: &[i64], values: &[i64]) -> Vec<i64> {
    let number = |dim: &Dim| {
        let value = dim.family.row(id).map_or(0, |row| row.at(point, values));
        match dim.tile {
            Some(side) => value.div_euclid(side as i64),
            None => value,
        }
    };
    dims.iter().map(number).collect()
}

/// Every plan of some kernels, also with other storage, is played and keeps within what was proved.
#[test]
fn plans_move_no_more_than_is_proved() {
    use crate::storage::storages;
    use crate::tile::solved;
    use redblue_program::catalogue::find;
    let kernels = [
        "doitgen",
        "gemm",
        "jacobi-1d",
        "seidel-2d",
        "abcd-dbea-ec",
        "lu",
        "ludcmp",
        "mvt",
        "stencil-1d",
    ];
    let all = std::env::var_os("REDBLUE_SOAK").is_some();
    for name in kernels {
        let entry = find(name).unwrap();
        let program = entry.read(&Default::default()).program.unwrap();
        let sizes = &entry.small[0];
        for words in [9, 40] {
            // By far the longest search.
            if !all && name == "ludcmp" && words == 9 {
                continue;
            }
            let options = crate::Options {
                model: Default::default(),
                fast: vec![words],
                sizes: sizes.clone(),
                time_limit: None,
                work: crate::Options::WORK,
            };
            for stored in storages(&program).unwrap() {
                let program = &stored.program;
                let values = program.size_values(sizes).unwrap();
                let Ok(Some((plans, _))) = solved(&stored, &options, &values, None) else {
                    continue;
                };
                let level = plans.into_iter().next().unwrap();
                let best: Vec<Plan> = level.into_iter().map(|list| list[0].clone()).collect();
                let order = crate::Order {
                    components: best.iter().map(|plan| plan.component.clone()).collect(),
                };
                let played = play(&order.apply(program).unwrap(), sizes, &best);
                let loads = best
                    .iter()
                    .map(|plan| &plan.loads)
                    .sum::<num_bigint::BigInt>();
                let stores = best
                    .iter()
                    .map(|plan| &plan.stores)
                    .sum::<num_bigint::BigInt>();
                let most = format!("{name} S = {words}: {played:?} against {loads} + {stores}");
                assert!(loads >= played.loads.into(), "{most}");
                assert!(stores >= played.stores.into(), "{most}");
                assert!(played.words <= words, "{most}");
            }
        }
    }
}
