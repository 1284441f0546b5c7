//! Diagnostic codes of lower bounds and certificates. The checker's own refusals have RB0601 to RB0610.

use redblue_program::diagnostic::Code;

/// All of them.
pub(super) static ALL: &[&Code] = &[
    &FORMAT,
    &PROGRAM,
    &DEPENDENCE,
    &LIVENESS,
    &PATH,
    &SHARING,
    &CAPACITY,
    &FORMULA,
    &MODEL,
    &UNDECIDED,
    &NO_NEST,
];

const EXAMPLE: &str = "redblue check certificate.json";

/// Not a certificate.
pub static FORMAT: Code = Code {
    id: "RB0601",
    title: "not a certificate of this version",
    explanation: "A certificate is a JSON document with schema `redblue.certificate`, as written by `redblue bound INPUT \
--certificate FILE`. Unknown fields are refused: a proof that says more than the checker understands is not checked.",
    example: EXAMPLE,
};

/// A text does not fit.
pub static PROGRAM: Code = Code {
    id: "RB0602",
    title: "certificate does not fit the program",
    explanation: "The certificate speaks of a statement, an array or a size that the program does not have, or of instances outside \
a domain. A certificate of one program does not hold for another.",
    example: EXAMPLE,
};

/// A dependence is wrong.
pub static DEPENDENCE: Code = Code {
    id: "RB0603",
    title: "dependence does not hold",
    explanation: "The operand does not read the value that the certificate says: another cell, another order, or a write in between.",
    example: EXAMPLE,
};

/// Liveness is not shown.
pub static LIVENESS: Code = Code {
    id: "RB0604",
    title: "instances not shown to be needed",
    explanation: "Only instances that reach a result are counted: a schedule may leave out the others.",
    example: EXAMPLE,
};

/// A path is broken.
pub static PATH: Code = Code {
    id: "RB0605",
    title: "path of a proof is broken",
    explanation: "A path must lead from every target to an input or a terminal, and the label must not change on the way.",
    example: EXAMPLE,
};

/// Words are counted twice.
pub static SHARING: Code = Code {
    id: "RB0606",
    title: "words counted twice",
    explanation: "Two parts of the proof can use the same word, so their numbers of words do not add up.",
    example: EXAMPLE,
};

/// A capacity is not justified.
pub static CAPACITY: Code = Code {
    id: "RB0607",
    title: "capacity of a phase not justified",
    explanation: "The number of operations that a phase can do does not follow: a rank inequality, a width or an extent fails.",
    example: EXAMPLE,
};

/// The formula is too large.
pub static FORMULA: Code = Code {
    id: "RB0608",
    title: "formula does not follow",
    explanation: "The claimed formula is not shown to be at most what the proof gives.",
    example: EXAMPLE,
};

/// Another model.
pub static MODEL: Code = Code {
    id: "RB0609",
    title: "proof does not hold in this model",
    explanation: "The proof forbids recomputation, or uses the order of sums, and the claim allows them.",
    example: EXAMPLE,
};

/// Given up.
pub static UNDECIDED: Code = Code {
    id: "RB0610",
    title: "step of a proof could not be decided",
    explanation: "The arithmetic of sets exceeded its budget. What is not decided is refused.",
    example: EXAMPLE,
};

/// No bound for several ranks.
pub static NO_NEST: Code = Code {
    id: "RB0611",
    title: "no bound for several ranks",
    explanation: "Bounds for several ranks exist for projective loop nests: one statement that accumulates a product of distinct \
input arrays, each indexed by some of the loops.",
    example: "redblue bound durbin --ranks 4",
};
