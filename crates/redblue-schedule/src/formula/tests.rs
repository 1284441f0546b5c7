//! Formulas against exact counts of the same order at other sizes.

#![allow(clippy::unwrap_used)]

use redblue_cert::{Counted, Model, Sums};
use redblue_program::Sizes;
use redblue_program::catalogue::{Entry, catalogue, find};

use super::*;
use crate::points::points;
use crate::storage::storages;
use crate::tile::{choose, finished};
use crate::tiling::Options;

/// A kernel tiled at some sizes: the program, and every level with its plans and whether its sums are free.
type Tiled = (Stored, Vec<(Tiling, Vec<Plan>, Sums)>);

fn tiled(entry: &Entry, sizes: &Sizes, fast: &[u64], model: Model) -> Option<Tiled> {
    let program = entry.read(&Default::default()).program.unwrap();
    let options = Options {
        model,
        fast: fast.to_vec(),
        sizes: sizes.clone(),
        time_limit: None,
        work: Options::WORK,
    };
    let mut storages = storages(&program).ok()?;
    let choice = choose(&storages, &options).ok()?;
    let stored = storages.swap_remove(choice.storage);
    let levels = finished(&stored, &options, choice).ok()?;
    let plans: Vec<Vec<Plan>> = levels.iter().map(|(_, plans)| plans.clone()).collect();
    let sums: Vec<Sums> = levels.iter().map(|(t, _)| t.model.sums).collect();
    let formulated = with_formulas(&stored, levels).unwrap().into_iter();
    let all = formulated.zip(plans).zip(sums);
    Some((
        stored,
        all.map(|((t, plans), sums)| (t, plans, sums)).collect(),
    ))
}

/// What plans move at some sizes, counted without parameters; nothing if that is too hard or the sizes are not allowed.
fn moved(stored: &Stored, plans: &[Plan], sizes: &Sizes, model: Model) -> Option<BigInt> {
    let Stored { program, flow } = stored;
    let free = free_sums(program, flow, model.sums).unwrap();
    let site = Site::new(program, flow, sizes, !free.is_empty()).ok()?;
    let mut total = BigInt::default();
    for plan in plans {
        for (class, _) in &plan.classes {
            let forward = class.depth <= plan.monotone;
            let sets = moves(&site, &plan.component.dims, class, forward).unwrap();
            let kinds = match model.count {
                Counted::Loads => 1,
                Counted::Total => 2,
            };
            for set in sets[..kinds].iter().flatten() {
                total += points(set, &mut 1_000_000).unwrap()?;
            }
        }
    }
    Some(total)
}

/// Sizes that are tiny, ragged and larger, one after the other.
fn others(program: &Program, given: &Sizes) -> Vec<Sizes> {
    let mut all = Vec::new();
    for turn in 0..10i64 {
        let names = program.params.iter().enumerate();
        let value = |at: usize, name: &str| match turn {
            0 => 1,
            1 => 2,
            2 => 1 + at as i64 % 3,
            3 => given[name] + 1,
            4 => given[name] * 2 + at as i64,
            _ => 1 + (turn * 7 + at as i64 * 5) % (3 * given[name]).max(4),
        };
        all.push(
            names
                .map(|(at, param)| (param.name.clone(), value(at, &param.name)))
                .collect(),
        );
    }
    all
}

fn value(tiling: &Tiling, sizes: &Sizes) -> BigInt {
    let sizes: Assignment = sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    tiling.formula.eval_floor(&sizes).unwrap()
}

/// Compares; tells what is wrong, and how many sizes were compared.
fn compare(entry: &Entry, fast: &[u64], model: Model) -> (Vec<String>, usize) {
    let sizes = &entry.small[0];
    let mut wrong = Vec::new();
    let mut compared = 0;
    let Some((stored, levels)) = tiled(entry, sizes, fast, model) else {
        return (wrong, 0);
    };
    for (tiling, plans, sums) in levels {
        if tiling.scope == Scope::TheseSizes {
            continue;
        }
        for other in others(&stored.program, sizes) {
            let Some(exact) = moved(&stored, &plans, &other, Model { sums, ..model }) else {
                continue;
            };
            compared += 1;
            let above = value(&tiling, &other);
            if above < exact {
                let (name, formula) = (entry.name, &tiling.formula);
                wrong.push(format!(
                    "{name} {sizes:?} S={fast:?} {model:?} at {other:?}: {above} < {exact}, {formula}"
                ));
            }
        }
    }
    (wrong, compared)
}

