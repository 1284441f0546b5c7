//! `simulate` and `pebble` tell the truth: against the oracle table of the theory (T-2) and naive recounts.

mod common;

use std::fs;
use std::path::Path;

use common::{Run, redblue_in, root};
use redblue::input::{load, resolve};
use redblue::pebble::format::Format;
use redblue::pebble::generate::{Product, matmul};
use redblue::program::interpret::{Cell, Walk};
use redblue::program::reading::ReadOptions;
use redblue::program::{Program, Sizes};
use serde_json::Value;

const PRODUCT: &str = "
void product(int m, int n, int l, double A[m][l], double B[l][n], double C[m][n]) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            C[i][j] = 0;
            for (int k = 0; k < l; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}";

/// Runs a command line, its words separated by blanks.
fn run(folder: &Path, line: &str) -> Run {
    let words: Vec<&str> = line.split(' ').collect();
    redblue_in(folder, &words, b"")
}

/// The document a command line answers with.
fn json(folder: &Path, line: &str) -> Value {
    let run = run(folder, &format!("{line} --format json"));
    assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
    serde_json::from_str(&run.stdout).expect("one document")
}

/// A folder with the matrix product as a C kernel and as graph files.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let graph = matmul(2, 2, 2, Product::Fused).expect("a graph");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("room");
    write("product.c", PRODUCT);
    write("product.json", &Format::Json.write(&graph));
    write("product.dot", &Format::Dot.write(&graph));
    write("product.hdag", &Format::Hdag.write(&graph));
    folder
}

/// The rows of table T-2 for the 2x2x2 product: options, least S, optima from there on.
const OPTIMA: [(&str, u64, [u64; 5]); 4] = [
    ("", 4, [17, 14, 13, 12, 12]),
    ("--game red-blue", 4, [17, 14, 13, 12, 12]),
    ("--game red-white", 4, [12, 10, 9, 8, 8]),
    ("--slide", 3, [17, 14, 13, 12, 12]),
];

#[test]
fn optima_of_the_oracle_table() {
    let folder = folder();
    for subject in [
        "product.json",
        "product.dot",
        "product.hdag",
        "product.c -D m=2,n=2,l=2",
        "ik,kj->ij -D i=2,j=2,k=2",
    ] {
        for (options, least, optima) in OPTIMA {
            for (size, optimum) in (least..).zip(optima) {
                let line = format!("pebble {subject} -S {size} {options}");
                let found = json(folder.path(), line.trim_end());
                assert_eq!(found["io"], optimum, "{line}");
                assert_eq!(found["lower_bound"], optimum, "{line}");
                assert_eq!(found["stop"], "optimal", "{line}");
                assert_eq!(found["vertices"], 16, "{line}");
            }
        }
    }
    assert_eq!(run(folder.path(), "pebble product.json -S 3").code, Some(2));
}

#[test]
fn games_are_written_and_judged() {
    let folder = folder();
    for file in ["game.txt", "game.json"] {
        for options in [
            "",
            " --game red-blue",
            " --game red-white",
            " --game lecture",
            " --slide",
        ] {
            let line = format!("pebble product.json -S 5{options}");
            let played = json(folder.path(), &format!("{line} --moves {file}"));
            let judged = json(folder.path(), &format!("{line} --referee {file}"));
            assert_eq!(judged["legal"], true, "{line}");
            for count in ["io", "loads", "stores", "moves"] {
                assert_eq!(judged[count], played[count], "{line} {count}");
            }
        }
    }
    // Without its first move a game computes from a value that was never loaded.
    json(folder.path(), "pebble product.json -S 5 --moves game.txt");
    let moves = fs::read_to_string(folder.path().join("game.txt")).expect("written");
    let (_, rest) = moves.split_once('\n').expect("moves");
    fs::write(folder.path().join("cut.txt"), rest).expect("room");
    let refused = run(folder.path(), "pebble product.json -S 5 --referee cut.txt");
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stdout.contains("Illegal: move"),
        "{}",
        refused.stdout
    );
}

/// A graph that no exact player takes gets a legal game and a bound below it.
#[test]
fn large_graphs_have_a_proven_interval() {
    let folder = folder();
    let found = json(
        folder.path(),
        "pebble product.c -D m=8,n=8,l=8 -S 12 --time-limit 2s",
    );
    assert_eq!(found["stop"], "budget");
    // Every cell of A and B is loaded, every cell of C stored.
    let (io, lower) = (found["io"].as_u64(), found["lower_bound"].as_u64());
    assert!(lower >= Some(3 * 64) && lower <= io, "{lower:?} {io:?}");
}

