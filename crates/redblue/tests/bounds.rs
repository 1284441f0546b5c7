//! `bound`, `check` and `methods` through the command line: the contract's fields, proofs that travel, spellings that do not matter.

mod common;

use std::fs;
use std::path::Path;

use common::{Run, redblue_in, root};
use serde_json::Value;

fn run(folder: &Path, words: &[&str]) -> Run {
    redblue_in(folder, words, b"")
}

/// The document a command answers with.
fn json(folder: &Path, words: &[&str]) -> Value {
    let words: Vec<&str> = words.iter().copied().chain(["--format", "json"]).collect();
    let run = run(folder, &words);
    assert_eq!(run.code, Some(0), "{words:?}: {}", run.stderr);
    serde_json::from_str(&run.stdout).expect("one document")
}

/// The matrix product in several spellings, all of which have the bound of the plain one.
const SPELLINGS: [(&str, &str); 4] = [
    (
        "plain.c",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
            for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)
                C[i][j] += A[i][k] * B[k][j]; }",
    ),
    (
        "reordered.c",
        "void g(int N, double X[N][N], double Y[N][N], double Z[N][N]) {
            for (int q = 0; q < N; q++) for (int r = 0; r < N; r++) for (int p = 0; p < N; p++)
                Z[p][r] += X[p][q] * Y[q][r]; }",
    ),
    (
        "accumulator.c",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
            for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
                double acc = C[i][j];
                for (int k = 0; k < N; k++) acc += A[i][k] * B[k][j];
                C[i][j] = acc; } }",
    ),
    (
        "dead.c",
        "void f(int N, double A[N][N], double B[N][N], double C[N][N]) {
            double unused[N][N];
            for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) {
                C[i][j] += A[i][k] * B[k][j];
                unused[i][k] = A[i][k] * B[k][j]; } }",
    ),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in SPELLINGS {
        fs::write(folder.path().join(name), text).expect("room");
    }
    folder
}

#[test]
fn the_document_has_the_fields_of_the_contract() {
    let folder = folder();
    let words = [
        "bound", "plain.c", "--count", "loads", "-D", "N=100", "-S", "64",
    ];
    let document = json(folder.path(), &words);
    assert_eq!(document["schema"], "redblue.bound");
    assert_eq!(document["model"]["count"], "loads");
    assert_eq!(document["model"]["recompute"], false);
    for form in ["inputs", "full", "leading", "simplified"] {
        assert!(
            document[form]["text"].is_string() && document[form]["latex"].is_string(),
            "{form}"
        );
        assert!(document[form]["value"].is_number(), "{form}");
    }
    assert_eq!(document["leading"]["text"], "2*N^3/sqrt(S)");
    // 2·100³/8 = 250000, minus S; the exact phase argument is a little better than its formula.
    assert_eq!(document["full"]["value"], 250_000 - 64);
    let exact: u64 = document["results"][0]["value"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((249_936..=250_100).contains(&exact), "{exact}");
    assert_eq!(document["certificate"]["checked"], true);
    assert!(
        document["methods"]
            .as_array()
            .unwrap()
            .iter()
            .any(|found| found["method"] == "projections")
    );
}

#[test]
fn spelling_does_not_matter() {
    let folder = folder();
    for (name, _) in SPELLINGS {
        let document = json(folder.path(), &["bound", name, "--count", "loads"]);
        assert_eq!(document["leading"]["text"], "2*N^3/sqrt(S)", "{name}");
        assert_eq!(document["inputs"]["text"], "3*N^2", "{name}");
    }
}

#[test]
fn proofs_travel_and_do_not_fit_other_programs() {
    let folder = folder();
    let saved = run(
        folder.path(),
        &["bound", "plain.c", "--certificate", "proof.json"],
    );
    assert_eq!(saved.code, Some(0), "{}", saved.stderr);
    let verdict = json(folder.path(), &["check", "proof.json"]);
    assert_eq!(verdict["schema"], "redblue.check");
    assert_eq!(verdict["holds"], true);
    assert!(verdict["claims"].as_u64().unwrap() >= 2);
    assert_eq!(
        json(folder.path(), &["check", "proof.json", "plain.c"])["holds"],
        true
    );

    let other = run(folder.path(), &["check", "proof.json", "durbin"]);
    assert_eq!(other.code, Some(1), "{}", other.stdout);
    assert!(other.stdout.contains("does not hold"), "{}", other.stdout);

    let text = fs::read_to_string(folder.path().join("proof.json")).expect("a proof");
    let raised = text.replace("2*N^3/sqrt(S)", "3*N^3/sqrt(S)");
    assert_ne!(text, raised);
    fs::write(folder.path().join("raised.json"), raised).expect("room");
    assert_eq!(run(folder.path(), &["check", "raised.json"]).code, Some(1));

    fs::write(folder.path().join("broken.json"), "{}").expect("room");
    let broken = run(folder.path(), &["check", "broken.json"]);
    assert_eq!(broken.code, Some(2));
    assert!(broken.stderr.contains("RB0601"), "{}", broken.stderr);
}

#[test]
fn methods_are_listed_and_explained() {
    let folder = folder();
    let document = json(folder.path(), &["methods"]);
    let methods = document["methods"].as_array().expect("a list");
    assert!(methods.len() >= 7);
    for method in methods {
        let name = method["name"].as_str().expect("a name");
        let explained = run(folder.path(), &["explain", name]);
        assert!(
            explained.stdout.contains("# Statement"),
            "{name}: {}",
            explained.stdout
        );
    }
    let unknown = run(
        folder.path(),
        &["bound", "plain.c", "--method", "projection"],
    );
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("projections"), "{}", unknown.stderr);
}

