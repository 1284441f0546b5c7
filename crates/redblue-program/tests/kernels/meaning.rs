//! That kernels compute what their summaries say: factors multiply back, variants agree.

use redblue_program::Sizes;
use redblue_program::catalogue::find;
use redblue_program::interpret::{Memory, interpret};

use crate::{load, program};

/// Results of a kernel, by array.
struct Results {
    program: redblue_program::Program,
    memory: Memory,
}

/// A matrix as its rows.
type Matrix = Vec<Vec<f64>>;

/// Runs a kernel on the data of `datum`.
fn run(kernel: &str, sizes: &[(&str, i64)], datum: impl Fn(&str, &[i64]) -> f64) -> Results {
    let sizes: Sizes = sizes
        .iter()
        .map(|(name, value)| (name.to_string(), *value))
        .collect();
    let program = program(find(kernel).expect("a kernel"));
    let mut memory = Memory::zeroed(&program, &sizes).expect("memory");
    memory.fill(&program, datum).expect("data");
    interpret(&program, &sizes, &mut memory).expect("values");
    Results { program, memory }
}

impl Results {
    fn vector(&self, array: &str) -> Vec<f64> {
        load(&self.program, &self.memory, array)
            .iter()
            .map(|value| value.to_f64())
            .collect()
    }

    fn matrix(&self, array: &str, columns: usize) -> Matrix {
        self.vector(array)
            .chunks(columns)
            .map(<[f64]>::to_vec)
            .collect()
    }
}

/// Some numbers between 0 and 1, with a heavier diagonal.
fn datum(_: &str, cell: &[i64]) -> f64 {
    let mixed = cell
        .iter()
        .fold(3, |sum, subscript| 5 * sum + 3 * subscript + sum % 4);
    let diagonal = cell.len() == 2 && cell[0] == cell[1];
    (mixed % 11) as f64 / 11.0 + if diagonal { 3.0 } else { 0.0 }
}

fn data(rows: i64, columns: i64) -> Matrix {
    (0..rows)
        .map(|i| (0..columns).map(|j| datum("", &[i, j])).collect())
        .collect()
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let columns = b.first().map_or(0, Vec::len);
    let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, other)| x * other[j]).sum();
    a.iter()
        .map(|row| (0..columns).map(|j| entry(row, j)).collect())
        .collect()
}

fn transposed(a: &Matrix) -> Matrix {
    let columns = a.first().map_or(0, Vec::len);
    (0..columns)
        .map(|j| a.iter().map(|row| row[j]).collect())
        .collect()
}

/// The matrix with the entries that `keep` refuses set to zero.
fn masked(a: &Matrix, keep: impl Fn(usize, usize) -> bool) -> Matrix {
    let row = |i: usize, row: &Vec<f64>| {
        row.iter()
            .enumerate()
            .map(|(j, x)| if keep(i, j) { *x } else { 0.0 })
            .collect()
    };
    a.iter()
        .enumerate()
        .map(|(i, values)| row(i, values))
        .collect()
}

fn identity(n: usize) -> Matrix {
    masked(&vec![vec![1.0; n]; n], |i, j| i == j)
}

fn squares(a: &Matrix) -> f64 {
    a.iter().flatten().map(|x| x * x).sum()
}

fn assert_close(found: &Matrix, expected: &Matrix, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!(
            (found - expected).abs() < 1e-10 * (1.0 + expected.abs()),
            "{what}: {found} {expected}"
        );
    }
}

const M: i64 = 7;
const N: i64 = 4;

#[test]
fn gram_schmidt_factors() {
    for kernel in ["mgs", "gramschmidt"] {
        let results = run(kernel, &[("M", M), ("N", N)], datum);
        let q = results.matrix("Q", N as usize);
        let r = masked(&results.matrix("R", N as usize), |i, j| i <= j);
        assert_close(&product(&q, &r), &data(M, N), kernel);
        assert_close(&product(&transposed(&q), &q), &identity(N as usize), kernel);
    }
}