/// The contract's costs of one access, on a list: most recently used last.
fn naive_lru(program: &Program, sizes: &Sizes, words: usize) -> (u64, u64) {
    let mut memory: Vec<(Cell, bool)> = Vec::new();
    let (mut loads, mut stores) = (0, 0);
    let mut touch = |cell: Cell, write: bool| {
        let found = memory.iter().position(|(held, _)| *held == cell);
        let dirty = found.is_some_and(|at| memory.remove(at).1);
        loads += u64::from(found.is_none() && !write);
        if memory.len() == words {
            stores += u64::from(memory.remove(0).1);
        }
        memory.push((cell, dirty || write));
    };
    let walk = Walk::new(program, sizes).expect("sizes");
    walk.run(|step| {
        step.reads.iter().for_each(|cell| touch(*cell, false));
        touch(step.write, true);
        Ok(())
    })
    .expect("a run");
    let live = |(cell, dirty): &&(Cell, bool)| *dirty && program.array(cell.array).output;
    (loads, stores + memory.iter().filter(live).count() as u64)
}

#[test]
fn lru_equals_a_naive_recount() {
    for (kernel, sizes) in [
        ("gemm", "NI=5,NJ=6,NK=7"),
        ("jacobi-1d", "TSTEPS=4,N=20"),
        ("cholesky", "N=7"),
    ] {
        let source = resolve(kernel, false).expect("a kernel");
        let reading = load(&source, &ReadOptions::default());
        let program = reading.program.expect("understood");
        let values = redblue::sizes::Sizes::parse(&[sizes])
            .expect("sizes")
            .fixed();
        let line = format!("simulate {kernel} -D {sizes} -S 1..40 --policy lru");
        let document = json(&root(), &line);
        let results = document["results"].as_array().expect("results");
        assert_eq!(results.len(), 40);
        for (words, result) in (1..).zip(results) {
            let (loads, stores) = naive_lru(&program, &values, words);
            assert_eq!(result["S"], words, "{kernel}");
            assert_eq!(result["loads"], loads, "{kernel} S = {words}");
            assert_eq!(result["stores"], stores, "{kernel} S = {words}");
        }
    }
}

/// One size at a time, all sizes at once and fully associative sets are the same caches.
#[test]
fn engines_agree() {
    let folder = folder();
    let results = |line: &str| json(folder.path(), line)["results"].clone();
    for line in ["", " --line 4"] {
        let simulate = format!("simulate product.c -D m=9,n=10,l=11{line}");
        for policy in ["opt", "lru"] {
            let curve = results(&format!("{simulate} --policy {policy} -S 8..64:8"));
            for (at, words) in (8..=64).step_by(8).enumerate() {
                let one = results(&format!("{simulate} --policy {policy} -S {words}"));
                assert_eq!(one[0], curve[at], "{simulate} {policy} {words}");
            }
        }
        let ways = if line.is_empty() { 32 } else { 8 };
        let sets = results(&format!("{simulate} -S 32 --policy set --ways {ways}"));
        let lru = results(&format!("{simulate} -S 32 --policy lru"));
        for count in [
            "accesses",
            "loads",
            "stores",
            "compulsory",
            "capacity",
            "conflict",
        ] {
            assert_eq!(sets[0][count], lru[0][count], "{simulate} {count}");
        }
        let opt = results(&format!("{simulate} -S 32 --policy opt"));
        assert!(opt[0]["loads"].as_u64() <= lru[0]["loads"].as_u64());
    }
}

