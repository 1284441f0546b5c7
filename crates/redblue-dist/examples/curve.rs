//! How close plans come to the bound (C-13) for every number of ranks from 2 to 64: for each shape the ratio, and where
//! it comes from, the shapes of the bricks times the imbalance between ranks.
//!
//! `cargo run --release -p redblue-dist --example curve`

use redblue_dist::bound::equal_work;
use redblue_dist::plan::{PlanError, Problem, search};
use redblue_dist::shape::Shape;

const SHAPES: [[u64; 3]; 5] = [
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [256, 256, 65536],
    [65536, 256, 256],
    [4096, 4096, 256],
];

fn main() -> Result<(), PlanError> {
    let names = SHAPES.map(|[m, n, k]| format!("{m}×{n}×{k}"));
    println!("| p | {} |", names.join(" | "));
    println!("|--:{}|", "|---".repeat(SHAPES.len()));
    for ranks in 2..=64 {
        let mut row = Vec::new();
        for [m, n, k] in SHAPES {
            let shape = Shape::new(m, n, k);
            let problem = Problem {
                shape,
                ranks,
                memory: None,
            };
            let (plan, summary) = search(&problem)?;
            let bound = equal_work(shape, ranks).total as f64;
            let all = ranks as f64 * summary.volume as f64;
            let total = summary.volume_total as f64;
            let kind = if plan.tree().as_grid().is_some() {
                "grid"
            } else {
                "uneven"
            };
            row.push(format!(
                "{:.3} = {:.3} · {:.3}, {kind}",
                all / bound,
                total / bound,
                all / total
            ));
        }
        println!("| {ranks} | {} |", row.join(" | "));
    }
    Ok(())
}
