//! The one table of commands and flags.
//!
//! Adding a flag is one `Flag` here and its name in the commands that have it; adding a command is one
//! `Command` and the function that answers it.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ValueHint};

use super::answer::Answer;
use super::request::{Format, Request};
use super::{explain, kernels, machine, program, shell};
use redblue::Refusal;

/// A flag that commands can have.
pub(super) struct Flag {
    /// Its long name, also its id.
    pub(super) long: &'static str,
    short: Option<char>,
    /// The name of its value; `None` for a switch.
    value: Option<&'static str>,
    /// Whether it can be given several times.
    repeated: bool,
    /// All possible values, if they are few.
    choices: &'static [&'static str],
    hint: ValueHint,
    /// One line, for `-h`.
    help: &'static str,
    /// More, for `--help` and the man page.
    more: &'static str,
}

/// A command.
pub(super) struct Command {
    pub(super) name: &'static str,
    about: &'static str,
    more: &'static str,
    /// The positional argument: name, help, whether it is needed.
    argument: Option<(&'static str, &'static str, bool)>,
    /// Possible values of the positional argument, if they are few.
    choices: &'static [&'static str],
    flags: &'static [&'static Flag],
    pub(super) formats: &'static [Format],
    /// Command lines and what they do.
    examples: &'static [(&'static str, &'static str)],
    pub(super) run: fn(&Request<'_>) -> Result<Answer, Refusal>,
}

const SWITCH: Flag = Flag {
    long: "",
    short: None,
    value: None,
    repeated: false,
    choices: &[],
    hint: ValueHint::Unknown,
    help: "",
    more: "",
};

const FORMAT: Flag = Flag {
    long: "format",
    value: Some("FORMAT"),
    choices: Format::NAMES,
    help: "Format of the answer [default: text]",
    more: "Not every command has every format. With json, exactly one document is printed, with `schema` and \
           `schema_version`.",
    ..SWITCH
};

const OUTPUT: Flag = Flag {
    long: "output",
    short: Some('o'),
    value: Some("FILE"),
    hint: ValueHint::FilePath,
    help: "Write the answer to FILE instead of standard output",
    ..SWITCH
};

const COLOR: Flag = Flag {
    long: "color",
    value: Some("WHEN"),
    choices: &["auto", "always", "never"],
    help: "Colour messages on the terminal [default: auto]",
    more: "`auto` colours when standard error is a terminal and the variable NO_COLOR is not set. Answers are never \
           coloured.",
    ..SWITCH
};

const DEFINE: Flag = Flag {
    long: "define",
    short: Some('D'),
    value: Some("NAME=VALUE"),
    repeated: true,
    help: "Set sizes: -D NI=64,NJ=128 or a sweep, -D N=128..4096:log2",
    more: "A size without a value stays symbolic. A sweep LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:log2 includes both \
           ends and gives one result per value.",
    ..SWITCH
};

const INCLUDE: Flag = Flag {
    long: "include",
    short: Some('I'),
    value: Some("DIR"),
    repeated: true,
    hint: ValueHint::DirPath,
    help: "Search DIR for included files (C only)",
    ..SWITCH
};

const FUNCTION: Flag = Flag {
    long: "function",
    value: Some("NAME"),
    help: "The function to read when a file has several (C only)",
    ..SWITCH
};

const EINSUM: Flag = Flag {
    long: "einsum",
    help: "Take INPUT as an einsum even without `->`",
    more: "The implicit output of 'ik,kj' has every index that occurs once, in alphabetical order.",
    ..SWITCH
};

const ASSUME: Flag = Flag {
    long: "assume",
    value: Some("CONDITION"),
    repeated: true,
    help: "Restrict the sizes that are considered, as in --assume 'M >= N'",
    more: "Same as `#pragma redblue assume M >= N` in the source. Conditions are affine and may use && || ! and %. The \
           answer repeats them.",
    ..SWITCH
};

const OUTPUTS: Flag = Flag {
    long: "outputs",
    value: Some("A,B"),
    help: "The arrays whose final values must be stored",
    more: "Default: every array that is written and is a parameter of the function or a global. Local arrays and local \
           scalars are not outputs. An einsum has its one output.",
    ..SWITCH
};

const DTYPE: Flag = Flag {
    long: "dtype",
    value: Some("TYPE"),
    choices: &["f32", "f64", "c64", "c128"],
    help: "Element type of an einsum [default: f64]",
    ..SWITCH
};

