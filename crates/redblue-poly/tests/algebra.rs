//! The layer on isl behaves as its documentation says.

#![allow(clippy::unwrap_used)]

use num_bigint::BigInt;
use redblue_poly::{Context, Map, PolyError, PwAff, Set, Space, UnionMap, UnionSet, flow};

fn context() -> Context {
    Context::new().unwrap()
}

fn set(context: &Context, text: &str) -> Set {
    Set::parse(context, text).unwrap()
}

fn map(context: &Context, text: &str) -> Map {
    Map::parse(context, text).unwrap()
}

#[track_caller]
fn check_set(actual: Set, expected: &str) {
    let expected = set(actual.context(), expected);
    assert!(
        actual.is_equal(&expected).unwrap(),
        "{actual} is not {expected}"
    );
}

#[track_caller]
fn check_map(actual: Map, expected: &str) {
    let expected = map(actual.context(), expected);
    assert!(
        actual.is_equal(&expected).unwrap(),
        "{actual} is not {expected}"
    );
}

#[test]
fn set_operations() {
    let c = context();
    let a = set(&c, "[n] -> { S[i] : 0 <= i < n }");
    let b = set(&c, "[n] -> { S[i] : 5 <= i }");
    check_set(a.intersect(&b).unwrap(), "[n] -> { S[i] : 5 <= i < n }");
    check_set(
        a.union(&b).unwrap(),
        "[n] -> { S[i] : 0 <= i < n or i >= 5 }",
    );
    check_set(
        a.subtract(&b).unwrap(),
        "[n] -> { S[i] : 0 <= i < n and i < 5 }",
    );
    check_set(a.params().unwrap(), "[n] -> { : n >= 1 }");
    check_set(a.lexmax().unwrap(), "[n] -> { S[n - 1] : n >= 1 }");
    check_set(a.fix_param("n", 3).unwrap(), "{ S[i] : 0 <= i < 3 }");
    check_set(
        a.set_tuple_name("T").unwrap(),
        "[n] -> { T[i] : 0 <= i < n }",
    );
    check_set(
        a.insert_dims(0, 1).unwrap().drop_tuple_name().unwrap(),
        "[n] -> { [j, i] : 0 <= i < n }",
    );
    assert!(a.is_bounded().unwrap() && !b.is_bounded().unwrap());
    assert_eq!(a.tuple_name().as_deref(), Some("S"));
    assert_eq!(a.params().unwrap().tuple_name(), None);
    assert_eq!(a.param_names(), ["n"]);
    assert_eq!(
        (a.n_dim(), a.dim_name(0).as_deref(), a.dim_name(1)),
        (1, Some("i"), None)
    );
    assert!(a.contains(&[BigInt::from(3)], &[BigInt::from(2)]).unwrap());
    assert!(!a.contains(&[BigInt::from(3)], &[BigInt::from(3)]).unwrap());
}

#[test]
fn greatest_values() {
    let c = context();
    let greatest = |text: &str, at: usize| set(&c, text).greatest(at).unwrap();
    let halves = "{ [i, j] : 0 <= 2i <= 9 and j = 3 - 2i; [i, j] : i = -7 and j = 2 }";
    assert_eq!(greatest(halves, 0), Some(BigInt::from(4)));
    assert_eq!(greatest(halves, 1), Some(BigInt::from(3)));
    assert_eq!(
        greatest("[N] -> { [i] : 0 <= i < N and N <= 5 }", 0),
        Some(BigInt::from(4))
    );
    assert_eq!(greatest("{ [i] : i >= 0 }", 0), None);
    assert_eq!(greatest("{ [i] : 0 <= i < 0 }", 0), None);
    // Rational vertices are no points.
    assert_eq!(
        greatest("{ [i, j] : 3i + 3j = 6 and 0 <= 2j <= 1 }", 0),
        Some(BigInt::from(2))
    );
}

#[test]
fn parameters_align_by_name() {
    let c = context();
    let a = set(&c, "[m, n] -> { [i] : 0 <= i < n }");
    assert_eq!(
        a.align_params(&["n", "k"]).unwrap().param_names(),
        ["n", "k"]
    );
    let error = a.align_params(&["k"]).unwrap_err();
    assert_eq!(
        error,
        PolyError::UnknownName {
            name: "n".to_owned()
        }
    );
    assert!(a.fix_param("k", 1).is_err());
}

#[test]
fn points_are_listed_in_order() {
    let c = context();
    let points = set(&c, "{ [i, j] : 0 <= i < 2 and i <= j <= 2; [5, -1] }")
        .points()
        .unwrap();
    assert_eq!(points, [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [5, -1]]);
    assert!(matches!(
        set(&c, "{ [i] : i >= 0 }").points(),
        Err(PolyError::Unbounded { .. })
    ));
    assert!(set(&c, "[n] -> { [i] : 0 <= i < n }").points().is_err());
    assert_eq!(set(&c, "{ [] }").points().unwrap(), [[0i64; 0]]);
    let sample = set(&c, "[n] -> { [i] : n = 7 and i = 2n }")
        .sample_point()
        .unwrap();
    assert_eq!(sample, Some((vec![7.into()], vec![14.into()])));
    assert_eq!(
        set(&c, "{ [i] : i < 0 and i > 0 }").sample_point().unwrap(),
        None
    );
}

