//! What changed between two reports: bounds, traffic and ratios at the same sizes.
//!
//! A report is a document of `bound`, `tile` or `gap`. Worse is a lower bound that is smaller, traffic that is larger,
//! or a ratio that is larger; what only one of the two has is named and no judgement.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_report::table::{Align, Table};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::SCHEMA_VERSION;

/// The answer of `redblue diff`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DiffDocument {
    schema: &'static str,
    schema_version: u32,
    /// Whether anything got worse.
    worse: bool,
    changes: Vec<Change>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Change {
    /// The sizes, as in `N=10 S=64`.
    at: String,
    /// `bound`, `traffic` or `ratio`.
    what: &'static str,
    old: Option<String>,
    new: Option<String>,
    worse: bool,
}

/// Numbers of a report by sizes and name, as exact integers; ratios in thousandths.
type Numbers = BTreeMap<(String, &'static str), BigInt>;

impl DiffDocument {
    /// Compares two reports; `Err` tells which of them is none.
    ///
    /// # Errors
    /// The position, 0 or 1, of a document that is not a report.
    pub fn of(old: &Value, new: &Value) -> Result<DiffDocument, usize> {
        let old = numbers(old).ok_or(0usize)?;
        let new = numbers(new).ok_or(1usize)?;
        let mut keys: Vec<&(String, &'static str)> = old.keys().chain(new.keys()).collect();
        keys.sort();
        keys.dedup();
        let mut changes = Vec::new();
        for key in keys {
            let (before, after) = (old.get(key), new.get(key));
            if before == after {
                continue;
            }
            let worse = match (before, after) {
                (Some(before), Some(after)) if key.1 == "bound" => after < before,
                (Some(before), Some(after)) => after > before,
                _ => false,
            };
            let shown = |value: Option<&BigInt>| value.map(|value| spelled(key.1, value));
            changes.push(Change {
                at: key.0.clone(),
                what: key.1,
                old: shown(before),
                new: shown(after),
                worse,
            });
        }
        Ok(DiffDocument {
            schema: "redblue.diff",
            schema_version: SCHEMA_VERSION,
            worse: changes.iter().any(|change| change.worse),
            changes,
        })
    }

    /// Whether anything got worse.
    pub fn is_worse(&self) -> bool {
        self.worse
    }
}

fn spelled(what: &str, value: &BigInt) -> String {
    match what {
        "ratio" => format!("{}.{:0>3}", value / 1000, value % 1000),
        _ => value.to_string(),
    }
}

/// The numbers of a report; `None` if it is none.
fn numbers(report: &Value) -> Option<Numbers> {
    let mut found = Numbers::new();
    match report["schema"].as_str()? {
        "redblue.bound" => {
            for result in report["results"].as_array().into_iter().flatten() {
                add(&mut found, &at(&result["sizes"]), "bound", &result["value"]);
            }
            add(&mut found, "", "bound", &report["full"]["exact"]);
        }
        "redblue.tile" => {
            let at = format!("{} S={}", at(&report["sizes"]), report["S"]);
            add(&mut found, &at, "bound", &report["lower_bound"]["exact"]);
            add(&mut found, &at, "traffic", &report["traffic"]["total"]);
            add(&mut found, &at, "ratio", &report["ratio"]);
        }
        "redblue.gap" => {
            for result in report["results"].as_array().into_iter().flatten() {
                let at = at(&result["sizes"]);
                add(&mut found, &at, "bound", &result["lower"]);
                add(&mut found, &at, "traffic", &result["upper"]["total"]);
                add(&mut found, &at, "ratio", &result["ratio"]);
            }
        }
        _ => return None,
    }
    Some(found)
}

fn at(sizes: &Value) -> String {
    let sizes = sizes.as_object().into_iter().flatten();
    let sizes: Vec<String> = sizes.map(|(name, size)| format!("{name}={size}")).collect();
    sizes.join(" ")
}

/// Adds a number, if there is one: an integer, also as text, or a ratio.
fn add(found: &mut Numbers, at: &str, what: &'static str, value: &Value) {
    let number = match (what, value) {
        ("ratio", Value::Number(ratio)) => {
            let thousandths = ratio.as_f64().map(|ratio| (ratio * 1000.0).round() as i64);
            thousandths.map(BigInt::from)
        }
        (_, Value::String(text)) => text.parse().ok(),
        (_, Value::Number(number)) => number.to_string().parse().ok(),
        _ => None,
    };
    if let Some(number) = number {
        found.insert((at.to_owned(), what), number);
    }
}

/// For people.
pub fn text(document: &DiffDocument) -> String {
    if document.changes.is_empty() {
        return "nothing changed\n".into();
    }
    let mut table = Table::new(&[
        ("at", Align::Left),
        ("what", Align::Left),
        ("old", Align::Right),
        ("new", Align::Right),
        ("", Align::Left),
    ]);
    for change in &document.changes {
        let cell = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".into());
        let verdict = match (change.worse, &change.old, &change.new) {
            (true, ..) => "worse",
            (false, Some(_), Some(_)) => "better",
            _ => "",
        };
        table.rows.push(vec![
            change.at.clone(),
            change.what.into(),
            cell(&change.old),
            cell(&change.new),
            verdict.into(),
        ]);
    }
    table.text("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn gap(lower: &str, total: &str, ratio: f64) -> Value {
        json!({ "schema": "redblue.gap", "results": [
            { "sizes": { "N": 10, "S": 64 }, "lower": lower, "upper": { "total": total }, "ratio": ratio }
        ] })
    }

    fn check(old: &Value, new: &Value, expected: Option<bool>) {
        let found = DiffDocument::of(old, new).ok();
        assert_eq!(
            found.map(|document| document.is_worse()),
            expected,
            "{old} {new}"
        );
    }

    #[test]
    fn worse_is_a_smaller_bound_or_more_words() {
        let old = gap("100", "150", 1.5);
        check(&old, &old, Some(false));
        check(&old, &gap("110", "150", 1.364), Some(false));
        check(&old, &gap("90", "150", 1.667), Some(true));
        check(&old, &gap("100", "151", 1.51), Some(true));
        check(&old, &json!({ "schema": "redblue.ir" }), None);
        let bound = |value: &str| json!({ "schema": "redblue.bound", "full": { "exact": value }, "results": [] });
        check(&bound("7"), &bound("6"), Some(true));
        check(&bound("7"), &bound("8"), Some(false));
    }

    #[test]
    fn text_names_what_changed() {
        let document = DiffDocument::of(&gap("100", "150", 1.5), &gap("100", "140", 1.4)).unwrap();
        let text = text(&document);
        assert!(
            text.contains("N=10 S=64  traffic    150    140  better"),
            "{text}"
        );
        assert!(!text.contains("bound"), "{text}");
    }
}
