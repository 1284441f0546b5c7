//! The verdict of the checker.

use redblue_cert::{Certificate, LowerBound, Refusal};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;

/// The answer of `redblue check`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckDocument {
    schema: &'static str,
    schema_version: u32,
    holds: bool,
    claims: usize,
    reason: Option<String>,
    code: Option<&'static str>,
    bounds: Vec<Checked>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Checked {
    method: String,
    claimed: String,
}

impl CheckDocument {
    /// The verdict on a certificate.
    pub fn of(
        certificate: &Certificate,
        verdict: &Result<Vec<LowerBound>, Refusal>,
    ) -> CheckDocument {
        let bounds = certificate.claims.iter().map(|claim| Checked {
            method: claim.method.clone(),
            claimed: claim.formula.clone(),
        });
        CheckDocument {
            schema: "redblue.check",
            schema_version: SCHEMA_VERSION,
            holds: verdict.is_ok(),
            claims: certificate.claims.len(),
            reason: verdict.as_ref().err().map(Refusal::to_string),
            code: verdict.as_ref().err().map(Refusal::code),
            bounds: if verdict.is_ok() {
                bounds.collect()
            } else {
                Vec::new()
            },
        }
    }
}

/// For people.
pub fn text(document: &CheckDocument) -> String {
    match (&document.reason, document.code) {
        (Some(reason), Some(code)) => format!("does not hold [{code}]: {reason}\n"),
        _ => {
            let mut out = format!("holds: {} claims\n", document.claims);
            for bound in &document.bounds {
                out.push_str(&format!("  {:<12} {}\n", bound.method, bound.claimed));
            }
            out
        }
    }
}
