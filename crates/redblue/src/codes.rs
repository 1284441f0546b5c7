//! Diagnostic codes of the facade and the command line, joined with those of the front ends.

pub mod certificates;
pub mod games;
pub mod plans;

use redblue_program::diagnostic::{Code, codes};

/// All codes of redblue, sorted.
pub fn all() -> Vec<&'static Code> {
    let mut all = codes::all();
    all.extend(OURS);
    all.extend(certificates::ALL);
    all.extend(games::ALL);
    all.extend(plans::ALL);
    all.sort_by_key(|code| code.id);
    all
}

/// The code with this name, whatever the case of its letters.
pub fn find(id: &str) -> Option<&'static Code> {
    all()
        .into_iter()
        .find(|code| code.id.eq_ignore_ascii_case(id.trim()))
}

static OURS: &[&Code] = &[
    &BAD_SIZE,
    &BAD_SWEEP,
    &BAD_MEMORY,
    &NO_SUCH_CACHE,
    &SIZES_EXCLUDED,
    &MISSING_SIZE,
    &TOO_LARGE,
    &FEW_WORDS,
    &GAVE_UP,
    &OUT_OF_TIME,
    &NO_COMPILER,
    &NO_CODE,
    &UNKNOWN_COMMAND,
    &BAD_OPTION,
    &BAD_VALUE,
    &MISSING_ARGUMENT,
    &BAD_FORMAT,
    &UNKNOWN_INPUT,
    &UNREADABLE,
    &NOT_TEXT,
    &UNWRITABLE,
    &UNKNOWN_TOPIC,
    &NO_MACHINE,
];

/// A size on the command line is not `NAME=VALUE`.
pub static BAD_SIZE: Code = Code {
    id: "RB0411",
    title: "size not understood",
    explanation: "Sizes are given as -D NAME=VALUE, several of them with commas or with several -D. A value is a whole \
number or a sweep such as 128..4096:log2. Each name is given once.",
    example: "redblue ir gemm -D NI=12x",
};

/// A sweep is malformed, empty, or endless.
pub static BAD_SWEEP: Code = Code {
    id: "RB0412",
    title: "sweep not understood",
    explanation: "A sweep is LOW..HIGH (every value), LOW..HIGH:STEP, or LOW..HIGH:log2 (doubling from LOW). Both ends are \
included, LOW must not exceed HIGH, and all sweeps together may have at most 100000 points.",
    example: "redblue ir gemm -D NI=4096..128:log2",
};

/// A fast memory is not a number of words, a number of bytes or a cache.
pub static BAD_MEMORY: Code = Code {
    id: "RB0413",
    title: "memory size not understood",
    explanation: "The fast memory is a number of words (4096), of bytes (32KiB, 2MiB), one of this machine's caches (L1, L2, \
L3), nested levels (L1,L2), or a sweep (1024..65536:log2). It has at least one word.",
    example: "redblue simulate gemm -S 32KB",
};

/// `L2` on a machine whose second cache is not known.
pub static NO_SUCH_CACHE: Code = Code {
    id: "RB0414",
    title: "cache not known",
    explanation: "L1, L2, L3 are this machine's data caches as the operating system lists them; `redblue machine` shows \
them. Containers and virtual machines may hide them. Give the size itself instead: 32KiB, or a number of words.",
    example: "redblue simulate gemm -S L4",
};

/// The sizes contradict the assumptions.
pub static SIZES_EXCLUDED: Code = Code {
    id: "RB0415",
    title: "sizes break the assumptions",
    explanation: "The sizes given with -D are outside the assumptions of the program, which come from --assume, from \
`#pragma redblue assume` in the source, or from the kernel itself. Nothing is said about such sizes.",
    example: "redblue ir mgs -D M=3,N=5",
};

/// A program is to be run and some size has no value.
pub static MISSING_SIZE: Code = Code {
    id: "RB0416",
    title: "size without a value",
    explanation: "Simulations and pebble games need numbers, so every size must have a value: given with -D, or by the \
source itself with #define. The message lists the sizes that have none.",
    example: "redblue simulate gemm -S 1024",
};

/// Sizes that a run cannot hold.
pub static TOO_LARGE: Code = Code {
    id: "RB0417",
    title: "sizes do not fit in memory",
    explanation: "A simulation keeps a few numbers for every word (with --line: every line) of the program's arrays. At these \
sizes there are more of them than this machine's memory, or than 2^30, which is the most that is simulated.",
    example: "redblue simulate gemm -D NI=99999,NJ=99999,NK=99999 -S 1024",
};

/// A fast memory that cannot hold the operands of one statement (a warning).
pub static FEW_WORDS: Code = Code {
    id: "RB0418",
    title: "fast memory smaller than one statement needs",
    explanation: "A statement needs all its operands in fast memory at once. A cache can still execute it with fewer words, one \
access after the other, and that traffic is shown; but no pebble game exists for such a size, and lower bounds say \
nothing about it.",
    example: "redblue simulate gemm -D NI=8,NJ=8,NK=8 -S 2",
};

