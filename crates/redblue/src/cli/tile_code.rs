//! `tile --emit` and `--verify`: the order as code, and whether it computes the same.

use redblue::codes::{BAD_OPTION, MISSING_ARGUMENT, NO_CODE};
use redblue::program::{Program, Sizes};
use redblue::schedule::emit::Agreement;
use redblue::schedule::{EmitError, EmitOptions, Hardware, emit_c, emit_rust, order_for_speed};
use redblue::verify::{Verdict, verify};
use redblue::{Refusal, host};

use super::answer::Answer;
use super::program::load;
use super::request::Request;

/// The code that was asked for, if any.
pub(super) fn code(
    request: &Request<'_>,
    program: &Program,
    comment: impl FnOnce() -> Vec<String>,
) -> Result<Option<String>, Refusal> {
    let Some(language) = request.text("emit") else {
        return Ok(None);
    };
    let options = EmitOptions {
        function: None,
        comment: comment(),
        openmp: request.has("openmp"),
        speed: request.text("for") == Some("speed"),
    };
    let text = match language {
        "rust" => emit_rust(program, &options),
        _ => emit_c(program, &options),
    };
    text.map(Some).map_err(refusal)
}

/// The answer after `--verify`, if that was asked for.
pub(super) fn verified(
    request: &Request<'_>,
    original: &Program,
    new: &Program,
    sizes: &Sizes,
    answer: Answer,
    talk: String,
) -> Result<Answer, Refusal> {
    if !request.has("verify") {
        return Ok(answer.with_talk(talk));
    }
    let agreement = match request.has("reassociate") {
        true => Agreement::Close,
        false => Agreement::Exact,
    };
    let speed = request.text("for") == Some("speed");
    let (said, no) = match verify(original, new, sizes, agreement, speed)? {
        Verdict::Same => (
            "note: the new order computes the same as the original\n".to_owned(),
            false,
        ),
        Verdict::Different(where_) => (
            format!("error: the new order computes something else\n{where_}"),
            true,
        ),
    };
    Ok(answer.meaning_no(no).with_talk(format!("{talk}{said}")))
}

/// `redblue tile INPUT --for speed`.
pub(super) fn for_speed(request: &Request<'_>) -> Result<Answer, Refusal> {
    if request.text("emit").is_none() && !request.has("verify") {
        return Err(Refusal::new(
            &MISSING_ARGUMENT,
            "`--for speed` needs `--emit` or `--verify`",
        )
        .hint("orders for speed have no proven traffic to show; add --emit c"));
    }
    if request.has("reassociate") {
        return Err(
            Refusal::new(&BAD_OPTION, "`--for speed` keeps the order of sums")
                .hint("leave out --reassociate, or ask for few words with -S"),
        );
    }
    let loaded = load(request)?;
    let sizes = loaded.sizes.fixed();
    let program = loaded.at(&sizes)?;
    let order = order_for_speed(&program, hardware(&program));
    let order = order.map_err(|error| Refusal::gave_up("no order for speed", &error))?;
    let comment = match &order {
        Some(_) => {
            "An order for speed: unit stride inside, tiles for registers and the second cache."
        }
        None => "The program's own order: no other is expected to be faster.",
    };
    let new = order.as_ref().unwrap_or(&program);
    let code = code(request, new, || vec![comment.to_owned()])?;
    let answer = Answer::plain(code.unwrap_or_else(|| comment.to_owned()));
    verified(
        request,
        &program,
        new,
        &sizes,
        answer,
        loaded.reading.render(),
    )
}

/// What this machine offers to the largest cells of a program.
pub(super) fn hardware(program: &Program) -> Hardware {
    let mut hardware = Hardware::default();
    let cells = program.arrays.iter().map(|array| array.element.bytes());
    hardware.word_bytes = cells.max().unwrap_or(hardware.word_bytes);
    let cache = host::machine()
        .ok()
        .and_then(|machine| second_cache(&machine));
    hardware.cache_bytes = cache.unwrap_or(hardware.cache_bytes);
    hardware
}

fn second_cache(machine: &redblue::sim::machine::Machine) -> Option<u64> {
    let mut caches = machine.caches.iter();
    caches
        .find(|cache| cache.level == 2)
        .map(|cache| cache.bytes)
}

fn refusal(error: EmitError) -> Refusal {
    match error {
        EmitError::Unsupported(_) => {
            Refusal::new(&NO_CODE, error.to_string()).hint("declare all extents but the first")
        }
        error => Refusal::gave_up("no code", &error),
    }
}
