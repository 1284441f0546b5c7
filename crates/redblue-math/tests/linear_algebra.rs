//! Matrices and subspaces: identities that hold for all of them, on random small ones.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use redblue_math::{Lattice, MathError, Matrix, Rational, Subspace, rational::int};

fn matrix(columns: usize, rows: std::ops::Range<usize>) -> impl Strategy<Value = Matrix> {
    let row = prop::collection::vec((-2i64..3).prop_map(int), columns);
    prop::collection::vec(row, rows).prop_map(move |rows| Matrix::new(columns, rows).unwrap())
}

fn subspace(dimension: usize) -> impl Strategy<Value = Subspace> {
    matrix(dimension, 0..dimension)
        .prop_map(move |rows| Subspace::span(dimension, rows.rows().to_vec()).unwrap())
}

/// The sum over all permutations, the definition of the determinant.
fn leibniz(matrix: &Matrix) -> Rational {
    fn expand(rows: &[Vec<Rational>], free: &mut Vec<usize>) -> Rational {
        let Some((row, rest)) = rows.split_first() else {
            return int(1);
        };
        (0..free.len())
            .map(|place| {
                let column = free.remove(place);
                let sign = if place % 2 == 0 { int(1) } else { int(-1) };
                let term = sign * &row[column] * expand(rest, free);
                free.insert(place, column);
                term
            })
            .sum()
    }
    expand(matrix.rows(), &mut (0..matrix.columns()).collect())
}

/// The subspaces that the Brascamp-Lieb condition must be checked on.
fn brascamp_lieb_lattice(maps: &[Matrix]) -> Lattice {
    let kernels = maps.iter().map(Subspace::kernel);
    let whole = maps.iter().map(|map| Subspace::full(map.columns()));
    Lattice::closure(kernels.chain(whole), 1000).unwrap()
}

/// An access that forgets nothing has kernel zero; only the whole space shows that its exponent is one.
#[test]
fn an_injective_access_is_constrained_by_the_whole_space() {
    let identity = Matrix::identity(2);
    let lattice = brascamp_lieb_lattice(std::slice::from_ref(&identity));
    let binding = lattice
        .members()
        .any(|space| space.rank() > 0 && space.image(&identity).unwrap().rank() == space.rank());
    assert!(binding);
}

#[test]
fn lattice_of_the_matrix_product() {
    // Projections onto two of three axes: kernels are the axes, which generate all eight coordinate subspaces.
    let maps = [
        Matrix::from_integers(&[[1, 0, 0], [0, 0, 1]]),
        Matrix::from_integers(&[[1, 0, 0], [0, 1, 0]]),
        Matrix::from_integers(&[[0, 1, 0], [0, 0, 1]]),
    ];
    let lattice = brascamp_lieb_lattice(&maps);
    assert_eq!(lattice.members().len(), 8);
    // s = (1/2, 1/2, 1/2) satisfies rank(H) <= Σ s_j rank(φ_j(H)) on all of them, with equality on the axes.
    for member in lattice.members() {
        let images: usize = maps
            .iter()
            .map(|map| member.image(map).unwrap().rank())
            .sum();
        assert!(2 * member.rank() <= images, "{member:?}");
    }
}

#[test]
fn lattice_of_a_convolution_access() {
    // The 1-D convolution x + w, x, w: three lines in the plane generate {0}, the lines and the plane.
    let maps = [
        Matrix::from_integers(&[[1, 1]]),
        Matrix::from_integers(&[[1, 0]]),
        Matrix::from_integers(&[[0, 1]]),
    ];
    assert_eq!(brascamp_lieb_lattice(&maps).members().len(), 5);
}

#[test]
fn an_infinite_lattice_meets_its_limit() {
    let line =
        |x: i64, y: i64, z: i64| Subspace::span(3, vec![vec![int(x), int(y), int(z)]]).unwrap();
    let generators = [line(1, 0, 0), line(0, 1, 0), line(0, 0, 1), line(1, 1, 1)];
    assert_eq!(Lattice::closure(generators, 60), Err(MathError::Limit(60)));
}

