//! The table of `docs/schedules.md`: what the best schedule found provably moves, and what no schedule avoids.
//!
//! `cargo run --release -p redblue --example schedules > docs/schedules.md` makes the table;
//! `… --example schedules -- gemm NI=2000,NJ=1500,NK=1500 1024` prints one row of it.

mod row;

use std::time::Instant;

use redblue::program::Sizes;
use redblue::program::catalogue::find;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for case in arguments.chunks(3) {
        let [name, sizes, words] = case else {
            return Err("KERNEL SIZES WORDS".into());
        };
        let mut given = Sizes::new();
        for part in sizes.split(',') {
            let (name, value) = part.split_once('=').ok_or("NAME=VALUE")?;
            given.insert(name.to_owned(), value.parse()?);
        }
        let entry = find(name).ok_or("no such kernel")?;
        for words in words.split(',') {
            let started = Instant::now();
            let row = row::Row::of(entry, &given, words.parse()?)?;
            println!("{row} {:.1}s", started.elapsed().as_secs_f64());
        }
    }
    Ok(())
}