#[test]
fn constraints_are_plain_data() {
    let c = context();
    let basic = set(&c, "[n] -> { [i] : i mod 3 = 1 and i < 2n }")
        .basic_sets()
        .unwrap();
    let [basic] = &basic[..] else {
        panic!("one disjunct")
    };
    for n in -3..6i64 {
        for i in -9..12i64 {
            let expected = i.rem_euclid(3) == 1 && i < 2 * n;
            let point = ([BigInt::from(n)], [BigInt::from(i)]);
            assert_eq!(
                basic.contains(&point.0, &point.1).unwrap(),
                expected,
                "n={n} i={i}"
            );
        }
    }
    assert!(
        basic
            .constraints()
            .unwrap()
            .iter()
            .all(|constraint| constraint.linear.params.len() == 1)
    );
}

#[test]
fn map_operations() {
    let c = context();
    let a = map(&c, "[n] -> { S[i] -> A[i + 1] : 0 <= i < n }");
    let b = map(&c, "{ A[x] -> B[2x] }");
    check_map(
        a.apply_range(&b).unwrap(),
        "[n] -> { S[i] -> B[2i + 2] : 0 <= i < n }",
    );
    check_map(
        a.reverse().unwrap(),
        "[n] -> { A[j] -> S[j - 1] : 1 <= j <= n }",
    );
    check_set(a.range().unwrap(), "[n] -> { A[j] : 1 <= j <= n }");
    check_set(map(&c, "{ [i] -> [i + 2] }").deltas().unwrap(), "{ [2] }");
    check_set(
        set(&c, "{ S[3] }").apply(&a).unwrap(),
        "[n] -> { A[4] : n >= 4 }",
    );
    assert!(a.is_bijective().unwrap() && a.is_single_valued().unwrap());
    assert_eq!(
        (a.in_tuple().as_deref(), a.out_tuple().as_deref()),
        (Some("S"), Some("A"))
    );
    check_map(a.fix_param("n", 1).unwrap(), "{ S[0] -> A[1] }");
    check_map(
        set(&c, "{ [i] }")
            .space()
            .and_then(|space| Map::lex_lt(&space))
            .unwrap(),
        "{ [i] -> [j] : i < j }",
    );
    assert!(
        map(&c, "{ [i] -> [j] : 0 <= j < i }")
            .affine_pieces()
            .is_err()
    );
}

#[test]
fn single_valued_maps_have_affine_pieces() {
    let c = context();
    let halves = map(
        &c,
        "[n] -> { [i] -> [floor(i / 2), n - i] : i >= 0; [i] -> [0, 0] : i < 0 }",
    );
    let pieces = halves.affine_pieces().unwrap();
    for i in -4..9i64 {
        let (params, dims) = ([BigInt::from(10)], [BigInt::from(i)]);
        let inside = |set: &Set| set.contains(&params, &dims).unwrap();
        let values: Vec<Vec<BigInt>> = pieces
            .iter()
            .filter(|(set, _)| inside(set))
            .map(|(_, affine)| affine.iter().map(|a| a.evaluate(&params, &dims)).collect())
            .collect();
        let expected = if i >= 0 { [i / 2, 10 - i] } else { [0, 0] };
        assert_eq!(values, [expected.map(BigInt::from)], "i={i}");
    }
}

#[test]
fn functions_lower_c_expressions() {
    let c = context();
    let space = Space::set(&c, &["n"], "S", &["i"]).unwrap();
    let i = PwAff::dim(&space, 0).unwrap();
    let n = PwAff::param(&space, "n").unwrap();
    let constant = |value: i64| PwAff::constant(&space, value).unwrap();
    let bound = i.add(&constant(32)).unwrap().min(&n).unwrap();
    check_set(i.lt_set(&bound).unwrap(), "[n] -> { S[i] : i < n }");
    let truncated = i.div_truncated(&constant(2)).unwrap();
    let remainder = i.rem_truncated(&constant(2)).unwrap();
    for value in -5..6i64 {
        let at = |f: &PwAff| {
            f.evaluate(&[BigInt::from(0)], &[BigInt::from(value)])
                .unwrap()
                .unwrap()
        };
        assert_eq!(at(&truncated), BigInt::from(value / 2));
        assert_eq!(at(&remainder), BigInt::from(value % 2));
        assert_eq!(
            at(&i.floor_div(2).unwrap()),
            BigInt::from(value.div_euclid(2))
        );
        assert_eq!(at(&i.modulo(3).unwrap()), BigInt::from(value.rem_euclid(3)));
    }
    let positive = i.gt_set(&constant(0)).unwrap();
    let absolute = PwAff::select(&positive, &i, &i.neg().unwrap()).unwrap();
    assert!(
        absolute
            .is_equal(&i.max(&i.neg().unwrap()).unwrap())
            .unwrap()
    );
    assert!(i.mul(&n).is_err());
    assert_eq!(
        constant(4)
            .mul(&constant(-3))
            .unwrap()
            .as_constant()
            .unwrap(),
        Some((-12).into())
    );
    assert_eq!(i.as_constant().unwrap(), None);
    let access = Map::from_pw_affs(&space, "A", &[i.scale(2).unwrap(), n.clone()]).unwrap();
    check_map(access, "[n] -> { S[i] -> A[2i, n] }");
    check_map(
        Map::from_pw_affs(&space, "x", &[]).unwrap(),
        "[n] -> { S[i] -> x[] }",
    );
    assert!(PwAff::param(&space, "m").is_err());
}

