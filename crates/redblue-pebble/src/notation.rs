//! How plays are written down: one move per line for people, JSON for programs.
//!
//! ```text
//! # comments and empty lines are ignored
//! load 0
//! load 1
//! compute 2        slide 1 2   (the pebble of 1 moves onto 2)
//! store 2
//! delete 0
//! ```

use std::fmt::{self, Write as _};

use crate::error::Error;
use crate::game::Move;

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Load(v) => write!(f, "load {v}"),
            Move::Store(v) => write!(f, "store {v}"),
            Move::Compute(v) => write!(f, "compute {v}"),
            Move::Delete(v) => write!(f, "delete {v}"),
            Move::Slide { from, to } => write!(f, "slide {from} {to}"),
        }
    }
}

/// The play as text, one move per line.
pub fn to_text(moves: &[Move]) -> String {
    let mut text = String::new();
    for step in moves {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{step}");
    }
    text
}

/// Reads a play from text.
///
/// # Errors
/// [`Error::Malformed`] with the line that is not a move.
pub fn from_text(text: &str) -> Result<Vec<Move>, Error> {
    let mut moves = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((verb, operands)) = words.split_first() else {
            continue;
        };
        let malformed = |reason: String| Error::Malformed {
            line: index + 1,
            reason,
        };
        let vertices = operands
            .iter()
            .map(|word| {
                word.parse()
                    .map_err(|_| malformed(format!("'{word}' is not a vertex")))
            })
            .collect::<Result<Vec<usize>, Error>>()?;
        moves.push(match (*verb, vertices.as_slice()) {
            ("load", &[v]) => Move::Load(v),
            ("store", &[v]) => Move::Store(v),
            ("compute", &[v]) => Move::Compute(v),
            ("delete", &[v]) => Move::Delete(v),
            ("slide", &[from, to]) => Move::Slide { from, to },
            _ => return Err(malformed(format!("'{}' is not a move", line.trim()))),
        });
    }
    Ok(moves)
}

/// The play as JSON: `[{"load":0}, {"slide":{"from":1,"to":2}}, …]`.
pub fn to_json(moves: &[Move]) -> String {
    // Moves are plain numbers under fixed names, which JSON can always hold.
    serde_json::to_string(moves).unwrap_or_default()
}

/// Reads a play from JSON.
///
/// # Errors
/// [`Error::Malformed`] when it is not a list of moves.
pub fn from_json(text: &str) -> Result<Vec<Move>, Error> {
    serde_json::from_str(text).map_err(|error| Error::Malformed {
        line: error.line(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAY: [Move; 5] = [
        Move::Load(0),
        Move::Slide { from: 0, to: 1 },
        Move::Compute(2),
        Move::Store(2),
        Move::Delete(1),
    ];

    #[test]
    fn both_notations_round_trip() {
        assert_eq!(from_text(&to_text(&PLAY)), Ok(PLAY.to_vec()));
        assert_eq!(from_json(&to_json(&PLAY)), Ok(PLAY.to_vec()));
        assert_eq!(to_text(&PLAY[..2]), "load 0\nslide 0 1\n");
        assert_eq!(
            to_json(&PLAY[..2]),
            r#"[{"load":0},{"slide":{"from":0,"to":1}}]"#
        );
    }

    fn check_refused(text: &str, expect: &str) {
        assert_eq!(from_text(text).expect_err("not a play").to_string(), expect);
    }

    #[test]
    fn the_first_bad_line_is_named() {
        check_refused("load 0\n\nfetch 1", "line 3: 'fetch 1' is not a move");
        check_refused("load x", "line 1: 'x' is not a vertex");
        check_refused("slide 1", "line 1: 'slide 1' is not a move");
        assert_eq!(from_text("# nothing\n  \n"), Ok(vec![]));
        assert!(from_json("[{\"load\":-1}]").is_err());
    }
}
