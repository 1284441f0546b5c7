//! The diagnostic codes of the einsum front end, RB03xx.

use crate::diagnostic::Code;

/// All codes of this front end.
pub(crate) static ALL: &[&Code] = &[
    &BAD_CHARACTER,
    &ELLIPSIS,
    &UNBOUND_OUTPUT,
    &REPEATED_OUTPUT,
    &BAD_ARROW,
    &SEVERAL_OUTPUTS,
    &TOO_LARGE,
];

/// A character that is not part of the notation.
pub(crate) static BAD_CHARACTER: Code = Code {
    id: "RB0301",
    title: "character not allowed in an einsum",
    explanation: "An einsum is written in numpy's notation: every operand is a word of labels, one letter a-z or A-Z \
for each of its dimensions; commas separate the operands, and the labels of the output follow after `->`. Blanks are \
ignored. Sizes are not part of it: give them with -D i=64.",
    example: "i1j,jk->ik",
};

/// `...` stands for an unknown number of dimensions.
pub(crate) static ELLIPSIS: Code = Code {
    id: "RB0302",
    title: "ellipsis in an einsum",
    explanation: "`...` stands for as many dimensions as the arrays happen to have. There are no arrays here, only the \
notation, so every dimension needs a label of its own.",
    example: "...ij,...jk->...ik",
};

/// An output label that no operand has.
pub(crate) static UNBOUND_OUTPUT: Code = Code {
    id: "RB0303",
    title: "output label occurs in no operand",
    explanation: "The labels after `->` choose which indices of the operands are kept; all others are summed over. A \
label that no operand has would have no size.",
    example: "ik,kj->ijl",
};

/// An output label that is written twice.
pub(crate) static REPEATED_OUTPUT: Code = Code {
    id: "RB0304",
    title: "output label occurs twice",
    explanation: "A label may be repeated in an operand, which takes a diagonal, but not in the output, as in numpy: \
the cells off the diagonal would have no value.",
    example: "i->ii",
};

/// Half an arrow or a second one.
pub(crate) static BAD_ARROW: Code = Code {
    id: "RB0305",
    title: "misplaced arrow in an einsum",
    explanation: "`->` stands once, between the operands and the output. It may be missing: then the output has the \
labels that occur exactly once, in alphabetical order, capital letters first.",
    example: "ik,kj->ij->ji",
};

/// A comma after the arrow.
pub(crate) static SEVERAL_OUTPUTS: Code = Code {
    id: "RB0306",
    title: "several outputs in an einsum",
    explanation: "An einsum computes one array, so there is no comma after `->`. Computations with several results can \
be written as loops in C.",
    example: "ik,kj->ij,ji",
};

/// More operands or dimensions than anyone means.
pub(crate) static TOO_LARGE: Code = Code {
    id: "RB0307",
    title: "einsum too large",
    explanation: "An einsum has at most 64 operands, an operand at most 64 dimensions (the limits of numpy), and the \
whole text at most 10000 characters.",
    example: "",
};
