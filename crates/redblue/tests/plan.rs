//! `redblue plan` as users meet it.

mod common;

use common::{Run, redblue_in, root};
use serde_json::Value;

fn plan(arguments: &[&str]) -> Run {
    let all: Vec<&str> = ["plan", "matmul"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    redblue_in(&root(), &all, b"")
}

fn document(arguments: &[&str]) -> Value {
    let all: Vec<&str> = arguments
        .iter()
        .copied()
        .chain(["--format", "json"])
        .collect();
    let run = plan(&all);
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn the_document_has_what_the_contract_says() {
    let found = document(&["-m", "1024", "-n", "1024", "-k", "1024", "-p", "7"]);
    assert_eq!(found["schema"], "redblue.plan");
    assert_eq!(found["model"]["count"], "network");
    assert!(found["grid"].is_null());
    assert_eq!(
        (&found["ranks_used"], &found["ranks_idle"]),
        (&7.into(), &0.into())
    );
    for name in ["rounds", "memory_per_rank", "bound_per_rank", "ratio"] {
        assert!(found[name].is_number(), "{name}");
    }
    for name in ["volume_per_rank", "work_per_rank"] {
        assert!(
            found[name]["max"].is_u64() && found[name]["mean"].is_number(),
            "{name}"
        );
    }
    for name in ["1d", "2d", "2.5d", "recursive"] {
        assert!(found["baselines"][name].is_u64(), "{name}");
    }
    assert!(found["ratio"].as_f64().unwrap() < 1.30);
}

#[test]
fn bounds_of_the_theory() {
    let cases = [
        ("3", "[3,1,1]", 960_000.0),
        ("36", "[12,3,1]", 760_000.0),
        ("512", "[32,8,2]", 210_937.5),
    ];
    for (ranks, grid, bound) in cases {
        let found = document(&["-m", "9600", "-n", "2400", "-k", "600", "-p", ranks]);
        assert_eq!(found["bound_per_rank"], bound);
        assert_eq!(found["grid"].to_string(), grid);
        assert!(found["ratio"].as_f64().unwrap() < 1.001);
    }
}

#[test]
fn a_plan_is_accepted_back() {
    for limits in [&[][..], &["--memory", "250000"]] {
        let sizes = ["-m", "1000", "-n", "900", "-k", "1100", "-p", "13"];
        let arguments: Vec<&str> = sizes.iter().chain(limits).copied().collect();
        let found = document(&arguments);
        let text = found["plan"].as_str().unwrap().to_string();
        let again: Vec<&str> = arguments
            .iter()
            .copied()
            .chain(["--plan", text.as_str()])
            .collect();
        assert_eq!(document(&again), found);
        if !limits.is_empty() {
            assert!(found["memory_per_rank"].as_u64().unwrap() <= 250_000);
        }
    }
}

#[test]
fn text_says_what_moves_and_why() {
    let run = plan(&["-m", "256", "-n", "256", "-k", "256", "-p", "8"]);
    assert_eq!(run.code, Some(0));
    for part in [
        "m2(n2(k2))",
        "words sent or received",
        "1.0000 times the bound",
        "2.5D",
    ] {
        assert!(run.stdout.contains(part), "{}", run.stdout);
    }
}

#[test]
fn mistakes() {
    let sizes = ["-m", "64", "-n", "64", "-k", "64"];
    let cases: [(&[&str], &str); 15] = [
        (&["-p", "4", "--plan", "m4("], "RB0701"),
        (&["-p", "4", "--plan", "m{3:m2,1:1}"], "RB0701"),
        (&["-p", "4", "--plan", "m5"], "RB0702"),
        (&["-p", "4", "--memory", "100"], "RB0703"),
        (&["-p", "0"], "RB0704"),
        (&["-p", "-4"], "RB0903"),
        (&["-p", "16777217"], "RB0904"),
        (&["-p", "4", "--memory", "0"], "RB0703"),
        (&["-p", "4", "--memory", "lots"], "--> --memory:1:1"),
        (&["-p", "4", "--memory", "1..2..3"], "--> --memory:1:1"),
        (&["-p", "4", "--memory", "1KiB,2KiB"], "RB0413"),
        (&["-p", "4", "--plan", "m4/steps=0"], "RB0701"),
        (&["-p", "4", "--time-limit", "soon"], "RB0904"),
        (&["-p", "four"], "RB0904"),
        (&[], "RB0905"),
    ];
    for (more, code) in cases {
        let arguments: Vec<&str> = sizes.iter().chain(more).copied().collect();
        let run = plan(&arguments);
        assert_eq!(run.code, Some(2), "{more:?}");
        assert!(
            run.stderr.contains(code) && run.stdout.is_empty(),
            "{more:?}: {}",
            run.stderr
        );
    }
}

/// A search that is cut says so and has a plan that fits; without a limit it is complete.
#[test]
fn a_time_limit_leaves_a_plan() {
    let sizes = [
        "-m", "100003", "-n", "100003", "-k", "100003", "-p", "1000003",
    ];
    let arguments = |more: &[&'static str]| [&sizes[..], more].concat();
    let cut = document(&arguments(&["--memory", "45000", "--time-limit", "1ms"]));
    assert_eq!(cut["stop"], "time-limit");
    assert!(cut["memory_per_rank"].as_u64().unwrap() <= 45_000);
    assert!(cut["ratio"].as_f64().unwrap() >= 1.0);
    let run = plan(&arguments(&["--memory", "45000", "--time-limit", "1ms"]));
    assert!(
        run.stdout.contains("Stopped by the time limit"),
        "{}",
        run.stdout
    );
    assert_eq!(document(&arguments(&[]))["stop"], "complete");
}

#[test]
fn sizes_too_large_to_count_are_refused() {
    let most = u64::MAX.to_string();
    for sizes in [[most.as_str(); 3], [&most, &most, "2"]] {
        let [m, n, k] = sizes;
        let run = plan(&["-m", m, "-n", n, "-k", k, "-p", "8"]);
        assert_eq!(run.code, Some(2), "{}", run.stdout);
        assert!(run.stderr.contains("RB0904"), "{}", run.stderr);
    }
}
