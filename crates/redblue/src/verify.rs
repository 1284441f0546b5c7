//! Whether two orders of a program compute the same, by compiling and running both.
//!
//! ```text
//! original, reordered, sizes ──verify_c──► one C file ──cc──► run ──► Verdict
//! ```
//!
//! A test, not a proof: legality is proved before. It finds defects of the code generator and of compilers.

use redblue_program::{Program, Sizes};
use redblue_schedule::emit::{Agreement, EmitError, verify_c};

use crate::Refusal;
use crate::codes::NO_CODE;
use crate::compile::compiled;

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All cells agree.
    Same,
    /// Some differ; the first ones, or how the run ended.
    Different(String),
}

/// Larger sizes are replaced by this one: code does not depend on them, and the run stays short.
const LARGEST: i64 = 96;

/// Compiles and runs both orders at these sizes, or smaller ones; `speed` says that the second is written for speed.
///
/// # Errors
/// When there is no C compiler, or the programs cannot be written in C.
pub fn verify(
    original: &Program,
    reordered: &Program,
    sizes: &Sizes,
    agreement: Agreement,
    speed: bool,
) -> Result<Verdict, Refusal> {
    let sizes = smaller(original, sizes);
    let text = verify_c(original, reordered, &sizes, agreement, speed);
    let text = text.map_err(|error| match error {
        EmitError::Unsupported(_) => Refusal::new(&NO_CODE, error.to_string()),
        error => Refusal::gave_up("cannot verify", &error),
    })?;
    let output = compiled(&text, &["-O2", "-ffp-contract=off"])?;
    if output.status.success() {
        return Ok(Verdict::Same);
    }
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.code() != Some(1) {
        said = format!("{said}{}\n", output.status);
    }
    Ok(Verdict::Different(said))
}

/// The sizes with no value above the largest, if the program's assumptions allow that.
fn smaller(program: &Program, sizes: &Sizes) -> Sizes {
    let cut = |value: i64| value.min(LARGEST);
    let missing = program
        .params
        .iter()
        .map(|p| (p.name.clone(), p.default.unwrap_or(LARGEST)));
    let mut all: Sizes = missing.collect();
    all.extend(sizes.iter().map(|(name, value)| (name.clone(), *value)));
    let small: Sizes = all
        .iter()
        .map(|(name, value)| (name.clone(), cut(*value)))
        .collect();
    if program.size_values(&small).is_ok() {
        small
    } else {
        all
    }
}
