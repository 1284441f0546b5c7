//! Sizes from the command line: `-D NI=64,NJ=128..4096:log2`.
//!
//! ```text
//! "N=64,M=1..3" ──► Sizes ──► points(): { M: 1, N: 64 }, { M: 2, N: 64 }, { M: 3, N: 64 }
//! ```
//!
//! A name with a single value is that value; a name with a [`sweep`] gives one point for each of its values,
//! and several sweeps all combinations. Whether the program has such a size is not asked here.

pub mod sweep;

use std::collections::BTreeMap;
use std::ops::Range;

use redblue_program::Diagnostic;
use redblue_program::diagnostic::codes::RESERVED_SIZE;

use crate::Refusal;
use crate::codes::{BAD_SIZE, BAD_SWEEP};

/// All combinations of all sweeps, at most: a larger request is a typing error.
pub const MOST_POINTS: usize = 100_000;

/// Values by name.
pub type Point = BTreeMap<String, i64>;

/// Sizes by name, each with at least one value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes(BTreeMap<String, Vec<i64>>);

impl Sizes {
    /// Reads the arguments of all `-D` options.
    ///
    /// # Errors
    /// Diagnostics `RB0401`, `RB0411` and `RB0412`, with a caret under the part that is wrong.
    ///
    /// # Example
    /// ```
    /// let sizes = redblue::sizes::Sizes::parse(&["NI=64,NJ=128..512:log2"])?;
    /// assert_eq!(sizes.points().count(), 3);
    /// assert_eq!(sizes.fixed().get("NI"), Some(&64));
    /// # Ok::<(), redblue::Refusal>(())
    /// ```
    pub fn parse<T: AsRef<str>>(arguments: &[T]) -> Result<Sizes, Refusal> {
        let mut sizes = Sizes::default();
        for argument in arguments.iter().map(AsRef::as_ref) {
            let mut start = 0;
            for part in argument.split(',') {
                sizes.add(argument, start..start + part.len())?;
                start += part.len() + 1;
            }
        }
        let points = sizes
            .0
            .values()
            .try_fold(1usize, |n, values| n.checked_mul(values.len()));
        match points {
            Some(points) if points <= MOST_POINTS => Ok(sizes),
            _ => Err(Refusal::new(
                &BAD_SWEEP,
                format!("all sweeps together have more than {MOST_POINTS} points"),
            )
            .hint("use larger steps, or log2")),
        }
    }

    /// Adds the `NAME=VALUE` in this part of an argument.
    fn add(&mut self, argument: &str, part: Range<usize>) -> Result<(), Refusal> {
        let refuse = |at: Range<usize>, diagnostic: Diagnostic| {
            Err(Refusal::in_argument("-D", argument, at, diagnostic))
        };
        let text = &argument[part.clone()];
        let Some(equals) = text.find('=') else {
            let problem = Diagnostic::error(&BAD_SIZE, format!("`{}` has no value", text.trim()))
                .hint("sizes are written NAME=VALUE, as in -D N=1000");
            return refuse(part, problem);
        };
        let (name, value) = (text[..equals].trim(), text[equals + 1..].trim());
        let name_place = part.start..part.start + equals;
        let value_place = part.start + equals + 1..part.end;
        if !is_name(name) {
            let problem = Diagnostic::error(&BAD_SIZE, format!("`{name}` is not a name"))
                .hint("sizes are written NAME=VALUE, as in -D N=1000");
            return refuse(name_place, problem);
        }
        if name == "S" || name == "p" {
            let option = if name == "S" {
                "-S gives the fast memory"
            } else {
                "-p gives the ranks"
            };
            let problem = Diagnostic::error(&RESERVED_SIZE, format!("`{name}` is reserved"))
                .hint(format!("{option}; no size of a program has this name"));
            return refuse(name_place, problem);
        }
        let values = match sweep::parse(value, &|text| text.parse().ok().filter(|size| *size >= 0))
        {
            Ok(values) => values,
            Err(problem) => return refuse(value_place, problem.diagnostic(&BAD_SIZE, value)),
        };
        if self.0.insert(name.to_string(), values).is_some() {
            return refuse(
                name_place,
                Diagnostic::error(&BAD_SIZE, format!("`{name}` is given twice"))
                    .hint("give one value, or a sweep as in N=128..4096:log2"),
            );
        }
        Ok(())
    }

    /// Whether no size was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this name has a value.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The same with these values for names that have none.
    pub fn or(mut self, defaults: &Point) -> Sizes {
        for (name, value) in defaults {
            self.0.entry(name.clone()).or_insert_with(|| vec![*value]);
        }
        self
    }

    /// Names with one value.
    pub fn fixed(&self) -> Point {
        let single = |(name, values): (&String, &Vec<i64>)| match values[..] {
            [value] => Some((name.clone(), value)),
            _ => None,
        };
        self.0.iter().filter_map(single).collect()
    }

    /// Names with several values.
    pub fn swept(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(|(_, values)| values.len() > 1)
            .map(|(name, _)| name.as_str())
    }

    /// Every combination of values, the last name varying fastest. One empty point if nothing was given.
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        let count: usize = self.0.values().map(Vec::len).product();
        (0..count).map(|index| {
            let mut rest = index;
            let mut point = Point::new();
            for (name, values) in self.0.iter().rev() {
                point.insert(name.clone(), values[rest % values.len()]);
                rest /= values.len();
            }
            point
        })
    }
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &[&str], expected: &str) {
        let shown = match Sizes::parse(arguments) {
            Ok(sizes) => sizes
                .points()
                .map(|point| format!("{point:?}"))
                .collect::<Vec<_>>()
                .join(" "),
            Err(refusal) => refusal.to_string(),
        };
        assert_eq!(shown, expected.trim());
    }

    #[test]
    fn values_and_combinations() {
        check(&[], "{}");
        check(&["N=64"], r#"{"N": 64}"#);
        check(&["N = 64 , M=0", "K=2"], r#"{"K": 2, "M": 0, "N": 64}"#);
        check(
            &["N=1..2,M=8..32:log2"],
            r#"{"M": 8, "N": 1} {"M": 8, "N": 2} {"M": 16, "N": 1} {"M": 16, "N": 2} {"M": 32, "N": 1} {"M": 32, "N": 2}"#,
        );
    }

    #[test]
    fn problems_point_at_their_part() {
        check(
            &["NI=4,NJ=12x"],
            "
error[RB0411]: `12x` is not a whole number from 0 on
 --> -D:1:9
  |
1 | NI=4,NJ=12x
  |         ^^^
  = help: write a number as in 1000, or a sweep as in 1..10, 100..500:100 or 128..4096:log2",
        );
        check(
            &["N"],
            "
error[RB0411]: `N` has no value
 --> -D:1:1
  |
1 | N
  | ^
  = help: sizes are written NAME=VALUE, as in -D N=1000",
        );
        check(
            &["S=3"],
            "
error[RB0401]: `S` is reserved
 --> -D:1:1
  |
1 | S=3
  | ^
  = help: -S gives the fast memory; no size of a program has this name",
        );
        check(
            &["N=9..3"],
            "
error[RB0412]: the sweep is empty: 9 is above 3
 --> -D:1:3
  |
1 | N=9..3
  |   ^^^^
  = help: write a number as in 1000, or a sweep as in 1..10, 100..500:100 or 128..4096:log2",
        );
        check(
            &["N=1..1000", "M=1..1000"],
            "
error[RB0412]: all sweeps together have more than 100000 points
   = help: use larger steps, or log2",
        );
    }
}
