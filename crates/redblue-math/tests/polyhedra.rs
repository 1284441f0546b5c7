//! Vertices and rays against brute force over bases, and the dual vertices of projective nests (D-8, P-4).

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use redblue_math::{
    Matrix, Polyhedron, Rational, Subspace,
    polyhedron::undominated,
    rational::{int, ratio},
};
use std::collections::BTreeSet;

fn integers(values: &[i64]) -> Vec<Rational> {
    values.iter().map(|&value| int(value)).collect()
}

fn polyhedron(dimension: usize, rows: &[(Vec<i64>, i64)]) -> Polyhedron {
    let mut polyhedron = Polyhedron::new(dimension);
    for (normal, bound) in rows {
        polyhedron.require(integers(normal), int(*bound)).unwrap();
    }
    polyhedron
}

/// All feasible points at which some `dimension` independent constraints are tight.
fn brute_force_vertices(dimension: usize, rows: &[(Vec<i64>, i64)]) -> BTreeSet<Vec<Rational>> {
    let whole = polyhedron(dimension, rows);
    let mut found = BTreeSet::new();
    for subset in (0u32..1 << rows.len()).filter(|subset| subset.count_ones() as usize == dimension)
    {
        let chosen: Vec<_> = (0..rows.len())
            .filter(|row| subset >> row & 1 == 1)
            .collect();
        let matrix = Matrix::new(
            dimension,
            chosen.iter().map(|&row| integers(&rows[row].0)).collect(),
        )
        .unwrap();
        if matrix.rank() < dimension {
            continue;
        }
        let right: Vec<_> = chosen.iter().map(|&row| int(rows[row].1)).collect();
        let point = matrix.solve(&right).unwrap().unwrap();
        if whole.contains(&point) {
            found.insert(point);
        }
    }
    found
}

#[test]
fn known_polyhedra() {
    let square = polyhedron(
        2,
        &[
            (vec![1, 0], 0),
            (vec![0, 1], 0),
            (vec![-1, 0], -1),
            (vec![0, -1], -1),
        ],
    );
    let corners = square.generators(100).unwrap();
    assert_eq!(
        corners.vertices,
        [[0, 0], [0, 1], [1, 0], [1, 1]].map(|corner| integers(&corner))
    );
    assert!(corners.rays.is_empty() && corners.lines.rank() == 0);

    let wedge = polyhedron(2, &[(vec![2, 0], 1), (vec![-1, 2], 0)])
        .generators(100)
        .unwrap();
    assert_eq!(wedge.vertices, [vec![ratio(1, 2), ratio(1, 4)]]);
    assert_eq!(wedge.rays, [integers(&[0, 1]), integers(&[2, 1])]);

    let empty = polyhedron(1, &[(vec![1], 1), (vec![-1], 0)])
        .generators(100)
        .unwrap();
    assert!(empty.vertices.is_empty() && empty.rays.is_empty());

    let strip = polyhedron(2, &[(vec![1, 1], 0), (vec![-1, -1], -2)])
        .generators(100)
        .unwrap();
    assert_eq!(
        strip.lines,
        Subspace::span(2, vec![integers(&[1, -1])]).unwrap()
    );
    assert_eq!(strip.vertices, [integers(&[0, 0]), integers(&[1, 1])]);

    let everything = Polyhedron::new(3).generators(100).unwrap();
    assert_eq!(
        (everything.vertices, everything.lines.rank()),
        (vec![integers(&[0, 0, 0])], 3)
    );
    assert!(Polyhedron::new(2).require(integers(&[1]), int(0)).is_err());
}

/// The undominated pairs (σ, ζ) of the dual vertices of a projective nest.
fn dual_vertices(loops: usize, supports: &[&[usize]]) -> Vec<Vec<Rational>> {
    let arrays = supports.len();
    let mut polyhedron = Polyhedron::new(arrays + loops);
    polyhedron.require_nonnegative();
    for index in 0..loops {
        let row = supports
            .iter()
            .map(|support| int(u8::from(support.contains(&index))));
        let slack = (0..loops).map(|other| int(u8::from(other == index)));
        polyhedron
            .require(row.chain(slack).collect(), int(1))
            .unwrap();
    }
    let vertices = polyhedron.generators(10_000).unwrap().vertices;
    let pair = |vertex: &Vec<Rational>| {
        let sigma: Rational = vertex[..arrays].iter().sum();
        [sigma]
            .into_iter()
            .chain(vertex[arrays..].iter().cloned())
            .collect()
    };
    undominated(vertices.iter().map(pair).collect())
}