#[test]
fn big_numbers_survive() {
    let c = context();
    let space = Space::set(&c, &["n"], "", &["i"]).unwrap();
    for text in ["123456789012345678901234567890", "-98765432109876543210"] {
        let value: BigInt = text.parse().unwrap();
        let function = PwAff::constant(&space, value.clone()).unwrap();
        assert_eq!(function.as_constant().unwrap(), Some(value));
    }
}

#[test]
fn unions_span_spaces() {
    let c = context();
    let union = UnionMap::parse(&c, "[n] -> { T[i] -> [1, i] : i < n; S[i] -> [0, i] }").unwrap();
    let names: Vec<_> = union.maps().unwrap().iter().map(Map::in_tuple).collect();
    assert_eq!(names, [Some("S".to_owned()), Some("T".to_owned())]);
    let rebuilt = UnionMap::from_maps(&c, &union.maps().unwrap()).unwrap();
    assert!(union.is_equal(&rebuilt).unwrap());
    let domain = union.domain().unwrap();
    assert!(
        domain
            .is_equal(&UnionSet::from_sets(&c, &domain.sets().unwrap()).unwrap())
            .unwrap()
    );
    assert!(UnionSet::empty(&c).unwrap().is_empty().unwrap());
    let space = set(&c, "{ S[i] }").space().unwrap();
    check_set(domain.set_of(&space).unwrap(), "{ S[i] }");
    let fixed = union.fix_param("n", 4).unwrap();
    let expected = UnionMap::parse(&c, "{ T[i] -> [1, i] : i < 4; S[i] -> [0, i] }").unwrap();
    assert!(fixed.is_equal(&expected).unwrap());
}

#[test]
fn flow_finds_last_writers() {
    let c = context();
    let union = |text: &str| UnionMap::parse(&c, text).unwrap();
    let result = flow(
        &union("[n] -> { R[i] -> A[i] : 0 <= i <= n }"),
        &union("[n] -> { W[i] -> A[i] : 0 <= i < n; V[] -> A[0] : n > 0 }"),
        &union("{ W[i] -> [0, i]; V[] -> [1, 0]; R[i] -> [2, i] }"),
    )
    .unwrap();
    let expected = union("[n] -> { W[i] -> R[i] : 0 < i < n; V[] -> R[0] : n > 0 }");
    assert!(result.must.is_equal(&expected).unwrap(), "{}", result.must);
    let expected = union("[n] -> { R[n] -> A[n] : n >= 0 }");
    assert!(
        result.must_no_source.is_equal(&expected).unwrap(),
        "{}",
        result.must_no_source
    );
}

#[test]
fn failures_are_values() {
    let c = context();
    assert!(matches!(
        Set::parse(&c, "{ [i] : i < }"),
        Err(PolyError::Parse { .. })
    ));
    assert!(matches!(
        Set::parse(&c, &"(".repeat(100_000)),
        Err(PolyError::Parse { .. })
    ));
    assert!(matches!(
        Set::parse(&c, "{ \0 }"),
        Err(PolyError::Parse { .. })
    ));
    let (a, b) = (set(&c, "{ A[i] }"), set(&c, "{ B[i, j] }"));
    assert!(matches!(a.intersect(&b), Err(PolyError::Isl { .. })));
    let foreign = set(&context(), "{ A[i] }");
    assert_eq!(
        a.intersect(&foreign).unwrap_err(),
        PolyError::ForeignContext
    );
    // The context still works after all that.
    check_set(a.intersect(&a).unwrap(), "{ A[i] }");
}

#[test]
fn the_budget_ends_a_computation() {
    let c = Context::with_budget(10_000).unwrap();
    let text = "[n] -> { [a,b,c,d,e,f] : a+2b+3c+5d+7e+11f < n and 2a-b+3c-d+5e-f > 0 and a,b,c,d,e,f >= 0
        and 3a - 2b + 7c - 5d + e + f <= 2n and (a + b + c) mod 7 = 3 and (d + 3e + 5f) mod 5 = 2 }";
    let set = set(&c, text);
    let result = set.complement().and_then(|outside| outside.lexmin());
    assert_eq!(
        result.unwrap_err(),
        PolyError::Budget { operations: 10_000 }
    );
    // The next operation has a budget of its own.
    assert!(!set.is_empty().unwrap());
}
