//! Generated code against the original and against Polly, on real hardware, one thread.
//!
//! ```text
//! cargo bench -p redblue-schedule --bench code [-- KERNEL …]
//! ```
//!
//! Every kernel runs at the large sizes of its header: the original source and what `redblue tile --for speed
//! --emit c` prints with `gcc -O3 -march=native`, the original with `clang -O3 -march=native -mllvm -polly`
//! (skipped if there is none, or with `POLLY=0`). Before that, both are compared bit for bit, without fused multiplications
//! and additions: some kernels, gebd2 above all, blow up the least difference of rounding. Runs are interleaved, each in
//! a process of its own, and the median of CPU seconds counts (`RUNS`, 5 unless set). `ALL=1` is the whole catalogue, at sizes grown or shrunk
//! together until the original takes between 0.1 and 1 s. Prints a table in Markdown; raw seconds go to
//! standard error as CSV.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use redblue_program::catalogue::{Entry, Source, catalogue, find};
use redblue_program::interpret::Layout;
use redblue_program::reading::ReadOptions;
use redblue_program::{ArrayId, Program, Role, Sizes};
use redblue_schedule::{EmitOptions, Hardware, emit_c, order_for_speed};

const KERNELS: [&str; 15] = [
    "gemm",
    "2mm",
    "3mm",
    "doitgen",
    "syrk",
    "syr2k",
    "symm",
    "trmm",
    "cholesky",
    "lu",
    "correlation",
    "covariance",
    "gramschmidt",
    "floyd-warshall",
    "nussinov",
];

fn main() {
    let named: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let all = std::env::var_os("ALL").is_some();
    let entries: Vec<&Entry> = match (named.is_empty(), all) {
        (false, _) => named
            .iter()
            .map(|name| find(name).expect("a kernel"))
            .collect(),
        (true, true) => catalogue()
            .iter()
            .filter(|e| matches!(e.source, Source::C(_)))
            .collect(),
        (true, false) => KERNELS
            .iter()
            .map(|name| find(name).expect("a kernel"))
            .collect(),
    };
    let runs: usize = std::env::var("RUNS")
        .ok()
        .and_then(|r| r.parse().ok())
        .unwrap_or(5);
    println!("| kernel | original s | generated s | Polly s | generated × | Polly × |");
    println!("|---|---|---|---|---|---|");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for entry in entries {
        let row = measure(entry, runs, all);
        let ratio = |time: Option<f64>| time.map(|time| row[0].expect("the original runs") / time);
        let show = |value: Option<f64>, digits: usize| {
            value.map_or("–".to_string(), |value| format!("{value:.digits$}"))
        };
        let (a, b) = (ratio(row[1]), ratio(row[2]));
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            entry.name,
            show(row[0], 3),
            show(row[1], 3),
            show(row[2], 3),
            show(a, 2),
            show(b, 2)
        );
        ours.extend(a);
        theirs.extend(b);
    }
    let mean = |list: &[f64]| match list {
        [] => "–".to_string(),
        _ => {
            let logarithms = list.iter().map(|x| x.ln()).sum::<f64>();
            format!("{:.2}", (logarithms / list.len() as f64).exp())
        }
    };
    println!(
        "| geometric mean | | | | {} | {} |",
        mean(&ours),
        mean(&theirs)
    );
}

/// Median seconds of the original, of the generated code and with Polly.
fn measure(entry: &Entry, runs: usize, fit: bool) -> [Option<f64>; 3] {
    let Source::C(text) = entry.source else {
        return [None; 3];
    };
    let program = entry
        .read(&ReadOptions::default())
        .program
        .expect("a program");
    let folder = tempfile::tempdir().expect("temporary folder");
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("written");
        file
    };
    let original = write("original.c", text);
    let order = order_for_speed(&program, hardware(&program)).expect("an order");
    let options = EmitOptions {
        speed: true,
        ..EmitOptions::default()
    };
    let generated = emit_c(order.as_ref().unwrap_or(&program), &options).expect("C");
    let file = write("generated.c", &generated);
    let build = |compiler: &str, more: &[&str], source: &Path, sizes: &Sizes, name: &str| {
        let text = std::fs::read_to_string(source).expect("a source");
        let main = write(&format!("{name}_main.c"), &driver(&program, sizes, &text));
        build(folder.path(), compiler, more, source, &main, name)
    };
    let mut sizes = entry.sizes.clone();
    let mut first = build("gcc", &[], &original, &sizes, "original");
    for _ in 0..3 {
        let seconds = first.as_ref().map(|binary| run(binary).0);
        let Some(seconds) = seconds.filter(|s| fit && !(0.1..1.0).contains(s)) else {
            break;
        };
        // Most kernels grow with the square or the cube of their sizes.
        let factor = (0.4 / seconds.max(1e-4)).powf(1.0 / 3.0).min(2.0);
        for size in sizes.values_mut() {
            *size = ((*size as f64 * factor) as i64).max(8);
        }
        first = build("gcc", &[], &original, &sizes, "original");
    }
    let polly = ["-mllvm", "-polly"];
    let has_polly = std::env::var("POLLY").map_or(true, |word| word != "0");
    let binaries = [
        first,
        build("gcc", &[], &file, &sizes, "generated"),
        has_polly
            .then(|| build("clang", &polly, &original, &sizes, "polly"))
            .flatten(),
    ];
    let exact = ["-ffp-contract=off"];
    let sums = [(&original, "original"), (&file, "generated")].map(|(source, name)| {
        let name = format!("{name}_exact");
        build("gcc", &exact, source, &sizes, &name).map(|binary| run(&binary).1)
    });
    assert_eq!(sums[0], sums[1], "{}: sums differ", entry.name);
    let mut times: [Vec<f64>; 3] = Default::default();
    for _ in 0..runs {
        for (binary, times) in binaries.iter().zip(&mut times) {
            let Some(binary) = binary else { continue };
            times.push(run(binary).0);
        }
    }
    for (name, times) in ["original", "generated", "polly"].iter().zip(&times) {
        eprintln!("{},{name},{times:?}", entry.name);
    }
    times.map(|mut list| {
        list.sort_by(f64::total_cmp);
        list.get(list.len() / 2).copied()
    })
}