#[test]
fn householder_vectors_form_q() {
    let factored = run("geqr2", &[("M", M), ("N", N)], datum);
    let a = factored.matrix("A", N as usize);
    let tau = factored.vector("tau");
    let formed = run("org2r", &[("M", M), ("N", N)], |array, cell| match array {
        "tau" => tau[cell[0] as usize],
        _ => a[cell[0] as usize][cell[1] as usize],
    });
    let q = formed.matrix("A", N as usize);
    let r: Matrix = masked(&a, |i, j| i <= j)
        .into_iter()
        .take(N as usize)
        .collect();
    assert_close(&product(&q, &r), &data(M, N), "Q*R");
    assert_close(
        &product(&transposed(&q), &q),
        &identity(N as usize),
        "Q^T*Q",
    );
}

/// Orthogonal transformations keep the sum of squares; the part that is not kept holds the reflectors.
#[test]
fn reductions_keep_the_norm() {
    let bidiagonal = run("gebd2", &[("M", M), ("N", N)], datum).matrix("A", N as usize);
    let kept = masked(&bidiagonal, |i, j| j == i || j == i + 1);
    assert!((squares(&kept) - squares(&data(M, N))).abs() < 1e-10);

    let hessenberg = run("gehd2", &[("N", 5)], datum).matrix("A", 5);
    let kept = masked(&hessenberg, |i, j| i <= j + 1);
    assert!((squares(&kept) - squares(&data(5, 5))).abs() < 1e-10);
    let trace = |a: &Matrix| (0..5).map(|i| a[i][i]).sum::<f64>();
    assert!((trace(&kept) - trace(&data(5, 5))).abs() < 1e-10);
}

#[test]
fn triangular_factors_multiply_back() {
    let n = 5;
    let lower = |i: usize, j: usize| j <= i;
    let symmetric = |cell: &[i64]| datum("", &[cell[0].max(cell[1]), cell[0].min(cell[1])]);
    let l = masked(
        &run("cholesky", &[("N", n)], |_, cell| symmetric(cell)).matrix("A", 5),
        lower,
    );
    let expected: Matrix = (0..n)
        .map(|i| (0..n).map(|j| symmetric(&[i, j])).collect())
        .collect();
    assert_close(&product(&l, &transposed(&l)), &expected, "L*L^T");

    let lu = run("lu", &[("N", n)], datum).matrix("A", 5);
    let mut l = masked(&lu, |i, j| j < i);
    (0..5).for_each(|i| l[i][i] = 1.0);
    assert_close(
        &product(&l, &masked(&lu, |i, j| i <= j)),
        &data(n, n),
        "L*U",
    );

    let solved = run("ludcmp", &[("N", n)], datum);
    let x: Matrix = solved.vector("x").into_iter().map(|x| vec![x]).collect();
    let b: Matrix = (0..n).map(|i| vec![datum("b", &[i])]).collect();
    assert_close(&product(&data(n, n), &x), &b, "A*x");
}

#[test]
fn attention_variants_agree() {
    let sizes = [("N", 4), ("M", 5), ("D", 3)];
    let scale = |array: &str, cell: &[i64]| {
        if array == "scale" {
            0.5
        } else {
            datum(array, cell)
        }
    };
    let expected = run("attention", &sizes, scale).matrix("O", 3);
    for kernel in ["attention-fused", "attention-online"] {
        assert_close(
            &run(kernel, &sizes, scale).matrix("O", 3),
            &expected,
            kernel,
        );
    }
}

#[test]
fn products_agree() {
    let sizes = [("M", 5), ("N", 3), ("K", 34)];
    let plain = run("matmul", &sizes, datum).matrix("C", 3);
    assert_close(&plain, &product(&data(5, 34), &data(34, 3)), "matmul");
    assert_close(
        &run("matmul-tiled", &sizes, datum).matrix("C", 3),
        &plain,
        "matmul-tiled",
    );
}
