//! The C front end on files: `tests/programs/*.c` and the programs they mean, `tests/diagnostics/*.c` and
//! the messages they cause.
//!
//! A first line such as `// options: -D B=4 --assume N>=2 --function f --outputs A,B` gives options. One
//! snapshot per file; `INSTA_UPDATE=always cargo test` rewrites them.

use std::cell::Cell;
use std::fmt::Write;
use std::path::Path;

use redblue_program::c::{self, CInput};
use redblue_program::diagnostic::codes;
use redblue_program::reading::{ReadOptions, Reading};
use redblue_program::{Access, Program};

fn options(text: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    let Some(line) = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// options: "))
    else {
        return options;
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    for pair in words.chunks(2) {
        let [option, value] = pair else {
            panic!("{line}")
        };
        match *option {
            "-D" => {
                let (name, number) = value.split_once('=').expect("NAME=VALUE");
                options
                    .defines
                    .insert(name.into(), number.parse().expect("a number"));
            }
            "--assume" => options.assumptions.push(value.to_string()),
            "--function" => options.function = Some(value.to_string()),
            "--outputs" => {
                options.outputs = Some(value.split(',').map(str::to_string).collect());
            }
            _ => panic!("unknown option {option}"),
        }
    }
    options
}

fn read(path: &Path) -> Reading {
    let text = std::fs::read_to_string(path).expect("readable");
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_string();
    let dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
    c::read(
        &CInput {
            name: &name,
            text: &text,
        },
        &options(&text),
        &|include| std::fs::read_to_string(dir.join(include)).ok(),
    )
}

/// Everything a program says, without the repetition of its sizes.
fn listing(program: &Program) -> String {
    let mut out = String::new();
    let sizes: Vec<String> = program
        .params
        .iter()
        .map(|p| {
            p.default
                .map_or(p.name.clone(), |d| format!("{} = {d}", p.name))
        })
        .collect();
    let _ = writeln!(out, "{} [{}]", program.name, sizes.join(", "));
    if !program.assumptions.is_empty() {
        let _ = writeln!(
            out,
            "assume {}: {}",
            program.assumptions.join("; "),
            program.context
        );
    }
    for array in &program.arrays {
        let extents: Vec<&str> = array
            .extents
            .iter()
            .map(|e| e.as_deref().unwrap_or("?"))
            .collect();
        let output = if array.output { ", output" } else { "" };
        let (name, element, role) = (&array.name, array.element, array.role);
        let _ = writeln!(
            out,
            "{element} {name}[{}]: {role:?}{output}",
            extents.join("][")
        );
    }
    let strip = |text: String| match text.split_once(" -> { ") {
        Some((sizes, rest)) if sizes.starts_with('[') => format!("{{ {rest}"),
        _ => text,
    };
    for statement in &program.statements {
        let access = |access: &Access| strip(access.map.to_string());
        let _ = writeln!(out, "\n{}: {}", statement.name, statement.text);
        let _ = writeln!(out, "  domain {}", strip(statement.domain.to_string()));
        let _ = writeln!(out, "  order  {}", strip(statement.schedule.to_string()));
        let _ = writeln!(out, "  write  {}", access(&statement.write));
        for read in &statement.reads {
            let _ = writeln!(out, "  read   {}", access(read));
        }
        let _ = writeln!(out, "  value  {}", statement.value);
    }
    out
}

/// Checks every file of a folder and tells all failures at once.
fn for_each_file(folder: &str, check: impl Fn(&str, &Path) -> Result<(), String>) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    let entries = std::fs::read_dir(&dir).expect("the folder exists");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "c"));
    paths.sort();
    assert!(!paths.is_empty());
    let failures: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .to_string();
            check(&name, path)
                .err()
                .map(|failure| format!("{name}: {failure}"))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn programs() {
    for_each_file("programs", |name, path| {
        let reading = read(path);
        let program = reading
            .program
            .as_ref()
            .filter(|_| reading.diagnostics.is_empty());
        let program = program.ok_or_else(|| reading.render())?;
        program.validate().map_err(|error| error.to_string())?;
        insta::with_settings!({ snapshot_path => "programs/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, listing(program));
        });
        Ok(())
    });
}

#[test]
fn diagnostics() {
    let n_files = Cell::new(0);
    for_each_file("diagnostics", |name, path| {
        n_files.set(n_files.get() + 1);
        let reading = read(path);
        if !reading.has_errors() {
            return Err("nothing is reported".into());
        }
        for diagnostic in &reading.diagnostics {
            if diagnostic.hint.is_none() {
                return Err(format!("no hint: {}", diagnostic.message));
            }
            codes::find(diagnostic.code).ok_or(format!("{} is not registered", diagnostic.code))?;
        }
        if let Some(program) = &reading.program {
            if program.omitted.is_empty() {
                return Err("the program looks complete".into());
            }
            program.validate().map_err(|error| error.to_string())?;
        }
        insta::with_settings!({ snapshot_path => "diagnostics/snapshots", prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, reading.render());
        });
        Ok(())
    });
    assert!(n_files.get() >= 30);
}
