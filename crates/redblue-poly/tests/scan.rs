//! Loop nests visit exactly the instances of a schedule, in its order.
//!
//! The oracle lists all points of all domains, evaluates the schedule at each, and sorts by time.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use num_bigint::BigInt;
use proptest::prelude::*;
use redblue_poly::scan::LoopNest;
use redblue_poly::{Context, PolyError, UnionMap};

type Instance = (usize, Vec<i64>);

fn sizes(values: &[(&str, i64)]) -> BTreeMap<String, i64> {
    values
        .iter()
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect()
}

/// All instances sorted by their times.
fn oracle(schedule: &UnionMap, names: &[&str], sizes: &BTreeMap<String, i64>) -> Vec<Instance> {
    let mut timed: Vec<(Vec<BigInt>, Instance)> = Vec::new();
    for map in schedule.maps().unwrap() {
        let mut map = map;
        for (name, value) in sizes {
            if map.param_names().contains(name) {
                map = map.fix_param(name, *value).unwrap();
            }
        }
        let statement = names
            .iter()
            .position(|name| map.in_tuple().as_deref() == Some(name));
        let pieces = map.affine_pieces().unwrap();
        for point in map.domain().unwrap().points().unwrap() {
            let exact: Vec<BigInt> = point.iter().copied().map(BigInt::from).collect();
            let piece = pieces
                .iter()
                .find(|(set, _)| set.contains(&[], &exact).unwrap())
                .unwrap();
            let time = piece
                .1
                .iter()
                .map(|affine| affine.evaluate(&[], &exact))
                .collect();
            timed.push((time, (statement.unwrap(), point)));
        }
    }
    timed.sort();
    timed.into_iter().map(|(_, instance)| instance).collect()
}

#[track_caller]
fn check_scan(schedule: &str, names: &[&str], values: &[(&str, i64)]) {
    let context = Context::new().unwrap();
    let schedule = UnionMap::parse(&context, schedule).unwrap();
    let values = sizes(values);
    let nest = LoopNest::build(&schedule, names, &values).unwrap();
    let expected = oracle(&schedule, names, &values);

    let mut visited = Vec::new();
    let flow: ControlFlow<()> = nest.for_each(|statement, point| {
        visited.push((statement, point.to_vec()));
        ControlFlow::Continue(())
    });
    assert_eq!(flow, ControlFlow::Continue(()));
    assert_eq!(visited, expected, "{nest:?}");

    let mut unrolled: Vec<Instance> = Vec::new();
    let _: ControlFlow<()> = nest.for_each_run(|run| {
        for k in 0..run.count as i64 {
            let point = run
                .first
                .iter()
                .zip(run.step)
                .map(|(first, step)| first + k * step);
            unrolled.push((run.statement, point.collect()));
        }
        ControlFlow::Continue(())
    });
    assert_eq!(unrolled, expected, "{nest:?}");
    assert_eq!(nest.instances(), expected.len() as u64);
}

#[test]
fn loop_nests_follow_the_schedule() {
    let n = |n: i64| [("n", n)];
    for size in [0, 1, 2, 7] {
        let n = &n(size);
        check_scan("[n] -> { S[i, j] -> [i, j] : 0 <= i, j < n }", &["S"], n);
        check_scan(
            "[n] -> { S[i, j] -> [j, i] : 0 <= i < n and i <= j < n }",
            &["S"],
            n,
        );
        check_scan(
            "[n] -> { S[i, j] -> [i + j, i] : 0 <= i, j < n }",
            &["S"],
            n,
        );
        check_scan("[n] -> { S[i] -> [-i] : 0 <= i < n }", &["S"], n);
        check_scan(
            "[n] -> { S[i] -> [i] : 0 <= i < n and i mod 3 = 1 }",
            &["S"],
            n,
        );
        check_scan("[n] -> { S[i] -> [5i] : 0 <= i < n }", &["S"], n);
        check_scan(
            "[n] -> { S[i, j] -> [floor(i/3), floor(j/2), i, j] : 0 <= i < n and 0 <= j <= i }",
            &["S"],
            n,
        );
        check_scan(
            "[n] -> { S[ii, i] -> [ii, i] : exists t : ii = 4t and ii <= i <= ii + 3 and 0 <= i < n }",
            &["S"],
            n,
        );
        check_scan(
            "[n] -> { S[i] -> [0, i, 0, 0] : 0 <= i < n; T[i, j] -> [0, i, 1, j] : 0 <= j < i < n;
                      U[i] -> [1, i, 0, 0] : 0 < 2i < n }",
            &["U", "S", "T"],
            n,
        );
        check_scan(
            "[n] -> { S[i] -> [i, 0] : 0 <= i < n; T[i] -> [i, 1] : 1 <= i < n }",
            &["S", "T"],
            n,
        );
        check_scan(
            "[n] -> { S[i] -> [i] : 0 <= i < n or n + 4 <= i < 2n + 5 }",
            &["S"],
            n,
        );
        check_scan(
            "[n] -> { S[t, i] -> [t, 2t + i] : 0 <= t < n and 1 <= i < 5 }",
            &["S"],
            n,
        );
        check_scan(
            "[n] -> { A[] -> [0, 0]; B[i] -> [1, i] : 0 <= i < n }",
            &["A", "B"],
            n,
        );
        // A tiled order, with the old one behind it: most of that decides nothing.
        check_scan(
            "[n] -> { S[i, j] -> [0, floor(j/3), floor(i/2), 0, j, i, 0, i, 0, j, 0, 0] : 0 <= j <= i < n;
                      T[i, j, k] -> [0, floor(j/3), floor(i/2), k, j, i, 0, i, 0, j, 1, k] : 0 <= k < j <= i < n;
                      U[i] -> [1, -i, 0, 0, 0, 0, 1, i, 0, 0, 0, 0] : 0 <= i < n }",
            &["S", "T", "U"],
            n,
        );
        check_scan(
            "[n] -> { S[i, j, k] -> [i, k, j] : 0 <= i, j, k < n and (i + k) mod 2 = 0 and 2j <= i + k }",
            &["S"],
            n,
        );
    }
}

