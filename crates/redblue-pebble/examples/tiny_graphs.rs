//! The table of `docs/tiny-graphs.md`: optima, or proven intervals, of all graphs in a directory.
//!
//! `cargo run --release -p redblue-pebble --example tiny_graphs -- DIR [STATES]`
//!
//! The search is limited by the number of stored states and not by time, so the table is the same on
//! every machine. Each row starts at the smallest playable S and ends where the optimum is compulsory.

use std::path::{Path, PathBuf};

use redblue_pebble::exact::{Limits, solve};
use redblue_pebble::format::Format;
use redblue_pebble::{Cdag, Game, bound};

const GAME: Game = Game::red_blue_white();

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (directory, states) = match arguments.as_slice() {
        [directory] => (directory, 100_000),
        [directory, states] => (directory, states.parse()?),
        _ => return Err("usage: tiny_graphs DIR [STATES]".into()),
    };
    let limits = Limits {
        states,
        ..Limits::default()
    };
    println!("| graph | vertices | edges | compulsory | least S | optimum for S = least S, ... |");
    println!("|---|---|---|---|---|---|");
    for path in graph_files(directory)? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.trim_start_matches("instance_");
        let graph = Format::Hdag.read(&std::fs::read_to_string(&path)?)?;
        let (least, intervals) = intervals(name, &graph, &limits)?;
        let compulsory = bound::compulsory(&graph, &GAME).total();
        let cells: Vec<String> = intervals.iter().map(Interval::to_string).collect();
        println!(
            "| {name} | {} | {} | {compulsory} | {least} | {} |",
            graph.len(),
            graph.edge_count(),
            cells.join(", ")
        );
    }
    Ok(())
}

fn graph_files(directory: &str) -> std::io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(directory)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path: &PathBuf| Path::new(path).extension().is_some_and(|end| end == "hdag"));
    paths.sort();
    Ok(paths)
}

/// What is proven about an optimum.
struct Interval {
    from: u64,
    to: u64,
}

impl std::fmt::Display for Interval {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.from == self.to {
            true => write!(f, "{}", self.to),
            false => write!(f, "{}..{}", self.from, self.to),
        }
    }
}

/// The smallest playable capacity, and the intervals from there to the first compulsory optimum.
fn intervals(
    name: &str,
    graph: &Cdag,
    limits: &Limits,
) -> Result<(usize, Vec<Interval>), Box<dyn std::error::Error>> {
    let least = (1..=graph.len() + 1)
        .find(|&capacity| GAME.check_capacity(graph, capacity).is_ok())
        .ok_or("no capacity is enough")?;
    let compulsory = bound::compulsory(graph, &GAME).total();
    let mut intervals: Vec<Interval> = Vec::new();
    for capacity in least.. {
        let outcome = solve(graph, &GAME, capacity, limits)?;
        let before = intervals.last().map_or(u64::MAX, |before| before.to);
        let interval = Interval {
            from: outcome.lower_bound,
            to: outcome.score.io().min(before),
        };
        eprintln!(
            "{name}, S = {capacity}: {interval}, {} states",
            outcome.states
        );
        let done = interval.to == compulsory;
        intervals.push(interval);
        if done {
            break;
        }
    }
    // More pebbles never cost more, so a bound for a larger S holds for a smaller one.
    for at in (1..intervals.len()).rev() {
        intervals[at - 1].from = intervals[at - 1].from.max(intervals[at].from);
    }
    Ok((least, intervals))
}
