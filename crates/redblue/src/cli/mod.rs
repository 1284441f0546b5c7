//! The command line, as data.
//!
//! ```text
//! arguments ──► clap, from table.rs ──► Request ──► command ──► Answer ──► stdout or -o FILE
//!                     └── usage.rs ──► Refusal ◄───────┘ ──► stderr, exit code 2
//! ```
//!
//! [`table`] is the one list of commands and flags: parsing, `--help`, completions and the man page come
//! from it. A command is a function from a [`Request`] to an [`Answer`] and prints nothing itself. Answers go
//! to stdout; everything meant for people besides goes to stderr.

mod answer;
mod bench;
mod bound;
mod diff;
mod explain;
mod gap;
mod kernels;
mod machine;
mod paint;
mod pebble;
mod plan;
mod program;
mod progress;
mod request;
mod schema;
mod shell;
mod simulate;
mod table;
mod tile;
mod tile_code;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use answer::Answer;
use paint::Paint;
use redblue::Refusal;
use request::Request;

/// The run worked, and the answer is "no".
const NO: u8 = 1;

/// Bad input or usage.
const BAD_INPUT: u8 = 2;

/// Runs the command that the arguments ask for.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let paint = Paint::from_arguments(&arguments);
    match answer(arguments) {
        Ok((answer, target)) => match answer.deliver(target.as_deref(), paint) {
            Ok(()) if answer.is_no() => ExitCode::from(NO),
            Ok(()) => ExitCode::SUCCESS,
            Err(refusal) => refuse(&refusal, paint),
        },
        Err(refusal) => refuse(&refusal, paint),
    }
}

/// The answer and the file it goes to, if not stdout.
fn answer(arguments: Vec<OsString>) -> Result<(Answer, Option<String>), Refusal> {
    let matches = match table::clap_command().try_get_matches_from(&arguments) {
        Ok(matches) => matches,
        Err(error) => return usage::help_or_refusal(error).map(|help| (help, None)),
    };
    let Some((name, matches)) = matches.subcommand() else {
        return Ok((
            Answer::plain(table::clap_command().render_help().to_string()),
            None,
        ));
    };
    let Some(command) = table::COMMANDS.iter().find(|command| command.name == name) else {
        // A bare input means the flagship command.
        if usage::is_input(name) {
            let mut arguments = arguments;
            arguments.insert(1, "gap".into());
            return answer(arguments);
        }
        return Err(usage::no_command(name));
    };
    let request = Request::new(command, matches)?;
    Ok((
        (command.run)(&request)?,
        request.text("output").map(String::from),
    ))
}

fn refuse(refusal: &Refusal, paint: Paint) -> ExitCode {
    paint.to_stderr(&refusal.to_string());
    ExitCode::from(BAD_INPUT)
}
