//! Plans as text, accepted back: the tree, then the schedule unless it is one round.
//!
//! ```text
//! plan     = tree [ "/" setting { "," setting } ]
//! tree     = "1" | axis count [ "(" tree ")" ] | axis "{" part { "," part } "}"
//! part     = [ count "*" ] ranks ":" tree        ranks of one such tree, as a check for the reader
//! axis     = "m" | "n" | "k"
//! setting  = "tiles=" count "x" count | "steps=" count | "chunks=" count
//! ```

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::schedule::Schedule;
use super::tree::{Part, Tree};
use super::{Plan, PlanError};
use crate::shape::{Axis, Shape};

/// Nested cuts that are read at most; a plan for all the ranks of a 64-bit number needs fewer.
const DEPTH: usize = 200;

/// Why a text is not a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Something else was expected.
    #[error("expected {expected} at character {at} of the plan")]
    Expected {
        /// What could stand there.
        expected: &'static str,
        /// Position in characters, from 1.
        at: usize,
    },
    /// The ranks written before a part are not those of the part.
    #[error("the part at character {at} of the plan has {found} ranks, not {written}")]
    Ranks {
        /// Position in characters, from 1.
        at: usize,
        /// What the text says.
        written: u64,
        /// What its tree has.
        found: u64,
    },
    /// More ranks than a 64-bit number.
    #[error("the plan has more ranks than can be counted")]
    Overflow,
    /// The plan does not fit the problem.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tree::Cut(cut) = self else {
            return f.write_str("1");
        };
        if let [part] = cut.parts() {
            write!(f, "{}{}", cut.axis(), part.repeat)?;
            return match *part.tree {
                Tree::Leaf => Ok(()),
                ref inner => write!(f, "({inner})"),
            };
        }
        write!(f, "{}{{", cut.axis())?;
        for (index, part) in cut.parts().iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            if part.repeat > 1 {
                write!(f, "{}*", part.repeat)?;
            }
            write!(f, "{}:{}", part.tree.ranks(), part.tree)?;
        }
        f.write_str("}")
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.tiles;
        let mut separator = "";
        if self.tiles != [1, 1] {
            write!(f, "tiles={a}x{b}")?;
            separator = ",";
        }
        for (name, value) in [("steps", self.steps), ("chunks", self.chunks)] {
            if value != 1 {
                write!(f, "{separator}{name}={value}")?;
                separator = ",";
            }
        }
        Ok(())
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.tree)?;
        if self.schedule != Schedule::WHOLE {
            write!(f, "/{}", self.schedule)?;
        }
        Ok(())
    }
}

impl Plan {
    /// Reads a plan for a problem.
    pub fn parse(text: &str, shape: Shape, ranks: u64) -> Result<Plan, TextError> {
        let mut reader = Reader {
            text: text.trim(),
            at: 0,
        };
        let tree = reader.tree(DEPTH)?;
        let schedule = if reader.eat("/") {
            reader.schedule()?
        } else {
            Schedule::WHOLE
        };
        reader.end()?;
        Ok(Plan::new(shape, ranks, tree, schedule)?)
    }
}

impl FromStr for Tree {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Tree, TextError> {
        let mut reader = Reader {
            text: text.trim(),
            at: 0,
        };
        let tree = reader.tree(DEPTH)?;
        reader.end()?;
        Ok(tree)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn error(&self, expected: &'static str) -> TextError {
        let at = self.text.get(..self.at).unwrap_or("").chars().count() + 1;
        TextError::Expected { expected, at }
    }

    fn need(&mut self, token: &str, expected: &'static str) -> Result<(), TextError> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    fn end(&self) -> Result<(), TextError> {
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.error("the end"))
        }
    }

    fn count(&mut self) -> Result<u64, TextError> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let value = self
            .rest()
            .get(..digits)
            .and_then(|digits| digits.parse().ok());
        match value.filter(|&value| value > 0) {
            Some(value) => {
                self.at += digits;
                Ok(value)
            }
            None => Err(self.error("a number from 1 to 18446744073709551615")),
        }
    }

    fn tree(&mut self, depth: usize) -> Result<Tree, TextError> {
        if depth == 0 {
            return Err(self.error("fewer nested cuts"));
        }
        let Some(axis) = Axis::ALL
            .into_iter()
            .find(|axis| self.eat(&axis.to_string()))
        else {
            self.need("1", "`m`, `n`, `k` or `1`")?;
            return Ok(Tree::Leaf);
        };
        let mut parts = Vec::new();
        if self.eat("{") {
            parts.push(self.part(depth)?);
            while self.eat(",") {
                parts.push(self.part(depth)?);
            }
            self.need("}", "`,` or `}`")?;
        } else {
            let repeat = self.count()?;
            let mut tree = Tree::Leaf;
            if self.eat("(") {
                tree = self.tree(depth - 1)?;
                self.need(")", "`)`")?;
            }
            parts.push(Part {
                repeat,
                tree: Arc::new(tree),
            });
        }
        let ranks = parts.iter().try_fold(0u64, |sum, part| {
            part.repeat
                .checked_mul(part.tree.ranks())
                .and_then(|ranks| sum.checked_add(ranks))
        });
        ranks
            .map(|_| Tree::cut(axis, parts))
            .ok_or(TextError::Overflow)
    }

    fn part(&mut self, depth: usize) -> Result<Part, TextError> {
        let TextError::Expected { at, .. } = self.error("") else {
            return Err(TextError::Overflow);
        };
        let mut written = self.count()?;
        let mut repeat = 1;
        if self.eat("*") {
            repeat = written;
            written = self.count()?;
        }
        self.need(":", "`*` or `:`")?;
        let tree = self.tree(depth - 1)?;
        if tree.ranks() != written {
            return Err(TextError::Ranks {
                at,
                written,
                found: tree.ranks(),
            });
        }
        Ok(Part {
            repeat,
            tree: Arc::new(tree),
        })
    }

    fn schedule(&mut self) -> Result<Schedule, TextError> {
        let mut schedule = Schedule::WHOLE;
        loop {
            if self.eat("tiles=") {
                let rows = self.count()?;
                self.need("x", "`x`")?;
                schedule.tiles = [rows, self.count()?];
            } else if self.eat("steps=") {
                schedule.steps = self.count()?;
            } else if self.eat("chunks=") {
                schedule.chunks = self.count()?;
            } else {
                return Err(self.error("`tiles=`, `steps=` or `chunks=`"));
            }
            if !self.eat(",") {
                return Ok(schedule);
            }
        }
    }
}
