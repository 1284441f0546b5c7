//! The one table of commands and flags.
//!
//! Adding a flag is one `Flag` in `flags` and its name in the commands that have it; adding a command is one
//! `Command` and the function that answers it.

mod flags;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ValueHint};
use flags::{
    BENCHING, BOUNDING, COLOR, FORMAT, Flag, GAPPING, GROUP, OUTPUT, PEBBLING, PLANNING, PRINTING,
    READING, SIMULATING, TILING,
};

use super::answer::Answer;
use super::request::{Format, Request};
use super::{
    bench, bound, diff, explain, gap, kernels, machine, pebble, plan, program, schema, shell,
    simulate, tile,
};
use redblue::Refusal;

/// A command.
pub(super) struct Command {
    pub(super) name: &'static str,
    about: &'static str,
    more: &'static str,
    /// The positional argument: name, help, whether it is needed.
    argument: Option<(&'static str, &'static str, bool)>,
    /// A second positional argument, which may be left out: name and help.
    second: Option<(&'static str, &'static str)>,
    /// Possible values of the positional argument, if they are few.
    choices: &'static [&'static str],
    flags: &'static [&'static Flag],
    pub(super) formats: &'static [Format],
    /// Command lines and what they do.
    examples: &'static [(&'static str, &'static str)],
    pub(super) run: fn(&Request<'_>) -> Result<Answer, Refusal>,
}

const INPUT: Option<(&str, &str, bool)> = Some((
    "INPUT",
    "A C file, `-` for C on standard input, an einsum such as 'ik,kj->ij', or the name of a catalogue kernel",
    true,
));

