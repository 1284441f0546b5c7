//! Diagnostic codes of the affine form (RB02xx).

use crate::diagnostic::Code;

/// All codes of this table.
pub(crate) const ALL: &[&Code] = &[
    &LOOP_FORM,
    &DATA_CONDITION,
    &DATA_SUBSCRIPT,
    &DATA_BOUND,
    &PRODUCT,
    &NEEDS_NUMBER,
    &UNKNOWN_INTEGER,
    &FLAT_SUBSCRIPT,
    &CHANGED_ITERATOR,
    &ENDLESS_LOOP,
    &TOO_COMPLICATED,
];

/// A loop header is not of the form understood.
pub(crate) static LOOP_FORM: Code = Code {
    id: "RB0201",
    title: "loop header not understood",
    explanation: "A loop must be `for (i = first; condition; step)`, where the condition compares the loop variable \
with affine expressions and the step adds or subtracts a constant. The condition must stay false once it is \
false, so that the iterations form an interval (with a stride).",
    example: "for (int i = 0; i < n; i *= 2) A[i] = 0;",
};

/// An `if` looks at data.
pub(crate) static DATA_CONDITION: Code = Code {
    id: "RB0202",
    title: "condition depends on data",
    explanation: "Which statements run must be known from loop variables and sizes alone. Where both branches assign \
the same cell, write a ternary: `x = c ? a : b` is one operation with three operands.",
    example: "if (A[i] > 0) B[i] = A[i];",
};

/// A subscript looks at data.
pub(crate) static DATA_SUBSCRIPT: Code = Code {
    id: "RB0203",
    title: "subscript depends on data",
    explanation: "The cell a statement touches must be known from loop variables and sizes alone. Indirect accesses \
such as x[col[j]] have a data movement that depends on the values in col, so no bound for all inputs can be exact.",
    example: "y[i] += a[j] * x[col[j]];",
};

/// A loop bound looks at data.
pub(crate) static DATA_BOUND: Code = Code {
    id: "RB0204",
    title: "loop bound depends on data",
    explanation: "How often a loop runs must be known from outer loop variables and sizes alone.",
    example: "for (int j = row[i]; j < row[i + 1]; j++) y[i] += a[j];",
};

/// Loop variables or sizes are multiplied.
pub(crate) static PRODUCT: Code = Code {
    id: "RB0205",
    title: "expression is not affine",
    explanation: "Bounds, conditions and subscripts must be sums of multiples of loop variables and sizes. A product of \
two of them is understood only as a flat index a[i*n + j], or when one factor has a value (from #define or -D), \
which is then used as a number.",
    example: "for (int j = 0; j < i * i; j++) A[j] = 0;",
};

/// A number is needed where a name stands.
pub(crate) static NEEDS_NUMBER: Code = Code {
    id: "RB0206",
    title: "a number is needed",
    explanation: "Strides, divisors and moduli must be known numbers other than zero, because a set such as `i mod B = 0` with symbolic B \
is not affine. Give the name a value with #define or -D; it is then used as a number.",
    example: "void f(int n, int B, double A[n]) { for (int i = 0; i < n; i += B) A[i] = 0; }",
};

/// An integer variable has no value that could be known.
pub(crate) static UNKNOWN_INTEGER: Code = Code {
    id: "RB0207",
    title: "value of an integer is not known here",
    explanation: "An integer variable in a bound, condition or subscript must have been set, on every path to this place, to \
an affine expression of loop variables and sizes. Counters that a loop changes, and loop variables after their loop, \
are not followed.",
    example: "int k = 0; for (int i = 0; i < n; i++) { A[k] = 0; k += 2; }",
};

/// A flat index cannot be split into subscripts.
pub(crate) static FLAT_SUBSCRIPT: Code = Code {
    id: "RB0208",
    title: "flat index cannot be split into subscripts",
    explanation: "An index such as a[i*n + k] is read as a[i][k] with rows of length n. That is exact only if 0 <= k < n, \
which must follow from the loop bounds and assumptions, and if all accesses to the array agree on the row length.",
    example: "for (int i = 0; i < n; i++) for (int k = 0; k <= n; k++) a[i*n + k] = 0;",
};

/// A loop variable is assigned inside its loop.
pub(crate) static CHANGED_ITERATOR: Code = Code {
    id: "RB0209",
    title: "loop variable is changed in its loop",
    explanation: "The iterations of a loop must follow from its header alone.",
    example: "for (int i = 0; i < n; i++) { A[i] = 0; i = i + 1; }",
};

/// A loop runs away from its bound.
pub(crate) static ENDLESS_LOOP: Code = Code {
    id: "RB0210",
    title: "loop may not end",
    explanation: "The step moves away from the bound, or the condition can be stepped over, or an unsigned variable counts \
down past zero. If such a loop runs at all, it does not end at its condition.",
    example: "for (int i = 0; i < n; i--) A[i] = 0;",
};

/// A limit of the analysis was reached.
pub(crate) static TOO_COMPLICATED: Code = Code {
    id: "RB0211",
    title: "expression is too complicated",
    explanation: "The exact form has more pieces than the analysis allows, or integer set computations ran out of their \
budget. Split the expression, or use fewer nested min, max, / and %.",
    example: "A[(i % 2 + j % 3) % 5 % 2 % 3] = 0;",
};
