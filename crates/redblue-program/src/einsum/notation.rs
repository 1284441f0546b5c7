//! An einsum taken apart: `ik,kj->ij` as lists of labels, and what makes no sense about them.

use crate::diagnostic::{Diagnostic, Span};
use crate::einsum::codes;

/// numpy's own limits; more is a mistake.
const MAX_OPERANDS: usize = 64;
const MAX_DIMENSIONS: usize = 64;

/// An einsum: labels of every operand and of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Notation {
    pub(super) operands: Vec<Term>,
    pub(super) output: Term,
}

/// One operand, or the output: a label for every dimension, none for a scalar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) labels: Vec<Label>,
    /// Where it stands; the output of an implicit einsum stands nowhere.
    pub(super) span: Option<Span>,
}

/// A label in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) letter: char,
    pub(super) span: Span,
}

impl Term {
    /// The labels as a word.
    pub(super) fn word(&self) -> String {
        self.labels.iter().map(|label| label.letter).collect()
    }

    /// Whether a dimension has this label.
    pub(super) fn has(&self, letter: char) -> bool {
        self.labels.iter().any(|label| label.letter == letter)
    }
}

impl Notation {
    /// Every letter of the operands once, in order of first appearance.
    pub(super) fn letters(&self) -> Vec<char> {
        let mut letters = Vec::new();
        for label in self.operands.iter().flat_map(|operand| &operand.labels) {
            if !letters.contains(&label.letter) {
                letters.push(label.letter);
            }
        }
        letters
    }

    /// The names of the sizes: the letters.
    pub(super) fn sizes(&self) -> Vec<String> {
        self.letters().iter().map(char::to_string).collect()
    }

    /// The letters that are summed over, in order of first appearance.
    pub(super) fn summed(&self) -> Vec<char> {
        let mut letters = self.letters();
        letters.retain(|&letter| !self.output.has(letter));
        letters
    }

    /// numpy's rule when there is no arrow: the labels that occur exactly once, sorted.
    pub(super) fn implicit_output(operands: &[Term]) -> Term {
        let mut labels: Vec<Label> = operands
            .iter()
            .flat_map(|operand| operand.labels.clone())
            .collect();
        labels.sort_by_key(|label| label.letter);
        let once = labels
            .chunk_by(|a, b| a.letter == b.letter)
            .filter(|same| same.len() == 1)
            .flatten()
            .copied()
            .collect();
        Term {
            labels: once,
            span: None,
        }
    }

    /// The explicit notation without blanks.
    pub(super) fn text(&self) -> String {
        let operands: Vec<String> = self.operands.iter().map(Term::word).collect();
        format!("{}->{}", operands.join(","), self.output.word())
    }

    /// Reports what is wrong with the whole, each of its parts being well written.
    pub(super) fn check(&self, problems: &mut Vec<Diagnostic>) {
        if self.operands.len() > MAX_OPERANDS {
            let message = format!("this einsum has {} operands", self.operands.len());
            problems.push(Diagnostic::error(&codes::TOO_LARGE, message));
        }
        for term in &self.operands {
            if term.labels.len() <= MAX_DIMENSIONS {
                continue;
            }
            let message = format!("this operand has {} dimensions", term.labels.len());
            let problem = Diagnostic::error(&codes::TOO_LARGE, message);
            problems.push(Diagnostic {
                span: term.span,
                ..problem
            });
        }
        let letters = self.letters();
        for (position, label) in self.output.labels.iter().enumerate() {
            let letter = label.letter;
            if !letters.contains(&letter) {
                let message = format!("output label `{letter}` occurs in no operand");
                let hint = format!("drop it, or give an operand a dimension `{letter}`");
                problems.push(
                    Diagnostic::error(&codes::UNBOUND_OUTPUT, message)
                        .at(label.span)
                        .hint(hint),
                );
            }
            if self.output.labels[..position]
                .iter()
                .any(|before| before.letter == letter)
            {
                let message = format!("output label `{letter}` occurs twice");
                let hint = "repeat a label in an operand to take a diagonal, but not in the output";
                problems.push(
                    Diagnostic::error(&codes::REPEATED_OUTPUT, message)
                        .at(label.span)
                        .hint(hint),
                );
            }
        }
    }
}