/// Every command there is, in the order of `--help`.
pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "gap",
        about: "Show how far a program and its best known tiling are from what no schedule avoids",
        more: "Proves the lower bound, finds a tiling with its exact traffic, and simulates the original order and the tiling \
               under OPT, LRU and sets of 8 ways, all in one model. Without -S, this machine's L1 and L2 are taken, each \
               alone; a kernel of the catalogue has sizes of its own. Simulations have a budget of accesses: one that does \
               not fit is left out, and the answer says so. `redblue INPUT` without a command means this.",
        argument: INPUT,
        second: None,
        choices: &[],
        flags: GAPPING,
        formats: &Format::ALL,
        examples: &[
            (
                "redblue gap gemm -D NI=1000,NJ=1000,NK=1000 -S 32KiB --html gemm.html",
                "numbers here, pictures in the page",
            ),
            (
                "redblue gemm",
                "the same for the catalogue's sizes and this machine's caches",
            ),
            (
                "redblue gap my.c -D N=2000 -S L2 --max-gap 1.5",
                "exit code 1 if the tiling is further from the bound",
            ),
            (
                "redblue gap lu -D N=500 -S 256..65536:log2 --format csv",
                "a sweep, for plots of your own",
            ),
        ],
        run: gap::run,
    },
    Command {
        name: "ir",
        about: "Show a program as it was understood: sizes, arrays, statements",
        more: "Each statement is shown with its iteration domain, the number of its instances as a formula in the sizes, \
               and the cells it reads and writes. With --format json, sets and maps are in isl notation.",
        argument: INPUT,
        second: None,
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
        second: None,
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
        name: "bound",
        about: "Prove how many words no schedule of a program avoids moving",
        more: "Derives lower bounds from the program alone, with symbolic sizes, by all methods, and has an independent checker \
               verify every proof. The bound holds for every order of the operations, whatever the tiling.",
        argument: INPUT,
        second: None,
        choices: &[],
        flags: BOUNDING,
        formats: &[Format::Text, Format::Json, Format::Latex],
        examples: &[
            ("redblue bound gemm", "a formula in the sizes and S"),
            (
                "redblue bound gemm -D NI=1000,NJ=1000,NK=1000 -S 32KiB",
                "and its value",
            ),
            (
                "redblue bound my.c --count loads --certificate proof.json",
                "loads only; keep the proof",
            ),
            (
                "redblue bound 'ik,kj->ij' -D i=4096,j=4096,k=4096 --ranks 64",
                "also between 64 ranks",
            ),
        ],
        run: bound::run,
    },
    Command {
        name: "check",
        about: "Check the proof of a lower bound again",
        more: "Verifies every step of a certificate with none of the code that found it: dependences, paths, inequalities, \
               formulas. Against its own program, or against INPUT. The exit code is 1 if it does not hold.",
        argument: Some((
            "FILE",
            "A certificate written by `redblue bound --certificate`",
            true,
        )),
        second: Some((
            "INPUT",
            "The program it should hold for, instead of its own",
        )),
        choices: &[],
        flags: READING,
        formats: &[Format::Text, Format::Json],
        examples: &[
            ("redblue check proof.json", "the certificate by itself"),
            ("redblue check proof.json my.c", "against your program"),
        ],
        run: bound::check,
    },
    Command {
        name: "methods",
        about: "List the methods that find lower bounds",
        more: "`redblue explain NAME` tells what a method assumes and proves.",
        argument: None,
        second: None,
        choices: &[],
        flags: PRINTING,
        formats: &[Format::Text, Format::Json],
        examples: &[("redblue methods", "what can be given to --method")],
        run: bound::methods,
    },
    Command {
        name: "tile",
        about: "Find an order of execution that moves few words, with a proof of how many",
        more: "Looks for tiles, loop orders and what to keep in fast memory, at the sizes given with -D. The order respects every \
               dependence, the number of words is counted exactly, and the lower bound in the same model stands beside it. When \
               nothing better is found, the program's own order is the answer.",
        argument: INPUT,
        second: None,
        choices: &[],
        flags: TILING,
        formats: &Format::ALL,
        examples: &[
            (
                "redblue tile gemm -D NI=2000,NJ=1500,NK=1500 -S 1024",
                "tiles for a fast memory of 1024 words",
            ),
            (
                "redblue tile my.c -D N=1000 -S L1 --format json",
                "for this machine's first cache, for scripts",
            ),
            (
                "redblue tile lu -D N=500 -S 256..16384:log2 --format csv",
                "a table of tiles for memories of several sizes",
            ),
            (
                "redblue tile gemm --for speed --emit c --verify -o gemm.c",
                "fast code, compiled and compared with the original",
            ),
        ],
        run: tile::run,
    },
    Command {
        name: "simulate",
        about: "Count the traffic of a program through fast memories of any size",
        more: "The program runs in its own order, or in the one that `redblue tile` finds, at the sizes given with -D. A read that misses loads a word, a write that \
               misses loads nothing, a changed word that leaves is stored, and so are changed outputs at the end. Without \
               -S, this machine's L1 and L2 are taken, each alone; with --policy set, all its data caches behind each \
               other, as they are built.",
        argument: INPUT,
        second: None,
        choices: &[],
        flags: SIMULATING,
        formats: &[Format::Text, Format::Json, Format::Csv, Format::Markdown],
        examples: &[
            (
                "redblue simulate gemm -D NI=64,NJ=64,NK=64 -S 256..4096:log2",
                "the whole curve in one pass",
            ),
            (
                "redblue simulate my.c -D N=1000 --policy set",
                "this machine's caches behind each other",
            ),
        ],
        run: simulate::run,
    },
    Command {
        name: "pebble",
        about: "Find the least traffic of a small computation, or judge a game",
        more: "Plays the pebble game on the graph of a program at given sizes, or on a graph file: JSON with `vertices` and \
               `edges`, Graphviz (.dot) or a hyperDAG (.hdag). Up to some dozens of vertices the answer is optimal; larger \
               graphs get a good game and a proven lower bound.",
        argument: Some((
            "INPUT|GRAPH",
            "A program as for the other commands, or a graph: FILE.json, FILE.dot, FILE.hdag, `-`",
            true,
        )),
        second: None,
        choices: &[],
        flags: PEBBLING,
        formats: &[Format::Text, Format::Json],
        examples: &[
            (
                "redblue pebble gemm -D NI=2,NJ=2,NK=2 -S 6 --slide",
                "the optimum of a small product",
            ),
            (
                "redblue pebble graph.json -S 4 --game red-white --moves game.txt",
                "loads only; keep the game",
            ),
            (
                "redblue pebble graph.json -S 4 --referee game.txt",
                "is this game legal?",
            ),
        ],
        run: pebble::run,
    },
    Command {
        name: "plan",
        about: "Plan a matrix product on many ranks, and tell how far it is from the bound",
        more: "Divides the m·n·k products of C = A·B among the ranks, with owners for every word and rounds that fit the \
               memory, so that the busiest rank sends and receives as little as possible. No rank has more than 3 % more \
               products than an equal share, whatever the number of ranks; a few may stay idle where that moves less. \
               Volumes are words that a rank sends or receives, whichever is more.",
        argument: Some(("KERNEL", "What to plan", true)),
        second: None,
        choices: &["matmul"],
        flags: PLANNING,
        formats: &[Format::Text, Format::Json],
        examples: &[
            (
                "redblue plan matmul -m 4096 -n 4096 -k 4096 -p 13",
                "thirteen ranks, all of them busy",
            ),
            (
                "redblue plan matmul -m 4096 -n 4096 -k 4096 -p 64 --memory 1200000",
                "with few words of memory for each rank",
            ),
            (
                "redblue plan matmul -m 512 -n 512 -k 512 -p 4 --plan k4",
                "what a plan of your own would move",
            ),
        ],
        run: plan::run,
    },
    Command {
        name: "bench",
        about: "Run a kernel as planned, and tell times, words moved and memory",
        more: "Multiplies matrices of random numbers on ranks that are threads of this process, or, started by mpirun or \
               srun, its processes. Times are those of the slowest rank, words are counted while it runs.",
        argument: Some(("KERNEL", "What to run", true)),
        second: None,
        choices: &["matmul"],
        flags: BENCHING,
        formats: &[Format::Text, Format::Json],
        examples: &[
            (
                "redblue bench matmul -m 2048 -n 2048 -k 2048 -p 2 --verify",
                "two ranks in this process",
            ),
            (
                "mpirun -n 4 redblue bench matmul -m 4096 -n 4096 -k 256",
                "four processes, if built with --features mpi",
            ),
        ],
        run: bench::run,
    },
    Command {
        name: "diff",
        about: "Show what changed between two reports",
        more: "Compares bounds, traffic and ratios at the same sizes. The exit code is 1 if any got worse: a smaller lower bound, \
               more words, a larger ratio.",
        argument: Some((
            "OLD.json",
            "A document of `redblue gap`, `tile` or `bound` with --format json",
            true,
        )),
        second: Some(("NEW.json", "The document to compare it with")),
        choices: &[],
        flags: PRINTING,
        formats: &[Format::Text, Format::Json],
        examples: &[(
            "redblue diff old.json new.json",
            "for continuous integration",
        )],
        run: diff::run,
    },
    Command {
        name: "kernels",
        about: "List the catalogue of kernels",
        more: "Every name can be given as INPUT. `redblue explain NAME` shows the source and its reference.",
        argument: None,
        second: None,
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
        second: None,
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
        second: None,
        choices: &[],
        flags: PRINTING,
        formats: &[Format::Text, Format::Json],
        examples: &[("redblue machine --format json", "for scripts")],
        run: machine::describe,
    },
    Command {
        name: "schema",
        about: "Print the JSON Schema of what a command prints with --format json",
        more: "Without an argument, lists the documents. Fields may be added in later versions, never renamed.",
        argument: Some(("NAME", "A document, named after its command", false)),
        second: None,
        choices: &[],
        flags: &[&OUTPUT, &COLOR],
        formats: &[Format::Text],
        examples: &[(
            "redblue schema gap",
            "for validators and generators of code",
        )],
        run: schema::run,
    },
    Command {
        name: "completions",
        about: "Print a completion script for a shell",
        more: "Put the script where your shell looks for completions.",
        argument: Some(("SHELL", "The shell", true)),
        second: None,
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
        second: None,
        choices: &[],
        flags: &[&OUTPUT, &COLOR],
        formats: &[Format::Text],
        examples: &[("redblue man | man -l -", "read it now")],
        run: shell::man,
    },
];

