//! `redblue bench` as users meet it, on ranks that are threads.

mod common;

use common::{Run, redblue_in, root};
use serde_json::Value;

fn bench(arguments: &[&str]) -> Run {
    let all: Vec<&str> = ["bench", "matmul"]
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
        .chain(["--verify", "--format", "json"])
        .collect();
    let run = bench(&all);
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(0)));
    serde_json::from_str(&run.stdout).expect("JSON")
}

#[test]
fn the_document_has_what_the_contract_says() {
    let found = document(&[
        "-m", "70", "-n", "90", "-k", "110", "-p", "7", "--runs", "4",
    ]);
    assert_eq!(found["schema"], "redblue.bench");
    assert_eq!(found["kernel"], "matmul");
    assert_eq!(found["shape"]["k"], 110);
    assert_eq!((&found["ranks"], &found["threads"]), (&7.into(), &1.into()));
    let seconds = ["min", "median", "max"].map(|name| found["seconds"][name].as_f64().unwrap());
    assert!(0.0 < seconds[0] && seconds[0] <= seconds[1] && seconds[1] <= seconds[2]);
    let gflops = 2.0 * 70.0 * 90.0 * 110.0 / seconds[1] * 1e-9;
    assert!((found["gflops"].as_f64().unwrap() - gflops).abs() <= 1e-9 * gflops);
    let words = &found["words"];
    assert_eq!(words["predicted_max"], words["counted_max"]);
    assert!(words["counted_mean"].as_f64() <= words["counted_max"].as_f64());
    assert!(found["residual"].as_f64().unwrap() < 1.0);
    assert_eq!(found["verified"], true);
    let planned = redblue_in(
        &root(),
        &[
            "plan", "matmul", "-m", "70", "-n", "90", "-k", "110", "-p", "7", "--format", "json",
        ],
        b"",
    );
    let planned: Value = serde_json::from_str(&planned.stdout).expect("JSON");
    assert_eq!(planned["volume_per_rank"]["max"], words["predicted_max"]);
    assert_eq!(planned["plan"], found["plan"]);
}

#[test]
fn element_types_plans_and_memory() {
    let sizes = ["-m", "64", "-n", "48", "-k", "200"];
    for more in [
        &["--dtype", "f32", "-p", "4"][..],
        &["--dtype", "c64", "-p", "3"],
        &["--dtype", "c128", "-p", "5", "--warmup", "0", "--runs", "1"],
        &["-p", "6", "--memory", "9000"],
        &["-p", "4", "--plan", "k4/steps=3,chunks=2"],
        &["-p", "9", "--plan", "m2"],
        &[],
    ] {
        let arguments: Vec<&str> = sizes.iter().chain(more).copied().collect();
        let found = document(&arguments);
        assert_eq!(found["verified"], true, "{more:?}");
        let memory = &found["memory"];
        assert_eq!(memory["allocated_max"], memory["predicted_max"], "{more:?}");
    }
    for zero in [["0", "5", "5"], ["5", "0", "5"], ["5", "5", "0"]] {
        let [m, n, k] = zero;
        document(&["-m", m, "-n", n, "-k", k, "-p", "3"]);
    }
}

#[test]
fn text_says_what_was_seen() {
    let run = bench(&["-m", "64", "-n", "64", "-k", "64", "-p", "8", "--verify"]);
    assert_eq!(run.code, Some(0));
    for part in [
        "8 ranks (threads)",
        "m2(n2(k2))",
        "words sent or received",
        "verified: residual",
        "as many words as planned on every rank",
    ] {
        assert!(run.stdout.contains(part), "{}", run.stdout);
    }
    let run = bench(&["-m", "64", "-n", "64", "-k", "64"]);
    assert!(!run.stdout.contains("verified"), "{}", run.stdout);
}

