//! The JSON Schemas: the committed ones are current, and real outputs obey them.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use common::{redblue_in, root};
use redblue::view::schema::DOCUMENTS;
use serde_json::Value;

/// The committed schemas are those of the types. With UPDATE_SCHEMA set, they are written instead.
#[test]
fn committed_schemas_are_current() {
    let folder = root().join("docs/schema");
    for document in DOCUMENTS {
        let file = folder.join(format!("{}.json", document.name));
        let schema = serde_json::to_string_pretty(&document.schema()).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &schema).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(
            committed, schema,
            "UPDATE_SCHEMA=1 writes docs/schema/{}.json",
            document.name
        );
    }
    let files = fs::read_dir(&folder).unwrap().count();
    assert_eq!(
        files,
        DOCUMENTS.len(),
        "docs/schema has a file that no document has"
    );
}

/// Why a value does not obey a schema. Knows the keywords that ours use, and refuses any other: a keyword that is
/// passed over would accept everything.
fn problem(schema: &Value, root: &Value, value: &Value, path: &str) -> Option<String> {
    let Value::Object(keywords) = schema else {
        return (*schema == Value::Bool(false)).then(|| format!("{path}: nothing is allowed"));
    };
    let all = |list: &Value| list.as_array().cloned().unwrap_or_default();
    for (keyword, expected) in keywords {
        let found = match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "format" => None,
            "$ref" => {
                let name = expected.as_str().unwrap().trim_start_matches("#/$defs/");
                problem(&root["$defs"][name], root, value, path)
            }
            "const" => (value != expected).then(|| format!("{path}: not {expected}")),
            "enum" => (!all(expected).contains(value))
                .then(|| format!("{path}: {value} is not one of {expected}")),
            "type" => {
                let is = |name: &Value| match name.as_str().unwrap() {
                    "null" => value.is_null(),
                    "boolean" => value.is_boolean(),
                    "string" => value.is_string(),
                    "array" => value.is_array(),
                    "object" => value.is_object(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    other => panic!("type {other}"),
                };
                let any = if expected.is_array() {
                    all(expected).iter().any(is)
                } else {
                    is(expected)
                };
                (!any).then(|| format!("{path}: {value} is no {expected}"))
            }
            "minimum" => {
                let low = value
                    .as_f64()
                    .is_some_and(|value| value < expected.as_f64().unwrap());
                low.then(|| format!("{path}: {value} is below {expected}"))
            }
            "maximum" => {
                let high = value
                    .as_f64()
                    .is_some_and(|value| value > expected.as_f64().unwrap());
                high.then(|| format!("{path}: {value} is above {expected}"))
            }
            "required" => all(expected)
                .iter()
                .filter(|name| value.is_object() && value.get(name.as_str().unwrap()).is_none())
                .map(|name| format!("{path}: {name} is missing"))
                .next(),
            "properties" => expected
                .as_object()
                .unwrap()
                .iter()
                .find_map(|(name, schema)| {
                    problem(schema, root, value.get(name)?, &format!("{path}.{name}"))
                }),
            "additionalProperties" => {
                let known = |name: &String| {
                    keywords
                        .get("properties")
                        .is_some_and(|known| known.get(name).is_some())
                };
                let others = value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .filter(|(name, _)| !known(name));
                others.into_iter().find_map(|(name, value)| {
                    problem(expected, root, value, &format!("{path}.{name}"))
                })
            }
            "items" => {
                let mut items = value.as_array().into_iter().flatten().enumerate();
                items.find_map(|(at, item)| problem(expected, root, item, &format!("{path}[{at}]")))
            }
            "prefixItems" => {
                let items = value.as_array().cloned().unwrap_or_default();
                let pairs = all(expected)
                    .into_iter()
                    .zip(items)
                    .enumerate()
                    .collect::<Vec<_>>();
                pairs.iter().find_map(|(at, (schema, item))| {
                    problem(schema, root, item, &format!("{path}[{at}]"))
                })
            }
            "minItems" => {
                let few = value
                    .as_array()
                    .is_some_and(|list| (list.len() as u64) < expected.as_u64().unwrap());
                few.then(|| format!("{path}: too few"))
            }
            "maxItems" => {
                let many = value
                    .as_array()
                    .is_some_and(|list| list.len() as u64 > expected.as_u64().unwrap());
                many.then(|| format!("{path}: too many"))
            }
            "anyOf" | "oneOf" => {
                let problems: Vec<String> = all(expected)
                    .iter()
                    .map_while(|schema| problem(schema, root, value, path))
                    .collect();
                (problems.len() == all(expected).len()).then(|| problems.join(" and "))
            }
            "allOf" => all(expected)
                .iter()
                .find_map(|schema| problem(schema, root, value, path)),
            other => Some(format!("the test does not know the keyword {other}")),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn schema(name: &str) -> Value {
    DOCUMENTS
        .iter()
        .find(|document| document.name == name)
        .unwrap()
        .schema()
}

#[test]
fn real_outputs_obey_their_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["-D", "NI=6,NJ=5,NK=4"];
    let certificate = redblue_in(
        folder.path(),
        &["bound", "gemm", "--certificate", "c.json"],
        b"",
    );
    assert_eq!(certificate.code, Some(0));
    let report = [
        &[
            "bound", "gemm", "-S", "16", "--format", "json", "-o", "b.json",
        ],
        &small[..],
    ];
    assert_eq!(
        redblue_in(folder.path(), &report.concat(), b"").code,
        Some(0)
    );
    let outputs: Vec<(&str, Vec<&str>)> = vec![
        ("bound", [&["gemm", "-S", "16"], &small[..]].concat()),
        (
            "bound",
            vec![
                "ik,kj->ij",
                "-D",
                "i=64,j=64,k=64",
                "--ranks",
                "4",
                "-S",
                "16",
            ],
        ),
        ("check", vec!["c.json"]),
        ("deps", vec!["lu"]),
        ("diff", vec!["b.json", "b.json"]),
        ("gap", [&["gemm", "-S", "16"], &small[..]].concat()),
        ("gap", vec!["axpy", "-D", "N=10..30:10", "-S", "8"]),
        ("ir", vec!["cholesky", "-D", "N=4..8:2"]),
        ("kernels", vec![]),
        ("machine", vec![]),
        ("methods", vec![]),
        (
            "pebble",
            vec!["gemm", "-D", "NI=2,NJ=2,NK=2", "-S", "6", "--slide"],
        ),
        (
            "plan",
            vec!["matmul", "-m", "64", "-n", "64", "-k", "64", "-p", "7"],
        ),
        (
            "simulate",
            [
                &[
                    "gemm", "-S", "16,32", "--policy", "set", "--line", "2", "--ways", "2",
                ],
                &small[..],
            ]
            .concat(),
        ),
        ("tile", [&["gemm", "-S", "16"], &small[..]].concat()),
    ];
    for document in DOCUMENTS.iter().filter(|document| document.name != "tile") {
        assert!(
            outputs.iter().any(|(name, _)| *name == document.name),
            "{} has no output here",
            document.name
        );
    }
    for (name, arguments) in outputs {
        let run = redblue_in(
            folder.path(),
            &[&[name], &arguments[..], &["--format", "json"]].concat(),
            b"",
        );
        let value: Value = serde_json::from_str(&run.stdout)
            .unwrap_or_else(|error| panic!("{name}: {error} {}", run.stderr));
        let schema = schema(name);
        assert_eq!(problem(&schema, &schema, &value, name), None);
        // The test itself can fail: without any one of its fields that are required, the document is refused.
        for required in schema["required"].as_array().unwrap() {
            let mut broken = value.clone();
            broken
                .as_object_mut()
                .unwrap()
                .remove(required.as_str().unwrap());
            assert!(
                problem(&schema, &schema, &broken, name).is_some(),
                "{name} without {required}"
            );
        }
    }
}

#[test]
fn the_command_prints_them() {
    let listed = redblue_in(&root(), &["schema"], b"").stdout;
    assert_eq!(listed.lines().count(), DOCUMENTS.len());
    let printed: Value =
        serde_json::from_str(&redblue_in(&root(), &["schema", "gap"], b"").stdout).unwrap();
    assert_eq!(printed, schema("gap"));
    let mut wrong = printed.clone();
    wrong["made-up"] = Value::Bool(true);
    assert!(
        problem(&wrong, &wrong, &Value::Null, "").is_some(),
        "unknown keywords are refused"
    );
}
