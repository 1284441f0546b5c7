//! The command as users meet it: help, answers, mistakes and exit codes.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{Run, redblue_in, root};

fn redblue(arguments: &[&str]) -> Run {
    redblue_in(&root(), arguments, b"")
}

/// The whole dialogue as a snapshot.
fn check(name: &str, arguments: &[&str]) {
    check_in(&root(), name, arguments, b"");
}

fn check_in(folder: &Path, name: &str, arguments: &[&str], input: &[u8]) {
    let run = redblue_in(folder, arguments, input);
    let mut dialogue = format!("$ redblue {}\n{}", arguments.join(" "), run.stdout);
    if !run.stderr.is_empty() {
        dialogue.push_str(&format!("--- stderr\n{}", run.stderr));
    }
    dialogue.push_str(&format!("--- exit code {:?}", run.code));
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, dialogue);
    });
}

#[test]
fn help() {
    check("help", &["--help"]);
    check("help-short", &["-h"]);
    for command in [
        "gap",
        "ir",
        "deps",
        "simulate",
        "pebble",
        "plan",
        "tile",
        "diff",
        "kernels",
        "explain",
        "machine",
        "schema",
        "completions",
        "man",
    ] {
        check(&format!("help-{command}"), &[command, "--help"]);
    }
    assert_eq!(redblue(&[]).stdout, redblue(&["-h"]).stdout);
    assert!(redblue(&["--version"]).stdout.starts_with("redblue 0."));
}

#[test]
fn catalogue() {
    check("kernels", &["kernels"]);
    check("kernels-group", &["kernels", "--group", "blas"]);
    check("explain-kernel", &["explain", "trisolv"]);
    check("explain-code", &["explain", "rb0411"]);
    check("explain-concept", &["explain", "Reduction"]);
}

#[test]
fn programs() {
    check("ir-gemm", &["ir", "gemm"]);
    check(
        "ir-sizes",
        &["ir", "gemm", "-D", "NI=64,NJ=32", "--assume", "NK >= 2"],
    );
    check("ir-sweep", &["ir", "cholesky", "-D", "N=128..1024:log2"]);
    check("ir-sweep-symbolic", &["ir", "gemm", "-D", "NI=1..3,NJ=10"]);
    check("ir-einsum", &["ir", "--einsum", "ik,kj", "--dtype", "f32"]);
    check(
        "ir-json",
        &["ir", "trisolv", "-D", "N=10", "--format", "json"],
    );
    check("deps-gemm", &["deps", "gemm"]);
    check("deps-jacobi", &["deps", "jacobi-1d"]);
    check("deps-json", &["deps", "axpy", "--format", "json"]);
}

#[test]
fn traffic() {
    let sizes = "-D NI=20,NJ=20,NK=20";
    for (name, options) in [
        ("one", "-S 64"),
        ("curve", "-S 32..512:log2"),
        ("levels", "-S 64,256 --policy set --ways 4 --line 4"),
        ("csv", "-S 2KiB -S 256B --policy lru --format csv"),
        ("markdown", "-S 64 --format md"),
        ("few-words", "-S 3 -S 100 --policy opt"),
    ] {
        let line = format!("simulate gemm {sizes} {options}");
        let arguments: Vec<&str> = line.split(' ').collect();
        check(&format!("simulate-{name}"), &arguments);
    }
    check(
        "simulate-sweep",
        &["simulate", "axpy", "-D", "N=100..300:100", "-S", "8"],
    );
    check(
        "simulate-json",
        &[
            "simulate", "axpy", "-D", "N=100", "-S", "8", "--policy", "lru", "--format", "json",
        ],
    );
}

