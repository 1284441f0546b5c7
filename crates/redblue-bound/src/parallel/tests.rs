//! Bounds for several ranks against the values of the theory (C-13, C-14).

use super::*;

fn product() -> Nest {
    let array = |name: Option<&str>, support: [usize; 2]| Array {
        name: name.map(String::from),
        support: support.to_vec(),
    };
    Nest {
        lengths: ["m", "n", "k"].map(Expr::symbol).to_vec(),
        arrays: vec![
            array(Some("A"), [0, 2]),
            array(Some("B"), [1, 2]),
            array(None, [0, 1]),
        ],
    }
}

fn sizes(m: i64, n: i64, k: i64, p: i64) -> Assignment {
    Assignment::new()
        .with("m", m)
        .with("n", n)
        .with("k", k)
        .with("p", p)
}

/// The surface with equal exponents.
fn symmetric(bound: &Parallel) -> &Surface {
    let half = |exponents: &[Rational]| exponents.iter().all(|exponent| *exponent == ratio(1, 2));
    bound
        .surfaces
        .iter()
        .find(|surface| half(&surface.exponents))
        .unwrap()
}

#[test]
fn values_of_the_theory() {
    let bound = Parallel::of(product()).unwrap();
    let cases = [
        ((9600, 2400, 600, 3), 960_000),
        ((9600, 2400, 600, 36), 760_000),
        ((9600, 2400, 600, 512), 210_937),
        ((1000, 1000, 1000, 64), 140_625),
        ((1000, 1000, 1000, 1), 0),
    ];
    for ((m, n, k, p), net) in cases {
        for [m, n, k] in [[m, n, k], [n, k, m], [k, m, n]] {
            assert_eq!(
                bound.at(&sizes(m, n, k, p)).unwrap().received,
                int(net),
                "{m}×{n}×{k} on {p}"
            );
        }
    }
}

#[test]
fn thresholds_are_those_of_the_regimes() {
    let bound = Parallel::of(product()).unwrap();
    let cubic = &symmetric(&bound).regimes[0];
    let texts: Vec<String> = cubic.at_least.iter().map(ToString::to_string).collect();
    // 3D from p ≥ d1·d2/d3² on, for every choice of d3.
    let expected =
        ["k*m/n^2", "k*n/m^2", "m*n/k^2"].map(|text| text.parse::<Expr>().unwrap().to_string());
    assert_eq!(texts, expected);
}

#[test]
fn no_grid_does_better() {
    // C-15 with every grid of every p ≤ 40: what a rank of the grid receives, as a rational.
    let bound = Parallel::of(product()).unwrap();
    for (m, n, k) in [(12, 12, 12), (48, 12, 4), (5, 60, 60), (7, 9, 11)] {
        for p in 1..=40i64 {
            let least = bound.at(&sizes(m, n, k, p)).unwrap().received;
            let sides = (1..=p).flat_map(|a| (1..=p / a).map(move |b| (a, b)));
            for (pm, pn) in sides.filter(|(a, b)| p % (a * b) == 0) {
                let pk = p / (pm * pn);
                let part = |whole: i64, parts: i64| int((whole + parts - 1) / parts);
                let (lm, ln, lk) = (part(m, pm), part(n, pn), part(k, pk));
                let rest = |parts: i64| int(1) - ratio(1, parts);
                let volume = &lm * &lk * rest(pn) + &lk * &ln * rest(pm) + &lm * &ln * rest(pk);
                assert!(least <= volume, "{m}×{n}×{k} on {pm}×{pn}×{pk}");
            }
        }
    }
}

#[test]
fn with_little_memory() {
    let bound = Parallel::of(product()).unwrap();
    // 2V/√S − 3S with V = 10⁹/p.
    let at = |p: i64, memory: i64| {
        bound
            .at(&sizes(1000, 1000, 1000, p).with("S", memory))
            .unwrap()
            .exchanged
    };
    assert_eq!(at(1, 10_000), int(19_970_000));
    assert_eq!(at(10, 10_000), int(1_970_000));
    assert_eq!(at(1, 1_000_000), int(0));
    let reported = bound.reported.unwrap();
    assert_eq!(reported.to_string(), "k*m*n/(2*p*sqrt(2*S)) - S");
}

#[test]
fn minimum_is_below_a_scan() {
    // The least x + y + z over a fine grid of feasible points is never below the closed form.
    let bound = Parallel::of(product()).unwrap();
    for (m, n, k, p) in [(8, 8, 8, 4), (64, 8, 2, 5), (3, 30, 10, 7), (40, 5, 5, 2)] {
        let least = symmetric(&bound).at(&sizes(m, n, k, p)).unwrap();
        let least = least.eval(&sizes(m, n, k, p), 64).unwrap().to_f64().0;
        let (a, b, c) = (
            (m * k) as f64 / p as f64,
            (n * k) as f64 / p as f64,
            (m * n) as f64 / p as f64,
        );
        let volume = (m * n * k) as f64 / p as f64;
        let mut best = f64::MAX;
        for i in 0..200 {
            for j in 0..200 {
                let (x, y) = (a * 1.03f64.powi(i), b * 1.03f64.powi(j));
                let z = c.max(volume * volume / (x * y));
                best = best.min(x + y + z - a - b - c);
            }
        }
        assert!(
            least <= best + 1e-6 && least >= best * 0.97 - 0.03 * (a + b + c),
            "{least} {best}"
        );
    }
}

#[test]
fn bodies_and_outer_products() {
    let array = |name: Option<&str>, support: &[usize]| Array {
        name: name.map(String::from),
        support: support.to_vec(),
    };
    // n-body: forces on x1 from all x2; s = (1/2, 1, 1/2) on the mean of the face.
    let nest = Nest {
        lengths: ["m", "n"].map(Expr::symbol).to_vec(),
        arrays: vec![
            array(Some("A"), &[0]),
            array(Some("B"), &[1]),
            array(None, &[0]),
        ],
    };
    let bound = Parallel::of(nest).unwrap();
    let at = |p: i64| {
        let sizes = Assignment::new()
            .with("m", 1000)
            .with("n", 1000)
            .with("p", p);
        bound.at(&sizes).unwrap().received
    };
    assert_eq!(at(1), int(0));
    // 16 ranks touch x + x + y with x·y = 10⁶/16: least 2·sqrt(2·62500) = 707, of which 3000/16 are owned.
    assert_eq!(at(16), int(519));
}

mod programs {
    use super::*;
    use crate::Graph;
    use redblue_program::{catalogue, reading::ReadOptions};

    fn nest(name: &str) -> Option<Nest> {
        let reading = catalogue::find(name).unwrap().read(&ReadOptions::default());
        Nest::of(&Graph::of(&reading.program.unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn products_are_recognised_however_written() {
        for name in ["matmul", "matmul-tiled", "gemm"] {
            assert!(nest(name).unwrap().is_matrix_product(), "{name}");
        }
    }

    #[test]
    fn others_are_refused() {
        for name in ["syrk", "2mm", "cholesky", "jacobi-2d", "trmm", "lu"] {
            assert_eq!(nest(name), None, "{name}");
        }
    }
}
