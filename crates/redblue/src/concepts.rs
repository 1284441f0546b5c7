//! Concepts that `redblue explain` tells about, one Markdown file each in `concepts/`.

use std::fmt;

/// A concept.
#[derive(Debug, PartialEq, Eq)]
pub struct Concept {
    /// The name it is asked for by.
    pub name: &'static str,
    /// Its page; the first line is a heading.
    pub text: &'static str,
}

macro_rules! concepts {
    ($($name:literal),* $(,)?) => {
        &[$(Concept { name: $name, text: include_str!(concat!("../concepts/", $name, ".md")) }),*]
    };
}

/// All concepts, sorted by name.
pub static CONCEPTS: &[Concept] = concepts![
    "assumption",
    "dependence",
    "domain",
    "einsum",
    "fast-memory",
    "gap",
    "live-out",
    "lru",
    "opt",
    "pebble-game",
    "plan",
    "reduction",
    "reported",
    "roofline",
    "scop",
    "sizes",
    "statement",
];

/// The concept with this name, whatever the case of its letters.
pub fn find(name: &str) -> Option<&'static Concept> {
    CONCEPTS
        .iter()
        .find(|concept| concept.name.eq_ignore_ascii_case(name.trim()))
}

/// As plain text: the name, the heading, the body.
impl fmt::Display for Concept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = self.text.split_once('\n').map_or("", |(_, body)| body);
        write!(f, "{}: {}\n{body}", self.name, self.title())
    }
}

impl Concept {
    /// The heading of its page.
    pub fn title(&self) -> &'static str {
        self.text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches('#')
            .trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_whole_and_sorted() {
        assert!(CONCEPTS.is_sorted_by_key(|concept| concept.name));
        for concept in CONCEPTS {
            assert!(
                concept.text.starts_with("# ") && concept.text.ends_with('\n'),
                "{}",
                concept.name
            );
            assert!(
                concept.text.contains("\n\n"),
                "{} has no body",
                concept.name
            );
        }
    }
}
