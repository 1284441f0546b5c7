//! Capacities U(K): how many targets of a group a phase with K words can compute.
//!
//! A [`Volume`] comes out of the verification of a [`Capacity`] and is used twice: as a formula in K for
//! the bound at all sizes, and as a number, rounded up, at given sizes. All of them satisfy
//! U(cK) ≤ c·U(K) for 0 ≤ c ≤ 1, which is what adding groups needs.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::rational::int;
use redblue_math::{Assignment, Expr, Interval, Rational};
use redblue_poly::UnionSet;

use super::count::Number;
use super::family::Paths;
use super::graph::{Graph, Targets};
use super::hourglass::Glass;
use super::view::View;
use super::{brascamp_lieb, hourglass, merging, reduction, symmetric};
use crate::certificate::{Capacity, Group};
use crate::refusal::{Cause, Refusal, Result, demand};

/// Bits of roots when U(K) is rounded up.
const BITS: u32 = 96;

/// A verified capacity.
#[derive(Clone, Debug)]
pub(crate) enum Volume {
    /// `factor · K^σ`, σ ≥ 1.
    Power {
        /// Depends on the sizes if loop lengths enter.
        factor: Expr,
        /// σ.
        sigma: Rational,
    },
    /// `max(K, U(K))` for a power U: some words are private values.
    Private(Box<Volume>),
    /// Slices of width W between hubs.
    Hourglass(Box<Glass>),
    /// `max(K, K²/(4·W_1·W_2))`.
    Reduction {
        /// W_1·W_2 > 0.
        words: Expr,
    },
    /// Another one that holds for targets at a distance of at least √(8K) from a diagonal: near ones are taken off.
    Far {
        /// U(K).
        volume: Box<Volume>,
        /// How many lines cross the diagonal: each has at most √(8K) near targets.
        lines: Box<Number>,
    },
    /// Another one, with L/K taken off the number of phases: L sums are taken in any order.
    Merged {
        /// U(K).
        volume: Box<Volume>,
        /// L.
        sums: Box<Number>,
    },
}

impl Volume {
    /// Verifies the capacity of a group; also returns the words it counts besides those of the families.
    pub(super) fn verify(
        graph: &Graph,
        targets: &Targets,
        group: &Group,
        paths: &[Paths],
    ) -> Result<(Volume, UnionSet)> {
        let volume = match &group.capacity {
            Capacity::BrascampLieb { exponents, extents } => {
                brascamp_lieb::verify(graph, targets, group, paths, exponents, extents)
            }
            Capacity::Symmetric { .. } => symmetric::verify(graph, targets, paths, &group.capacity),
            Capacity::Hourglass(pattern) => hourglass::verify(graph, targets, paths, pattern),
            Capacity::Reduction(pattern) => {
                let (volume, own) = reduction::verify(graph, targets, paths, pattern)?;
                return Ok((volume, own));
            }
            Capacity::Merging(pattern) => merging::verify(graph, targets, group, paths, pattern),
            // These bring their own families: see `Part::verify`.
            Capacity::Fused(_) | Capacity::Mirror(_) => Err(Refusal::new(
                Cause::Capacity,
                "a capacity with families of its own among plain ones",
            )),
        }?;
        Ok((volume, UnionSet::empty(graph.view.isl())?))
    }

    /// The capacity when some targets have private values: needs one that is convex and zero at zero.
    pub(super) fn with_private(self) -> Result<Volume> {
        demand(
            matches!(self, Volume::Power { .. }),
            Cause::Capacity,
            || "private values where the capacity is not known to be convex".into(),
        )?;
        Ok(Volume::Private(Box::new(self)))
    }

