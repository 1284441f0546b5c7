//! Whatever the text, reading it ends without a panic, and every message can be shown.

use proptest::prelude::*;
use redblue_program::c::{self, CInput};
use redblue_program::reading::ReadOptions;

/// Reads a text as a file that also includes itself.
fn read(text: &str) {
    let options = ReadOptions {
        defines: [("N".to_string(), 5), ("B".to_string(), 0)].into(),
        assumptions: vec!["N >= 2".into()],
        ..ReadOptions::default()
    };
    let load = |path: &str| (path == "self.h").then(|| text.to_string());
    let reading = c::read(
        &CInput {
            name: "self.h",
            text,
        },
        &options,
        &load,
    );
    let _ = reading.render();
    if let Some(program) = reading.program {
        let complete = !reading.diagnostics.iter().any(|d| d.is_error());
        assert_eq!(program.omitted.is_empty(), complete);
    }
}

/// Words of which arbitrary programs are made: likely to get deep into the front end.
const WORDS: &[&str] = &[
    "for",
    "if",
    "else",
    "while",
    "return",
    "int",
    "double",
    "float",
    "unsigned",
    "const",
    "struct",
    "static",
    "typedef",
    "void",
    "sizeof",
    "i",
    "j",
    "n",
    "N",
    "B",
    "A",
    "b",
    "x",
    "min",
    "max",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "[",
    "]",
    "{",
    "}",
    "{",
    "}",
    ";",
    ";",
    ";",
    ",",
    "=",
    "=",
    "+=",
    "<",
    "<=",
    ">",
    "!=",
    "==",
    "+",
    "-",
    "*",
    "/",
    "%",
    "++",
    "--",
    "&&",
    "||",
    "!",
    "?",
    ":",
    "&",
    "->",
    ".",
    "<<",
    "0",
    "1",
    "2",
    "7",
    "3.5",
    "9223372036854775807",
    "'c'",
    "\"s\"",
    "\n#define N 4\n",
    "\n#define B(x, y) x y B(y, x)\n",
    "\n#define i j\n",
    "\n#undef N\n",
    "\n#if N > 2\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#ifdef B\n",
    "\n#include \"self.h\"\n",
    "\n#pragma scop\n",
    "\n#pragma endscop\n",
    "\n#pragma redblue assume n > 1\n",
    "/*",
    "*/",
    "//",
    "\\\n",
    "#",
    "##",
];

fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS), 0..120).prop_map(|words| words.join(" "))
}

/// A moderate number of cases; `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(128),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_text(text in "\\PC{0,200}") {
        read(&text);
    }

    #[test]
    fn arbitrary_tokens(text in words()) {
        read(&text);
    }

    #[test]
    fn arbitrary_statements(text in words()) {
        read(&format!("void f(int n, double A[n][n], double *b, double x) {{ int i, j; {text} }}"));
    }

    #[test]
    fn arbitrary_expressions(text in words()) {
        let expression = text.replace([';', '{', '}', '\n', '\\'], " ");
        read(&format!(
            "void f(int n, double A[n], double *b) {{ for (int i = 0; i < n; i++) {{ A[{expression}] = {expression}; }} }}"
        ));
    }

    /// A kernel with a piece cut out or doubled.
    #[test]
    fn damaged_kernel(start in 0usize..600, length in 0usize..80, doubled in any::<bool>()) {
        let text = include_str!("../../../kernels/gemm.c");
        let boundary = |at: usize| {
            let mut at = at.min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (start, end) = (boundary(start), boundary(start + length));
        let middle = if doubled { &text[start..end] } else { "" };
        read(&format!("{}{middle}{middle}{}", &text[..start], &text[end..]));
    }
}

#[test]
fn repetition_without_end() {
    for piece in [
        "(",
        "[",
        "{",
        "-",
        "!",
        "*",
        "x = ",
        "if (1) ",
        "for (;;) ",
        "f(",
        "a ? ",
        "a[",
        "+ 1 ",
    ] {
        let many = piece.repeat(4_000);
        read(&many);
        read(&format!(
            "void f(int n, double *a, double x) {{ x = 1 {many} }}"
        ));
        read(&format!("void f(int n, double *a, double x) {{ {many} }}"));
    }
    read(&"#if 1\n".repeat(4_000));
    read(&"#include \"self.h\"\n".repeat(100));
    read(&format!(
        "#define f(x) f(f(x))\nvoid g(double x) {{ x = {}1{}; }}",
        "f(".repeat(5_000),
        ")".repeat(5_000)
    ));
    let chain: String = (0..5_000)
        .map(|k| format!("#define m{} m{k}\n", k + 1))
        .collect();
    read(&format!("{chain} void g(double x) {{ x = m5000; }}"));
}
