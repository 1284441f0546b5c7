//! Which function of a file is meant.

use super::ast::{Function, Unit};
use super::codes;
use crate::diagnostic::Diagnostic;
use crate::suggest;

/// The function named by the user, or the only one that can be meant.
pub(crate) fn select<'u>(unit: &'u Unit, wanted: Option<&str>) -> Result<&'u Function, Diagnostic> {
    let names = || unit.functions.iter().map(|function| function.name.as_str());
    if let Some(wanted) = wanted {
        return unit
            .functions
            .iter()
            .find(|f| f.name == wanted)
            .ok_or_else(|| {
                Diagnostic::error(&codes::NO_FUNCTION, format!("no function `{wanted}`"))
                    .note(format!("the file defines {}", list(names())))
                    .hint("choose one of them with --function")
                    .hint_if(suggest::did_you_mean(wanted, names()))
            });
    }
    // The first rule under which some function qualifies decides.
    let rules: [fn(&Function) -> bool; 4] = [
        |function| function.has_scop,
        |function| function.has_loop && function.name != "main",
        |function| function.name != "main",
        |_| true,
    ];
    for rule in rules {
        let found: Vec<&Function> = unit.functions.iter().filter(|f| rule(f)).collect();
        match found.as_slice() {
            [] => {}
            [only] => return Ok(only),
            [.., last] => {
                let candidates = list(found.iter().map(|function| function.name.as_str()));
                let message = "several functions could be meant";
                return Err(Diagnostic::error(&codes::SEVERAL_FUNCTIONS, message)
                    .at(last.span)
                    .note(format!("candidates are {candidates}"))
                    .hint(format!("choose one, for example --function {}", last.name)));
            }
        }
    }
    Err(
        Diagnostic::error(&codes::NO_FUNCTION, "the input defines no function")
            .hint("put the loops into a function whose parameters are the arrays and sizes"),
    )
}

fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "no function".into(),
        _ => quoted.join(", "),
    }
}