#[test]
fn several_ranks_and_latex() {
    let folder = folder();
    // C-13: 1000³ on 64 ranks, D = 187500, of which 46875 are owned.
    let words = [
        "bound",
        "ik,kj->ij",
        "-D",
        "i=1000,j=1000,k=1000",
        "--ranks",
        "64",
    ];
    let document = json(folder.path(), &words);
    assert_eq!(document["parallel"]["received"], "140625");
    let none = run(folder.path(), &["bound", "durbin", "--ranks", "4"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("RB0611"), "{}", none.stderr);
    let paper = run(folder.path(), &["bound", "plain.c", "--format", "latex"]);
    assert!(
        paper.stdout.starts_with("\\begin{theorem}"),
        "{}",
        paper.stdout
    );
}

#[test]
fn the_catalogue_has_no_privileges() {
    let by_file = json(&root(), &["bound", "kernels/trmm.c"]);
    let by_name = json(&root(), &["bound", "trmm"]);
    assert_eq!(by_file["full"], by_name["full"]);
}

#[test]
fn formulas_have_no_value_for_empty_loops() {
    let folder = folder();
    let words = ["bound", "gemm", "-D", "NI=0,NJ=5,NK=5", "-S", "8"];
    let document = json(folder.path(), &words);
    assert!(document["full"]["value"].is_null());
    assert_eq!(document["results"][0]["value"], "0");
}

#[test]
fn a_time_limit_leaves_what_was_proved_and_says_so() {
    let folder = folder();
    let document = |limit: &str| {
        let words = [
            "bound",
            "gebd2",
            "--count",
            "loads",
            "-D",
            "M=60,N=50",
            "-S",
            "64",
            "--time-limit",
            limit,
        ];
        json(folder.path(), &words)
    };
    let value = |document: &Value| document["full"]["value"].as_i64().unwrap();
    let whole = document("1h");
    assert_eq!(whole["stop"], "complete");
    // In a millisecond only what must be loaded in any case is proved, and on a very slow machine not even that.
    let least = document("1ms");
    assert_eq!(least["stop"], "time-limit");
    let compulsory = whole["inputs"]["value"].as_i64().unwrap();
    assert_eq!(compulsory, 60 * 50);
    assert!([0, compulsory].contains(&value(&least)));
    // Until the end no bound is larger than with all the time, and none is less than what is compulsory.
    let some = document("2s");
    assert!(value(&some) <= value(&whole));
    for cut in [&least, &some] {
        assert!(value(cut) == 0 || value(cut) >= compulsory);
        // What was found may be another combination of statements than the best one, but it is proved.
        assert_eq!(cut["certificate"]["checked"], true);
    }
}

#[test]
fn time_limits_are_kept() {
    // With all the time this takes many times as long; the slack is for busy machines and unoptimised code.
    let folder = folder();
    for limit in ["50ms", "1s"] {
        let start = std::time::Instant::now();
        let cut = json(folder.path(), &["bound", "heat-3d", "--time-limit", limit]);
        assert!(
            start.elapsed().as_secs() < 6,
            "{:?} for {limit}",
            start.elapsed()
        );
        assert_eq!(cut["schema"], "redblue.bound");
    }
}

#[test]
fn formulas_read_back_as_they_were_meant() {
    let folder = folder();
    let sizes: [(&str, &[&str]); 5] = [
        ("covariance", &["M=60,N=50", "M=7,N=900"]),
        ("mgs", &["M=60,N=50", "M=3000,N=9"]),
        ("jacobi-2d", &["N=60,TSTEPS=50", "N=3,TSTEPS=1"]),
        ("2mm", &["NI=60,NJ=50,NK=40,NL=30"]),
        ("durbin", &["N=300", "N=1"]),
    ];
    for (kernel, sizes) in sizes {
        for sizes in sizes {
            let sizes_and_s = format!("{sizes},S=64");
            let at: redblue::math::Assignment = sizes_and_s
                .split(',')
                .map(|pair| pair.split_once('=').unwrap())
                .map(|(name, value)| (name, value.parse::<i64>().unwrap()))
                .collect();
            let words = ["bound", kernel, "--count", "loads", "-D", sizes, "-S", "64"];
            let document = json(folder.path(), &words);
            let found = document["methods"].as_array().unwrap().iter();
            let formulas = found.map(|found| &found["formula"]);
            for formula in formulas.chain([&document["full"], &document["leading"]]) {
                let text = formula["text"].as_str().unwrap();
                let read: redblue::math::Expr = text.parse().unwrap();
                let value = formula["value"].as_i64().unwrap();
                assert_eq!(
                    read.eval_floor(&at).unwrap(),
                    value.into(),
                    "{kernel}: {text}"
                );
            }
        }
    }
}
