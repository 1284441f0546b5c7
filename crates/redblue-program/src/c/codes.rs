//! Diagnostic codes of the C front end (RB01xx).

use crate::diagnostic::Code;

/// All codes of this table.
pub(crate) const ALL: &[&Code] = &[
    &CHARACTER,
    &UNTERMINATED,
    &NUMBER,
    &DIRECTIVE,
    &MACRO,
    &INCLUDE,
    &ERROR_DIRECTIVE,
    &LIMIT,
    &SYNTAX,
    &DECLARATION,
    &NO_FUNCTION,
    &SEVERAL_FUNCTIONS,
    &SCOP,
    &CONTROL_FLOW,
    &POINTER,
    &SIDE_EFFECT,
    &CALL,
    &UNDECLARED,
    &NOT_ASSIGNABLE,
    &SUBSCRIPTS,
    &EXPRESSION,
];

/// A character no C program has.
pub(crate) static CHARACTER: Code = Code {
    id: "RB0101",
    title: "unexpected character",
    explanation: "This character cannot begin any token of C.",
    example: "A[i] = 1 @ 2;",
};

/// Something is opened and never closed.
pub(crate) static UNTERMINATED: Code = Code {
    id: "RB0102",
    title: "comment, string or character constant without end",
    explanation: "The text ends before the comment, string or character constant does.",
    example: "/* forgotten",
};

/// A number that cannot be read.
pub(crate) static NUMBER: Code = Code {
    id: "RB0103",
    title: "number not understood",
    explanation: "Integer constants are decimal, octal or hexadecimal and fit in 64 bits; floating-point constants are \
decimal or hexadecimal with an optional suffix.",
    example: "A[0] = 1.2.3;",
};

/// A preprocessor line that makes no sense.
pub(crate) static DIRECTIVE: Code = Code {
    id: "RB0104",
    title: "preprocessor directive not understood",
    explanation: "Understood are #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif, #error and #pragma, \
with integer conditions and defined(NAME). Every #if needs its #endif.",
    example: "#ifdef N\nint n;",
};

/// A macro is used in a wrong way.
pub(crate) static MACRO: Code = Code {
    id: "RB0105",
    title: "macro use not understood",
    explanation: "A macro with parameters must be used with the same number of arguments, and its use must end in the file \
where it begins.",
    example: "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nx = MAX(1);",
};

/// An include file is not there.
pub(crate) static INCLUDE: Code = Code {
    id: "RB0106",
    title: "include file not found",
    explanation: "Files included with quotes are searched next to the source and in the folders given with -I. System headers \
in angle brackets are not needed and are skipped when they are not found.",
    example: "#include \"sizes.h\"",
};

/// `#error` was reached.
pub(crate) static ERROR_DIRECTIVE: Code = Code {
    id: "RB0107",
    title: "#error reached",
    explanation: "The source itself refuses to be compiled with these macros.",
    example: "#ifndef N\n#error set N\n#endif",
};

/// A limit against runaway input was reached.
pub(crate) static LIMIT: Code = Code {
    id: "RB0108",
    title: "input is too large or nested too deeply",
    explanation: "Limits on the number of tokens after macro expansion and on the depth of nesting make sure that reading \
always ends. No kernel written by people comes near them.",
    example: "((((((…))))))",
};

/// The text is not C.
pub(crate) static SYNTAX: Code = Code {
    id: "RB0110",
    title: "syntax error",
    explanation: "The text does not follow the grammar of C here. Reading goes on after the next semicolon or brace.",
    example: "A[i = 0;",
};

/// A declaration beyond scalars and arrays.
pub(crate) static DECLARATION: Code = Code {
    id: "RB0111",
    title: "declaration not supported",
    explanation: "Variables are scalars and arrays of integer, floating-point or complex type. Structures, unions, pointers to \
pointers and function pointers are not followed.",
    example: "double **A;",
};

