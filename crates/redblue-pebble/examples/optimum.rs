//! Exact optima of a graph file for a range of capacities.
//!
//! `cargo run --release -p redblue-pebble --example optimum -- GRAPH GAME FROM TO [SECONDS]`

use std::time::{Duration, Instant};

use redblue_pebble::exact::{Limits, solve};
use redblue_pebble::format::Format;
use redblue_pebble::{Cdag, Game, generate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, game, from, to, rest @ ..] = arguments.as_slice() else {
        return Err("usage: optimum GRAPH GAME FROM TO [SECONDS]".into());
    };
    let graph = load(path)?;
    let (name, slide) = match game.strip_suffix("+slide") {
        Some(name) => (name, true),
        None => (game.as_str(), false),
    };
    let game = Game::from_name(name).ok_or("no such game")?;
    let game = Game { slide, ..game };
    let seconds = rest.first().map(|word| word.parse()).transpose()?;
    let limits = Limits {
        time: seconds.map(Duration::from_secs),
        states: u64::MAX,
        memory: 6 << 30,
    };
    for capacity in from.parse()?..=to.parse()? {
        let started = Instant::now();
        match solve(&graph, &game, capacity, &limits) {
            Err(error) => println!("S = {capacity}: {error}"),
            Ok(outcome) => println!(
                "S = {capacity}: {} <= optimum <= {}, {:?}, {} states, {:.1?}",
                outcome.lower_bound,
                outcome.score.io(),
                outcome.stop,
                outcome.states,
                started.elapsed()
            ),
        }
    }
    Ok(())
}

/// A graph file, or a generator and its sizes: `matmul:3x3x2`, `fft:3`, `pyramid:4`.
fn load(path: &str) -> Result<Cdag, Box<dyn std::error::Error>> {
    let Some((name, sizes)) = path.split_once(':') else {
        let extension = path.rsplit('.').next().unwrap_or_default();
        let format = Format::from_extension(extension).ok_or("unknown kind of file")?;
        return Ok(format.read(&std::fs::read_to_string(path)?)?);
    };
    let sizes = sizes
        .split('x')
        .map(str::parse)
        .collect::<Result<Vec<usize>, _>>()?;
    Ok(match (name, sizes.as_slice()) {
        ("matmul", &[m, n, k]) => generate::matmul(m, n, k, generate::Product::Fused)?,
        ("products", &[m, n, k]) => generate::matmul(m, n, k, generate::Product::Separate)?,
        ("fft", &[stages]) => generate::fft(stages as u32)?,
        ("pyramid", &[height]) => generate::pyramid(height)?,
        ("diamond", &[rows, cols]) => generate::diamond(rows, cols)?,
        ("tree", &[leaves]) => generate::binary_tree(leaves)?,
        ("attention", &[n, d]) => generate::attention(n, d)?,
        ("mgs", &[m, n]) => generate::mgs(m, n)?,
        ("householder", &[m, n]) => generate::householder(m, n)?,
        ("stencil", &[n, steps]) => generate::stencil_1d(n, steps)?,
        ("strassen", &[levels]) => generate::strassen(levels as u32)?,
        ("layers", &[layers, width, operands, seed]) => {
            generate::random_layers(layers, width, operands, seed as u64)?
        }
        ("edges", &[vertices, percent, seed]) => {
            generate::random_edges(vertices, percent as u32, seed as u64)?
        }
        _ => return Err("no such generator".into()),
    })
}
