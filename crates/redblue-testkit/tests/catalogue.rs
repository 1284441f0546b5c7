//! Every kernel of the catalogue can be attacked, and what is certainly true survives.

mod common;

use common::kernel;
use redblue_pebble::bound::best;
use redblue_program::catalogue::catalogue;
use redblue_testkit::sums::free_sums;
use redblue_testkit::{Effort, Model, Stake, Sums, Verdict, capacities, sizes};

/// The independent bounds for explicit graphs are attacked with everything, and so is the least traffic
/// seen plus one, which must be broken again.
#[test]
fn bounds_of_explicit_graphs_survive_on_every_kernel() {
    let soak = std::env::var_os("REDBLUE_SOAK").is_some();
    let (limit, most) = if soak { (600, 60) } else { (120, 3) };
    let effort = match soak {
        true => Effort::USUAL,
        false => Effort::QUICK,
    };
    for entry in catalogue() {
        let program = kernel(entry.name);
        let free = free_sums(&program).expect("has a dataflow");
        let arenas = sizes::adversarial(&program, &free, limit, most);
        assert_eq!(arenas.len().min(3), 3, "{}", entry.name);
        for (sizes, arena) in arenas {
            for model in [Model::TOTAL, Model::LOADS] {
                let game = model.game();
                let sparse = capacities::adversarial(&arena, &game)
                    .into_iter()
                    .step_by(4);
                let stakes: Vec<Stake> = sparse
                    .map(|capacity| Stake {
                        capacity,
                        model,
                        value: best(arena.graph(), &game, capacity).1,
                    })
                    .collect();
                let verdicts = arena.attack(&stakes, &effort).expect("playable");
                let mut higher = Vec::new();
                for (verdict, stake) in verdicts.into_iter().zip(&stakes) {
                    let Verdict::Survived { best, .. } = verdict else {
                        panic!("{} {sizes:?} {stake:?}: {verdict:?}", entry.name);
                    };
                    higher.push(Stake {
                        value: best + 1,
                        ..*stake
                    });
                }
                let verdicts = arena.attack(&higher, &effort).expect("playable");
                for (verdict, stake) in verdicts.into_iter().zip(&higher) {
                    let broken = matches!(verdict, Verdict::Broken { .. });
                    assert!(broken, "{} {sizes:?} {stake:?}: {verdict:?}", entry.name);
                }
                // Reordered sums are legal plays as well: the referee says so or this fails.
                let free = |stake: &Stake| Stake {
                    model: Model {
                        sums: Sums::Free,
                        ..model
                    },
                    value: 0,
                    ..*stake
                };
                let stakes: Vec<Stake> = stakes.iter().map(free).collect();
                arena.attack(&stakes, &effort).expect("playable");
            }
        }
    }
}