#[test]
fn games() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("sum.json", r#"{"vertices": 3, "edges": [[0, 2], [1, 2]]}"#);
    write(
        "cycle.json",
        r#"{"vertices": 3, "edges": [[0, 1], [1, 2], [2, 0]]}"#,
    );
    write(
        "comma.json",
        "{\n  \"vertices\": 3,\n  \"edges\": [[0, 2], ]\n}\n",
    );
    write("range.json", r#"{"vertices": 3, "edges": [[0, 3]]}"#);
    write("open.dot", "digraph {\n  a -> b;\n  b ->\n");
    write("words.hdag", "1 2 2\nzero 1\n");
    write(
        "legal.txt",
        "load 0\nload 1\ncompute 2  # both operands are red\nstore 2\n",
    );
    write("early.txt", "load 0\ncompute 2\n");
    write("short.txt", "load 0\nload 1\ncompute 2\n");
    write("verb.txt", "load 0\n\nfetch 1\n");
    for (name, line, code) in [
        ("optimal", "sum.json -S 3", 0),
        ("json", "sum.json -S 3 --game red-white --format json", 0),
        ("slide", "sum.json -S 2 --slide", 0),
        ("legal", "sum.json -S 3 --referee legal.txt", 0),
        ("illegal", "sum.json -S 3 --referee early.txt", 1),
        ("unfinished", "sum.json -S 3 --referee short.txt", 1),
        (
            "illegal-json",
            "sum.json -S 3 --referee early.txt --format json",
            1,
        ),
        ("program", "gemm -D NI=2,NJ=2,NK=2 -S 6", 0),
        ("few-pebbles", "sum.json -S 2", 2),
        ("few-pebbles-program", "gemm -D NI=2,NJ=2,NK=2 -S 4", 2),
        ("cycle", "cycle.json -S 3", 2),
        ("malformed-json", "comma.json -S 3", 2),
        ("malformed-dot", "open.dot -S 3", 2),
        ("malformed-hdag", "words.hdag -S 3", 2),
        ("malformed-moves", "sum.json -S 3 --referee verb.txt", 2),
        ("vertex-unknown", "range.json -S 3", 2),
        ("moves-missing", "sum.json -S 3 --referee none.txt", 2),
        ("memory-missing", "sum.json", 2),
        ("memory-nested", "sum.json -S 4,5", 2),
        ("size-missing", "gemm -D NI=2 -S 4", 2),
        ("sweep", "gemm -D NI=2..3,NJ=2,NK=2 -S 4", 2),
        ("large", "gemm -D NI=100,NJ=100,NK=100 -S 4", 2),
    ] {
        let line = format!("pebble {line}");
        let arguments: Vec<&str> = line.split(' ').collect();
        check_in(folder.path(), &format!("pebble-{name}"), &arguments, b"");
        let run = redblue_in(folder.path(), &arguments, b"");
        assert_eq!(run.code, Some(code), "{name}");
    }
    let graph = b"digraph { a -> c; b -> c }";
    check_in(
        folder.path(),
        "pebble-stdin",
        &["pebble", "-", "-S", "3"],
        graph,
    );
}

#[test]
fn mistakes() {
    for (name, arguments) in [
        ("command-misspelt", "krenels"),
        ("command-unknown", "frobnicate"),
        ("option-misspelt", "ir gemm --formt json"),
        ("option-value", "ir gemm --format yaml"),
        ("option-without-value", "ir gemm --format"),
        ("option-twice", "ir gemm --format json --format text"),
        ("format-not-available", "ir gemm --format csv"),
        ("input-missing", "ir"),
        ("input-misspelt", "ir gmem"),
        ("input-second", "ir gemm gemm"),
        ("file-missing", "ir no/such/file.c"),
        ("file-directory", "ir crates"),
        ("size-malformed", "ir gemm -D NI=4,NJ=12x"),
        ("size-unknown", "ir gemm -D NX=3"),
        ("size-reserved", "ir gemm -D S=3"),
        ("size-excluded", "ir mgs -D M=3,N=5"),
        ("sweep-empty", "ir gemm -D NI=4096..128:log2"),
        ("sweep-of-dependences", "deps gemm -D NI=1..3"),
        ("outputs-unknown", "ir gemm --outputs Q"),
        ("group-misspelt", "kernels --group stensil"),
        ("topic-unknown", "explain RB9999"),
        ("shell-unknown", "completions tcsh"),
        ("simulate-sizes-missing", "simulate gemm -D NJ=3 -S 64"),
        (
            "simulate-too-large",
            "simulate gemm -D NI=99999,NJ=99999,NK=9 -S 64",
        ),
        (
            "simulate-tiled",
            "simulate gemm -D NI=9,NJ=9,NK=9 -S 3 --schedule tiled",
        ),
        (
            "simulate-reassociate",
            "simulate axpy -D N=9 -S 64 --reassociate",
        ),
        ("simulate-ways", "simulate axpy -D N=9 -S 64 --ways 4"),
        (
            "simulate-sets",
            "simulate axpy -D N=9 -S 65 --policy set --ways 4",
        ),
        ("simulate-line-zero", "simulate axpy -D N=9 -S 64 --line 0"),
        (
            "simulate-line-large",
            "simulate axpy -D N=9 -S 64 --line 128",
        ),
        ("memory-zero", "simulate axpy -D N=9 -S 0"),
        ("memory-malformed", "simulate axpy -D N=9 -S 32KB"),
        ("memory-not-growing", "simulate axpy -D N=9 -S 64,32"),
        (
            "time-over",
            "simulate gemm -D NI=3000,NJ=3000,NK=3000 -S 64 --policy opt --time-limit 300ms",
        ),
        ("time-malformed", "ir gemm --time-limit soon"),
        ("output-unwritable", "kernels -o no/such/folder/kernels.txt"),
        ("einsum-malformed", "ir ij,jk->iz"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        check(&format!("mistake-{name}"), &arguments);
        assert_eq!(redblue(&arguments).code, Some(2), "{name}");
    }
}

#[test]
fn sources_from_files_and_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let code = b"void f(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] = 2 * x[i]; }\n";
    fs::write(folder.path().join("scale.c"), code).unwrap();
    fs::write(
        folder.path().join("latin1.c"),
        [b"// Ren\xe9\n".as_slice(), code].concat(),
    )
    .unwrap();
    fs::write(folder.path().join("binary.c"), b"\x7fELF\0\0").unwrap();
    fs::write(folder.path().join("empty.c"), b"").unwrap();
    let strided =
        b"#define B 4\nvoid f(int n, double x[n]) { for (int i = 0; i < n; i += B) x[i] = 0; }\n";
    fs::write(folder.path().join("strided.c"), strided).unwrap();
    let wrong = b"void f(int n, double x[n]) { while (n) x[0] = 1; for (int i = 0; i < n; i++) x[i] = i; }\n";
    fs::write(folder.path().join("while.c"), wrong).unwrap();
    check_in(folder.path(), "file", &["ir", "scale.c"], b"");
    check_in(folder.path(), "stdin", &["ir", "-"], code);
    check_in(folder.path(), "file-latin1", &["ir", "latin1.c"], b"");
    check_in(folder.path(), "file-binary", &["ir", "binary.c"], b"");
    check_in(folder.path(), "file-empty", &["ir", "empty.c"], b"");
    check_in(folder.path(), "file-refused", &["ir", "while.c"], b"");
    check_in(
        folder.path(),
        "file-strided",
        &["ir", "strided.c", "-D", "B=2..4,n=100"],
        b"",
    );
    check_in(
        folder.path(),
        "file-partial",
        &["ir", "while.c", "--partial"],
        b"",
    );
}

#[test]
fn an_answer_can_go_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let run = redblue_in(folder.path(), &["kernels", "-o", "list.txt"], b"");
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str(), run.code),
        ("", "", Some(0))
    );
    let written = fs::read_to_string(folder.path().join("list.txt")).unwrap();
    assert_eq!(written, redblue(&["kernels"]).stdout);
}

