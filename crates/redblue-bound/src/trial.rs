//! Test support: one method on one kernel of the catalogue, and its bounds under attack.

use redblue_cert::{Certificate, Counted, LowerBound, Model};
use redblue_math::{Assignment, Expr, Regime};
use redblue_program::c::{self, CInput};
use redblue_program::reading::ReadOptions;
use redblue_program::{Program, Sizes, catalogue};
use redblue_testkit::sums::free_sums;
use redblue_testkit::{Arena, Count, Effort, Model as Game, Stake, Sums, Verdict};

use crate::analysis::{Analysis, Options, analyse};

/// Loads, no recomputation, sums in the program's own order.
pub(crate) const LOADS: Model = Model {
    count: Counted::Loads,
    recompute: false,
    sums: redblue_cert::Sums::Fixed,
};

/// The same for sums in any order.
pub(crate) const FREE: Model = Model {
    sums: redblue_cert::Sums::Free,
    ..LOADS
};

/// A kernel of the catalogue.
pub(crate) fn kernel(name: &str) -> Program {
    let entry = catalogue::find(name).unwrap_or_else(|| panic!("no kernel {name}"));
    entry.read(&ReadOptions::default()).program.unwrap()
}

/// A program from C text.
pub(crate) fn source(text: &str) -> Program {
    let input = CInput {
        name: "trial.c",
        text,
    };
    let reading = c::read(&input, &ReadOptions::default(), &|_| None);
    assert!(!reading.has_errors(), "{}", reading.render());
    reading.program.unwrap()
}

/// What one method finds.
pub(crate) fn analysis(program: &Program, method: &str, model: Model) -> Analysis {
    let methods = vec![method.to_owned()];
    analyse(
        program,
        &Options {
            model,
            methods,
            time_limit: None,
        },
    )
    .unwrap()
}

/// The leading terms of what one method proves, for sizes much larger than S, in the order of the claims.
pub(crate) fn leading(name: &str, method: &str, model: Model) -> Vec<String> {
    let found = analysis(&kernel(name), method, model);
    let leading = |bound: &LowerBound| {
        bound
            .loads()
            .leading(&Regime::large_sizes())
            .unwrap()
            .to_string()
    };
    found.bounds.iter().map(leading).collect()
}

/// The best bound at given sizes, in words.
pub(crate) fn value(found: &Analysis, sizes: &[(&str, i64)]) -> i64 {
    let sizes: Assignment = sizes.iter().copied().collect();
    let values = found.bounds.iter().map(|bound| bound.at(&sizes).unwrap());
    values.max().map_or(0, |best| best.try_into().unwrap())
}

/// Attacks every bound that a method proves, at all given sizes and memories; returns how many were attacked.
pub(crate) fn attack(
    name: &str,
    method: &str,
    model: Model,
    sizes: &[&[(&str, i64)]],
    memories: &[i64],
) -> usize {
    attack_program(&kernel(name), method, model, sizes, memories)
}

/// The same for any program.
pub(crate) fn attack_program(
    program: &Program,
    method: &str,
    model: Model,
    sizes: &[&[(&str, i64)]],
    memories: &[i64],
) -> usize {
    let name = &program.name;
    let found = analysis(program, method, model);
    assert!(!found.bounds.is_empty(), "{name}: {:?}", found.tried);
    let free = match model.sums {
        redblue_cert::Sums::Free => free_sums(program).unwrap(),
        redblue_cert::Sums::Fixed => Vec::new(),
    };
    let game = Game {
        count: Count::Loads,
        recompute: model.recompute,
        sums: if free.is_empty() {
            Sums::Fixed
        } else {
            Sums::Free
        },
        slide: true,
    };
    let mut attacked = 0;
    for sizes in sizes {
        let given: Sizes = sizes
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect();
        let arena = Arena::of_program(program, &given, &free, Effort::QUICK.vertices).unwrap();
        let mut stakes = Vec::new();
        for &memory in memories {
            let value = value(&found, &[*sizes, &[("S", memory)]].concat());
            let capacity = usize::try_from(memory).unwrap();
            if value > 0 {
                stakes.push(Stake {
                    capacity,
                    model: game,
                    value: value.unsigned_abs(),
                });
            }
        }
        for stake in stakes {
            // A memory too small to play at all is no contest.
            if let Ok(verdicts) = arena.attack(&[stake], &Effort::QUICK) {
                attacked += 1;
                assert!(
                    matches!(verdicts[0], Verdict::Survived { .. }),
                    "{name} at {sizes:?}: {stake:?}, {:?}",
                    verdicts[0]
                );
            }
        }
    }
    attacked
}

/// Demands that changes of the first claim's text make the checker refuse it.
pub(crate) fn refused(certificate: &Certificate, from: &str, to: &str) {
    let mut first = certificate.clone();
    first.claims.truncate(1);
    let text = serde_json::to_string(&first).unwrap();
    let changed = text.replacen(from, to, 1);
    assert!(changed != text, "nothing to change: {from}");
    let changed: Certificate = serde_json::from_str(&changed).unwrap();
    assert!(
        redblue_cert::check(&changed, None).is_err(),
        "{from} became {to}"
    );
}

/// The formula in a symbol-free regime, for tests that compare numbers.
pub(crate) fn at(formula: &Expr, sizes: &[(&str, i64)]) -> i64 {
    let sizes: Assignment = sizes.iter().copied().collect();
    formula.eval_floor(&sizes).unwrap().try_into().unwrap()
}
