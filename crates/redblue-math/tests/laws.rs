//! Random expressions: ring laws, reading back what was written, and agreement with naive exact evaluation.

#![allow(clippy::unwrap_used)]

use num_traits::Signed as _;
use proptest::prelude::*;
use redblue_math::{
    Assignment, Expr, Rational,
    rational::{int, ratio},
};
use std::cmp::Ordering;

/// A formula as written, before any normal form: the oracle evaluates this tree directly.
#[derive(Debug, Clone)]
enum Tree {
    Number(i64, i64),
    Name(&'static str),
    Add(Box<Tree>, Box<Tree>),
    Sub(Box<Tree>, Box<Tree>),
    Mul(Box<Tree>, Box<Tree>),
    Div(Box<Tree>, Box<Tree>),
    Min(Box<Tree>, Box<Tree>),
    Max(Box<Tree>, Box<Tree>),
    Floor(Box<Tree>),
    Ceil(Box<Tree>),
    Power(Box<Tree>, u8),
}

const NAMES: [&str; 4] = ["M", "N", "S", "p"];

fn tree(division: bool) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (-6i64..7, 1i64..5).prop_map(|(n, d)| Tree::Number(n, d)),
        prop::sample::select(NAMES.as_slice()).prop_map(Tree::Name),
    ];
    leaf.prop_recursive(4, 24, 2, move |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        let quotient = pair.clone().prop_map(move |(a, b)| {
            if division {
                Tree::Div(a, b)
            } else {
                Tree::Mul(a, b)
            }
        });
        prop_oneof![
            pair.clone().prop_map(|(a, b)| Tree::Add(a, b)),
            pair.clone().prop_map(|(a, b)| Tree::Sub(a, b)),
            pair.clone().prop_map(|(a, b)| Tree::Mul(a, b)),
            quotient,
            pair.clone().prop_map(|(a, b)| Tree::Min(a, b)),
            pair.prop_map(|(a, b)| Tree::Max(a, b)),
            inner.clone().prop_map(|a| Tree::Floor(Box::new(a))),
            inner.clone().prop_map(|a| Tree::Ceil(Box::new(a))),
            (inner, 0u8..4).prop_map(|(a, k)| Tree::Power(Box::new(a), k)),
        ]
    })
}

impl Tree {
    /// The expression; `None` for a division by the constant zero.
    fn expr(&self) -> Option<Expr> {
        Some(match self {
            Tree::Number(n, d) => Expr::constant(ratio(*n, *d)),
            Tree::Name(name) => Expr::symbol(*name),
            Tree::Add(a, b) => a.expr()? + b.expr()?,
            Tree::Sub(a, b) => a.expr()? - b.expr()?,
            Tree::Mul(a, b) => a.expr()? * b.expr()?,
            Tree::Div(a, b) => a.expr()?.div(&b.expr()?).ok()?,
            Tree::Min(a, b) => Expr::min_of([a.expr()?, b.expr()?])?,
            Tree::Max(a, b) => Expr::max_of([a.expr()?, b.expr()?])?,
            Tree::Floor(a) => a.expr()?.floor(),
            Tree::Ceil(a) => a.expr()?.ceil(),
            Tree::Power(a, k) => a.expr()?.powi((*k).into()).ok()?,
        })
    }

    /// The value by plain recursion; `None` for a division by zero.
    fn value(&self, sizes: &[i64; 4]) -> Option<Rational> {
        Some(match self {
            Tree::Number(n, d) => ratio(*n, *d),
            Tree::Name(name) => int(sizes[NAMES.iter().position(|known| known == name)?]),
            Tree::Add(a, b) => a.value(sizes)? + b.value(sizes)?,
            Tree::Sub(a, b) => a.value(sizes)? - b.value(sizes)?,
            Tree::Mul(a, b) => a.value(sizes)? * b.value(sizes)?,
            Tree::Div(a, b) => {
                let divisor = b.value(sizes)?;
                if divisor == int(0) {
                    return None;
                }
                a.value(sizes)? / divisor
            }
            Tree::Min(a, b) => a.value(sizes)?.min(b.value(sizes)?),
            Tree::Max(a, b) => a.value(sizes)?.max(b.value(sizes)?),
            Tree::Floor(a) => a.value(sizes)?.floor(),
            Tree::Ceil(a) => a.value(sizes)?.ceil(),
            Tree::Power(a, k) => a.value(sizes)?.pow((*k).into()),
        })
    }
}

