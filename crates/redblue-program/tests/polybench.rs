//! The unmodified PolyBench/C 4.2.1 sources, if the environment variable `REDBLUE_POLYBENCH` names a copy.

use std::path::{Path, PathBuf};
use std::time::Instant;

use redblue_program::c::{self, CInput};
use redblue_program::reading::{ReadOptions, Reading};

fn sources(dir: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "c") {
            into.push(path);
        }
    }
}

fn read(path: &Path, include: &[String]) -> Reading {
    let text = std::fs::read_to_string(path).expect("readable");
    let name = path.to_string_lossy();
    let options = ReadOptions {
        include_dirs: include.to_vec(),
        ..ReadOptions::default()
    };
    let input = CInput {
        name: &name,
        text: &text,
    };
    c::read(&input, &options, &|path| std::fs::read_to_string(path).ok())
}

#[test]
fn all_kernels_are_understood() {
    let Some(root) = std::env::var_os("REDBLUE_POLYBENCH").map(PathBuf::from) else {
        eprintln!("skipped: REDBLUE_POLYBENCH is not set");
        return;
    };
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.retain(|path| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let name = path.to_string_lossy();
        text.contains("#pragma scop") && !name.contains("template") && !name.contains(".orig.")
    });
    files.sort();
    assert_eq!(files.len(), 30);
    let utilities = root.join("utilities").to_string_lossy().to_string();
    for path in files {
        // With the suite's own header, and with the stand-in for it.
        for include in [vec![utilities.clone()], Vec::new()] {
            let start = Instant::now();
            let reading = read(&path, &include);
            let time = start.elapsed();
            assert_eq!(reading.render(), "", "{}", path.display());
            let program = reading.program.expect("a program");
            program.validate().expect("valid");
            let names: Vec<&str> = program.params.iter().map(|p| p.name.as_str()).collect();
            assert!(
                names
                    .iter()
                    .all(|n| n.chars().all(|c| c.is_ascii_uppercase())),
                "{names:?}"
            );
            if !include.is_empty() {
                let stem = path
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .to_string();
                println!(
                    "{stem:16} {:3} statements, sizes {names:?}, {time:?}",
                    program.statements.len()
                );
            }
        }
    }
}
