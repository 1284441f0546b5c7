//! Compiling and running many generated functions at once.
//!
//! One driver fills every array by the same formula as the interpreter's memory, calls the function and prints
//! the arrays as bit patterns.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use redblue_program::interpret::{Layout, Memory, Value};
use redblue_program::{Array, ArrayId, ElementType, Program, Role, Sizes};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Rust,
}

/// A generated function and the sizes it runs at.
pub(crate) struct Case<'a> {
    pub(crate) name: String,
    pub(crate) code: String,
    pub(crate) program: &'a Program,
    pub(crate) sizes: &'a [Sizes],
}

/// Cells by case, sizes and array.
pub(crate) type Results = BTreeMap<(usize, usize), BTreeMap<String, Vec<u64>>>;

/// Whether there is a compiler.
pub(crate) fn exists(language: Language) -> bool {
    let name = match language {
        Language::C => "cc",
        Language::Rust => "rustc",
    };
    let output = Command::new(name).arg("--version").output();
    output.is_ok_and(|output| output.status.success())
}

fn is_local(array: &Array) -> bool {
    array.role == Role::Local && !array.output
}

fn is_integer(array: &Array) -> bool {
    array.element == ElementType::I32
}

/// The number in a cell: reals near one with a heavy diagonal, integers from 0 to 3.
fn number(array: &Array, seed: i64, offset: i64, cell: &[i64]) -> f64 {
    if is_integer(array) {
        return ((seed + 7 * offset) % 4) as f64;
    }
    let heavy = cell.len() == 2 && cell[0] == cell[1];
    0.25 + ((seed + 5 * offset) % 13) as f64 / 16.0 + if heavy { 16.0 } else { 0.0 }
}

/// Memory before the run; local cells hold `local`, which no sensible program notices.
pub(crate) fn filled(program: &Program, sizes: &Sizes, local: f64) -> Memory {
    let mut memory = Memory::zeroed(program, sizes).expect("memory");
    let layout = memory.layout().clone();
    let fill = |name: &str, cell: &[i64]| {
        let id = program.array_named(name).expect(name);
        let array = program.array(id);
        if is_local(array) {
            return local;
        }
        let offset = layout.offset(id, cell).expect("inside") as i64;
        number(array, id.0 as i64, offset, cell)
    };
    memory.fill(program, fill).expect("filled");
    memory
}

/// Bits of all arrays of the caller.
pub(crate) fn visible(program: &Program, memory: &Memory) -> Vec<(String, Vec<u64>)> {
    let arrays = program
        .arrays
        .iter()
        .enumerate()
        .filter(|(_, array)| shows(array));
    arrays
        .map(|(position, array)| {
            let cells = memory.array(ArrayId(position)).iter();
            let bits = cells.map(|value| match value {
                Value::Integer(value) => *value as u64,
                other => other.to_f64().to_bits(),
            });
            (array.name.clone(), bits.collect())
        })
        .collect()
}

/// Arrays whose cells are compared: a number passed by value shows nothing.
fn shows(array: &Array) -> bool {
    !is_local(array) && !array.extents.is_empty()
}

