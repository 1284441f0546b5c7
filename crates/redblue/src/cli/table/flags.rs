//! Every flag, and the sets of flags that commands share.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ValueHint};
use redblue::simulate::Policy;
use redblue::view::simulate::REPLACEMENTS;

use crate::cli::request::Format;

/// A flag that commands can have.
pub(in crate::cli) struct Flag {
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
    pub(super) help: &'static str,
    /// More, for `--help` and the man page.
    pub(super) more: &'static str,
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

pub(super) const FORMAT: Flag = Flag {
    long: "format",
    value: Some("FORMAT"),
    choices: Format::NAMES,
    help: "Format of the answer [default: text]",
    more: "Not every command has every format. With json, exactly one document is printed, with `schema` and \
           `schema_version`.",
    ..SWITCH
};

pub(super) const OUTPUT: Flag = Flag {
    long: "output",
    short: Some('o'),
    value: Some("FILE"),
    hint: ValueHint::FilePath,
    help: "Write the answer to FILE instead of standard output",
    ..SWITCH
};

pub(super) const COLOR: Flag = Flag {
    long: "color",
    value: Some("WHEN"),
    choices: &["auto", "always", "never"],
    help: "Colour messages on the terminal [default: auto]",
    more: "`auto` colours when standard error is a terminal and the variable NO_COLOR is not set. Answers are never \
           coloured.",
    ..SWITCH
};

pub(super) const DEFINE: Flag = Flag {
    long: "define",
    short: Some('D'),
    value: Some("NAME=VALUE"),
    repeated: true,
    help: "Set sizes: -D NI=64,NJ=128 or a sweep, -D N=128..4096:log2",
    more: "A size without a value stays symbolic. A sweep LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:log2 includes both \
           ends and gives one result per value.",
    ..SWITCH
};

pub(super) const INCLUDE: Flag = Flag {
    long: "include",
    short: Some('I'),
    value: Some("DIR"),
    repeated: true,
    hint: ValueHint::DirPath,
    help: "Search DIR for included files (C only)",
    ..SWITCH
};

pub(super) const FUNCTION: Flag = Flag {
    long: "function",
    value: Some("NAME"),
    help: "The function to read when a file has several (C only)",
    ..SWITCH
};

pub(super) const EINSUM: Flag = Flag {
    long: "einsum",
    help: "Take INPUT as an einsum even without `->`",
    more: "The implicit output of 'ik,kj' has every index that occurs once, in alphabetical order.",
    ..SWITCH
};

pub(super) const ASSUME: Flag = Flag {
    long: "assume",
    value: Some("CONDITION"),
    repeated: true,
    help: "Restrict the sizes that are considered, as in --assume 'M >= N'",
    more: "Same as `#pragma redblue assume M >= N` in the source. Conditions are affine and may use && || ! and %. The \
           answer repeats them.",
    ..SWITCH
};

pub(super) const OUTPUTS: Flag = Flag {
    long: "outputs",
    value: Some("A,B"),
    help: "The arrays whose final values must be stored",
    more: "Default: every array that is written and is a parameter of the function or a global. Local arrays and local \
           scalars are not outputs. An einsum has its one output.",
    ..SWITCH
};

pub(super) const DTYPE: Flag = Flag {
    long: "dtype",
    value: Some("TYPE"),
    choices: &["f32", "f64", "c64", "c128"],
    help: "Element type of an einsum [default: f64]",
    ..SWITCH
};

pub(super) const PARTIAL: Flag = Flag {
    long: "partial",
    help: "Go on with the statements that were understood",
    more: "Without it, a program with a statement that was not understood is refused. With it, the answer says that it \
           is incomplete.",
    ..SWITCH
};

pub(super) const TIME_LIMIT: Flag = Flag {
    long: "time-limit",
    value: Some("TIME"),
    help: "End searches after TIME, as in 500ms, 10s or 2m",
    more: "A search that is cut returns its best valid answer and says why it stopped; a simulation that is cut has none and \
           says so. Reading a program and its dependences is exact and searches for nothing, so it is bounded by \
           operation budgets instead.",
    ..SWITCH
};

const PLAN_TIME: Flag = Flag {
    more: "The best plan found by then is printed, and said to be so. Without it the search is deterministic.",
    ..TIME_LIMIT
};

const BENCH_TIME: Flag = Flag {
    help: "End the search for a plan after TIME, and begin no further run",
    more: "The run under way is finished, and one timed run is always made. Without it the search is deterministic.",
    ..TIME_LIMIT
};

pub(super) const FAST_MEMORY: Flag = Flag {
    long: "fast-memory",
    short: Some('S'),
    value: Some("SIZE"),
    repeated: true,
    help: "Fast memory: words (4096), bytes (32KiB) or a cache (L1); -S 1024..65536:log2 sweeps",
    more: "Bytes are divided by the size of an element. Several -S give one result each; -S A,B means nested levels, \
           nearest first.",
    ..SWITCH
};

pub(super) const POLICY: Flag = Flag {
    long: "policy",
    value: Some("POLICY"),
    repeated: true,
    choices: Policy::NAMES,
    help: "What leaves a full memory; repeatable [default: opt and lru]",
    more: "`opt` is Belady's rule, the fewest loads this order allows; `lru` the least recently used word or line; `set` \
           one of a set of --ways lines, chosen by --replacement, with nested levels behind each other.",
    ..SWITCH
};

pub(super) const SCHEDULE: Flag = Flag {
    long: "schedule",
    value: Some("SCHEDULE"),
    choices: &["original", "tiled"],
    help: "The order that is simulated [default: original]",
    more: "`tiled` is the order that `redblue tile` finds for each memory.",
    ..SWITCH
};

pub(super) const LINE: Flag = Flag {
    long: "line",
    value: Some("WORDS"),
    help: "Move lines of WORDS words instead of single words",
    more: "This machine's caches have its own lines with --policy set. Lines are written as caches do: a write miss loads the line, and dirty lines are stored when they leave and at \
           the end. Every array starts on a line.",
    ..SWITCH
};

pub(super) const WAYS: Flag = Flag {
    long: "ways",
    value: Some("K"),
    help: "Lines per set, with --policy set [default: this machine's for its caches, else 8]",
    ..SWITCH
};

pub(super) const REPLACEMENT: Flag = Flag {
    long: "replacement",
    value: Some("RULE"),
    choices: REPLACEMENTS,
    help: "Which line of a full set goes, with --policy set [default: lru]",
    more: "`lru` is the least recently used one, `fifo` the one that came first, `random` any one; the answer repeats the \
           seed of the random choices.",
    ..SWITCH
};

pub(super) const SEED: Flag = Flag {
    long: "seed",
    value: Some("N"),
    help: "Start of the random choices, with --replacement random [default: 1]",
    ..SWITCH
};

pub(super) const PROGRESS: Flag = Flag {
    long: "progress",
    help: "Show progress on standard error even if it is no terminal",
    more: "On a terminal, runs that take more than a moment always show it.",
    ..SWITCH
};

pub(super) const PEBBLES: Flag = Flag {
    help: "The number of red pebbles: words of fast memory",
    more: "Computing a value with d operands needs d + 1 of them, or d with --slide.",
    ..FAST_MEMORY
};

pub(super) const GAME: Flag = Flag {
    long: "game",
    value: Some("GAME"),
    choices: &["red-blue-white", "red-blue", "red-white", "lecture"],
    help: "The rules of the game [default: red-blue-white]",
    more: "`red-blue-white` forbids recomputation and counts loads and stores; `red-blue` allows recomputation; `red-white` \
           counts loads only, without recomputation; `lecture` is red-blue without the final stores.",
    ..SWITCH
};

pub(super) const SLIDE: Flag = Flag {
    long: "slide",
    help: "Let a result take over the pebble of an operand",
    more: "This is what an update in place does. The strict game needs one more pebble for the result.",
    ..SWITCH
};

pub(super) const MOVES: Flag = Flag {
    long: "moves",
    value: Some("FILE"),
    hint: ValueHint::FilePath,
    help: "Write the game found to FILE, one move per line",
    more: "With a name ending in .json, as a JSON list.",
    ..SWITCH
};

pub(super) const REFEREE: Flag = Flag {
    long: "referee",
    value: Some("MOVES"),
    hint: ValueHint::FilePath,
    help: "Judge the game in the file MOVES instead of searching for one",
    more: "The exit code is 1 if a move is illegal; the first such move is named.",
    ..SWITCH
};

pub(super) const ROWS: Flag = Flag {
    long: "rows",
    short: Some('m'),
    value: Some("M"),
    help: "Rows of A and C",
    ..SWITCH
};

pub(super) const COLUMNS: Flag = Flag {
    long: "columns",
    short: Some('n'),
    value: Some("N"),
    help: "Columns of B and C",
    ..SWITCH
};

pub(super) const INNER: Flag = Flag {
    long: "inner",
    short: Some('k'),
    value: Some("K"),
    help: "Columns of A and rows of B, over which is summed",
    ..SWITCH
};

pub(super) const RANKS: Flag = Flag {
    long: "ranks",
    short: Some('p'),
    value: Some("P"),
    help: "Number of ranks",
    ..SWITCH
};

pub(super) const MEMORY: Flag = Flag {
    long: "memory",
    value: Some("SIZE"),
    help: "Memory of each rank: words (1000000) or bytes (64MiB) [default: unlimited]",
    more: "Own data, partial sums and all buffers count. Bytes are divided by the size of an element, see --dtype.",
    ..SWITCH
};

pub(super) const PLAN: Flag = Flag {
    long: "plan",
    value: Some("PLAN"),
    help: "Take this plan instead of searching, as in 'm{3:k3,4:n2(k2)}'",
    more: "The notation is the one in the answer; `redblue explain plan` describes it.",
    ..SWITCH
};

pub(super) const HTML: Flag = Flag {
    long: "html",
    value: Some("FILE"),
    hint: ValueHint::FilePath,
    help: "Write a picture of the plan to FILE: bricks and owners",
    more: "One page without references to others; for up to 512 ranks.",
    ..SWITCH
};

pub(super) const ELEMENT: Flag = Flag {
    help: "Element type, for sizes in bytes [default: f64]",
    ..DTYPE
};

pub(super) const COUNT: Flag = Flag {
    long: "count",
    value: Some("WHAT"),
    choices: &["total", "loads"],
    help: "What is counted: loads and stores, or loads only [default: total]",
    more: "Published tables of lower bounds usually count loads.",
    ..SWITCH
};

pub(super) const RECOMPUTE: Flag = Flag {
    long: "recompute",
    help: "Let schedules compute a value more than once",
    ..SWITCH
};

pub(super) const REASSOCIATE: Flag = Flag {
    long: "reassociate",
    help: "Let schedules take sums in any order",
    more: "Sums, products, minima and maxima that the program accumulates may then be taken in any order and in parts.",
    ..SWITCH
};

pub(super) const METHOD: Flag = Flag {
    long: "method",
    value: Some("NAME"),
    repeated: true,
    help: "Use only this method; repeatable. `redblue methods` lists them",
    ..SWITCH
};

pub(super) const CERTIFICATE: Flag = Flag {
    long: "certificate",
    value: Some("FILE"),
    hint: ValueHint::FilePath,
    help: "Write the proof to FILE, for `redblue check`",
    ..SWITCH
};

pub(super) const BOUND_RANKS: Flag = Flag {
    help: "Also bound the words exchanged by P ranks",
    more: "For matrix products, contractions and other nests of one accumulated product. With --memory, also the bound for \
           ranks with so many words.",
    ..RANKS
};

pub(super) const MAX_GAP: Flag = Flag {
    long: "max-gap",
    value: Some("R"),
    help: "Exit with code 1 if the tiling moves more than R times the lower bound",
    more: "In a sweep, if any does. Without a tiling nothing is known to be near the bound, and the code is 1 as well.",
    ..SWITCH
};

pub(super) const TIME: Flag = Flag {
    long: "time",
    help: "Also compile the original and the new orders with cc and time them",
    more: "One thread, CPU seconds, the median of interleaved runs (--runs) at the sizes given. These are measurements of \
           this machine; no other number of the answer is.",
    ..SWITCH
};

pub(super) const REPORT: Flag = Flag {
    help: "Write a page with charts, loops, formulas and the proof outline to FILE",
    more: "One page without references to others. In a sweep of sizes, about the first.",
    ..HTML
};

pub(super) const SVG: Flag = Flag {
    long: "svg",
    value: Some("DIR"),
    hint: ValueHint::DirPath,
    help: "Write the charts into DIR: traffic.svg, roofline.svg, arrays.svg",
    ..SWITCH
};

pub(super) const PEAK: Flag = Flag {
    long: "peak",
    value: Some("GOPS"),
    help: "Operations per second of the roofline, in 10^9 [default: 16, assumed]",
    ..SWITCH
};

pub(super) const BANDWIDTH: Flag = Flag {
    long: "bandwidth",
    value: Some("GBPS"),
    help: "Bytes per second of the roofline, in 10^9 [default: 16, assumed]",
    ..SWITCH
};

pub(super) const BENCH_RANKS: Flag = Flag {
    help: "Number of ranks, as threads of this process [default: 1]",
    more: "Under mpirun or srun the ranks are its processes, and -p is not needed.",
    ..RANKS
};

pub(super) const BENCH_ELEMENT: Flag = Flag {
    help: "Element type [default: f64]",
    ..DTYPE
};

pub(super) const RUNS: Flag = Flag {
    long: "runs",
    value: Some("N"),
    help: "Number of timed runs [default: 5]",
    ..SWITCH
};

pub(super) const WARMUP: Flag = Flag {
    long: "warmup",
    value: Some("N"),
    help: "Number of runs before those that are timed [default: 1]",
    ..SWITCH
};

pub(super) const VERIFY: Flag = Flag {
    long: "verify",
    help: "Verify the result; the exit code is 1 if it is wrong",
    more: "The product with a random vector is compared with that of the factors, small results are compared with three \
           loops word by word, and the words that every rank moved with those of its plan.",
    ..SWITCH
};

pub(super) const BLAS: Flag = Flag {
    long: "blas",
    value: Some("LIBRARY"),
    hint: ValueHint::FilePath,
    help: "Multiply with this BLAS library instead of the built-in kernels, as in libopenblas.so.0",
    more: "It is loaded when the command runs. Give it one thread, as in OPENBLAS_NUM_THREADS=1: every rank calls it.",
    ..SWITCH
};

pub(super) const GROUP: Flag = Flag {
    long: "group",
    value: Some("GROUP"),
    help: "List only the kernels of one group, such as blas or stencil",
    ..SWITCH
};

pub(super) const READING: &[&Flag] = &[
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
pub(super) const PRINTING: &[&Flag] = &[&FORMAT, &OUTPUT, &COLOR];

pub(super) const SIMULATING: &[&Flag] = &[
    &DEFINE,
    &FAST_MEMORY,
    &POLICY,
    &LINE,
    &WAYS,
    &REPLACEMENT,
    &SEED,
    &SCHEDULE,
    &REASSOCIATE,
    &INCLUDE,
    &FUNCTION,
    &EINSUM,
    &DTYPE,
    &ASSUME,
    &OUTPUTS,
    &PARTIAL,
    &TIME_LIMIT,
    &PROGRESS,
    &FORMAT,
    &OUTPUT,
    &COLOR,
];
pub(super) const PEBBLING: &[&Flag] = &[
    &DEFINE,
    &PEBBLES,
    &GAME,
    &SLIDE,
    &MOVES,
    &REFEREE,
    &INCLUDE,
    &FUNCTION,
    &EINSUM,
    &DTYPE,
    &ASSUME,
    &OUTPUTS,
    &TIME_LIMIT,
    &PROGRESS,
    &FORMAT,
    &OUTPUT,
    &COLOR,
];

pub(super) const BOUNDING: &[&Flag] = &[
    &DEFINE,
    &FAST_MEMORY,
    &COUNT,
    &RECOMPUTE,
    &REASSOCIATE,
    &METHOD,
    &CERTIFICATE,
    &BOUND_RANKS,
    &MEMORY,
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

pub(super) const GAPPING: &[&Flag] = &[
    &DEFINE,
    &FAST_MEMORY,
    &MAX_GAP,
    &TIME,
    &RUNS,
    &REPORT,
    &SVG,
    &PEAK,
    &BANDWIDTH,
    &COUNT,
    &RECOMPUTE,
    &REASSOCIATE,
    &METHOD,
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

pub(super) const EMIT: Flag = Flag {
    long: "emit",
    value: Some("LANGUAGE"),
    choices: &["c", "rust"],
    help: "Print the code of the order instead: a C99 or Rust function",
    more: "Sizes stay symbolic, names are those of the source, and the operations are the program's own, so results are the same \
           bit for bit unless sums were reordered.",
    ..SWITCH
};

pub(super) const VERIFY_CODE: Flag = Flag {
    long: "verify",
    help: "Compile the original and the new order with cc, run both on random data, and compare",
    more: "Bit for bit, or to 1e-12 with --reassociate. The exit code is 1 if they differ. Sizes above 96 are replaced by 96 for the \
           run.",
    ..SWITCH
};

pub(super) const FOR: Flag = Flag {
    long: "for",
    value: Some("AIM"),
    choices: &["traffic", "speed"],
    help: "What the order is for: few words moved, or speed on this machine [default: traffic]",
    more: "For speed, the innermost loop has unit stride, tiles are made for registers and the second cache, and -S is not needed. It \
           comes with --emit or --verify.",
    ..SWITCH
};

pub(super) const OPENMP: Flag = Flag {
    long: "openmp",
    help: "Mark loops that are proved to be parallel for OpenMP, with --emit c",
    ..SWITCH
};

pub(super) const TILING: &[&Flag] = &[
    &DEFINE,
    &FAST_MEMORY,
    &EMIT,
    &VERIFY_CODE,
    &FOR,
    &OPENMP,
    &COUNT,
    &REASSOCIATE,
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

pub(super) const PLANNING: &[&Flag] = &[
    &ROWS, &COLUMNS, &INNER, &RANKS, &MEMORY, &ELEMENT, &PLAN, &HTML, &PLAN_TIME, &FORMAT, &OUTPUT,
    &COLOR,
];

pub(super) const BENCHING: &[&Flag] = &[
    &ROWS,
    &COLUMNS,
    &INNER,
    &BENCH_RANKS,
    &MEMORY,
    &BENCH_ELEMENT,
    &PLAN,
    &RUNS,
    &WARMUP,
    &VERIFY,
    &BLAS,
    &BENCH_TIME,
    &FORMAT,
    &OUTPUT,
    &COLOR,
];

impl Flag {
    pub(super) fn clap(&self) -> Arg {
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
