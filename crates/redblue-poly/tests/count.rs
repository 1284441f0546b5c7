//! Counts agree with enumeration.
//!
//! The oracle fixes all parameters and lists the points.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use num_bigint::BigInt;
use proptest::prelude::*;
use redblue_math::Rational;
use redblue_poly::{Context, PolyError, Set};

fn domains() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("domains.txt").lines();
    lines.filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// All assignments of values to parameters.
fn assignments(names: &[String], values: &[i64]) -> Vec<Vec<i64>> {
    names.iter().fold(vec![Vec::new()], |all, _| {
        let extended = |start: &Vec<i64>| -> Vec<Vec<i64>> {
            values
                .iter()
                .map(|value| [&start[..], &[*value]].concat())
                .collect()
        };
        all.iter().flat_map(extended).collect()
    })
}

fn enumerate(set: &Set, names: &[String], values: &[i64]) -> usize {
    let fixed = names
        .iter()
        .zip(values)
        .try_fold(set.clone(), |set, (name, value)| {
            set.fix_param(name, *value)
        });
    fixed.unwrap().points().unwrap().len()
}

#[track_caller]
fn check_count(text: &str, sizes: &[i64]) {
    let context = Context::new().unwrap();
    let set = Set::parse(&context, text).unwrap();
    let count = set
        .count()
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let names = set.param_names();
    for values in assignments(&names, sizes) {
        let exact = values.iter().copied().map(BigInt::from);
        let sizes: BTreeMap<String, BigInt> = names.iter().cloned().zip(exact).collect();
        let expected = enumerate(&set, &names, &values);
        let actual = count.evaluate(&sizes).unwrap();
        assert_eq!(
            actual,
            BigInt::from(expected),
            "{text} at {sizes:?}:\n{count}"
        );
    }
}

#[test]
fn counts_agree_with_enumeration() {
    for text in domains() {
        let sizes: &[i64] = match text
            .split(" -> ")
            .next()
            .map_or(0, |head| head.matches(',').count())
        {
            _ if text.contains("kk") => &[0, 1, 7, 9],
            0 => &[-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 14, 17],
            1 => &[-1, 0, 1, 2, 3, 5, 6, 9],
            _ => &[-1, 0, 1, 2, 4],
        };
        check_count(text, sizes);
    }
}

#[track_caller]
fn check_formula(text: &str, context: &str, formula: &str) {
    let isl = Context::new().unwrap();
    let set = Set::parse(&isl, text).unwrap();
    let count = set
        .count_within(&Set::parse(&isl, context).unwrap())
        .unwrap();
    let actual = count
        .to_expr()
        .unwrap()
        .unwrap_or_else(|| panic!("several pieces:\n{count}"));
    assert_eq!(actual, formula.parse().unwrap(), "{text}");
}

#[test]
fn one_formula_for_all_sizes() {
    let n = "[n] -> { : n >= 0 }";
    let nm = "[n, m] -> { : n >= 1 and m >= 1 }";
    check_formula("[n] -> { [i] : 0 <= i < n }", n, "n");
    check_formula("[n] -> { [i, j] : 0 <= i < j < n }", n, "n^2/2 - n/2");
    check_formula("[n] -> { [i, j] : 0 <= i <= j < n }", n, "n^2/2 + n/2");
    check_formula(
        "[n] -> { [i, j, k] : 0 <= i < j < k < n }",
        n,
        "n^3/6 - n^2/2 + n/3",
    );
    check_formula(
        "[n] -> { [i, j, k] : 0 <= k < n and k < i < n and k < j < n }",
        n,
        "n^3/3 - n^2/2 + n/6",
    );
    check_formula(
        "[n, m] -> { [i, j] : 0 <= i < n and 0 <= j < m }",
        nm,
        "n*m",
    );
    check_formula("[n] -> { [i, j] : 0 <= i, j < n and i != j }", n, "n^2 - n");
    check_formula(
        "[n] -> { [ii, i] : exists t : ii = 32t and ii <= i <= ii + 31 and 0 <= i < n }",
        n,
        "n",
    );
    let tiled = "[n] -> { [ii, jj, i, j] : ii mod 32 = 0 and jj mod 32 = 0 and ii <= i < ii + 32
                 and jj <= j < jj + 32 and 0 <= i < n and 0 <= j < n }";
    check_formula(tiled, n, "n^2");
    check_formula("[n] -> { [i] : 0 <= 4i < n }", n, "floor((n + 3)/4)");
    check_formula("[n] -> { [i] : 0 <= i < floor(n / 4) }", n, "floor(n/4)");
    let halves = "[n] -> { [i] : 0 <= i < n and i mod 2 = 0; [i] : 0 <= i < n and i mod 2 = 1 }";
    check_formula(halves, n, "n");
    check_formula(
        "[n] -> { [i] : 0 <= 2i < n }",
        "[n] -> { : n >= 0 and n mod 2 = 0 }",
        "n/2",
    );
    check_formula(
        "[n] -> { [i] : 1 <= i < n - 1 }",
        "[n] -> { : n >= 3 }",
        "n - 2",
    );
    check_formula("{ [i, j] : 0 <= i < 7 and 0 <= j <= i }", "{ : }", "28");
    check_formula("{ [i] : i < 0 and i > 0 }", "{ : }", "0");
}