/// An exact computation was ended by its budget.
pub static GAVE_UP: Code = Code {
    id: "RB0801",
    title: "exact computation given up",
    explanation: "Sets and maps are computed exactly, within a budget of operations that keeps every command finite. This \
input needs more. Simplifying bounds, fixing sizes with -D where they are divisors or strides, or adding \
assumptions usually helps. Nothing inexact is returned instead.",
    example: "",
};

/// There is no C compiler to verify with.
pub static NO_COMPILER: Code = Code {
    id: "RB0807",
    title: "no C compiler",
    explanation: "`tile --verify` compiles the original and the new order with `cc` and runs both. There is no `cc` in PATH, or it \
does not compile the generated code.",
    example: "",
};

/// A program has something that the target language has no word for.
pub static NO_CODE: Code = Code {
    id: "RB0808",
    title: "program cannot be written as code",
    explanation: "Generated code declares every array with its extents and calls only functions of the standard library. An array \
whose inner extents the source does not tell, or complex numbers in Rust, cannot be written.",
    example: "",
};

/// A simulation was ended by --time-limit.
pub static OUT_OF_TIME: Code = Code {
    id: "RB0802",
    title: "time limit reached without an answer",
    explanation: "A search that is cut by --time-limit returns its best valid answer. A simulation has no such answer before its \
end: the traffic of a part of a program says nothing about the whole. Give it more time, or smaller sizes.",
    example: "redblue simulate gemm -D NI=2000,NJ=2000,NK=2000 -S 1024 --time-limit 1s",
};

/// Neither a command nor an input.
pub static UNKNOWN_COMMAND: Code = Code {
    id: "RB0901",
    title: "no such command or input",
    explanation: "The first word is neither a command, a catalogue kernel, a file nor an einsum. `redblue --help` lists the \
commands and `redblue kernels` the catalogue.",
    example: "redblue krenels",
};

/// An option that the command does not have.
pub static BAD_OPTION: Code = Code {
    id: "RB0903",
    title: "option not understood",
    explanation: "The command has no such option, or the option was given in a way that does not fit (twice, or together with \
one that excludes it). `redblue COMMAND --help` lists the options.",
    example: "redblue ir gemm --size 3",
};

/// The value of an option is not possible.
pub static BAD_VALUE: Code = Code {
    id: "RB0904",
    title: "value of an option not understood",
    explanation: "The option exists, but not with this value. The message lists the possible values.",
    example: "redblue ir gemm --format yaml",
};

/// Something that must be given is not.
pub static MISSING_ARGUMENT: Code = Code {
    id: "RB0905",
    title: "argument missing",
    explanation: "The command needs one more argument: usually INPUT, which is a C file, `-` for C on standard input, an \
einsum such as 'ik,kj->ij', or the name of a catalogue kernel.",
    example: "redblue ir",
};

/// A format the command cannot print.
pub static BAD_FORMAT: Code = Code {
    id: "RB0906",
    title: "format not available for this command",
    explanation: "Formats are text, json, csv, md and latex, but not every command has something to say in each of them.",
    example: "redblue ir gemm --format csv",
};

/// The input names nothing.
pub static UNKNOWN_INPUT: Code = Code {
    id: "RB0907",
    title: "no such input",
    explanation: "INPUT is a C file, `-` for C on standard input, an einsum such as 'ik,kj->ij' (or any with --einsum), or the \
name of a catalogue kernel. This one is none of them.",
    example: "redblue ir gmem",
};

/// A file exists and cannot be read.
pub static UNREADABLE: Code = Code {
    id: "RB0908",
    title: "input cannot be read",
    explanation: "The file or standard input could not be read: it is a directory, access is denied, it is larger than a source \
can be, or the system reported an error.",
    example: "redblue ir /tmp",
};

/// A file is not text.
pub static NOT_TEXT: Code = Code {
    id: "RB0909",
    title: "input is not UTF-8 text",
    explanation: "Sources are UTF-8 text. Single bytes that are not (an author's name in an old encoding, say) are replaced and \
reported as a warning, which is harmless inside comments. A file with zero bytes is a binary and is refused.",
    example: "redblue ir a.out",
};

/// The answer cannot be written.
pub static UNWRITABLE: Code = Code {
    id: "RB0910",
    title: "output cannot be written",
    explanation: "The file given with -o, or standard output, could not be written.",
    example: "redblue ir gemm -o no/such/folder/gemm.txt",
};

/// `explain` of something unknown.
pub static UNKNOWN_TOPIC: Code = Code {
    id: "RB0911",
    title: "nothing known by this name",
    explanation: "`redblue explain` knows diagnostic codes (RB0203), catalogue kernels (gemm) and concepts (dependence). \
Without an argument it lists the concepts.",
    example: "redblue explain RB9999",
};

/// The machine cannot be described.
pub static NO_MACHINE: Code = Code {
    id: "RB0912",
    title: "machine cannot be described",
    explanation: "Caches and processors are read from Linux's /sys and /proc. Neither lists a processor here: this is another \
operating system, or a sandbox that hides both.",
    example: "redblue machine",
};
