//! Counts agree with barvinok, an independent implementation of another algorithm, also at sizes that
//! enumeration does not reach.
//!
//! Runs `python3` (or `$REDBLUE_BARVINOK_PYTHON`) with the package islpy-barvinok, and skips without it.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use num_bigint::BigInt;
use redblue_poly::{Context, Set};

fn sizes(params: usize) -> Vec<Vec<i64>> {
    match params {
        0 => vec![vec![]],
        1 => [0, 1, 2, 5, 13, 30, 31, 64, 99, 1000]
            .map(|n| vec![n])
            .to_vec(),
        2 => [
            (0, 1),
            (1, 0),
            (7, 3),
            (3, 8),
            (40, 41),
            (100, 64),
            (64, 1000),
        ]
        .map(|(n, m)| vec![n, m])
        .to_vec(),
        _ => [1, 5, 40]
            .map(|n| (0..params as i64).map(|k| n + k).collect())
            .to_vec(),
    }
}

/// What the other library says, or why it cannot be asked.
fn ask(input: &str) -> Result<String, String> {
    let python = std::env::var("REDBLUE_BARVINOK_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut child = Command::new(&python)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/barvinok.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{python}: {error}"))?;
    let mut stdin = child.stdin.take().unwrap();
    // A script that ends early closes the pipe; its exit status tells the story.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    if output.status.success() {
        Ok(String::from_utf8(output.stdout).unwrap())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
fn counts_agree_with_barvinok() {
    let context = Context::new().unwrap();
    let lines = include_str!("domains.txt").lines();
    let domains: Vec<&str> = lines
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .collect();
    let mut input = String::new();
    let mut expected = Vec::new();
    for text in &domains {
        let set = Set::parse(&context, text).unwrap();
        let count = set.count().unwrap();
        let names = set.param_names();
        let mut values = Vec::new();
        input.push_str(text);
        for size in sizes(names.len()) {
            let pairs: Vec<String> = names
                .iter()
                .zip(&size)
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            input.push_str(&format!("\t{}", pairs.join(",")));
            let exact = size.iter().copied().map(BigInt::from);
            let at: BTreeMap<String, BigInt> = names.iter().cloned().zip(exact).collect();
            values.push(count.evaluate(&at).unwrap().to_string());
        }
        input.push('\n');
        expected.push(values.join(" "));
    }
    let answer = match ask(&input) {
        Ok(answer) => answer,
        Err(reason) => {
            println!("skipped, barvinok is not available: {reason}");
            return;
        }
    };
    let answer: Vec<&str> = answer.lines().collect();
    assert_eq!(answer.len(), domains.len());
    for ((text, ours), theirs) in domains.iter().zip(&expected).zip(answer) {
        assert_eq!(ours, theirs, "{text}");
    }
}
