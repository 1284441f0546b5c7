//! `schema`: the JSON Schema of a document.

use redblue::Refusal;
use redblue::codes::BAD_VALUE;
use redblue::program::suggest;
use redblue::view::schema::DOCUMENTS;

use super::answer::Answer;
use super::request::Request;

/// `redblue schema [NAME]`.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    let names = || DOCUMENTS.iter().map(|document| document.name);
    let Some(name) = request.argument() else {
        return Ok(Answer::plain(names().collect::<Vec<_>>().join("\n")));
    };
    match DOCUMENTS.iter().find(|document| document.name == name) {
        Some(document) => Answer::json(&document.schema()),
        None => {
            let hint = suggest::did_you_mean(name, names())
                .unwrap_or_else(|| "`redblue schema` lists them".to_owned());
            Err(Refusal::new(&BAD_VALUE, format!("there is no document `{name}`")).hint(hint))
        }
    }
}