const ABOUT: &str = "Data movement: what no schedule can avoid, and what a program does";

const LONG_ABOUT: &str = "Reads a kernel exactly (C loops, an einsum, or a name of the catalogue), with symbolic sizes; proves how \
much traffic no schedule avoids, finds a tiling that comes close, and simulates both. `redblue INPUT` means `redblue gap INPUT`.";

const INPUTS: &str = "INPUT is a C file, `-` for C on standard input, an einsum such as 'ik,kj->ij', or the name of a \
catalogue kernel.";

const EXAMPLES: &[(&str, &str)] = &[
    ("redblue gemm", "the limit, a tiling, and the gap"),
    ("redblue kernels", "what is in the catalogue"),
    ("redblue ir gemm", "how a kernel was understood"),
    ("redblue deps gemm", "who computes its values"),
    (
        "redblue simulate gemm -D NI=64,NJ=64,NK=64 -S L1",
        "how much it moves",
    ),
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
        if let Some((name, help)) = self.second {
            command = command.arg(Arg::new("second").value_name(name).help(help));
        }
        command.args(self.flags.iter().map(|flag| flag.clap()))
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
                // A launcher such as mpirun comes before the command.
                .skip_while(|word| *word != "redblue")
                .map(|word| word.replace('\'', ""));
            assert!(clap_command().try_get_matches_from(words).is_ok(), "{line}");
        }
    }
}
