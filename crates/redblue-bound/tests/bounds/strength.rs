//! Leading terms against the published ones: loads, no recomputation, sums in the program's own order.
//!
//! Where more than the published value is proved, the row asks for what is proved, so that it is not lost again.
//!
//! A row passes when the best checked bound is at least the published term at sizes so large that only leading terms
//! are left, with 1 ≪ S ≪ every size.

use std::path::{Path, PathBuf};

use crate::common::{LOADS, bounds, kernel};
use crate::published::POLYBENCH;
use redblue_math::{Assignment, Expr};
use redblue_program::Program;
use redblue_program::c::{self, CInput};
use redblue_program::reading::ReadOptions;

/// The best bound at huge sizes, in thousandths of the published term, rounded up.
fn compare(program: &Program, published: &str) -> (i64, String) {
    let analysis = bounds(program, LOADS);
    let mut sizes = Assignment::new().with("S", 1i64 << 16);
    for param in &program.params {
        sizes.set(param.name.as_str(), 1i64 << 40);
    }
    let published: Expr = published.parse().expect("a formula");
    let goal = published.eval_floor(&sizes).expect("a value");
    let best = analysis
        .bounds
        .iter()
        .map(|bound| (bound.loads().eval_floor(&sizes).unwrap_or_default(), bound))
        .max_by(|one, other| one.0.cmp(&other.0));
    let (value, bound) = best.expect("a bound");
    let ratio = (value * 1000 + &goal - 1) / &goal;
    (
        i64::try_from(ratio).unwrap_or(i64::MAX),
        format!("{}: {}", bound.method(), bound.loads()),
    )
}

/// Compares all rows, with programs from somewhere.
fn check(program: impl Fn(&str) -> Program) {
    let only = std::env::var("REDBLUE_KERNEL").ok();
    let mut weak = Vec::new();
    for row in POLYBENCH {
        let name = row.kernel;
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let start = std::time::Instant::now();
        let (ratio, bound) = compare(&program(name), row.proved);
        let time = start.elapsed();
        println!("{name:16} {:>9.3} {time:?}  {bound}", ratio as f64 / 1000.0);
        if ratio < 1000 {
            weak.push(format!("{name} {ratio}/1000"));
        }
    }
    assert!(weak.is_empty(), "{weak:?}");
}

#[test]
fn leading_terms_are_at_least_the_published_ones() {
    check(kernel);
}

/// The same from unmodified PolyBench/C 4.2.1 sources, if `REDBLUE_POLYBENCH` names a copy.
#[test]
fn leading_terms_from_the_suite_itself() {
    let Some(root) = std::env::var_os("REDBLUE_POLYBENCH").map(PathBuf::from) else {
        eprintln!("skipped: REDBLUE_POLYBENCH is not set");
        return;
    };
    check(|name| {
        let path =
            find(&root, &format!("{name}.c")).unwrap_or_else(|| panic!("no source of {name}"));
        let text = std::fs::read_to_string(&path).expect("readable");
        let options = ReadOptions {
            include_dirs: vec![root.join("utilities").to_string_lossy().into_owned()],
            ..ReadOptions::default()
        };
        let input = CInput {
            name: &path.to_string_lossy(),
            text: &text,
        };
        let reading = c::read(&input, &options, &|path| std::fs::read_to_string(path).ok());
        reading.program.expect("a program")
    });
}

/// The file with this name somewhere below a folder.
fn find(folder: &Path, file: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    let here = entries
        .iter()
        .find(|path| path.ends_with(file) && path.is_file());
    here.cloned().or_else(|| {
        let mut folders = entries.iter().filter(|path| path.is_dir());
        folders.find_map(|folder| find(folder, file))
    })
}
