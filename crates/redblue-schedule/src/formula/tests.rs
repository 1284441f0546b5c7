//! Formulas against exact counts of the same order at other sizes.

#![allow(clippy::unwrap_used)]

use redblue_program::Sizes;
use redblue_program::catalogue::{Entry, catalogue, find};

use super::*;
use crate::points::points;
use crate::tile::finished;
use crate::tiling::Options;

/// A kernel tiled at some sizes, with its plans.
fn tiled(entry: &Entry, sizes: &Sizes, words: u64) -> Option<(Program, Tiling, Vec<Plan>)> {
    let program = entry.read(&Default::default()).program.unwrap();
    let options = Options {
        model: Default::default(),
        fast: vec![words],
        sizes: sizes.clone(),
        time_limit: None,
    };
    let (program, mut levels) = finished(&program, &options).ok()?;
    let (tiling, plans) = levels.pop().unwrap();
    let formulated = with_formulas(&program, vec![(tiling, plans.clone())]).unwrap();
    Some((program, formulated.into_iter().next().unwrap(), plans))
}

/// What plans move at some sizes, counted without parameters; nothing if that is too hard or the sizes are not allowed.
fn moved(program: &Program, plans: &[Plan], sizes: &Sizes) -> Option<BigInt> {
    let dataflow = Dataflow::of(program).unwrap();
    let site = Site::new(program, &dataflow, sizes, false).ok()?;
    let mut total = BigInt::default();
    for plan in plans {
        for (class, _) in &plan.classes {
            let forward = class.depth <= plan.monotone;
            let sets = moves(&site, &plan.component.dims, class, forward).unwrap();
            for set in sets.iter().flatten() {
                total += points(set).unwrap()?;
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
fn compare(entry: &Entry, sizes: &Sizes, words: u64) -> (Vec<String>, usize) {
    let mut wrong = Vec::new();
    let mut compared = 0;
    let Some((program, tiling, plans)) = tiled(entry, sizes, words) else {
        return (wrong, 0);
    };
    if tiling.scope == Scope::TheseSizes {
        return (wrong, 0);
    }
    for other in others(&program, sizes) {
        let Some(exact) = moved(&program, &plans, &other) else {
            continue;
        };
        compared += 1;
        let above = value(&tiling, &other);
        if above < exact {
            let (name, formula) = (entry.name, &tiling.formula);
            wrong.push(format!(
                "{name} {sizes:?} S={words} at {other:?}: {above} < {exact}, {formula}"
            ));
        }
    }
    (wrong, compared)
}

#[test]
fn formulas_are_above_the_traffic_at_other_sizes() {
    let all = std::env::var_os("REDBLUE_SOAK").is_some();
    let quick = [
        "gemm",
        "2mm",
        "lu",
        "syrk",
        "jacobi-1d",
        "atax",
        "trmm",
        "abc-bda-dc",
    ];
    let mut wrong = Vec::new();
    let mut compared = 0;
    for entry in catalogue() {
        if !all && !quick.contains(&entry.name) {
            continue;
        }
        for sizes in entry.small.iter().take(2) {
            for words in [12, 40] {
                let (problems, count) = compare(entry, sizes, words);
                wrong.extend(problems);
                compared += count;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 50, "{compared}");
}

#[test]
fn products_have_the_formula_of_their_blocks() {
    let sizes = [("NI", 100), ("NJ", 90), ("NK", 80)];
    let sizes: Sizes = sizes.map(|(n, v)| (n.to_owned(), v)).into_iter().collect();
    let (_, tiling, _) = tiled(find("gemm").unwrap(), &sizes, 256).unwrap();
    assert_eq!(tiling.scope, Scope::AllSizes);
    assert_eq!(value(&tiling, &sizes), tiling.traffic.total());
}

/// Prints the formulas of all kernels: `REDBLUE_SIZE=200 REDBLUE_WORDS=256 cargo test … -- --ignored --nocapture listed`.
#[test]
#[ignore = "a listing"]
fn listed() {
    let number =
        |name: &str, other: i64| std::env::var(name).map_or(other, |text| text.parse().unwrap());
    let (size, words) = (
        number("REDBLUE_SIZE", 0),
        number("REDBLUE_WORDS", 60) as u64,
    );
    let only = std::env::var("REDBLUE_ONLY").unwrap_or_default();
    let (mut count, mut all) = (0, 0);
    for entry in catalogue()
        .iter()
        .filter(|entry| entry.name.contains(&only))
    {
        let program = entry.read(&Default::default()).program.unwrap();
        let mut sizes = entry.small.last().unwrap().clone();
        if size > 0 {
            let depth = program
                .statements
                .iter()
                .map(|s| s.iterators.len())
                .max()
                .unwrap();
            let each = if depth > 4 { size / 8 + 2 } else { size };
            sizes.values_mut().for_each(|value| *value = each);
        }
        all += 1;
        let start = std::time::Instant::now();
        let options = Options {
            model: Default::default(),
            fast: vec![words],
            sizes: sizes.clone(),
            time_limit: None,
        };
        let Ok((program, levels)) = finished(&program, &options) else {
            println!("{}: no", entry.name);
            continue;
        };
        let searched = start.elapsed();
        let start = std::time::Instant::now();
        let tiling = with_formulas(&program, levels).unwrap().pop().unwrap();
        let took = start.elapsed();
        count += usize::from(tiling.scope == Scope::AllSizes);
        let exact = tiling.traffic.total();
        let dims = tiling.order.components.iter();
        let dims: Vec<Vec<String>> = dims
            .map(|c| c.dims.iter().map(|d| d.name()).collect())
            .collect();
        println!(
            "{} {:?} {dims:?} {exact} -> {} in {took:?} after {searched:?}\n    {}",
            entry.name,
            tiling.scope,
            value(&tiling, &tiling.sizes),
            tiling.formula.factored()
        );
    }
    println!("{count} of {all}");
}