#[test]
fn dual_vertices_of_projective_nests() {
    let matmul: [&[usize]; 3] = [&[0, 2], &[0, 1], &[1, 2]];
    let expected = [
        [0, 2, 2, 2],
        [2, 0, 0, 2],
        [2, 0, 2, 0],
        [2, 2, 0, 0],
        [3, 0, 0, 0],
    ];
    assert_eq!(
        dual_vertices(3, &matmul),
        expected.map(|row| row.map(|twice| ratio(twice, 2)).to_vec())
    );
    // n-body: A1[x1] = f(A2[x1], A3[x2])
    let nbody: [&[usize]; 3] = [&[0], &[0], &[1]];
    assert_eq!(
        dual_vertices(2, &nbody),
        [[0, 1, 1], [1, 0, 1], [1, 1, 0], [2, 0, 0]].map(|row| integers(&row))
    );
    // Seven loops and three arrays, as many variables as a convolution nest has, stay quick.
    let contraction: [&[usize]; 3] = [&[0, 1, 3, 4], &[0, 1, 2, 5], &[2, 3, 4, 6]];
    assert!(dual_vertices(7, &contraction).contains(&integers(&[0, 1, 1, 1, 1, 1, 1, 1])));
}

prop_compose! {
    fn rows(dimension: usize)(rows in prop::collection::vec((prop::collection::vec(-3i64..4, dimension), -4i64..5), 1..8)) -> Vec<(Vec<i64>, i64)> {
        rows
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn vertices_equal_brute_force(rows in rows(3)) {
        let polyhedron = polyhedron(3, &rows);
        let generators = polyhedron.generators(1000).unwrap();
        for vertex in &generators.vertices {
            prop_assert!(polyhedron.contains(vertex));
            for ray in &generators.rays {
                let far: Vec<_> = vertex.iter().zip(ray).map(|(x, d)| x + d * int(1000)).collect();
                prop_assert!(polyhedron.contains(&far));
            }
        }
        if generators.lines.rank() == 0 {
            let expected: Vec<_> = brute_force_vertices(3, &rows).into_iter().collect();
            prop_assert_eq!(generators.vertices, expected);
        }
    }

    #[test]
    fn rays_equal_brute_force(rows in rows(3)) {
        // The recession cone: its extreme rays are the vertices of its slice by each facet of a box of directions.
        let cone: Vec<_> = rows.iter().map(|(normal, _)| (normal.clone(), 0)).collect();
        let generators = polyhedron(3, &cone).generators(1000).unwrap();
        prop_assume!(generators.lines.rank() == 0);
        let mut expected = BTreeSet::new();
        for (axis, side) in [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)] {
            let mut slice = cone.clone();
            let unit = |sign: i64| (0..3).map(|index| if index == axis { sign } else { 0 }).collect::<Vec<_>>();
            slice.extend([(unit(side), 1), (unit(-side), -1)]);
            for vertex in brute_force_vertices(3, &slice) {
                // Extreme in the cone: two independent tight rows.
                let tight = cone.iter().filter(|(normal, _)| normal.iter().zip(&vertex).map(|(n, x)| int(*n) * x).sum::<Rational>() == int(0));
                if Matrix::new(3, tight.map(|(normal, _)| integers(normal)).collect()).unwrap().rank() == 2 {
                    let content = redblue_math::rational::content(&vertex);
                    expected.insert(vertex.into_iter().map(|entry| entry / &content).collect::<Vec<_>>());
                }
            }
        }
        prop_assert_eq!(generators.rays, expected.into_iter().collect::<Vec<_>>());
    }
}