#[test]
fn dimensions_are_checked() {
    let square = Matrix::identity(2);
    assert!(Matrix::new(2, vec![vec![int(1)]]).is_err());
    assert!(square.apply(&[int(1)]).is_err());
    assert!(square.product(&Matrix::identity(3)).is_err());
    assert!(Matrix::from_integers(&[[1, 2]]).determinant().is_err());
    assert!(Subspace::full(2).sum(&Subspace::full(3)).is_err());
    assert_eq!(Matrix::from_integers(&[[1, 2], [2, 4]]).inverse(), Ok(None));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn determinant_inverse_and_rank(a in matrix(4, 4..5), b in matrix(4, 4..5)) {
        let determinant = a.determinant().unwrap();
        prop_assert_eq!(&determinant, &leibniz(&a));
        prop_assert_eq!(a.product(&b).unwrap().determinant().unwrap(), &determinant * b.determinant().unwrap());
        prop_assert_eq!(a.rank() == 4, determinant != int(0));
        match a.inverse().unwrap() {
            Some(inverse) => prop_assert_eq!(a.product(&inverse).unwrap(), Matrix::identity(4)),
            None => prop_assert_eq!(determinant, int(0)),
        }
        prop_assert_eq!(a.transpose().rank(), a.rank());
    }

    #[test]
    fn solutions_and_kernels(a in matrix(4, 0..5), x in prop::collection::vec((-3i64..4).prop_map(int), 4), noise in prop::collection::vec((-3i64..4).prop_map(int), 4)) {
        let image = a.apply(&x).unwrap();
        let found = a.solve(&image).unwrap().expect("x is a solution");
        prop_assert_eq!(a.apply(&found).unwrap(), image);
        let other = &noise[..a.rows().len()];
        if let Some(found) = a.solve(other).unwrap() {
            prop_assert_eq!(a.apply(&found).unwrap(), other);
        }
        let kernel = a.kernel();
        prop_assert_eq!(kernel.rows().len() + a.rank(), 4);
        for vector in kernel.rows() {
            prop_assert!(a.apply(vector).unwrap().iter().all(|entry| *entry == int(0)));
        }
    }

    #[test]
    fn subspaces_form_a_modular_lattice(a in subspace(4), b in subspace(4), c in subspace(4)) {
        let (sum, meet) = (a.sum(&b).unwrap(), a.intersection(&b).unwrap());
        prop_assert_eq!(sum.rank() + meet.rank(), a.rank() + b.rank());
        prop_assert!(sum.contains(&a).unwrap() && a.contains(&meet).unwrap() && b.contains(&meet).unwrap());
        prop_assert_eq!(&a.annihilator().annihilator(), &a);
        prop_assert_eq!(&a.sum(&meet).unwrap(), &a);
        // x <= z implies x + (y ∩ z) = (x + y) ∩ z
        let large = a.sum(&c).unwrap();
        let left = a.sum(&b.intersection(&large).unwrap()).unwrap();
        prop_assert_eq!(left, sum.intersection(&large).unwrap());
    }

    #[test]
    fn images_and_kernels(map in matrix(4, 1..5), a in subspace(4)) {
        let kernel = Subspace::kernel(&map);
        let image = a.image(&map).unwrap();
        prop_assert_eq!(image.rank() + a.intersection(&kernel).unwrap().rank(), a.rank());
        prop_assert_eq!(Subspace::full(4).image(&map).unwrap().rank() + kernel.rank(), 4);
    }

    #[test]
    fn three_subspaces_generate_a_finite_lattice(a in subspace(4), b in subspace(4), c in subspace(4)) {
        // The free modular lattice on three generators has 28 elements (Dedekind).
        let lattice = Lattice::closure([a, b, c], 28).unwrap();
        let members: Vec<_> = lattice.members().collect();
        for one in &members {
            for other in &members {
                prop_assert!(lattice.contains(&one.sum(other).unwrap()) && lattice.contains(&one.intersection(other).unwrap()));
            }
        }
    }
}