#[test]
fn mistakes() {
    let sizes = ["-m", "64", "-n", "64", "-k", "64"];
    let cases: [(&[&str], &str); 7] = [
        (&["-p", "0"], "RB0704"),
        (&["-p", "4", "--plan", "m5"], "RB0702"),
        (&["-p", "4", "--memory", "3000"], "RB0703"),
        (&["--runs", "0"], "RB0904"),
        (&["--warmup", "some"], "RB0904"),
        (&["--dtype", "f16"], "RB0904"),
        (&["--blas", "libnothing-of-this-name.so"], "RB0806"),
    ];
    for (more, code) in cases {
        let arguments: Vec<&str> = sizes.iter().chain(more).copied().collect();
        let run = bench(&arguments);
        assert_eq!(run.code, Some(2), "{more:?}");
        assert!(
            run.stderr.contains(code) && run.stdout.is_empty(),
            "{more:?}: {}",
            run.stderr
        );
    }
}

/// Words are 8 bytes, or 4: what is missing is said in both.
#[test]
fn missing_memory_is_named_in_bytes() {
    for (dtype, bytes) in [("f64", 8), ("f32", 4), ("c128", 16)] {
        let sizes = ["-m", "64", "-n", "64", "-k", "64", "-p", "4"];
        let more = ["--memory", "3000", "--dtype", dtype];
        let arguments: Vec<&str> = sizes.iter().chain(&more).copied().collect();
        let run = bench(&arguments);
        let missing = run
            .stderr
            .split("the limit is 3000: ")
            .nth(1)
            .unwrap_or_default();
        let words: u64 = missing
            .split(' ')
            .next()
            .and_then(|words| words.parse().ok())
            .unwrap_or_else(|| panic!("{}", run.stderr));
        assert!(
            missing.contains(&format!("({} bytes)", bytes * words)),
            "{}",
            run.stderr
        );
    }
}

/// Several processes that know nothing of each other would each run everything.
#[cfg(not(feature = "mpi"))]
#[test]
fn a_launcher_without_mpi_is_refused() {
    let run = |variable: &str, ranks: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_redblue"))
            .args(["bench", "matmul", "-m", "8", "-n", "8", "-k", "8"])
            .env(variable, ranks)
            .output()
            .expect("the command starts")
    };
    for variable in ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"] {
        let refused = run(variable, "4");
        assert_eq!(refused.status.code(), Some(2));
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            text.contains("RB0803") && text.contains("--features mpi"),
            "{text}"
        );
        assert_eq!(run(variable, "1").status.code(), Some(0));
    }
}

/// No further run is begun when the time is over; one always is, and it is verified.
#[test]
fn a_time_limit_ends_the_runs() {
    let sizes = ["-m", "60", "-n", "50", "-k", "40", "-p", "3"];
    let more = [
        "--runs",
        "1000000",
        "--warmup",
        "1000000",
        "--time-limit",
        "200ms",
    ];
    let found = document(&[&sizes[..], &more].concat());
    let runs = found["runs"].as_u64().unwrap();
    assert!((1..1_000_000).contains(&runs), "{runs}");
    assert_eq!(
        (&found["stop"], &found["verified"]),
        (&"time-limit".into(), &true.into())
    );
    let whole = document(&[&sizes[..], &["--runs", "2"]].concat());
    assert_eq!(
        (&whole["stop"], &whole["runs"]),
        (&"complete".into(), &2.into())
    );
}

/// More ranks than threads, and more words than memory, are refused before anything is allocated.
#[test]
fn too_much_for_this_machine() {
    let cases: [(&[&str], &str); 2] = [
        (
            &["-m", "64", "-n", "64", "-k", "64", "-p", "100000"],
            "RB0904",
        ),
        (
            &["-m", "100000000", "-n", "100000000", "-k", "9", "-p", "2"],
            "RB0703",
        ),
    ];
    for (arguments, code) in cases {
        let run = bench(arguments);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(code), "{}", run.stderr);
    }
}