#[test]
fn a_visitor_can_stop() {
    let context = Context::new().unwrap();
    let schedule = UnionMap::parse(&context, "[n] -> { S[i] -> [i] : 0 <= i < n }").unwrap();
    let nest = LoopNest::build(&schedule, &["S"], &sizes(&[("n", 1_000_000_000_000)])).unwrap();
    let flow = nest.for_each(|_, point| match point[0] {
        5 => ControlFlow::Break("five"),
        _ => ControlFlow::Continue(()),
    });
    assert_eq!(flow, ControlFlow::Break("five"));
    assert_eq!(nest.instances(), 1_000_000_000_000);
}

#[test]
fn problems_are_errors() {
    let context = Context::new().unwrap();
    let build = |text: &str, values: &[(&str, i64)]| {
        let schedule = UnionMap::parse(&context, text).unwrap();
        LoopNest::build(&schedule, &["S"], &sizes(values)).map(|nest| nest.instances())
    };
    let unknown = build("{ T[i] -> [i] : 0 <= i < 3 }", &[]);
    assert_eq!(
        unknown,
        Err(PolyError::UnknownName {
            name: "T".to_owned()
        })
    );
    assert!(build("[n] -> { S[i] -> [i] : 0 <= i < n }", &[]).is_err());
    assert!(build("{ S[i] -> [i] : 0 <= i }", &[]).is_err());
    let far = build(
        "[n] -> { S[i, j] -> [j] : j = 9000000000000 i and 0 <= i < n }",
        &[("n", i64::MAX)],
    );
    assert!(matches!(far, Err(PolyError::Overflow { .. })), "{far:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_nests_follow_the_schedule(
        rows in prop::collection::vec(prop::collection::vec(-2i64..3, 3), 3),
        cuts in prop::collection::vec(prop::collection::vec(-2i64..3, 4), 0..3),
        modulus in 1i64..4,
        n in 1i64..5,
    ) {
        let linear = |row: &[i64]| format!("{}i + {}j + {}k", row[0], row[1], row[2]);
        // The identity behind the random rows makes times unique.
        let time = rows.iter().map(|row| linear(row)).collect::<Vec<_>>().join(", ");
        let mut domain = format!("0 <= i, j, k < n and (i + 2j + k) mod {modulus} = 0");
        for cut in &cuts {
            domain += &format!(" and {} + {} >= 0", linear(cut), 2 * cut[3]);
        }
        let text = format!("[n] -> {{ S[i, j, k] -> [{time}, i, j, k] : {domain} }}");
        check_scan(&text, &["S"], &[("n", n)]);
    }

    #[test]
    fn random_nests_of_two_statements_follow_the_schedule(
        rows in prop::collection::vec((-1i64..2, -1i64..2, -1i64..2), 10),
        n in 1i64..5,
    ) {
        let linear = |(a, b, c): &(i64, i64, i64)| format!("{a}i + {b}j + {c}");
        let times: Vec<String> = rows.iter().map(linear).collect();
        let (one, other) = (times[..5].join(", "), times[5..].join(", "));
        let text = format!(
            "[n] -> {{ S[i, j] -> [{one}, 0, i, j] : 0 <= i, j < n; T[i, j] -> [{other}, 1, j, i] : 0 <= j <= i < n }}"
        );
        check_scan(&text, &["S", "T"], &[("n", n)]);
    }
}
