//! All C kernels of the catalogue, compiled and run: what their arrays hold before and after.
//!
//! One driver calls every kernel at each of its small sizes and prints every array twice, as bit
//! patterns, so nothing is lost on the way and the data need not be computed a second time in Rust.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use redblue_program::Sizes;
use redblue_program::catalogue::Entry;

use crate::signature::{Parameter, signature};

/// Cells of every array, by name.
pub(crate) type Cells = BTreeMap<String, Contents>;

/// The cells of an array, first subscript slowest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Contents {
    /// Of an array of `int`.
    Integers(Vec<i64>),
    /// Of an array of `double`.
    Reals(Vec<f64>),
}

/// One run of a kernel.
#[derive(Default)]
pub(crate) struct Run {
    /// The arrays as they were given to the kernel.
    pub(crate) before: Cells,
    /// The arrays as it left them.
    pub(crate) after: Cells,
}

/// Whether there is a C compiler to compare with.
pub(crate) fn compiler_exists() -> bool {
    Command::new("cc")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Runs of all kernels, in the order of `kernels` and of their small sizes.
pub(crate) fn runs(kernels: &[(&Entry, &str)]) -> Vec<Vec<Run>> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut files = Vec::new();
    for (entry, text) in kernels {
        let file = folder.path().join(format!("{}.c", entry.name));
        std::fs::write(&file, text).expect("kernel written");
        files.push(file);
    }
    let main = folder.path().join("main.c");
    std::fs::write(&main, driver(kernels)).expect("driver written");
    files.push(main);

    let program = folder.path().join("kernels");
    let output = Command::new("cc")
        // No fused multiply-add: the interpreter rounds every operation.
        .args([
            "-std=c99",
            "-O0",
            "-ffp-contract=off",
            "-Wno-unknown-pragmas",
            "-o",
        ])
        .arg(&program)
        .args(&files)
        .arg("-lm")
        .output()
        .expect("cc runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    collect(kernels, &execute(&program))
}

fn execute(program: &Path) -> String {
    let output = Command::new(program).output().expect("kernels run");
    assert!(
        output.status.success(),
        "kernels failed: {:?}",
        output.status
    );
    String::from_utf8(output.stdout).expect("text")
}

/// The lines `kernel case before|after array int|double bits…` as runs.
fn collect(kernels: &[(&Entry, &str)], output: &str) -> Vec<Vec<Run>> {
    let mut runs: Vec<Vec<Run>> = kernels
        .iter()
        .map(|(entry, _)| entry.small.iter().map(|_| Run::default()).collect())
        .collect();
    for line in output.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [kernel, case, moment, array, element, ref bits @ ..] = words[..] else {
            panic!("unexpected line {line}");
        };
        let number = |word: &str| word.parse::<usize>().expect("number");
        let bits = bits
            .iter()
            .map(|word| u64::from_str_radix(word, 16).expect("bits"));
        let contents = match element {
            "int" => Contents::Integers(bits.map(|bits| bits as i64).collect()),
            _ => Contents::Reals(bits.map(f64::from_bits).collect()),
        };
        let run = &mut runs[number(kernel)][number(case)];
        let cells = if moment == "before" {
            &mut run.before
        } else {
            &mut run.after
        };
        cells.insert(array.to_string(), contents);
    }
    runs
}

/// Filling and printing. Data is such that every kernel stays finite: reals between 1/4 and 3/4 with a heavy
/// diagonal (factorisations), scalars above one that are not one, integers from 0 to 3 (bases, letters,
/// lengths of edges).
const PRELUDE: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *reals(long position, long count, long rows, long columns) {
    double *cells = malloc((size_t)(count > 0 ? count : 1) * sizeof(double));
    for (long n = 0; n < count; n++) {
        cells[n] = 0.25 + (double)((7 * n + n / 5 + 5 * position) % 13) / 26.0;
        if (rows > 0 && n / columns == n % columns)
            cells[n] += (double)(rows + columns);
    }
    return cells;
}

