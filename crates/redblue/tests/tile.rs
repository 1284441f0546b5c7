//! The command `tile`: schedules stay above the bound, fit the memory, and compute what the program computes.

mod common;

use common::{Run, redblue_in, root};
use serde_json::Value;

fn redblue(arguments: &[&str]) -> Run {
    redblue_in(&root(), arguments, b"")
}

fn tile(input: &[&str]) -> Value {
    let run = redblue(&[&["tile"], input, &["--format", "json"]].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

/// The example of the literature: at most what the best public tool's tiling moves.
#[test]
fn a_large_product_moves_little_more_than_it_must() {
    let tiled = tile(&["gemm", "-D", "NI=2000,NJ=1500,NK=1500", "-S", "1024"]);
    let total = tiled["traffic"]["total"].as_u64().unwrap();
    assert!(total <= 296_322_580, "{total}");
    assert!(tiled["tiling"]["fast_words"].as_u64().unwrap() <= 1024);
    let ratio = tiled["ratio"].as_f64().unwrap();
    assert!((1.0..=1.1).contains(&ratio), "{ratio}");
}

#[test]
fn nested_memories_have_one_order_and_their_own_traffic() {
    let input = ["matmul", "-D", "M=96,N=96,K=96", "-S", "64,1024"];
    let document = tile(&input);
    let levels = document["levels"].as_array().unwrap();
    assert_eq!(levels.len(), 2);
    for (level, words) in levels.iter().zip([64, 1024]) {
        assert_eq!(level["S"], words);
        assert!(level["fast_words"].as_u64().unwrap() <= words);
        // Each level is measured against its own bound, which the other level moves it away from.
        let ratio = level["ratio"].as_f64().unwrap();
        assert!((1.0..3.0).contains(&ratio), "{ratio} with {words} words");
    }
    let moved = |level: usize| levels[level]["traffic"]["total"].as_u64().unwrap();
    assert!(moved(1) < moved(0));
    assert_eq!(document["traffic"], levels[1]["traffic"]);
    let alone = tile(&["matmul", "-D", "M=96,N=96,K=96", "-S", "1024"]);
    assert!(alone["traffic"]["total"].as_u64().unwrap() <= moved(1));
    assert!(alone.get("levels").is_none());
}

/// Generated code of tiled orders gives the same results, bit for bit.
#[test]
fn tiled_code_computes_the_same() {
    for input in [
        ["gemm", "-D", "NI=20,NJ=25,NK=30", "-S", "128"],
        ["gemm", "-D", "NI=20,NJ=25,NK=30", "-S", "16,128"],
        ["lu", "-D", "N=30", "-S", "64"],
        ["attention-online", "-D", "N=12,M=10,D=4", "-S", "64"],
    ] {
        let run = redblue(&[&["tile"], &input[..], &["--verify"]].concat());
        assert_eq!(run.code, Some(0), "{input:?}: {}", run.stderr);
        assert!(run.stderr.contains("the same"), "{}", run.stderr);
    }
}

/// Sums in any order, in the bound and in the schedule; code for speed keeps them as they are and says so.
#[test]
fn sums_may_be_freed() {
    let input = ["ab-cad-dcb", "-D", "a=9,b=8,c=7,d=6", "-S", "20"];
    let run = redblue(&[&["tile"], &input[..], &["--reassociate", "--verify"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("the same"), "{}", run.stderr);
    let free = tile(&[&input[..], &["--reassociate"]].concat());
    assert_eq!(free["model"]["sums"], "free");
    assert!(free["ratio"].as_f64().unwrap() >= 1.0);
    let fast = ["tile", "gemm", "--for", "speed", "--emit", "c"];
    let run = redblue(&[&fast[..], &["--reassociate"]].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("keeps the order"), "{}", run.stderr);
}

#[test]
fn code_is_printed_instead_of_the_tiling() {
    let input = ["tile", "gemm", "-D", "NI=20,NJ=25,NK=30", "-S", "128"];
    let c = redblue(&[&input[..], &["--emit", "c"]].concat());
    assert!(c.stdout.contains("C[i][j] +="), "{}", c.stdout);
    let rust = redblue(&[&input[..], &["--emit", "rust"]].concat());
    assert!(rust.stdout.contains("pub fn"), "{}", rust.stdout);
}

#[test]
fn a_memory_too_small_for_one_statement_is_refused() {
    let run = redblue(&["tile", "gemm", "-D", "NI=20,NJ=25,NK=30", "-S", "2"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("error[RB04"), "{}", run.stderr);
}
