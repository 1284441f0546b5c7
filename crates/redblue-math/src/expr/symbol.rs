//! Names of sizes, and values given to them.

use crate::error::{MathError, Result};
use num_bigint::BigInt;
use num_traits::Signed as _;
use std::{collections::BTreeMap, fmt, sync::Arc};

/// The name of a nonnegative integer: a program parameter, the fast memory `S`, the number of ranks `p`.
///
/// Any text is accepted; formulas read back from text when the name is an identifier
/// (letters, digits, underscores, not starting with a digit) and not the name of a function.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(Arc<str>);

impl Symbol {
    /// The symbol called `name`.
    pub fn new(name: &str) -> Self {
        Symbol(name.into())
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Symbol {
    fn from(name: &str) -> Self {
        Symbol::new(name)
    }
}

impl From<String> for Symbol {
    fn from(name: String) -> Self {
        Symbol(name.into())
    }
}

impl From<&Symbol> for Symbol {
    fn from(symbol: &Symbol) -> Self {
        symbol.clone()
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Concrete sizes: a nonnegative integer for each of some symbols.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assignment(BTreeMap<Symbol, BigInt>);

impl Assignment {
    /// No symbol has a value.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same assignment with one more value.
    #[must_use]
    pub fn with(mut self, symbol: impl Into<Symbol>, value: impl Into<BigInt>) -> Self {
        self.set(symbol, value);
        self
    }

    /// Gives `symbol` a value, replacing the one it had.
    pub fn set(&mut self, symbol: impl Into<Symbol>, value: impl Into<BigInt>) {
        self.0.insert(symbol.into(), value.into());
    }

    /// The value of `symbol`; an error when it has none or a negative one.
    pub fn get(&self, symbol: &Symbol) -> Result<&BigInt> {
        match self.0.get(symbol) {
            None => Err(MathError::Unassigned(symbol.to_string())),
            Some(value) if value.is_negative() => {
                Err(MathError::NegativeSymbol(symbol.to_string()))
            }
            Some(value) => Ok(value),
        }
    }

    /// All values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&Symbol, &BigInt)> {
        self.0.iter()
    }
}

impl<N: Into<Symbol>, V: Into<BigInt>> FromIterator<(N, V)> for Assignment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Assignment(
            pairs
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}