static int *integers(long position, long count) {
    int *cells = malloc((size_t)(count > 0 ? count : 1) * sizeof(int));
    for (long n = 0; n < count; n++)
        cells[n] = (int)((n * n + n / 3 + position) % 4);
    return cells;
}

static void show_reals(const char *head, const double *cells, long count) {
    fputs(head, stdout);
    for (long n = 0; n < count; n++) {
        uint64_t bits;
        memcpy(&bits, &cells[n], sizeof bits);
        printf(" %llx", (unsigned long long)bits);
    }
    putchar('\n');
}

static void show_integers(const char *head, const int *cells, long count) {
    fputs(head, stdout);
    for (long n = 0; n < count; n++)
        printf(" %llx", (unsigned long long)(int64_t)cells[n]);
    putchar('\n');
}
"#;

fn driver(kernels: &[(&Entry, &str)]) -> String {
    let mut out = PRELUDE.to_string();
    let mut calls = String::new();
    for (kernel, (entry, text)) in kernels.iter().enumerate() {
        let signature = signature(text);
        let _ = writeln!(out, "\n{};", signature.head);
        for (number, sizes) in entry.small.iter().enumerate() {
            let case = format!("{kernel} {number}");
            let _ = writeln!(out, "static void run_{kernel}_{number}(void) {{");
            out += &body(&signature.name, &signature.parameters, sizes, &case);
            out += "}\n";
            let _ = writeln!(calls, "    run_{kernel}_{number}();");
        }
    }
    format!("{out}\nint main(void) {{\n{calls}    return 0;\n}}\n")
}

/// Declares sizes and data, shows the data, calls the kernel and shows the data again.
fn body(kernel: &str, parameters: &[Parameter], sizes: &Sizes, case: &str) -> String {
    let mut out = String::new();
    for size in parameters.iter().filter(|parameter| parameter.is_size()) {
        let _ = writeln!(out, "    int {} = {};", size.name, sizes[&size.name]);
    }
    for (position, data) in parameters.iter().enumerate().filter(|(_, p)| p.is_data()) {
        let Parameter {
            name,
            element,
            extents,
        } = data;
        let _ = match (element.as_str(), extents.as_slice()) {
            ("double", []) => writeln!(out, "    double {name}[1] = {{1.5 + {position} / 8.0}};"),
            ("double", [rows, columns]) => writeln!(
                out,
                "    double *{name} = reals({position}, {}, {rows}, {columns});",
                count(extents)
            ),
            ("double", _) => writeln!(
                out,
                "    double *{name} = reals({position}, {}, 0, 0);",
                count(extents)
            ),
            _ => writeln!(
                out,
                "    int *{name} = integers({position}, {});",
                count(extents)
            ),
        };
    }
    let show = |out: &mut String, moment: &str| {
        for data in parameters.iter().filter(|parameter| parameter.is_data()) {
            let function = if data.element == "int" {
                "show_integers"
            } else {
                "show_reals"
            };
            let head = format!("{case} {moment} {} {}", data.name, data.element);
            let count = count(&data.extents);
            let _ = writeln!(out, "    {function}(\"{head}\", {}, {count});", data.name);
        }
    };
    show(&mut out, "before");
    let arguments: Vec<String> = parameters
        .iter()
        .map(
            |parameter| match parameter.is_size() || !parameter.extents.is_empty() {
                // Through void *, which becomes a pointer to rows of any length.
                true if parameter.is_data() => format!("(void *){}", parameter.name),
                true => parameter.name.clone(),
                false => format!("*{}", parameter.name),
            },
        )
        .collect();
    let _ = writeln!(out, "    {kernel}({});", arguments.join(", "));
    show(&mut out, "after");
    out
}

/// The number of cells, as a C expression.
fn count(extents: &[String]) -> String {
    let factors: Vec<String> = extents
        .iter()
        .map(|extent| format!(" * ({extent})"))
        .collect();
    format!("1L{}", factors.concat())
}