fn assignment(sizes: &[i64; 4]) -> Assignment {
    NAMES.into_iter().zip(sizes.iter().copied()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ring_laws(a in tree(false), b in tree(false), c in tree(false)) {
        let (Some(a), Some(b), Some(c)) = (a.expr(), b.expr(), c.expr()) else { return Ok(()) };
        prop_assume!(a.terms().len() * b.terms().len() * c.terms().len() < 2000);
        prop_assert_eq!(&a + &b, &b + &a);
        prop_assert_eq!(&a * &b, &b * &a);
        prop_assert_eq!((&a + &b) + &c, &a + (&b + &c));
        prop_assert_eq!((&a * &b) * &c, &a * (&b * &c));
        prop_assert_eq!(&a * (&b + &c), &a * &b + &a * &c);
        prop_assert_eq!(&a - &a, Expr::zero());
        prop_assert_eq!(&a + Expr::zero(), a.clone());
        prop_assert_eq!(&a * Expr::one(), a);
    }

    #[test]
    fn text_reads_back(a in tree(true), exponent in 1i64..5) {
        let Some(expr) = a.expr() else { return Ok(()) };
        prop_assume!(expr.terms().len() < 100);
        prop_assert_eq!(expr.to_string().parse::<Expr>().unwrap(), expr.clone(), "{}", expr);
        if let Ok(root) = expr.pow(&ratio(exponent, 3)) {
            prop_assert_eq!(root.to_string().parse::<Expr>().unwrap(), root.clone(), "{}", root);
        }
        if let Ok(log) = expr.log2() {
            prop_assert_eq!(log.to_string().parse::<Expr>().unwrap(), log.clone(), "{}", log);
        }
    }

    #[test]
    fn products_of_powers_read_back(a in tree(true), b in tree(false), up in -4i64..5, down in -4i64..5) {
        let (Some(a), Some(b)) = (a.expr(), b.expr()) else { return Ok(()) };
        prop_assume!(a.terms().len() < 12 && b.terms().len() < 12);
        let (Ok(left), Ok(right)) = (a.pow(&ratio(up, 2)), b.pow(&ratio(down, 3))) else { return Ok(()) };
        for product in [&left * &right, &left * &left * &right, &left + &right] {
            prop_assume!(product.terms().len() < 200);
            prop_assert_eq!(product.to_string().parse::<Expr>().unwrap(), product.clone(), "{}", product);
        }
    }

    #[test]
    fn values_agree_with_plain_recursion(a in tree(true), sizes in [0i64..8, 0i64..8, 0i64..8, 0i64..8]) {
        let (Some(expr), Some(expected)) = (a.expr(), a.value(&sizes)) else { return Ok(()) };
        // Normal form may divide by less than the tree, but also by a sum that is zero here before it cancels.
        match expr.eval(&assignment(&sizes), 64) {
            Ok(interval) => prop_assert_eq!(interval.as_point(), Some(&expected), "{}", expr),
            Err(error) => prop_assert_eq!(error, redblue_math::MathError::DivisionByZero),
        }
    }

    #[test]
    fn roots_are_enclosed(a in tree(false), sizes in [0i64..9, 0i64..9, 0i64..9, 0i64..9], degree in 2u32..4) {
        let (Some(expr), Some(radicand)) = (a.expr(), a.value(&sizes)) else { return Ok(()) };
        let Ok(root) = expr.pow(&ratio(1, degree.into())) else { return Ok(()) };
        let Ok(interval) = root.eval(&assignment(&sizes), 40) else {
            // A root is taken factor by factor, so zero times a negative number has no root either.
            prop_assert!(radicand <= int(0));
            return Ok(());
        };
        let degree = degree as i32;
        prop_assert!(interval.lower().pow(degree) <= radicand && radicand <= interval.upper().pow(degree));
        prop_assert!(interval.upper() - interval.lower() <= (interval.upper().abs() + int(1)) * ratio(1, 1 << 30));
        let floor = root.eval_floor(&assignment(&sizes)).unwrap();
        let ceil = root.eval_ceil(&assignment(&sizes)).unwrap();
        prop_assert!(int(floor.clone()).pow(degree) <= radicand && radicand < int(floor + 1).pow(degree));
        prop_assert!(int(ceil.clone()).pow(degree) >= radicand && (ceil == 0.into() || radicand > int(ceil - 1).pow(degree)));
    }

    #[test]
    fn comparison_agrees_with_values(a in tree(false), b in tree(false), sizes in [0i64..9, 0i64..9, 0i64..9, 0i64..9]) {
        let (Some(left), Some(right)) = (a.expr(), b.expr()) else { return Ok(()) };
        let (Some(x), Some(y)) = (a.value(&sizes), b.value(&sizes)) else { return Ok(()) };
        prop_assert_eq!(left.compare_at(&right, &assignment(&sizes)).unwrap(), Some(x.cmp(&y)));
        if left.dominates(&right, &redblue_math::Regime::uniform()) == Some(true) {
            // Dominance is a statement about large sizes; at 10^144 all lower-order terms of these trees are gone, powers of
            // powers of numbers too.
            let far = |expr: &Expr| {
                let power = |name| Expr::symbol(name).pow(&int(16)).unwrap();
                NAMES.into_iter().fold(expr.clone(), |expr, name| expr.substitute(name, &power(name)).unwrap())
            };
            let sizes = assignment(&[1_000_000_007; 4]);
            prop_assert_ne!(far(&left).compare_at(&far(&right), &sizes).unwrap(), Some(Ordering::Less), "{} {}", left, right);
        }
    }

    #[test]
    fn substitution_commutes_with_evaluation(a in tree(false), sizes in [0i64..8, 0i64..8, 0i64..8, 0i64..8]) {
        let Some(expr) = a.expr() else { return Ok(()) };
        let doubled = expr.substitute("N", &(Expr::symbol("M") + Expr::symbol("N"))).unwrap();
        let moved = [sizes[0], sizes[0] + sizes[1], sizes[2], sizes[3]];
        prop_assert_eq!(doubled.at(&assignment(&sizes)).unwrap(), expr.at(&assignment(&moved)).unwrap());
    }

    #[test]
    fn the_reader_never_panics(text in "[-+*/^(), 0-9a-zA-Z_]{0,40}", bytes in ".{0,40}") {
        for text in [text, bytes] {
            if let Ok(expr) = text.parse::<Expr>() {
                prop_assert_eq!(expr.to_string().parse::<Expr>().unwrap(), expr);
            }
        }
    }

    #[test]
    fn formulas_of_functions_read_back(text in "(sqrt|min|max|floor|ceil|log2)\\([A-C]([-+*/][A-C2-9]){0,3}(,[A-C])?\\)([-+*/^][A-C2-3]){0,2}") {
        if let Ok(expr) = text.parse::<Expr>() {
            prop_assert_eq!(expr.to_string().parse::<Expr>().unwrap(), expr.clone(), "{} -> {}", text, expr);
            let _ = expr.latex();
        }
    }
}