/// Sets are this machine's caches unless told otherwise, and every option of theirs reaches the simulator.
#[test]
fn sets_can_be_chosen() {
    let folder = folder();
    let results = |options: &str| {
        let line = format!("simulate product.c -D m=12,n=12,l=12 --policy set {options}");
        json(folder.path(), line.trim_end())["results"].clone()
    };
    let loads = |options: &str| results(options)[0]["loads"].as_u64().expect("a number");
    let replaced = ["lru", "fifo", "random"]
        .map(|rule| results(&format!("-S 64 --ways 4 --replacement {rule}"))[0].clone());
    for (result, rule) in replaced.iter().zip(["lru", "fifo", "random"]) {
        assert_eq!(
            (&result["replacement"], &result["ways"]),
            (&rule.into(), &4.into())
        );
        assert_eq!(result["seed"].is_null(), rule != "random", "{rule}");
    }
    assert_ne!(replaced[0]["loads"], replaced[1]["loads"]);
    assert_ne!(replaced[0]["loads"], replaced[2]["loads"]);
    let random = "-S 64 --ways 4 --replacement random --seed";
    assert_eq!(loads(&format!("{random} 1")), replaced[2]["loads"]);
    assert_ne!(loads(&format!("{random} 2")), replaced[2]["loads"]);
    // One way per set loses what full choice keeps; a cache larger than everything is never full.
    assert!(loads("-S 64 --ways 1") > loads("-S 64 --ways 64"));
    assert_eq!(loads("-S 100TiB"), 2 * 144);

    let machine = json(folder.path(), "machine");
    let caches = machine["caches"].as_array().expect("a list");
    let data = |level: u64| {
        let holds = |cache: &&Value| cache["level"] == level && cache["kind"] != "instruction";
        caches.iter().find(holds)
    };
    let levels = (1..).map_while(data);
    let own = results("");
    for (at, cache) in levels.enumerate() {
        let (bytes, line) = (cache["bytes"].as_u64(), cache["line_bytes"].as_u64());
        assert_eq!(own[at]["S"].as_u64(), bytes.map(|bytes| bytes / 8));
        assert_eq!(own[at]["ways"], cache["ways"]);
        assert_eq!(own[at]["line_words"].as_u64(), line.map(|bytes| bytes / 8));
    }
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let folder = folder();
    for line in [
        "simulate axpy -D N=9 -S 8 --ways 2",
        "simulate axpy -D N=9 -S 8 --replacement fifo",
        "simulate axpy -D N=9 -S 8 --policy set --seed 1",
        "simulate axpy -D N=9 -S 8 --policy set --ways 3",
        "simulate axpy -D N=9 -S 8 --policy set --replacement random --seed x",
        "pebble product.json -S 5 -D m=2",
        "pebble product.json -S 5 --outputs C",
    ] {
        let run = run(folder.path(), line);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{line}");
        assert!(
            run.stderr.starts_with("error[RB0"),
            "{line}: {}",
            run.stderr
        );
    }
}

/// Progress is asked for or seen on a terminal only, and never on standard output.
#[test]
fn progress_goes_to_standard_error() {
    let folder = folder();
    let line =
        "simulate product.c -D m=400,n=400,l=400 -S 16..4096:log2 --policy opt --time-limit 1s";
    let silent = run(folder.path(), line);
    let shown = run(folder.path(), &format!("{line} --progress"));
    assert!(!silent.stderr.contains("M accesses"), "{}", silent.stderr);
    assert!(shown.stderr.starts_with("opt: "), "{}", shown.stderr);
    assert!(shown.stderr.contains("M accesses") && !shown.stderr.contains('\x1b'));
    assert!(shown.stdout.is_empty(), "{}", shown.stdout);
}

/// Parts add up to the whole, in every policy, with and without lines.
#[test]
fn arrays_references_and_causes_add_up() {
    let folder = folder();
    let line = "simulate product.c -D m=6,n=7,l=8 -S 16 -S 16,64 --policy opt --policy lru --policy set \
                --ways 4";
    for line in [line.to_string(), format!("{line} --line 2")] {
        let document = json(folder.path(), &line);
        assert_eq!(document["schema"], "redblue.simulate");
        assert_eq!(document["model"]["slide"], true);
        let results = document["results"].as_array().expect("results");
        assert_eq!(results.len(), 9, "{line}");
        for result in results {
            let number = |value: &Value, count: &str| value[count].as_u64().expect("a number");
            for count in ["accesses", "loads", "stores", "total"] {
                for parts in ["arrays", "references"] {
                    let parts = result[parts].as_array().expect("a list").iter();
                    let sum: u64 = parts.map(|part| number(part, count)).sum();
                    assert_eq!(sum, number(result, count), "{line} {count}");
                }
            }
            let causes = ["compulsory", "capacity", "conflict"].map(|cause| number(result, cause));
            assert_eq!(causes.iter().sum::<u64>(), number(result, "loads"));
            if line.contains("--line") {
                assert_eq!(number(result, "lines") * 2, number(result, "loads"));
            }
        }
    }
}

/// The published counts of a 1024³ float gemm with 64-byte lines, in well under a second of simulation.
#[test]
fn large_kernels_are_counted_without_one_step_per_access() {
    let folder = folder();
    let code = "void gemm(int n, float A[n][n], float B[n][n], float C[n][n]) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) C[i][j] *= 1.2f;
            for (int k = 0; k < n; k++)
                for (int j = 0; j < n; j++) C[i][j] += 1.5f * A[i][k] * B[k][j];
        }
    }";
    fs::write(folder.path().join("gemm.c"), code).expect("room");
    let line =
        "simulate gemm.c -D n=1024 -S 32KiB -S 512KiB --line 16 --policy lru --time-limit 60s";
    let document = json(folder.path(), line);
    for result in document["results"].as_array().expect("results") {
        assert_eq!(result["accesses"], 4_297_064_448u64);
        assert_eq!(result["compulsory"], 16 * 196_608);
        assert_eq!(result["capacity"], 16 * 67_043_328);
    }
}
