//! `machine`: the computer this runs on.

use redblue::codes::NO_MACHINE;
use redblue::view::machine::{self, MachineDocument};
use redblue::{Refusal, host};

use super::answer::Answer;
use super::request::{Format, Request};

/// `redblue machine`.
pub(super) fn describe(request: &Request<'_>) -> Result<Answer, Refusal> {
    let machine = host::machine().map_err(|error| Refusal::new(&NO_MACHINE, error.to_string()))?;
    match request.format {
        Format::Json => Answer::json(&MachineDocument::of(&machine)),
        _ => Ok(Answer::plain(machine::text(&machine))),
    }
}
