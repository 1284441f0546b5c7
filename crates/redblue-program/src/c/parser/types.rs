//! Type names and declaration specifiers.

use super::{Parse, Parser};
use crate::c::ast::Scalar;
use crate::program::ElementType;

/// What comes before the declarators of a declaration.
pub(super) struct Specifiers {
    pub(super) scalar: Scalar,
    pub(super) is_typedef: bool,
}

/// Words that say nothing about values.
const IGNORED: [&str; 12] = [
    "static",
    "extern",
    "inline",
    "register",
    "auto",
    "volatile",
    "restrict",
    "__restrict",
    "__restrict__",
    "__inline",
    "__inline__",
    "_Noreturn",
];

/// Integer types of the standard headers, with their size and whether they are unsigned.
const LIBRARY_INTEGERS: [(&str, ElementType, bool); 14] = [
    ("size_t", ElementType::I64, true),
    ("ssize_t", ElementType::I64, false),
    ("ptrdiff_t", ElementType::I64, false),
    ("intptr_t", ElementType::I64, false),
    ("int8_t", ElementType::I8, false),
    ("int16_t", ElementType::I16, false),
    ("int32_t", ElementType::I32, false),
    ("int64_t", ElementType::I64, false),
    ("uint8_t", ElementType::I8, true),
    ("uint16_t", ElementType::I16, true),
    ("uint32_t", ElementType::I32, true),
    ("uint64_t", ElementType::I64, true),
    ("_Bool", ElementType::I8, true),
    ("bool", ElementType::I8, true),
];

const BASIC: [&str; 11] = [
    "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "complex",
    "_Complex",
];

impl Parser<'_> {
    /// Whether the next token begins a type.
    pub(super) fn at_type(&self) -> bool {
        self.is_type_at(0)
    }

    /// Whether the token `offset` places ahead begins a type.
    pub(super) fn is_type_at(&self, offset: usize) -> bool {
        let Some(name) = self.peek_after(offset).and_then(|t| t.name()) else {
            return false;
        };
        BASIC.contains(&name)
            || IGNORED.contains(&name)
            || matches!(name, "const" | "typedef" | "struct" | "union" | "enum")
            || library(name).is_some()
            || self.typedefs.contains_key(name)
    }

    /// Reads specifiers and qualifiers in any order.
    pub(super) fn specifiers(&mut self) -> Parse<Specifiers> {
        let mut words: Vec<&str> = Vec::new();
        let mut named: Option<Scalar> = None;
        let mut constant = false;
        let mut is_typedef = false;
        while let Some(name) = self.peek().and_then(|t| t.name()) {
            if IGNORED.contains(&name) {
            } else if name == "const" {
                constant = true;
            } else if name == "typedef" {
                is_typedef = true;
            } else if matches!(name, "struct" | "union" | "enum") {
                named = Some(self.aggregate(name));
            } else if BASIC.contains(&name) {
                words.push(name);
            } else if words.is_empty() && named.is_none() && self.is_type_at(0) {
                named = library(name).or(self.typedefs.get(name).copied());
            } else {
                break;
            }
            self.at += 1;
        }
        let scalar = match named {
            Some(scalar) => scalar,
            None if words.is_empty() && !constant && !is_typedef => {
                return Err(self.expected("a type"));
            }
            None => basic(&words),
        };
        let constant = constant || scalar.constant;
        Ok(Specifiers {
            scalar: Scalar { constant, ..scalar },
            is_typedef,
        })
    }

    /// Skips the tag and members of a structure; only uses of its variables are a problem. Stops at its
    /// last token.
    fn aggregate(&mut self, word: &str) -> Scalar {
        if self.peek_after(1).is_some_and(|t| t.name().is_some()) {
            self.at += 1;
        }
        if self.peek_after(1).is_some_and(|t| t.is("{")) {
            self.at = self.matching(self.at + 1) - 1;
        }
        Scalar {
            element: (word == "enum").then_some(ElementType::I32),
            unsigned: false,
            constant: false,
        }
    }
}

fn library(name: &str) -> Option<Scalar> {
    let found = LIBRARY_INTEGERS.iter().find(|(known, ..)| *known == name);
    found.map(|(_, element, unsigned)| Scalar {
        element: Some(*element),
        unsigned: *unsigned,
        constant: false,
    })
}

/// The type that a set of basic words means.
fn basic(words: &[&str]) -> Scalar {
    let has = |word: &str| words.contains(&word);
    let is_complex = has("complex") || has("_Complex");
    let element = if has("void") {
        None
    } else if has("float") {
        Some(if is_complex {
            ElementType::C64
        } else {
            ElementType::F32
        })
    } else if is_complex {
        Some(ElementType::C128)
    } else if has("double") {
        // `long double` would need a type of its own.
        (!has("long")).then_some(ElementType::F64)
    } else if has("char") {
        Some(ElementType::I8)
    } else if has("short") {
        Some(ElementType::I16)
    } else if has("long") {
        Some(ElementType::I64)
    } else {
        Some(ElementType::I32)
    };
    Scalar {
        element,
        unsigned: has("unsigned"),
        constant: false,
    }
}
