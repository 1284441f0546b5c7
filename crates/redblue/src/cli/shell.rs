//! `completions` and `man`: files for the shell, from the same table as the parser.

use std::io;

use clap_complete::Shell;
use clap_mangen::Man;
use redblue::Refusal;
use redblue::codes::{BAD_VALUE, UNWRITABLE};

use super::answer::Answer;
use super::request::Request;
use super::table;

/// Shells with completions.
pub(super) const SHELLS: &[&str] = &["bash", "zsh", "fish", "elvish", "powershell"];

/// `redblue completions SHELL`.
pub(super) fn completions(request: &Request<'_>) -> Result<Answer, Refusal> {
    let name = request.argument().unwrap_or_default();
    let shell: Shell = name
        .parse()
        .map_err(|_| Refusal::new(&BAD_VALUE, format!("there are no completions for `{name}`")))?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut table::clap_command(), "redblue", &mut script);
    Ok(Answer::plain(String::from_utf8_lossy(&script)))
}

/// `redblue man`: one page, the commands after the program itself.
pub(super) fn man(_: &Request<'_>) -> Result<Answer, Refusal> {
    let page = page(&table::clap_command());
    page.map(Answer::plain)
        .map_err(|error| Refusal::new(&UNWRITABLE, format!("cannot make the page: {error}")))
}

fn page(root: &clap::Command) -> io::Result<String> {
    let mut page = Vec::new();
    let man = Man::new(root.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    page.push_str(
        ".SH SYNOPSIS\n\\fBredblue\\fR \\fICOMMAND\\fR [\\fIINPUT\\fR] [\\fIOPTIONS\\fR]\n",
    );
    page.push_str(&format!(
        ".SH DESCRIPTION\n{}",
        body(|out| man.render_description_section(out))?
    ));
    for command in root.get_subcommands() {
        let man = Man::new(command.clone());
        let name = command.get_name();
        page.push_str(&format!(".SH \"REDBLUE {}\"\n", name.to_uppercase()));
        page.push_str(&body(|out| man.render_description_section(out))?);
        page.push_str(&format!(
            ".SS Options\n{}",
            body(|out| man.render_options_section(out))?
        ));
        let examples = body(|out| man.render_extra_section(out))?;
        page.push_str(&format!(
            ".SS Examples\n.nf\n{}.fi\n",
            examples.replace("Examples:\n", "")
        ));
    }
    Ok(page)
}

/// One section of the generator's without its preamble and heading, since here it is part of a larger page.
fn body(render: impl Fn(&mut dyn io::Write) -> io::Result<()>) -> io::Result<String> {
    let mut section = Vec::new();
    render(&mut section)?;
    let section = String::from_utf8_lossy(&section).into_owned();
    let kept = section.lines().filter(|line| {
        ![".ie ", ".el ", ".SH "]
            .iter()
            .any(|start| line.starts_with(start))
    });
    Ok(kept.map(|line| format!("{line}\n")).collect())
}
