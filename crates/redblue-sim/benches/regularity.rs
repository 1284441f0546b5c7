//! Seconds to simulate a gemm of growing size when repetition is skipped.
//!
//! `cargo bench -p redblue-sim --bench regularity`. Floats in i-k-j order with 64-byte lines, each row of C
//! scaled first; fully associative LRU of 32 KiB and 512 KiB. The published counts at n = 1024 are checked,
//! and small sizes are also simulated access by access. Exits with 1 if counts differ or n = 1024 takes
//! 5 seconds.

use std::process::ExitCode;
use std::time::Instant;

use redblue_sim::nest::{Expr, Form, Nest, NestArray, Node};
use redblue_sim::{Grain, Reference, SimError, Trace, lru, regular, run};

const LINE: Grain = Grain::Line { words: 16 };
const LARGEST_PLAIN: i64 = 512;
const COMPULSORY_1024: u64 = 196_608;
const CAPACITY_1024: u64 = 67_043_328;

fn main() -> ExitCode {
    println!("     n       accesses   cache      simulated    loads (lines)   seconds     plain");
    match (7..=12)
        .map(|log| measure(1 << log))
        .collect::<Result<Vec<bool>, _>>()
    {
        Ok(fine) if fine.iter().all(|f| *f) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn measure(n: i64) -> Result<bool, SimError> {
    let nest = gemm(n)?;
    let mut fine = true;
    for (name, lines) in [("32 KiB", 512), ("512 KiB", 8192)] {
        let start = Instant::now();
        let found = regular::lru(&nest, lines)?;
        let seconds = start.elapsed().as_secs_f64();
        let total = found.traffic.total();
        let mut plain = String::from("-");
        if n <= LARGEST_PLAIN {
            let start = Instant::now();
            fine &= run(lru::OneSize::new(nest.shape(), lines)?, &nest) == found.traffic;
            plain = format!("{:.3}", start.elapsed().as_secs_f64());
        }
        println!(
            "{n:>6} {:>14}   {name:<8} {:>11} {:>16} {seconds:>9.3} {plain:>9}",
            total.accesses, found.simulated, total.loads
        );
        if n == 1024 {
            let right = (total.compulsory, total.capacity()) == (COMPULSORY_1024, CAPACITY_1024);
            fine &= right && seconds < 5.0;
        }
    }
    Ok(fine)
}

fn gemm(n: i64) -> Result<Nest, SimError> {
    let (i, k, j) = (0, 1, 2);
    let at = |reference, row, column| Node::Touch {
        reference,
        word: Expr::Linear(Form {
            constant: 0,
            terms: vec![(row, n), (column, 1)],
        }),
    };
    let count = |iterator, body| Node::Loop {
        iterator,
        first: Expr::Linear(Form::default()),
        last: Expr::Linear(Form {
            constant: n - 1,
            terms: Vec::new(),
        }),
        step: 1,
        body,
    };
    let [a, b, c, c_written] = [0, 1, 2, 3];
    let scale = vec![at(c, i, j), at(c_written, i, j)];
    let update = vec![at(c, i, j), at(a, i, k), at(b, k, j), at(c_written, i, j)];
    let row = vec![count(j, scale), count(k, vec![count(j, update)])];
    let arrays = ["A", "B", "C"].map(|name| NestArray {
        name: name.into(),
        words: (n * n) as u64,
        output: name == "C",
    });
    let references =
        [(0, false), (1, false), (2, false), (2, true)].map(|(array, write)| Reference {
            array,
            write,
            text: arrays[array as usize].name.clone(),
        });
    Nest::new(LINE, arrays.to_vec(), references.to_vec(), &[count(i, row)])
}
