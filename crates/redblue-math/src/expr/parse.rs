//! Reads formulas from text; the inverse of the plain-text form.
//!
//! ```text
//! sum     = ["-"] product { ("+" | "-") product }
//! product = unary { ("*" | "/") unary }
//! unary   = "-" unary | primary [ "^" unary ]            the exponent must be a rational constant
//! primary = integer | name | function "(" sum { "," sum } ")" | "(" sum ")"
//! ```
//!
//! Any input gives a value or an error with a byte offset. Nesting and written-out size are limited, so that no
//! text makes the reader run away.

use super::Expr;
use crate::{
    Rational,
    error::{MathError, Result},
};
use num_bigint::BigInt;
use num_traits::One as _;
use std::str::FromStr;

/// The deepest nesting of parentheses, signs and exponents.
const MAX_DEPTH: u32 = 128;
/// The most pairs of terms that one multiplication may form.
const MAX_PRODUCT: usize = 20_000;
/// The most digits of a number.
const MAX_DIGITS: usize = 1000;

impl FromStr for Expr {
    type Err = MathError;

    fn from_str(text: &str) -> Result<Expr> {
        let mut reader = Reader {
            text,
            offset: 0,
            depth: 0,
        };
        let expr = reader.sum()?;
        match reader.peek() {
            None => Ok(expr),
            Some(found) => Err(reader.error(format!("unexpected `{found}`"))),
        }
    }
}

/// Where an operand of a product stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Numerator,
    Denominator,
}

struct Reader<'a> {
    text: &'a str,
    offset: usize,
    depth: u32,
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> MathError {
        MathError::Parse {
            offset: self.offset,
            message: message.into(),
        }
    }

    /// The next character that is not white space, without taking it.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.offset..];
        self.offset += rest.len() - rest.trim_start().len();
        self.text[self.offset..].chars().next()
    }

    /// Takes `wanted` if it comes next.
    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.offset += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        if self.eat(wanted) {
            Ok(())
        } else {
            Err(self.error(format!("expected `{wanted}`")))
        }
    }

    /// Takes the longest run of characters of one kind.
    fn take_while(&mut self, kind: impl Fn(char) -> bool) -> &str {
        let rest = &self.text[self.offset..];
        let run = &rest[..rest.find(|c| !kind(c)).unwrap_or(rest.len())];
        self.offset += run.len();
        run
    }

    /// Runs `part` one level deeper.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.error("the formula is nested too deeply"));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    fn sum(&mut self) -> Result<Expr> {
        let mut total = self.product()?;
        loop {
            if self.eat('+') {
                total += self.product()?;
            } else if self.eat('-') {
                total -= &self.product()?;
            } else {
                return Ok(total);
            }
        }
    }

    fn product(&mut self) -> Result<Expr> {
        let mut total = self.unary(Side::Numerator)?;
        loop {
            let side = match self.peek() {
                Some('*') => Side::Numerator,
                Some('/') => Side::Denominator,
                _ => return Ok(total),
            };
            self.offset += 1;
            let operand = self.unary(side)?;
            if total.terms().len().saturating_mul(operand.terms().len()) > MAX_PRODUCT {
                return Err(MathError::TooLarge);
            }
            total *= &operand;
        }
    }

    /// An operand, already inverted when it stands in a denominator: the power `1/(a + b)^2` is not multiplied out.
    fn unary(&mut self, side: Side) -> Result<Expr> {
        if self.eat('-') {
            return self
                .nested(|reader| reader.unary(side))
                .map(|operand| -operand);
        }
        let start = self.offset;
        let base = self.primary()?;
        let caret = self.offset;
        let raised = self.eat('^');
        let mut exponent = Rational::one();
        if raised {
            let written = self.nested(|reader| reader.unary(Side::Numerator))?;
            exponent = written.as_constant().ok_or_else(|| MathError::Parse {
                offset: caret,
                message: "the exponent is not a rational number".into(),
            })?;
        }
        if side == Side::Denominator {
            exponent = -exponent;
        }
        self.located(if raised { caret } else { start }, base.pow(&exponent))
    }

    fn primary(&mut self) -> Result<Expr> {
        match self.peek() {
            Some('(') => {
                self.expect('(')?;
                let inner = self.nested(Self::sum)?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() => {
                let start = self.offset;
                let digits = self.take_while(|c| c.is_ascii_digit());
                let value = if digits.len() > MAX_DIGITS {
                    None
                } else {
                    digits.parse::<BigInt>().ok()
                };
                value.map(Expr::integer).ok_or(MathError::Parse {
                    offset: start,
                    message: "the number is too long".into(),
                })
            }
            Some(c) if is_name_start(c) => {
                let start = self.offset;
                let name = self
                    .take_while(|c| is_name_start(c) || c.is_ascii_digit())
                    .to_owned();
                if is_function(&name) {
                    self.call(start, &name)
                } else {
                    Ok(Expr::symbol(name))
                }
            }
            Some(found) => Err(self.error(format!("unexpected `{found}`"))),
            None => Err(self.error("the formula ends too early")),
        }
    }

    fn call(&mut self, start: usize, name: &str) -> Result<Expr> {
        self.expect('(')?;
        let mut items = vec![self.nested(Self::sum)?];
        while self.eat(',') {
            items.push(self.nested(Self::sum)?);
        }
        self.expect(')')?;
        let result = match (name, items.as_slice()) {
            ("min", _) => Ok(Expr::min_of(items).unwrap_or_default()),
            ("max", _) => Ok(Expr::max_of(items).unwrap_or_default()),
            ("sqrt", [item]) => item.sqrt(),
            ("floor", [item]) => Ok(item.floor()),
            ("ceil", [item]) => Ok(item.ceil()),
            ("log2", [item]) => item.log2(),
            _ => {
                return Err(MathError::Parse {
                    offset: start,
                    message: format!("`{name}` takes one argument"),
                });
            }
        };
        self.located(start, result)
    }

    /// Turns an error of the mathematics into one that says where it arose.
    fn located(&self, offset: usize, result: Result<Expr>) -> Result<Expr> {
        result.map_err(|error| MathError::Parse {
            offset,
            message: error.to_string(),
        })
    }
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_function(name: &str) -> bool {
    matches!(name, "sqrt" | "min" | "max" | "floor" | "ceil" | "log2")
}
