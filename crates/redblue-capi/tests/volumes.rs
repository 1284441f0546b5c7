//! Never more words than ScaLAPACK for the same descriptors: our plans against recorded volumes of the real one, small
//! matrices and large ones. `tests/scalapack.sh` counts both on real processes, for some of these rows.

use redblue_capi::arguments::{Arguments, Sub};
use redblue_capi::pgemm::{layouts, prepare};
use redblue_dist::layout::Order;
use redblue_dist::layout::block_cyclic::ProcessGrid;
use redblue_dist::plan::stay::Sizes;
use redblue_kernels::callers::Choice;

/// All numbers of `volume MxNxK grid RxC block B OPS corner X: WORDS`, and the operations.
fn row(line: &str) -> ([u64; 8], &str) {
    let ops = line.split_whitespace().nth(6).expect("operations");
    let numbers = line.split(|letter: char| !letter.is_ascii_digit());
    let numbers: Vec<u64> = numbers.filter_map(|number| number.parse().ok()).collect();
    (numbers.try_into().expect("eight numbers"), ops)
}

fn ours(row: [u64; 8], ops: &str) -> u128 {
    let [m, n, k, rows, cols, block, corner, _] = row.map(|number| number as i32);
    let transpose: [u8; 2] = ops.as_bytes().try_into().expect("two operations");
    let sub = |rows: i32, cols: i32, op: u8| {
        let (rows, cols) = if op == b'N' {
            (rows, cols)
        } else {
            (cols, rows)
        };
        let (rows, cols) = (rows + 2 * corner, cols + 2 * corner);
        Sub {
            row: 1 + corner,
            col: 1 + corner,
            descriptor: [1, 0, rows, cols, block, block, 0, 0, rows],
        }
    };
    let arguments = Arguments {
        transpose,
        sizes: [m, n, k],
        subs: [
            sub(m, k, transpose[0]),
            sub(k, n, transpose[1]),
            sub(m, n, b'N'),
        ],
    };
    let (rows, cols) = (rows as usize, cols as usize);
    let grid = ProcessGrid::new(rows, cols, rows * cols, Order::RowMajor).expect("a grid");
    let [a, b, c] = layouts(&arguments, &grid, (0, 0)).expect("legal descriptors");
    let volume = |choice| {
        let attempt = (choice, Sizes::default());
        let product = prepare(&arguments, [&a, &b, &c], attempt, 0).expect("a product");
        product.volume()
    };
    volume(Choice::Quick).max(volume(Choice::Least))
}

#[test]
fn never_more_than_scalapack() {
    let lines: Vec<&str> = include_str!("scalapack-volumes.txt")
        .lines()
        .filter(|line| line.starts_with("volume"))
        .collect();
    assert!(lines.len() > 700, "{}", lines.len());
    let more = |line: &&&str| {
        let (row, ops) = row(line);
        ours(row, ops) > u128::from(row[7])
    };
    let half = lines.len() / 2;
    let more: Vec<&str> = std::thread::scope(|scope| {
        let halves = [&lines[..half], &lines[half..]];
        let found = halves.map(|lines| {
            scope.spawn(move || lines.iter().filter(more).copied().collect::<Vec<_>>())
        });
        let found = found.map(|thread| thread.join().expect("no panic"));
        found.concat()
    });
    assert_eq!(more, [""; 0]);
}