const PARTIAL: Flag = Flag {
    long: "partial",
    help: "Go on with the statements that were understood",
    more: "Without it, a program with a statement that was not understood is refused. With it, the answer says that it \
           is incomplete.",
    ..SWITCH
};

const TIME_LIMIT: Flag = Flag {
    long: "time-limit",
    value: Some("TIME"),
    help: "End searches after TIME, as in 500ms, 10s or 2m",
    more: "A search that is cut returns its best valid answer and says why it stopped. Reading a program and its \
           dependences is exact and searches for nothing, so it is bounded by operation budgets instead.",
    ..SWITCH
};

const GROUP: Flag = Flag {
    long: "group",
    value: Some("GROUP"),
    help: "List only the kernels of one group, such as blas or stencil",
    ..SWITCH
};

const INPUT: Option<(&str, &str, bool)> = Some((
    "INPUT",
    "A C file, `-` for C on standard input, an einsum such as 'ik,kj->ij', or the name of a catalogue kernel",
    true,
));

const READING: &[&Flag] = &[
    &DEFINE,
    &INCLUDE,
    &FUNCTION,
    &EINSUM,
    &DTYPE,
    &ASSUME,
    &OUTPUTS,
    &PARTIAL,
    &TIME_LIMIT,
    &FORMAT,
    &OUTPUT,
    &COLOR,
];
const PRINTING: &[&Flag] = &[&FORMAT, &OUTPUT, &COLOR];

/// Every command there is, in the order of `--help`.
pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "ir",
        about: "Show a program as it was understood: sizes, arrays, statements",
        more: "Each statement is shown with its iteration domain, the number of its instances as a formula in the sizes, \
               and the cells it reads and writes. With --format json, sets and maps are in isl notation.",
        argument: INPUT,
        choices: &[],
        flags: READING,
        formats: &[Format::Text, Format::Json],
        examples: &[
            ("redblue ir gemm", "a kernel of the catalogue"),
            (
                "redblue ir my.c -I include --function solve",
                "one function of your own file",
            ),
            (
                "redblue ir 'ik,kj->ij' -D i=64,j=64,k=64",
                "an einsum with sizes",
            ),
            (
                "redblue ir cholesky -D N=128..4096:log2",
                "how many instances, for growing sizes",
            ),
        ],
        run: program::ir,
    },
    Command {
        name: "deps",
        about: "Show who computes the values each operand reads",
        more: "Dependences are value-based and exact: for every operand, the instance that wrote the value last, or the \
               input cell it comes from. Reductions are named, and so are the values that must be stored at the end.",
        argument: INPUT,
        choices: &[],
        flags: READING,
        formats: &[Format::Text, Format::Json],
        examples: &[
            ("redblue deps jacobi-1d", "a stencil over time"),
            (
                "redblue deps lu --format json",
                "the same for programs: relations in isl notation",
            ),
        ],
        run: program::deps,
    },
    Command {
        name: "kernels",
        about: "List the catalogue of kernels",
        more: "Every name can be given as INPUT. `redblue explain NAME` shows the source and its reference.",
        argument: None,
        choices: &[],
        flags: &[&GROUP, &FORMAT, &OUTPUT, &COLOR],
        formats: &[Format::Text, Format::Json],
        examples: &[("redblue kernels --group stencil", "only the stencils")],
        run: kernels::list,
    },
    Command {
        name: "explain",
        about: "Explain a diagnostic code, a kernel or a concept",
        more: "Without an argument, lists everything that can be explained.",
        argument: Some((
            "TOPIC",
            "A code such as RB0203, a kernel, or a concept such as dependence",
            false,
        )),
        choices: &[],
        flags: PRINTING,
        formats: &[Format::Text, Format::Json],
        examples: &[
            (
                "redblue explain RB0203",
                "what a diagnostic means and what to do",
            ),
            ("redblue explain gemm", "a kernel's source and reference"),
        ],
        run: explain::explain,
    },
    Command {
        name: "machine",
        about: "Show this machine's processors, caches and memory",
        more: "Names are those of hwloc. Everything comes from Linux's /sys and /proc; what they do not tell is named as \
               unknown.",
        argument: None,
        choices: &[],
        flags: PRINTING,
        formats: &[Format::Text, Format::Json],
        examples: &[("redblue machine --format json", "for scripts")],
        run: machine::describe,
    },
    Command {
        name: "completions",
        about: "Print a completion script for a shell",
        more: "Put the script where your shell looks for completions.",
        argument: Some(("SHELL", "The shell", true)),
        choices: shell::SHELLS,
        flags: &[&OUTPUT, &COLOR],
        formats: &[Format::Text],
        examples: &[(
            "redblue completions bash -o redblue.bash",
            "for bash: source the file, or put it where bash looks",
        )],
        run: shell::completions,
    },
    Command {
        name: "man",
        about: "Print the manual page",
        more: "One page for the program and all its commands.",
        argument: None,
        choices: &[],
        flags: &[&OUTPUT, &COLOR],
        formats: &[Format::Text],
        examples: &[("redblue man | man -l -", "read it now")],
        run: shell::man,
    },
];