#[test]
fn infinite_sets_are_errors() {
    let context = Context::new().unwrap();
    for text in [
        "{ [i] }",
        "[n] -> { [i] : i >= n }",
        "[n] -> { [i, j] : 0 <= i <= n and 2j <= i }",
    ] {
        let count = Set::parse(&context, text).unwrap().count();
        assert!(
            matches!(count, Err(PolyError::Unbounded { .. })),
            "{text}: {count:?}"
        );
    }
}

#[test]
fn limits_are_errors() {
    let context = Context::new().unwrap();
    let text = "[n] -> { [i, j] : 100003i <= 100019j + n and 100019j <= 2n and 100003i >= 99991j and j >= 0 }";
    let count = Set::parse(&context, text).unwrap().count();
    assert!(
        matches!(count, Err(PolyError::Uncountable { .. })),
        "{count:?}"
    );
}

#[test]
fn counts_add_and_scale() {
    let context = Context::new().unwrap();
    let count = |text: &str| Set::parse(&context, text).unwrap().count().unwrap();
    let sum = count("[n] -> { [i] : 0 <= 2i < n }").add(&count("[n] -> { [i] : 0 <= 2i + 1 < n }"));
    let sum = sum.unwrap();
    let doubled = sum.scale(&Rational::from_integer(2.into())).unwrap();
    let mixed = sum
        .add(&count("[m, n] -> { [i, j] : 0 <= i < m and 0 <= j < n }"))
        .unwrap();
    for n in 0..9i64 {
        let at = |m: i64| BTreeMap::from([("n".to_owned(), n.into()), ("m".to_owned(), m.into())]);
        assert_eq!(sum.evaluate(&at(0)).unwrap(), n.into());
        assert_eq!(doubled.evaluate(&at(0)).unwrap(), (2 * n).into());
        assert_eq!(mixed.evaluate(&at(3)).unwrap(), (4 * n).into());
    }
    assert_eq!(sum.pieces().len(), 1, "{sum}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_domains(
        cuts in prop::collection::vec(prop::collection::vec(-2i64..3, 4), 0..3),
        modulus in 1i64..4,
        residue in 0i64..3,
        dims in 1usize..4,
    ) {
        let names = ["i", "j", "k"];
        let linear = |row: &[i64]| {
            (0..dims).map(|at| format!("{}{}", row[at], names[at])).collect::<Vec<_>>().join(" + ")
        };
        let all = names[..dims].join(", ");
        let mut text = format!("[n] -> {{ [{all}] : 0 <= {all} < n and ({}) mod {modulus} = {}",
            linear(&[1, 2, -1]), residue % modulus);
        for cut in &cuts {
            text += &format!(" and {} + n >= {}", linear(cut), 2 * cut[3]);
        }
        text += " }";
        check_count(&text, &[0, 1, 2, 3, 5, 6]);
    }
}