    /// 1/U(K) as a formula. `k` is at least 1 where it matters.
    pub(super) fn inverse(&self, view: &View, k: &Expr) -> Result<Expr> {
        match self {
            Volume::Power { factor, sigma } => Ok(factor.powi(-1)? * k.pow(&-sigma)?),
            Volume::Private(volume) => {
                let all = [k.powi(-1)?, volume.inverse(view, k)?];
                Ok(Expr::min_of(all).unwrap_or_default())
            }
            Volume::Hourglass(glass) => glass.inverse(view, k),
            Volume::Reduction { words } => {
                let few = k.powi(-1)?;
                let many = words.scale(&int(4)) * k.powi(-2)?;
                Ok(Expr::min_of([few, many]).unwrap_or_default())
            }
            Volume::Far { volume, .. } | Volume::Merged { volume, .. } => volume.inverse(view, k),
        }
    }

    /// What is taken off the number V/U(K) of phases.
    pub(super) fn deduction(&self, view: &View, k: &Expr) -> Result<Expr> {
        match self {
            Volume::Hourglass(glass) => Ok(glass.near(k)? * glass.inverse(view, k)?),
            Volume::Merged { sums, .. } => Ok(sums.formula.div(k)?),
            Volume::Far { volume, lines } => {
                let near = k.scale(&int(8)).sqrt()? * &lines.formula;
                Ok(near * volume.inverse(view, k)?)
            }
            _ => Ok(Expr::zero()),
        }
    }

    /// A number that is at least what is taken off the number of phases, at given sizes.
    pub(crate) fn deduction_at(
        &self,
        k: &BigInt,
        sizes: &Assignment,
        values: &BTreeMap<String, BigInt>,
    ) -> Result<Rational> {
        match self {
            Volume::Merged { sums, .. } => Ok(int(sums.count.evaluate(values)?) / int(k.clone())),
            Volume::Hourglass(glass) => {
                let near = glass.near_at(k, sizes, values)?;
                Ok(int(near) / self.at(k, sizes)?)
            }
            // Distances are whole numbers, so fewer than √(8K) of them are near: at most its floor.
            Volume::Far { volume, lines } => {
                let near = (k * 8u32).sqrt() * lines.count.evaluate(values)?;
                Ok(int(near) / volume.at(k, sizes)?)
            }
            _ => Ok(int(0)),
        }
    }

    /// A number that is at least U(K), at given sizes.
    pub(crate) fn at(&self, k: &BigInt, sizes: &Assignment) -> Result<Rational> {
        let k = int(k.clone());
        match self {
            Volume::Power { factor, sigma } => {
                let power = Interval::point(k).pow(sigma, BITS)?;
                Ok(factor.eval(sizes, BITS)?.upper() * power.upper())
            }
            Volume::Private(volume) => Ok(volume.at(&k.to_integer(), sizes)?.max(k)),
            Volume::Hourglass(glass) => glass.at(&k, sizes),
            Volume::Reduction { words } => {
                let words = words.eval(sizes, BITS)?.lower() * int(4);
                demand(words > int(0), Cause::Undecided, || {
                    "a capacity has no value".into()
                })?;
                Ok((&k * &k / words).max(k))
            }
            Volume::Far { volume, .. } | Volume::Merged { volume, .. } => {
                volume.at(&k.to_integer(), sizes)
            }
        }
    }

    /// Lengths of phases that suit the capacity at given sizes: near the maximum of T·V/U(S + T).
    pub(crate) fn lengths(&self, fast: &BigInt, sizes: &Assignment) -> Result<Vec<BigInt>> {
        let whole = |x: Rational| x.floor().to_integer();
        match self {
            Volume::Power { sigma, .. } if *sigma > int(1) => {
                let best = whole(int(fast.clone()) / (sigma - int(1)));
                Ok((-1..=2).map(|d| &best + d).collect())
            }
            Volume::Power { .. } => Ok(vec![fast * 64, fast * 4096]),
            Volume::Hourglass(glass) => glass.lengths(fast, sizes),
            Volume::Reduction { words } => {
                let words = words.scale(&int(4)).eval_floor(sizes)?;
                Ok(vec![words - fast])
            }
            Volume::Far { volume, .. }
            | Volume::Merged { volume, .. }
            | Volume::Private(volume) => volume.lengths(fast, sizes),
        }
    }
}