/// Quick for a few kernels; `REDBLUE_SOAK=1` takes all.
#[test]
fn formulas_are_above_the_traffic_at_other_sizes() {
    let all = std::env::var_os("REDBLUE_SOAK").is_some();
    let quick = [
        "gemm",
        "lu",
        "syrk",
        "jacobi-1d",
        "atax",
        "trmm",
        "abc-bda-dc",
        "stencil-1d",
    ];
    let usual = Model::default();
    let loads = Model {
        count: Counted::Loads,
        ..usual
    };
    let free = Model {
        sums: Sums::Free,
        ..usual
    };
    let questions: [(&[u64], Model); 5] = [
        (&[12], usual),
        (&[40], usual),
        (&[40], loads),
        (&[40], free),
        (&[12, 60], usual),
    ];
    let mut wrong = Vec::new();
    let mut compared = 0;
    for entry in catalogue() {
        let place = quick.iter().position(|name| *name == entry.name);
        for (number, (fast, model)) in questions.into_iter().enumerate() {
            // Three questions for each of a few kernels, all of them equally often.
            if !all && place.is_none_or(|place| (number + place) % 5 > 2) {
                continue;
            }
            let (problems, count) = compare(entry, fast, model);
            println!(
                "{} S={fast:?} {model:?}: {count} sizes, {problems:?}",
                entry.name
            );
            wrong.extend(problems);
            compared += count;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 90, "{compared}");
}

/// Sets of all kinds, counted point by point: tiles of different sides in triangles, tile numbers below zero, skewed tiles,
/// floors, unions, and sets that are empty for some sizes.
#[test]
fn bounds_are_above_the_number_of_points() {
    let sets = [
        "{ [p, i] : 5p <= i < 5p + 5 and 0 <= i < N }",
        "{ [p, i, k] : 3p <= i and 0 <= p and 0 <= i < N and 0 <= k < M }",
        "{ [p, q, i] : 3p <= i < 3p + 3 and 0 <= i < N and 4q <= N - 1 and i <= 4q + 3 }",
        "{ [p, i] : 4p <= i - N < 4p + 4 and 0 <= i < M }",
        "{ [p, q, x] : 3p + x - 4 <= 5q <= 3p + x + 2 and 0 <= 3p < M and 1 <= x < N - 1 }",
        "{ [p, q] : exists t, x : 3p <= t < 3p + 3 and 4q <= 2t + x < 4q + 4 and 0 <= t < M and 2 <= x < N }",
        "{ [i] : 0 <= i < N and i mod 3 = 1 }",
        "{ [i, j] : 0 <= i < N and i <= j < M } ",
        "{ [i, j] : 0 <= i < N and 2 <= j < M - 2; [i, j] : 1 <= i <= N and 3 <= j < M }",
        "{ [i, j, k] : 0 <= k < i < N and k < j < N and 2j <= M + i }",
        "{ [p, i, j] : 0 <= p and 3p <= i + j < N and 0 <= i <= j }",
        "{ [i] : N - 4 <= i < 3 and M >= 5 }",
    ];
    let context = Context::new().unwrap();
    let mut found = 0;
    for text in sets {
        let set = Set::parse(&context, &format!("[N, M] -> {text}")).unwrap();
        let names = ["N", "M"];
        let scoped = Scoped {
            scope: Set::parse(&context, "[N, M] -> { : N >= 1 and M >= 1 }").unwrap(),
            rows: Vec::new(),
            names: Names {
                params: names.map(Symbol::new).to_vec(),
                sizes: Assignment::new().with("N", 100).with("M", 90),
            },
        };
        let Some(above) = scoped.points(&set).unwrap() else {
            continue;
        };
        found += 1;
        for (n, m) in (1..=13).flat_map(|n| [1, 2, 3, 5, 8, 12].map(|m| (n, m))) {
            let fixed = set.fix_param("N", n).unwrap().fix_param("M", m).unwrap();
            let exact = fixed.points().unwrap().len();
            let sizes = Assignment::new().with("N", n).with("M", m);
            let value = above.expr.eval_floor(&sizes).unwrap();
            assert!(
                value >= exact.into(),
                "{text} at {n}, {m}: {value} < {exact}, {}",
                above.expr
            );
        }
    }
    assert!(found >= 10, "{found}");
}

#[test]
fn products_have_the_formula_of_their_blocks() {
    let sizes = [("NI", 100), ("NJ", 90), ("NK", 80)];
    let sizes: Sizes = sizes.map(|(n, v)| (n.to_owned(), v)).into_iter().collect();
    let (_, levels) = tiled(find("gemm").unwrap(), &sizes, &[256], Model::default()).unwrap();
    let tiling = &levels[0].0;
    assert_eq!(tiling.scope, Scope::AllSizes);
    assert_eq!(value(tiling, &sizes), tiling.traffic.total());
}
