//! The command `gap`: what it prints, judges and draws.

mod common;

use std::fs;

use common::{Run, redblue_in, root};
use serde_json::Value;

fn redblue(arguments: &[&str]) -> Run {
    redblue_in(&root(), arguments, b"")
}

fn json(arguments: &[&str]) -> Value {
    let run = redblue(&[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

/// Measured only when asked for: every order once per run, and the median is one of the runs.
#[test]
fn compiled_orders_are_timed_on_request() {
    let gap = json(&[&["gap"], &GEMM[..], &["256", "--time", "--runs", "3"]].concat());
    let timed = gap["timed"].as_array().unwrap();
    let names: Vec<&str> = timed
        .iter()
        .filter_map(|t| t["schedule"].as_str())
        .collect();
    assert_eq!(names, ["original", "tiled", "speed"]);
    for order in timed {
        let runs = order["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 3);
        assert!(runs[1] == order["seconds"] && runs.iter().all(|run| run.as_f64().unwrap() > 0.0));
    }
}

const GEMM: [&str; 4] = ["gemm", "-D", "NI=60,NJ=50,NK=40", "-S"];

#[test]
fn the_document_is_the_one_of_the_contract() {
    let gap = json(&[&["gap"], &GEMM[..], &["256"]].concat());
    assert_eq!(gap["schema"], "redblue.gap");
    assert_eq!(gap["lower"]["schema"], "redblue.bound");
    assert_eq!(gap["model"], gap["lower"]["model"]);
    assert_eq!(gap["timed"], Value::Array(Vec::new()), "nobody asked");
    // The tiling is a real schedule: above the bound, and its simulated OPT traffic is not above what is proven.
    assert_eq!(gap["upper"]["schema"], "redblue.tile");
    let proven = gap["upper"]["traffic"]["total"].as_u64().unwrap();
    let tiled_opt = gap["simulated"].as_array().unwrap().iter();
    let tiled_opt: Vec<u64> = tiled_opt
        .filter(|run| run["schedule"] == "tiled" && run["policy"] == "opt")
        .map(|run| run["total"].as_u64().unwrap())
        .collect();
    assert!(
        tiled_opt.len() == 1 && tiled_opt[0] <= proven,
        "{tiled_opt:?} {proven}"
    );
    let lower: u64 = gap["results"][0]["lower"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let ratio = gap["ratio"].as_f64().unwrap();
    assert!(
        ratio >= 1.0 && (ratio - proven as f64 / lower as f64).abs() < 2e-3,
        "{ratio}"
    );
    // Every simulation is a real play: none beats the bound, and OPT loads least.
    let lower: u64 = gap["lower"]["results"][0]["value"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let simulated = gap["simulated"].as_array().unwrap();
    assert!(simulated.len() >= 3);
    for run in simulated {
        assert!(run["total"].as_u64().unwrap() >= lower, "{run}");
    }
    let loads = |policy: &str| {
        let run = simulated
            .iter()
            .find(|run| run["policy"] == policy && run["schedule"] == "original");
        run.unwrap()["loads"].as_u64().unwrap()
    };
    assert!(loads("opt") <= loads("lru") && loads("opt") <= loads("set"));
    // The numbers are those that `bound` and `simulate` give on their own.
    let bound = json(&[&["bound"], &GEMM[..], &["256"]].concat());
    assert_eq!(gap["lower"]["results"], bound["results"]);
    let alone = json(&[&["simulate"], &GEMM[..], &["256", "--policy", "lru"]].concat());
    assert_eq!(alone["results"][0]["loads"], loads("lru"));
}

#[test]
fn a_bare_input_means_gap() {
    let bare = redblue(&[&GEMM[..], &["256"]].concat());
    let named = redblue(&[&["gap"], &GEMM[..], &["256"]].concat());
    assert_eq!((bare.stdout, bare.code), (named.stdout, named.code));
    let einsum = redblue(&["ik,kj->ij", "-D", "i=20,j=20,k=20", "-S", "64"]);
    assert_eq!(einsum.code, Some(0), "{}", einsum.stderr);
    let c = "void f(int N, double x[N]) { for (int i = 0; i < N; i++) x[i] = 2 * x[i]; }";
    let stdin = redblue_in(&root(), &["-", "-D", "N=100", "-S", "16"], c.as_bytes());
    assert!(stdin.stdout.contains("200"), "{}", stdin.stdout);
}

#[test]
fn catalogue_sizes_are_taken_and_said() {
    let run = redblue(&["gap", "atax", "-S", "4096"]);
    assert!(
        run.stderr
            .contains("the catalogue's sizes are taken: -D M=1900,N=2100"),
        "{}",
        run.stderr
    );
    assert!(
        run.stdout
            .starts_with("atax at M=1900, N=2100 with S = 4096 words")
    );
}

#[test]
fn sweeps_have_one_result_per_value() {
    let gap = json(&["gap", "axpy", "-D", "N=100..300:100", "-S", "8..32:log2"]);
    let results = gap["results"].as_array().unwrap();
    assert_eq!(results.len(), 9);
    let sizes: Vec<(i64, i64)> = results
        .iter()
        .map(|result| {
            (
                result["sizes"]["N"].as_i64().unwrap(),
                result["sizes"]["S"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(sizes[..4], [(100, 8), (100, 16), (100, 32), (200, 8)]);
    // x and y are read once, with alpha, and y is written: nobody does it with less, and any order does it so.
    assert_eq!(results[0]["lower"], "301");
    let csv = redblue(&[
        "gap",
        "axpy",
        "-D",
        "N=100..300:100",
        "-S",
        "8",
        "--format",
        "csv",
    ])
    .stdout;
    assert!(csv.starts_with("N,S,order,words,total,/ bound,loads,stores\n"));
    assert!(
        csv.contains("\n300,8,any,lower bound,901,1.000,,\n"),
        "{csv}"
    );
    let text = redblue(&["gap", "axpy", "-D", "N=100..900:100", "-S", "8"]).stdout;
    assert_eq!(
        text.lines()
            .filter(|line| line.trim_start().starts_with(char::is_numeric))
            .count(),
        9
    );
}

#[test]
fn loads_alone_are_divided_by_bounds_of_loads() {
    let gap = json(&[&["gap"], &GEMM[..], &["256", "--count", "loads"]].concat());
    assert_eq!(gap["model"]["count"], "loads");
    let lower: f64 = gap["results"][0]["lower"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    for run in gap["results"][0]["simulated"].as_array().unwrap() {
        let ratio = run["loads"].as_f64().unwrap() / lower;
        assert!(
            (run["ratio"].as_f64().unwrap() - ratio).abs() < 2e-3,
            "{run}"
        );
    }
}

#[test]
fn what_does_not_fit_the_budget_is_said() {
    let run = redblue(&["gap", "gemm", "-S", "4096"]);
    assert!(
        run.stdout
            .contains("original order, OPT: not simulated within the budget of accesses"),
        "{}",
        run.stdout
    );
    // Regular loops are counted without one step per access: 6.6 G of them.
    assert!(run.stdout.contains("1322301001"), "{}", run.stdout);
}

#[test]
fn max_gap_decides_the_exit_code() {
    let command =
        |most: &str| redblue(&[&["gap"], &GEMM[..], &["256", "--max-gap", most]].concat()).code;
    let ratio = json(&[&["gap"], &GEMM[..], &["256"]].concat())["ratio"]
        .as_f64()
        .unwrap();
    assert_eq!(command(&format!("{ratio:.3}")), Some(0));
    assert_eq!(command(&format!("{:.3}", ratio - 0.002)), Some(1));
    assert_eq!(command("0.999"), Some(1), "nothing beats the bound");
}

#[test]
fn mistakes() {
    for (arguments, message) in [
        (&["gap", "gemm", "--max-gap", "x"][..], "RB0904"),
        (
            &[
                "gap", "gemm", "-S", "64", "--html", "x.html", "--peak", "-1",
            ][..],
            "RB09",
        ),
        (&["gap", "ik,kj->ij", "-S", "64"][..], "RB0416"),
        (&["schema", "gaps"][..], "did you mean `gap`"),
    ] {
        let run = redblue(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(
            run.stderr.contains(message),
            "{arguments:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn page_and_charts_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let command = [
        "gap",
        "gemm",
        "-D",
        "NI=60,NJ=50,NK=40",
        "-S",
        "256",
        "--html",
        "gap.html",
        "--svg",
        ".",
    ];
    let first = redblue_in(folder.path(), &command, b"");
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let page = read("gap.html");
    for part in [
        "<h1>gemm</h1>",
        "class=\"impossible\"",
        "best possible",
        "<math>",
        "C[i][j] *= beta",
        "projections",
        "18\u{202f}163",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for remote in ["http://", "https://", "src="] {
        assert!(!page.contains(remote), "{remote}");
    }
    for chart in ["traffic.svg", "roofline.svg", "arrays.svg"] {
        assert!(
            read(chart).contains("xmlns=\"http://www.w3.org/2000/svg\""),
            "{chart}"
        );
    }
    redblue_in(folder.path(), &command, b"");
    assert_eq!(read("gap.html"), page, "the page is the same every time");
}

/// `simulate --schedule tiled` runs the order that `gap` shows, and a sweep says its other sizes.
#[test]
fn tiled_orders_are_simulated_alone() {
    let gap = json(&[&["gap"], &GEMM[..], &["256"]].concat());
    let runs = gap["simulated"].as_array().unwrap();
    let opt = |run: &&Value| run["schedule"] == "tiled" && run["policy"] == "opt";
    let shown = runs.iter().find(opt).unwrap();
    let tiled = ["256", "--schedule", "tiled", "--policy", "opt"];
    let alone = json(&[&["simulate"], &GEMM[..], &tiled].concat());
    assert_eq!(alone["results"][0]["schedule"], "tiled");
    assert_eq!(alone["results"][0]["total"], shown["total"]);
    let free = [&["simulate"], &GEMM[..], &tiled, &["--reassociate"]].concat();
    assert_eq!(json(&free)["results"][0]["schedule"], "tiled");
    let sweep = [
        "gap",
        "gemm",
        "-D",
        "NI=9,NJ=8,NK=4..7",
        "-S",
        "16",
        "--max-gap",
        "1",
    ];
    let run = redblue(&sweep);
    assert!(
        run.stdout.starts_with("gemm at NI=9, NJ=8\n"),
        "{}",
        run.stdout
    );
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("of 4 results"), "{}", run.stderr);
}
