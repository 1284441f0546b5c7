//! `kernels`: the catalogue.

use redblue::Refusal;
use redblue::catalogue::{Entry, Group, catalogue};
use redblue::codes::BAD_VALUE;
use redblue::program::suggest;
use redblue::view::kernels::{self, Kernels};

use super::answer::Answer;
use super::request::{Format, Request};

/// `redblue kernels [--group GROUP]`.
pub(super) fn list(request: &Request<'_>) -> Result<Answer, Refusal> {
    let group = request.text("group").map(group).transpose()?;
    let entries: Vec<&Entry> = catalogue()
        .iter()
        .filter(|entry| group.is_none_or(|group| entry.group == group))
        .collect();
    match request.format {
        Format::Json => Answer::json(&Kernels::of(&entries)),
        _ => Ok(Answer::plain(kernels::text(&entries))),
    }
}

fn group(name: &str) -> Result<Group, Refusal> {
    Group::ALL
        .into_iter()
        .find(|group| group.name() == name)
        .ok_or_else(|| {
            let names = Group::ALL.map(Group::name);
            let hint = suggest::did_you_mean(name, names)
                .unwrap_or_else(|| format!("the groups are {}", names.join(", ")));
            Refusal::new(&BAD_VALUE, format!("there is no group `{name}`")).hint(hint)
        })
}