const ABOUT: &str = "Data movement: what no schedule can avoid, and what a program does";

const LONG_ABOUT: &str = "Reads a kernel exactly (C loops, an einsum, or a name of the catalogue), with symbolic sizes, and tells \
which instance computes which value for whom: the base on which lower bounds and schedules rest.";

const INPUTS: &str = "INPUT is a C file, `-` for C on standard input, an einsum such as 'ik,kj->ij', or the name of a \
catalogue kernel.";

const EXAMPLES: &[(&str, &str)] = &[
    ("redblue kernels", "what is in the catalogue"),
    ("redblue ir gemm", "how a kernel was understood"),
    ("redblue deps gemm", "who computes its values"),
    ("redblue ir my.c", "your own C loops"),
    ("redblue ir 'ik,kj->ij'", "an einsum"),
];

/// The table as a clap command.
pub(super) fn clap_command() -> clap::Command {
    let mut root = clap::Command::new("redblue")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .after_help(format!("{INPUTS}\n\n{}", examples(EXAMPLES)))
        .override_usage("redblue <COMMAND> [INPUT] [OPTIONS]")
        .subcommand_required(false)
        .allow_external_subcommands(true)
        .max_term_width(100);
    for command in COMMANDS {
        root = root.subcommand(command.clap());
    }
    root
}

impl Command {
    fn clap(&self) -> clap::Command {
        let mut command = clap::Command::new(self.name)
            .about(self.about)
            .long_about(format!("{}\n\n{}", self.about, self.more))
            .after_help(examples(self.examples));
        if let Some((name, help, required)) = self.argument {
            let mut argument = Arg::new("argument")
                .value_name(name)
                .help(help)
                .required(required);
            argument = match self.choices {
                [] => argument
                    .value_hint(ValueHint::FilePath)
                    .allow_hyphen_values(false),
                choices => argument.value_parser(PossibleValuesParser::new(choices)),
            };
            command = command.arg(argument);
        }
        command.args(self.flags.iter().map(|flag| flag.clap()))
    }
}

impl Flag {
    fn clap(&self) -> Arg {
        let mut arg = Arg::new(self.long)
            .long(self.long)
            .help(self.help)
            .value_hint(self.hint);
        if !self.more.is_empty() {
            arg = arg.long_help(format!("{}\n\n{}", self.help, self.more));
        }
        if let Some(short) = self.short {
            arg = arg.short(short);
        }
        let Some(value) = self.value else {
            return arg.action(ArgAction::SetTrue);
        };
        arg = arg.value_name(value);
        arg = arg.action(if self.repeated {
            ArgAction::Append
        } else {
            ArgAction::Set
        });
        match self.choices {
            [] => arg,
            choices => arg.value_parser(PossibleValuesParser::new(choices)),
        }
    }
}

/// The block of examples at the end of a help text.
fn examples(examples: &[(&str, &str)]) -> String {
    let width = examples
        .iter()
        .map(|(line, _)| line.len())
        .max()
        .unwrap_or(0);
    let lines: Vec<String> = examples
        .iter()
        .map(|(line, what)| format!("  {line:<width$}  {what}"))
        .collect();
    format!("Examples:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_a_valid_command() {
        clap_command().debug_assert();
    }

    #[test]
    fn help_lines_are_complete() {
        for flag in COMMANDS.iter().flat_map(|command| command.flags) {
            assert!(
                !flag.help.is_empty() && !flag.help.ends_with('.'),
                "{}",
                flag.long
            );
            assert!(
                flag.more.is_empty() || flag.more.ends_with('.'),
                "{}",
                flag.long
            );
        }
    }

    #[test]
    fn examples_parse() {
        for (line, _) in COMMANDS
            .iter()
            .flat_map(|command| command.examples)
            .chain(EXAMPLES)
        {
            let words = line
                .split(" | ")
                .next()
                .unwrap()
                .split(' ')
                .map(|word| word.replace('\'', ""));
            assert!(clap_command().try_get_matches_from(words).is_ok(), "{line}");
        }
    }
}
