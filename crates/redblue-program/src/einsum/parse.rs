//! From text to the notation.
//!
//! Every problem of the text is reported; the notation is meaningful only if none was an error.

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::einsum::codes;
use crate::einsum::notation::{Label, Notation, Term};

/// More than this is not an einsum anyone wrote, and would only take time to refuse.
const MAX_LENGTH: usize = 10_000;

/// Parses `text`, which is the whole of file `file`.
pub(super) fn parse(text: &str, file: u32, problems: &mut Vec<Diagnostic>) -> Notation {
    if text.len() > MAX_LENGTH {
        let message = format!("this einsum has {} characters", text.len());
        problems.push(Diagnostic::error(&codes::TOO_LARGE, message));
        return Notation::default();
    }
    let mut parser = Parser {
        text,
        file,
        at: 0,
        problems,
    };
    let (operands, output) = parser.terms();
    let notation = Notation {
        output: output.unwrap_or_else(|| Notation::implicit_output(&operands)),
        operands,
    };
    notation.check(problems);
    notation
}

struct Parser<'a> {
    text: &'a str,
    file: u32,
    at: usize,
    problems: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    /// The operands, and the output if there is an arrow.
    fn terms(&mut self) -> (Vec<Term>, Option<Term>) {
        let mut operands = vec![self.term()];
        let mut output: Option<Term> = None;
        while let Some(separator) = self.peek() {
            let start = self.at;
            let arrow = self.text[start..].starts_with("->");
            self.at += if arrow { 2 } else { separator.len_utf8() };
            let span = self.span_from(start);
            let term = self.term();
            match &output {
                None if arrow => output = Some(term),
                None => operands.push(term),
                Some(_) if arrow => {
                    let problem = Diagnostic::error(&codes::BAD_ARROW, "a second arrow").at(span);
                    self.problems
                        .push(problem.hint("an einsum has one output, after its only `->`"));
                }
                Some(_) => {
                    let problem =
                        Diagnostic::error(&codes::SEVERAL_OUTPUTS, "a second output").at(span);
                    self.problems
                        .push(problem.hint("an einsum has one output; commas separate operands"));
                }
            }
        }
        (operands, output)
    }

    /// Labels up to the next separator, which is left in place: a comma or an arrow.
    fn term(&mut self) -> Term {
        let start = self.at;
        let mut labels = Vec::new();
        while let Some(letter) = self.peek() {
            let here = self.at;
            if letter == ',' || self.text[here..].starts_with("->") {
                break;
            }
            if letter.is_ascii_alphabetic() {
                self.at += 1;
                labels.push(Label {
                    letter,
                    span: self.span_from(here),
                });
            } else if letter.is_whitespace() {
                self.at += letter.len_utf8();
            } else {
                self.reject();
            }
        }
        Term {
            labels,
            span: Some(self.trimmed(start)),
        }
    }

    /// Reports a run of characters that have no meaning, and skips it.
    fn reject(&mut self) {
        let start = self.at;
        while let Some(letter) = self.peek() {
            let meaningful =
                letter.is_ascii_alphabetic() || letter.is_whitespace() || letter == ',';
            if meaningful || self.text[self.at..].starts_with("->") {
                break;
            }
            self.at += letter.len_utf8();
        }
        // An arrow with a blank in it is one mistake, not two.
        let rest = self.text[self.at..].trim_start();
        if self.text[start..self.at].ends_with('-') && rest.starts_with('>') {
            self.at = self.text.len() - rest.len() + 1;
        }
        let run = &self.text[start..self.at];
        let (code, message, hint) = complaint(run);
        let span = self.span_from(start);
        self.problems
            .push(Diagnostic::error(code, message).at(span).hint(hint));
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn span_from(&self, start: usize) -> Span {
        Span {
            file: self.file,
            start: start as u32,
            end: self.at as u32,
        }
    }

    /// The range since `start` without blanks at its ends.
    fn trimmed(&self, start: usize) -> Span {
        let term = &self.text[start..self.at];
        let start = start + (term.len() - term.trim_start().len());
        let end = start + term.trim().len();
        Span {
            file: self.file,
            start: start.min(self.at) as u32,
            end: end.min(self.at) as u32,
        }
    }
}

/// What is wrong with a run of meaningless characters, and what was probably meant.
fn complaint(run: &str) -> (&'static Code, String, &'static str) {
    let shown: String = run.chars().take(16).collect();
    if run.starts_with('.') || run.starts_with('…') {
        let hint = "give every dimension a label of its own, for example `bij,bjk->bik`";
        return (
            &codes::ELLIPSIS,
            "an ellipsis has no fixed number of dimensions".to_string(),
            hint,
        );
    }
    if run.contains(['-', '>', '=', '→']) {
        let hint = "write the arrow as `->`, without a blank in it";
        return (
            &codes::BAD_ARROW,
            format!("`{shown}` is not an arrow"),
            hint,
        );
    }
    let hint = match run.chars().next() {
        Some('0'..='9') => "labels are single letters; sizes are given apart, with -D i=64",
        Some('\'' | '"' | '`') => "leave out the quotes",
        Some('(' | ')' | '[' | ']' | '{' | '}') => {
            "list the labels without brackets, for example `ik,kj->ij`"
        }
        Some(';' | ':' | '*' | '/' | '|') => "separate the operands by commas",
        Some('_') => "labels are single letters",
        _ => "labels are the letters a-z and A-Z",
    };
    (
        &codes::BAD_CHARACTER,
        format!("`{shown}` is not allowed in an einsum"),
        hint,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut problems = Vec::new();
        let notation = parse(text, 0, &mut problems);
        let found = match problems.as_slice() {
            [] => notation.text(),
            list => list
                .iter()
                .map(|problem| problem.code)
                .collect::<Vec<_>>()
                .join(" "),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn notations() {
        for (text, expected) in [
            ("ik,kj->ij", "ik,kj->ij"),
            (" i k , k j -> i j ", "ik,kj->ij"),
            ("ik,kj", "ik,kj->ij"),
            ("bA", "bA->Ab"),
            ("ba", "ba->ab"),
            ("ii", "ii->"),
            ("ii->i", "ii->i"),
            ("ij,ij", "ij,ij->"),
            ("ij,jk,kl", "ij,jk,kl->il"),
            ("i->", "i->"),
            (",ij->ji", ",ij->ji"),
            ("->", "->"),
            ("", "->"),
            ("a,,b", "a,,b->ab"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn problems() {
        for (text, expected) in [
            ("...ij,jk->ik", "RB0302"),
            ("i1j,j2k->ik", "RB0301 RB0301"),
            ("ik,kj->ijl", "RB0303"),
            ("ij->ii", "RB0304"),
            ("ij->zz", "RB0303 RB0303 RB0304"),
            ("ij->i->j", "RB0305"),
            ("ij- >i", "RB0305"),
            ("ij→i", "RB0305"),
            ("ij->i,j", "RB0306"),
            ("é", "RB0301"),
            ("[i,j]", "RB0301 RB0301"),
        ] {
            check(text, expected);
        }
        check(&"i".repeat(65), "RB0307");
        check(&",".repeat(64), "RB0307");
        check(&"i".repeat(10_001), "RB0307");
    }
}