/// There is nothing to analyse.
pub(crate) static NO_FUNCTION: Code = Code {
    id: "RB0112",
    title: "no such function",
    explanation: "The input must define a function; its body, or the part between #pragma scop and #pragma endscop, is analysed.",
    example: "int n;",
};

/// More than one function could be meant.
pub(crate) static SEVERAL_FUNCTIONS: Code = Code {
    id: "RB0113",
    title: "several functions could be meant",
    explanation: "If exactly one function has a #pragma scop, or only one has loops, it is taken. Otherwise choose one with \
--function NAME.",
    example: "void f(double *a) { for (;;) ; } void g(double *a) { for (;;) ; }",
};

/// The scop pragmas do not make one region.
pub(crate) static SCOP: Code = Code {
    id: "RB0114",
    title: "#pragma scop does not mark one region",
    explanation: "A function has at most one region between #pragma scop and #pragma endscop, and both stand in the same block.",
    example: "#pragma scop\nfor (int i = 0; i < n; i++) {\n#pragma endscop\n}",
};

/// Control flow other than counted loops and affine conditions.
pub(crate) static CONTROL_FLOW: Code = Code {
    id: "RB0120",
    title: "control flow not supported",
    explanation: "Only `for` loops with affine bounds and `if` with affine conditions have an iteration domain that is known \
before the program runs. while, do, goto, switch, break, continue and an early return do not.",
    example: "while (x > eps) x = x / 2;",
};

/// Pointers used as more than arrays.
pub(crate) static POINTER: Code = Code {
    id: "RB0121",
    title: "pointer operation not supported",
    explanation: "A pointer parameter is understood as an array that does not overlap any other. Following pointers through \
memory (p->next, **p), taking addresses and moving pointers make it unknown which cell is touched.",
    example: "p = p->next;",
};

/// An expression that also assigns.
pub(crate) static SIDE_EFFECT: Code = Code {
    id: "RB0122",
    title: "side effect inside an expression",
    explanation: "A statement computes one value from operands and stores it. Assignments, ++ and -- stand alone or in a chain \
`a = b = c`.",
    example: "A[i] = k++;",
};

/// A call that is not a pure operation.
pub(crate) static CALL: Code = Code {
    id: "RB0123",
    title: "call not supported",
    explanation: "A call is understood as a pure operation on its arguments. Calls that stand alone, that get arrays or addresses, \
or that are known to have effects (printf, rand, malloc) may read or write anything. Move such calls out of the \
region between #pragma scop and #pragma endscop, or write the loops of the callee in its place.",
    example: "update(A, n);",
};

/// A name nobody declared.
pub(crate) static UNDECLARED: Code = Code {
    id: "RB0124",
    title: "undeclared name",
    explanation: "Every variable must be a parameter of the function, a global, or a local declared before its use; every size \
may also be a macro with an integer value or be given with -D.",
    example: "for (i = 0; i < m; i++) A[i] = 0; /* no m anywhere */",
};

/// The left side is not a cell.
pub(crate) static NOT_ASSIGNABLE: Code = Code {
    id: "RB0125",
    title: "cannot assign to this",
    explanation: "The left side of an assignment is a scalar or an array element. Sizes are constant in the analysed region.",
    example: "A[i] + 1 = 0;",
};

/// Too few or too many subscripts.
pub(crate) static SUBSCRIPTS: Code = Code {
    id: "RB0126",
    title: "wrong number of subscripts",
    explanation: "An array element has exactly as many subscripts as the array has dimensions; whole rows and whole arrays are \
not values.",
    example: "double A[10][10]; A[3] = 0;",
};

/// An expression without meaning for data movement.
pub(crate) static EXPRESSION: Code = Code {
    id: "RB0127",
    title: "expression not supported",
    explanation: "Values are built from constants, scalars, array elements, arithmetic, comparisons, ternaries, casts and calls.",
    example: "x = sizeof(double);",
};