#[test]
fn json_is_one_document_with_a_schema() {
    for arguments in [
        ["ir", "gemm"].as_slice(),
        &["ir", "gemm", "-D", "NI=1..3"],
        &["deps", "gemm"],
        &["simulate", "axpy", "-D", "N=9", "-S", "4"],
        &["pebble", "axpy", "-D", "N=3", "-S", "4"],
        &["kernels"],
        &["machine"],
        &["explain", "gemm"],
        &["explain"],
    ] {
        let run = redblue(&[arguments, &["--format", "json"]].concat());
        let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            document["schema"],
            format!("redblue.{}", arguments[0]),
            "{arguments:?}"
        );
        assert_eq!(document["schema_version"], 1, "{arguments:?}");
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    for line in [
        "ir lu",
        "deps adi",
        "simulate lu -D N=20 -S 10..100:log2",
        "pebble lu -D N=4 -S 6",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        assert_eq!(redblue(&arguments).stdout, redblue(&arguments).stdout);
    }
}

#[test]
fn every_shell_has_completions_and_the_man_page_names_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = redblue(&["completions", shell]);
        assert!(
            run.code == Some(0) && run.stdout.contains("kernels"),
            "{shell}"
        );
    }
    let page = redblue(&["man"]).stdout;
    for word in [".TH redblue", "REDBLUE IR", "REDBLUE DEPS", "assume"] {
        assert!(page.contains(word), "{word}");
    }
}

/// `redblue kernels | head -1` must end quietly.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_redblue"))
        .args(["ir", "3mm", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn colour_only_when_asked() {
    let plain = redblue(&["ir"]).stderr;
    let coloured = redblue(&["ir", "--color", "always"]).stderr;
    assert!(!plain.contains('\x1b') && coloured.contains("\x1b[1;31merror[RB0905]"));
}
