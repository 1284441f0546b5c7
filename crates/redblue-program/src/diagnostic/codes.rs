//! The registry of diagnostic codes: what `redblue explain RB0203` prints.
//!
//! Each front end keeps the table of its own codes next to the code that reports them; this file only
//! joins the tables and holds the codes about sizes that all front ends share.

use std::fmt;

/// One kind of problem.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// `RB` and four digits, the first two of which tell the area.
    pub id: &'static str,
    /// What is wrong, in a few words.
    pub title: &'static str,
    /// Why it is refused and what can be done.
    pub explanation: &'static str,
    /// An input that causes it.
    pub example: &'static str,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n\n{}\n", self.id, self.title, self.explanation)?;
        if !self.example.is_empty() {
            f.write_str("\nExample:\n\n")?;
            for line in self.example.lines() {
                writeln!(f, "    {line}")?;
            }
        }
        Ok(())
    }
}

/// All codes, sorted.
pub fn all() -> Vec<&'static Code> {
    let tables: [&'static [&'static Code]; 4] = [
        crate::c::codes::ALL,
        crate::affine::codes::ALL,
        crate::einsum::codes::ALL,
        SIZES,
    ];
    let mut codes: Vec<&'static Code> = tables.concat();
    codes.sort_by_key(|code| code.id);
    codes
}

/// The code with this name, whatever the case of its letters.
pub fn find(id: &str) -> Option<&'static Code> {
    all()
        .into_iter()
        .find(|code| code.id.eq_ignore_ascii_case(id.trim()))
}

const SIZES: &[&Code] = &[
    &RESERVED_SIZE,
    &UNKNOWN_SIZE,
    &BAD_ASSUMPTION,
    &EMPTY_ASSUMPTIONS,
    &UNKNOWN_OUTPUT,
];

/// A size is called `S` or `p`.
pub static RESERVED_SIZE: Code = Code {
    id: "RB0401",
    title: "reserved name for a size",
    explanation: "In every formula S is the size of the fast memory and p the number of processors, and words \
such as min or floor are functions. A program's own size with such a name would make formulas ambiguous. \
Rename the size in the source. Arrays and loop variables may keep such names.",
    example: "void f(int S, double A[S]) { for (int i = 0; i < S; i++) A[i] = 0; }",
};

/// A size given on the command line does not exist.
pub static UNKNOWN_SIZE: Code = Code {
    id: "RB0402",
    title: "no such size",
    explanation: "A name given with -D is not a size of the program. Sizes are the integers that loop bounds and \
array extents are written in; `redblue ir` lists them.",
    example: "redblue ir gemm -D NX=100",
};

/// An assumption cannot be read.
pub static BAD_ASSUMPTION: Code = Code {
    id: "RB0403",
    title: "assumption not understood",
    explanation: "An assumption is a condition on sizes, as in `M >= N`, `1 <= N < 100`, `N % 4 == 0`, combined with \
&&, || and !. It must be affine: no products of sizes.",
    example: "#pragma redblue assume M * N > 7",
};

/// The assumptions contradict each other.
pub static EMPTY_ASSUMPTIONS: Code = Code {
    id: "RB0404",
    title: "assumptions exclude every size",
    explanation: "No sizes satisfy all assumptions at once, so every statement about them would be true and useless.",
    example: "redblue bound gemm --assume 'NI > 5' --assume 'NI < 3'",
};

/// A name in `--outputs` is not an array.
pub static UNKNOWN_OUTPUT: Code = Code {
    id: "RB0405",
    title: "no such array among the outputs",
    explanation: "Every name given with --outputs must be an array or scalar that the program writes.",
    example: "redblue ir gemm --outputs D",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_well_formed() {
        let codes = all();
        for pair in codes.windows(2) {
            assert!(pair[0].id < pair[1].id, "{} twice", pair[0].id);
        }
        for code in codes {
            assert!(
                code.id.len() == 6 && code.id.starts_with("RB"),
                "{}",
                code.id
            );
            assert!(
                !code.title.ends_with('.') && code.explanation.ends_with('.'),
                "{}",
                code.id
            );
            assert_eq!(find(&code.id.to_lowercase()), Some(code));
        }
        assert_eq!(find("RB9999"), None);
    }
}
