//! The catalogue.

use std::collections::BTreeMap;

use redblue_program::catalogue::{Entry, Group, Source};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::table::columns;

/// The catalogue as a document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Kernels {
    schema: &'static str,
    schema_version: u32,
    kernels: Vec<Kernel>,
}

/// One kernel.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Kernel {
    name: &'static str,
    group: &'static str,
    summary: &'static str,
    reference: &'static str,
    language: &'static str,
    sizes: BTreeMap<String, i64>,
}

impl Kernels {
    /// The document of these entries.
    pub fn of(entries: &[&Entry]) -> Kernels {
        let kernels = entries.iter().map(|entry| Kernel::of(entry)).collect();
        Kernels {
            schema: "redblue.kernels",
            schema_version: SCHEMA_VERSION,
            kernels,
        }
    }
}

impl Kernel {
    fn of(entry: &Entry) -> Kernel {
        Kernel {
            name: entry.name,
            group: entry.group.name(),
            summary: entry.summary,
            reference: entry.reference,
            language: match entry.source {
                Source::C(_) => "c",
                Source::Einsum(_) => "einsum",
            },
            sizes: entry.sizes.clone(),
        }
    }
}

/// The catalogue by group.
pub fn text(entries: &[&Entry]) -> String {
    let mut rows: Vec<(Group, Vec<String>)> = Vec::new();
    for entry in entries {
        rows.push((
            entry.group,
            vec![entry.name.to_string(), entry.summary.to_string()],
        ));
    }
    let width = entries
        .iter()
        .map(|entry| entry.name.len())
        .max()
        .unwrap_or(0);
    let mut out = String::new();
    for group in Group::ALL {
        let mut lines: Vec<Vec<String>> = rows
            .iter()
            .filter(|(other, _)| *other == group)
            .map(|(_, row)| row.clone())
            .collect();
        if let Some(first) = lines.first_mut() {
            // One width for all groups, so that the summaries form one column.
            first[0] = format!("{:<width$}", first[0]);
            out.push_str(&format!("{group}\n{}\n", columns("  ", &lines, &[])));
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// One kernel with its source.
pub fn explanation(entry: &Entry) -> String {
    let sizes: Vec<String> = entry
        .sizes
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let (language, source) = match entry.source {
        Source::C(text) => ("C", text.trim()),
        Source::Einsum(text) => ("einsum", text),
    };
    let code: Vec<&str> = source
        .lines()
        .filter(|line| !line.starts_with("// redblue:"))
        .collect();
    let code: Vec<String> = code
        .join("\n")
        .trim()
        .lines()
        .map(|line| format!("    {line}"))
        .collect();
    format!(
        "{}: {}\n\nGroup:      {}\nReference:  {}\nTry with:   -D {}\n\nSource ({language}):\n\n{}\n",
        entry.name,
        entry.summary,
        entry.group,
        entry.reference,
        sizes.join(","),
        code.join("\n").replace("\n    \n", "\n\n"),
    )
}
