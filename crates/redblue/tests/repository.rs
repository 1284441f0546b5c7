//! The repository keeps its own promises: tables, registries and README are true.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{redblue_in, root};
use redblue::catalogue::catalogue;
use redblue::codes;

/// Files of the repository that people write, as (path from the root, text).
fn files() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    collect(&root(), &mut paths);
    let root = root();
    let text = |path: &PathBuf| {
        let name = path
            .strip_prefix(&root)
            .expect("below the root")
            .to_string_lossy()
            .into_owned();
        Some((name, fs::read_to_string(path).ok()?))
    };
    paths.iter().filter_map(text).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if ![".git", "target", "snapshots", "corpus", "artifacts"].contains(&name.as_str()) {
                collect(&path, found);
            }
        } else if name != "Cargo.lock" {
            found.push(path);
        }
    }
}

/// What each crate of the workspace depends on within it, as cargo sees it.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let text = |value: &serde_json::Value| value.as_str().expect("text").to_string();
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"]
                .as_array()
                .expect("dependencies")
                .iter();
            let ours = dependencies
                .filter(|dependency| dependency["kind"].is_null())
                .map(|dependency| text(&dependency["name"]))
                .filter(|name| name.starts_with("redblue"));
            (text(&package["name"]), ours.collect())
        })
        .collect()
}

#[test]
fn the_table_of_crates_is_true() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let names = |cell: &str| -> BTreeSet<String> {
        cell.split('`')
            .skip(1)
            .step_by(2)
            .map(String::from)
            .collect()
    };
    let table: BTreeMap<String, BTreeSet<String>> = map
        .lines()
        .filter(|line| line.starts_with("| `redblue"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            (names(cells[0]).pop_first().unwrap(), names(cells[2]))
        })
        .collect();
    assert_eq!(table, dependencies());
    for name in table.keys() {
        assert!(
            map.contains(&format!("\n**{name}** ")),
            "{name} has no paragraph"
        );
    }
}

#[test]
fn diagnostic_codes_are_unique_documented_and_registered() {
    let all = codes::all();
    for pair in all.windows(2) {
        assert!(
            pair[0].id < pair[1].id,
            "{} twice or not sorted",
            pair[1].id
        );
    }
    for code in &all {
        let digits = code.id.strip_prefix("RB").expect("RB");
        assert!(
            digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()),
            "{}",
            code.id
        );
        assert!(
            !code.title.is_empty() && !code.title.ends_with('.'),
            "{}",
            code.id
        );
        assert!(code.explanation.ends_with('.'), "{}", code.id);
        let shown = redblue_in(&root(), &["explain", code.id], b"");
        assert!(
            shown.code == Some(0) && shown.stdout.contains(code.title),
            "{}",
            code.id
        );
    }
    // Every code that a source defines, outside its tests, is registered.
    for (path, text) in files().iter().filter(|(path, _)| path.contains("/src/")) {
        let program = text.split("#[cfg(test)]").next().unwrap_or_default();
        for id in program
            .split("id: \"RB")
            .skip(1)
            .map(|rest| format!("RB{}", &rest[..4]))
        {
            assert!(
                codes::find(&id).is_some(),
                "{path} defines {id}, which no registry has"
            );
        }
    }
}

#[test]
fn documents_name_codes_that_exist() {
    for (path, text) in files().iter().filter(|(path, _)| path.ends_with(".md")) {
        for rest in text.split("RB").skip(1) {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            if digits.len() == 4 {
                assert!(
                    codes::find(&format!("RB{digits}")).is_some(),
                    "{path} names RB{digits}"
                );
            }
        }
    }
}

#[test]
fn every_kernel_is_listed_and_read() {
    let listed = redblue_in(&root(), &["kernels"], b"").stdout;
    let names: BTreeSet<&str> = listed
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .collect();
    assert_eq!(names, catalogue().iter().map(|entry| entry.name).collect());
    for name in names {
        for command in ["ir", "deps"] {
            let run = redblue_in(&root(), &[command, name], b"");
            assert_eq!(
                (run.stderr.as_str(), run.code),
                ("", Some(0)),
                "{command} {name}"
            );
        }
    }
}

#[test]
fn no_paths_of_a_machine() {
    // Put together here, so that this file does not contain them.
    let folders = ["work", "root", "home", "Users"].map(|name| format!("/{name}/"));
    for (path, text) in files() {
        for folder in &folders {
            let found = text.match_indices(folder.as_str()).any(|(at, _)| {
                text[at + folder.len()..].starts_with(|c: char| c.is_ascii_lowercase())
            });
            assert!(!found, "{path} contains a path below {folder}");
        }
    }
}

#[test]
fn every_module_says_what_it_is() {
    for (path, text) in files() {
        if path.ends_with(".rs") {
            assert!(text.starts_with("//!"), "{path} has no header");
        }
    }
}

/// The console blocks of the README: `$ redblue …` is executed in a folder that has the README's own C
/// examples, and the lines below it are its output. Other commands only have to exist. With the variable
/// `UPDATE_README` set, the outputs are written into the README instead.
#[test]
fn the_readme_is_true() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (mut executed, mut updated) = (0, readme.clone());
    for (language, block) in blocks(&readme) {
        if language == "c" {
            let name = block.split(['(', ' ']).nth(1).unwrap();
            fs::write(folder.path().join(format!("{name}.c")), &block).unwrap();
        }
        if language != "console" {
            continue;
        }
        for (command, expected) in dialogues(&block) {
            let words = words(&command);
            match words[0].as_str() {
                "redblue" => {
                    let run = redblue_in(folder.path(), &words[1..], b"");
                    let shown = format!("{}{}", run.stdout, run.stderr);
                    if std::env::var_os("UPDATE_README").is_some() {
                        let was = format!("$ {command}\n{expected}");
                        updated = updated.replace(&was, &format!("$ {command}\n{shown}"));
                    } else {
                        assert_eq!(expected.trim_end(), shown.trim_end(), "$ {command}");
                    }
                    executed += 1;
                }
                "make" => assert!(makefile.contains(&format!("\n{}:", words[1])), "{command}"),
                "cargo" => assert!(root().join(words.last().unwrap()).exists(), "{command}"),
                other => panic!("the README runs {other}"),
            }
        }
    }
    assert!(executed >= 3, "the README shows too little");
    if updated != readme {
        fs::write(root().join("README.md"), updated).unwrap();
    }
}

/// Fenced blocks as (language, text).
fn blocks(markdown: &str) -> Vec<(String, String)> {
    let fenced = markdown.split("```").skip(1).step_by(2);
    fenced
        .filter_map(|block| block.split_once('\n'))
        .map(|(language, text)| (language.to_string(), text.to_string()))
        .collect()
}

/// Commands of a console block with the output below each.
fn dialogues(block: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command.to_string(), String::new())),
            (None, Some((_, output))) => output.push_str(&format!("{line}\n")),
            (None, None) => panic!("output without a command: {line}"),
        }
    }
    found
}

/// The words of a command line with single quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(String::from)),
            _ => words.push(part.to_string()),
        }
    }
    words
}