/// CPU seconds and the sum of what is left in the arrays.
fn run(binary: &Path) -> (f64, String) {
    // Local arrays of some originals do not fit the usual stack.
    let output = Command::new("sh")
        .args(["-c", "ulimit -s unlimited; exec \"$0\""])
        .arg(binary)
        .output()
        .expect("runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (time, sum) = text.trim().split_once(' ').expect("seconds and a sum");
    (time.parse().expect("seconds"), sum.to_string())
}

/// The second cache of this machine, as `redblue tile --for speed` uses it.
fn hardware(program: &Program) -> Hardware {
    let path = "/sys/devices/system/cpu/cpu0/cache/index2/size";
    let size = std::fs::read_to_string(path).ok();
    let size = size.and_then(|text| text.trim().strip_suffix('K')?.parse::<u64>().ok());
    let cells = program.arrays.iter().map(|array| array.element.bytes());
    let plain = Hardware::default();
    Hardware {
        cache_bytes: size.map_or(plain.cache_bytes, |size| size << 10),
        word_bytes: cells.max().unwrap_or(plain.word_bytes),
    }
}

fn build(
    folder: &Path,
    compiler: &str,
    more: &[&str],
    source: &Path,
    main: &Path,
    name: &str,
) -> Option<PathBuf> {
    let binary = folder.join(name);
    let output = Command::new(compiler)
        .args(["-O3", "-march=native"])
        .args(more)
        .args([source, main])
        .arg("-o")
        .arg(&binary)
        .arg("-lm")
        .output()
        .ok()?;
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{compiler}: {messages}");
    Some(binary)
}

/// Fills the arrays, runs the kernel once, prints its CPU seconds and a sum of everything.
fn driver(program: &Program, sizes: &Sizes, text: &str) -> String {
    let layout = Layout::of(program, sizes).expect("layout");
    // Sizes may come in another order in generated code, so every text has a driver of its own.
    let start = text.find("void kernel_").expect("a kernel function");
    let end = start + text[start..].find(')').expect(")");
    let head = text[start..=end].to_string();
    let name = head["void ".len()..head.find('(').expect("(")].to_string();
    let mut out = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n");
    let _ = writeln!(
        out,
        "{head};\nint main(void)\n{{\n    double total_ = 0;\n    struct timespec from_, to_;"
    );
    let mut arguments = Vec::new();
    let mut sums = String::new();
    let inside = &head[head.find('(').expect("(") + 1..head.len() - 1];
    for parameter in inside.split(',') {
        let name = parameter
            .trim()
            .split(['[', ' '])
            .filter(|w| !w.is_empty())
            .nth(1);
        let name = name.expect("a name").trim_start_matches('*').to_string();
        if let Some(value) = sizes.get(&name) {
            arguments.push(value.to_string());
            continue;
        }
        let id = program.array_named(&name).unwrap_or(ArrayId(0));
        let array = program.array(id);
        assert!(
            array.role != Role::Local && array.name == name,
            "{name} is an argument"
        );
        if array.extents.is_empty() {
            arguments.push("1.25".to_string());
            continue;
        }
        let cells = layout.cells(id);
        let element = array.element;
        let _ = writeln!(
            out,
            "    {element} *{name} = aligned_alloc(64, ({cells}L * sizeof({element}) + 63) / 64 * 64);"
        );
        let value = if element.to_string() == "int" {
            "(n * 7 + n / 13) % 4"
        } else {
            "0.25 + (n * 7 + n / 13) % 17 / 64.0"
        };
        let _ = writeln!(
            out,
            "    for (long n = 0; n < {cells}L; n++) {name}[n] = {value};"
        );
        if let [rows, columns] = layout.ranges(id)
            && element.to_string() != "int"
        {
            let (rows, columns) = (rows.extent, columns.extent);
            let count = rows.min(columns);
            let _ = writeln!(
                out,
                "    for (long n = 0; n < {count}L; n++) {name}[n * {columns}L + n] += {};",
                2 * rows
            );
        }
        let _ = writeln!(
            sums,
            "    for (long n = 0; n < {cells}L; n++) total_ += (double){name}[n] * (1 + n % 3);"
        );
        arguments.push(format!("(void *){name}"));
    }
    let _ = writeln!(
        out,
        "    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from_);\n    {name}({});\n    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to_);\n{sums}    printf(\"%.6f %.17g\\n\", (double)(to_.tv_sec - from_.tv_sec) + (double)(to_.tv_nsec - from_.tv_nsec) * 1e-9, total_);\n    return 0;\n}}",
        arguments.join(", ")
    );
    out
}
