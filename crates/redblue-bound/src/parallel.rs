//! Words that p ranks cannot avoid exchanging, for projective loop nests (C-13, C-13b, C-14).
//!
//! A rank that does V/p of the work touches x_j words of array j. With exponents s of the nest (G-12, for every
//! loop the s_j of the arrays indexed by it add up to 1 or more), and because a word of array j takes part in
//! V/|A_j| operations only:
//!
//! ```text
//! D = min Σ x_j     subject to     Π x_j^{s_j} ≥ V/p,     x_j ≥ |A_j|/p
//! ```
//!
//! It must receive the inputs it does not own and send the partial results it does not keep, so with one copy of
//! every array in all, some rank receives at least `D − Σ|A_j|/p` words, and sends and receives that many in any
//! case. The least sum has a closed form for every set of arrays that sit at their lower bound ([`Regime`]); for the
//! matrix product these are the 1D, 2D and 3D regimes of Al Daas, Ballard, Grigori, Kumar and Rouse (2022).
//!
//! With S words per rank the phase argument bounds what some rank sends and receives (C-14, R-8): memory is full at
//! the start, accumulators that are created are sent, merged or still there at the end, so with T = c·S
//!
//! ```text
//! sent + received ≥ T·(V/(p·U(S+T)) − 1) − S,     U(K) = (K/σ)^σ·Π s_j^{s_j}
//! ```
//!
//! Deliberately absent: Theorem 2 of the COSMA paper, a cost and no bound (C-12, U-6), and inputs that are
//! replicated for free (U-19).

mod nest;
mod surface;

use redblue_math::rational::{int, ratio};
use redblue_math::{Assignment, Expr, MathError, Rational};

pub use self::nest::{Array, Nest};
pub use self::surface::{Regime, Surface};
use crate::error::Result;

/// What every parallel bound assumes.
pub const ASSUMPTIONS: [&str; 3] = [
    "one copy of the inputs at the start and of the result at the end, in all",
    "memory-independent: the work is shared equally among the ranks",
    "memory-dependent: every rank has S words and at most one live accumulator per result",
];

/// The parallel bounds of a nest, in words per rank, with `p` ranks of `S` words.
#[derive(Clone, Debug)]
pub struct Parallel {
    /// The nest.
    pub nest: Nest,
    /// One least surface per choice of exponents; each is a bound whatever the memory (C-13).
    pub surfaces: Vec<Surface>,
    /// Words that some rank sends and receives together with S words of memory (C-14).
    pub memory: Vec<Expr>,
    /// Irony, Toledo and Tiskin's older bound for the matrix product, as published.
    pub reported: Option<Expr>,
}

/// The bounds at given sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Words that some rank receives when work is shared equally.
    pub received: Rational,
    /// Words that some rank sends and receives together.
    pub exchanged: Rational,
}

impl Parallel {
    /// The bounds of a nest.
    pub fn of(nest: Nest) -> Result<Parallel> {
        let mut surfaces = Vec::new();
        let mut memory = Vec::new();
        for exponents in nest.exponents()? {
            let sum: Rational = exponents.iter().sum();
            if sum <= int(1) {
                continue;
            }
            let limited = with_memory(&nest, &exponents, &sum)?;
            if !memory.contains(&limited) {
                memory.push(limited);
            }
            surfaces.push(Surface::of(&nest, exponents)?);
        }
        let reported = nest.is_matrix_product().then(|| irony(&nest)).transpose()?;
        Ok(Parallel {
            nest,
            surfaces,
            memory,
            reported,
        })
    }

    /// The best bounds at sizes that include `p`, and `S` for the memory-dependent ones.
    pub fn at(&self, sizes: &Assignment) -> Result<Value> {
        let below = |formula: &Expr| Ok::<_, MathError>(int(formula.eval_floor(sizes)?));
        let mut received = int(0);
        for surface in &self.surfaces {
            received = received.max(below(&surface.at(sizes)?)?);
        }
        let mut exchanged = received.clone();
        if sizes
            .get(&"S".into())
            .is_ok_and(|memory| *memory > 0.into())
        {
            for formula in &self.memory {
                exchanged = exchanged.max(below(formula)?);
            }
        }
        Ok(Value {
            received,
            exchanged,
        })
    }
}

/// C-14 for one choice of exponents.
fn with_memory(nest: &Nest, exponents: &[Rational], sum: &Rational) -> Result<Expr> {
    let memory = Expr::symbol("S");
    let best = (int(1) / (sum - int(1))).round().max(int(1));
    let length = memory.scale(&best);
    let mut capacity = (&memory + &length).scale(&(int(1) / sum)).pow(sum)?;
    for exponent in exponents.iter().filter(|exponent| **exponent > int(0)) {
        capacity = capacity * Expr::constant(exponent.clone()).pow(exponent)?;
    }
    let share = nest.work().div(&Expr::symbol("p"))?;
    Ok(&length * &(share.div(&capacity)? - Expr::one()) - memory)
}

/// `V/(2√2·p·√S) − S`.
fn irony(nest: &Nest) -> Result<Expr> {
    let memory = Expr::symbol("S");
    let root = (Expr::integer(8) * &memory).pow(&ratio(1, 2))?;
    Ok(nest.work().div(&(Expr::symbol("p") * root))? - memory)
}

#[cfg(test)]
mod tests;