/// Compiles without a single warning, runs, and collects.
pub(crate) fn run(language: Language, cases: &[Case<'_>]) -> Results {
    let folder = tempfile::tempdir().expect("temporary folder");
    let binary = folder.path().join("kernels");
    let mut command = match language {
        Language::C => {
            let mut command = Command::new("cc");
            command.args([
                "-std=c99",
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-ffp-contract=off",
            ]);
            command
        }
        Language::Rust => {
            let mut command = Command::new("rustc");
            command.args(["--edition=2021", "-Dwarnings", "-Copt-level=1"]);
            command
        }
    };
    // Macros of one kernel must not meet those of another: a file for each, but few runs of the compiler.
    match language {
        Language::C => {
            for case in cases {
                let file = folder.path().join(format!("{}.c", case.name));
                std::fs::write(&file, &case.code).expect("written");
                command.arg(&file);
            }
            let main = folder.path().join("main.c");
            std::fs::write(&main, c_driver(cases)).expect("written");
            command.arg(&main).arg("-o").arg(&binary).arg("-lm");
        }
        Language::Rust => {
            let main = folder.path().join("main.rs");
            std::fs::write(&main, rust_driver(cases)).expect("written");
            command.arg(&main).arg("-o").arg(&binary);
        }
    }
    let output = command.output().expect("compiler runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    collect(&execute(&binary))
}

fn execute(binary: &Path) -> String {
    let output = Command::new(binary).output().expect("kernels run");
    assert!(
        output.status.success(),
        "kernels failed: {:?}",
        output.status
    );
    String::from_utf8(output.stdout).expect("text")
}

fn collect(text: &str) -> Results {
    let mut results = Results::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let mut next = || words.next().expect("a word");
        let at = (
            next().parse().expect("case"),
            next().parse().expect("sizes"),
        );
        let array = next().to_string();
        let bits = words.map(|word| u64::from_str_radix(word, 16).expect("bits"));
        results.entry(at).or_default().insert(array, bits.collect());
    }
    results
}

/// The cells of an array before the run, as literals.
fn literals(program: &Program, id: ArrayId, layout: &Layout) -> Vec<String> {
    let array = program.array(id);
    let cells = 0..layout.cells(id);
    let cell = |offset: usize| {
        let subscripts = layout.subscripts(redblue_program::interpret::Cell { array: id, offset });
        let value = number(array, id.0 as i64, offset as i64, &subscripts);
        if is_integer(array) {
            format!("{value}")
        } else {
            format!("{value:?}")
        }
    };
    cells.map(cell).collect()
}

fn c_driver(cases: &[Case<'_>]) -> String {
    let mut out = String::from(
        "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\
         void show_double(const double *cells, long n) {\n    for (long i = 0; i < n; i++) {\n        \
         uint64_t bits;\n        memcpy(&bits, &cells[i], 8);\n        printf(\" %llx\", (unsigned long long)bits);\n    }\n    puts(\"\");\n}\n\
         void show_int(const int *cells, long n) {\n    for (long i = 0; i < n; i++)\n        \
         printf(\" %llx\", (unsigned long long)(int64_t)cells[i]);\n    puts(\"\");\n}\n",
    );
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        let head = case
            .code
            .find(&format!("void {}(", case.name))
            .expect("a function");
        let end = head + case.code[head..].find("\n{").expect("a body");
        // Folding macros of tile sizes do not occur in a head.
        let _ = writeln!(out, "{};", &case.code[head..end]);
        for (at, sizes) in case.sizes.iter().enumerate() {
            let layout = Layout::of(case.program, sizes).expect("layout");
            let values = case.program.size_values(sizes).expect("sizes");
            let mut arguments: Vec<String> = values.iter().map(ToString::to_string).collect();
            let _ = writeln!(out, "static void run_{number}_{at}(void) {{");
            let mut show = String::new();
            for (position, array) in case.program.arrays.iter().enumerate() {
                if is_local(array) {
                    continue;
                }
                let cells = literals(case.program, ArrayId(position), &layout);
                let (name, element) = (&array.name, array.element);
                if array.extents.is_empty() {
                    arguments.push(cells[0].clone());
                    continue;
                }
                let _ = writeln!(
                    out,
                    "    static {element} {name}[] = {{{}}};",
                    cells.join(", ")
                );
                arguments.push(format!("(void *){name}"));
                let _ = writeln!(
                    show,
                    "    printf(\"{number} {at} {name}\");\n    show_{element}({name}, {});",
                    cells.len()
                );
            }
            let _ = writeln!(
                out,
                "    {}({});\n{show}}}",
                case.name,
                arguments.join(", ")
            );
            let _ = writeln!(calls, "    run_{number}_{at}();");
        }
    }
    format!("{out}\nint main(void) {{\n{calls}    return 0;\n}}\n")
}

fn rust_driver(cases: &[Case<'_>]) -> String {
    let mut out = String::new();
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        out += &case.code;
        for (at, sizes) in case.sizes.iter().enumerate() {
            let layout = Layout::of(case.program, sizes).expect("layout");
            let values = case.program.size_values(sizes).expect("sizes");
            let mut arguments: Vec<String> = values.iter().map(ToString::to_string).collect();
            calls += "    {\n";
            let mut show = String::new();
            for (position, array) in case.program.arrays.iter().enumerate() {
                if is_local(array) {
                    continue;
                }
                let cells = literals(case.program, ArrayId(position), &layout);
                let name = format!("a{position}");
                if array.extents.is_empty() {
                    arguments.push(cells[0].clone());
                    continue;
                }
                let written = case
                    .program
                    .statements
                    .iter()
                    .any(|s| s.write.array.0 == position);
                let (word, element) = (
                    if written { "mut " } else { "" },
                    if is_integer(array) { "i32" } else { "f64" },
                );
                let _ = writeln!(
                    calls,
                    "        let {word}{name}: Vec<{element}> = vec![{}];",
                    cells.join(", ")
                );
                arguments.push(format!("&{word}{name}"));
                let bits = if is_integer(array) {
                    "*x as i64 as u64"
                } else {
                    "x.to_bits()"
                };
                let _ = writeln!(
                    show,
                    "        print!(\"{number} {at} {}\");\n        for x in &{name} {{ print!(\" {{:x}}\", {bits}); }}\n        println!();",
                    array.name
                );
            }
            let _ = writeln!(
                calls,
                "        {}({});\n{show}    }}",
                case.name,
                arguments.join(", ")
            );
        }
    }
    format!("{out}\nfn main() {{\n{calls}}}\n")
}

/// Compiles one C program, runs it, and returns its exit code.
pub(crate) fn exit_code(text: &str) -> Option<i32> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (source, binary) = (folder.path().join("main.c"), folder.path().join("main"));
    std::fs::write(&source, text).expect("written");
    let output = Command::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"])
        .arg(&source)
        .arg("-o")
        .arg(&binary)
        .arg("-lm")
        .output()
        .expect("cc runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Command::new(&binary).status().expect("runs").code()
}
