//! The methods that find lower bounds.

use redblue_bound::analysis::{METHODS, Method};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;

/// The answer of `redblue methods`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MethodsDocument {
    schema: &'static str,
    schema_version: u32,
    methods: Vec<Entry>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    text: String,
}

impl MethodsDocument {
    /// The methods with their documentation.
    pub fn new(
        methods: impl Iterator<Item = (&'static Method, Option<String>)>,
    ) -> MethodsDocument {
        let entry = |(method, text): (&Method, Option<String>)| Entry {
            name: method.name,
            summary: method.summary,
            text: text.unwrap_or_default(),
        };
        MethodsDocument {
            schema: "redblue.methods",
            schema_version: SCHEMA_VERSION,
            methods: methods.map(entry).collect(),
        }
    }
}

/// What a method does, in one sentence.
pub(super) fn summary(name: &str) -> String {
    let method = METHODS.iter().find(|method| method.name == name);
    method.map_or(String::new(), |method| method.summary.to_owned())
}

/// For people.
pub fn text(document: &MethodsDocument) -> String {
    let width = document
        .methods
        .iter()
        .map(|method| method.name.len())
        .max()
        .unwrap_or(0);
    let line = |method: &Entry| format!("{:<width$}  {}\n", method.name, method.summary);
    let lines: String = document.methods.iter().map(line).collect();
    format!("{lines}\n`redblue explain NAME` tells what a method assumes and proves\n")
}
