//! Capacities U(K): how many targets of a group a phase with K words can compute.
//!
//! A [`Volume`] comes out of the verification of a [`Capacity`] and is used twice: as a formula in K for
//! the bound at all sizes, and as a number, rounded up, at given sizes. All of them satisfy
//! U(cK) ≤ c·U(K) for 0 ≤ c ≤ 1, which is what adding groups needs.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_math::rational::{int, product, quotient};
use redblue_math::{Assignment, Expr, Interval, Rational};
use redblue_poly::UnionSet;

use super::count::Number;
use super::family::Paths;
use super::graph::{Graph, Targets};
use super::hourglass::{Glass, GlassAt};
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

    /// The capacity at given sizes.
    pub(crate) fn at(
        &self,
        sizes: &Assignment,
        values: &BTreeMap<String, BigInt>,
    ) -> Result<VolumeAt> {
        let inner = |volume: &Volume| volume.at(sizes, values).map(Box::new);
        Ok(match self {
            Volume::Power { factor, sigma } => VolumeAt::Power {
                factor: factor.eval(sizes, BITS)?.upper().clone(),
                sigma: sigma.clone(),
            },
            Volume::Private(volume) => VolumeAt::Private(inner(volume)?),
            Volume::Hourglass(glass) => VolumeAt::Hourglass(glass.at(sizes, values)?),
            Volume::Reduction { words } => {
                let words = words.eval(sizes, BITS)?.lower().clone();
                demand(words > int(0), Cause::Undecided, || {
                    "a capacity has no value".into()
                })?;
                VolumeAt::Reduction { words }
            }
            Volume::Far { volume, lines } => VolumeAt::Far {
                volume: inner(volume)?,
                lines: lines.count.evaluate(values)?,
            },
            Volume::Merged { volume, sums } => VolumeAt::Merged {
                volume: inner(volume)?,
                sums: sums.count.evaluate(values)?,
            },
        })
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

/// A capacity at given sizes: of what it depends on, only K is open.
#[derive(Clone, Debug)]
pub(crate) enum VolumeAt {
    Power {
        factor: Rational,
        sigma: Rational,
    },
    Private(Box<VolumeAt>),
    Hourglass(GlassAt),
    Reduction {
        words: Rational,
    },
    Far {
        volume: Box<VolumeAt>,
        lines: BigInt,
    },
    Merged {
        volume: Box<VolumeAt>,
        sums: BigInt,
    },
}

impl VolumeAt {
    /// How many phases with K words some targets need: a number that is at most that.
    pub(crate) fn phases(&self, targets: &BigInt, k: &BigInt) -> Result<Rational> {
        let counted = match self {
            VolumeAt::Hourglass(glass) => targets - glass.near(k),
            // Distances are whole numbers, so fewer than √(8K) of them are near: at most its floor.
            VolumeAt::Far { lines, .. } => targets - (k * 8u32).sqrt() * lines,
            _ => targets.clone(),
        };
        let phases = quotient(&int(counted), &self.volume(k)?);
        Ok(match self {
            VolumeAt::Merged { sums, .. } => phases - Rational::new(sums.clone(), k.clone()),
            _ => phases,
        })
    }

    /// A number that is at least U(K).
    fn volume(&self, k: &BigInt) -> Result<Rational> {
        let whole = || int(k.clone());
        Ok(match self {
            VolumeAt::Power { factor, sigma } => {
                let power = Interval::point(whole()).pow(sigma, BITS)?;
                product(factor, power.upper())
            }
            VolumeAt::Private(volume) => volume.volume(k)?.max(whole()),
            VolumeAt::Hourglass(glass) => glass.volume(k),
            VolumeAt::Reduction { words } => {
                let many = quotient(&int(k * k), &(words * int(4)));
                many.max(whole())
            }
            VolumeAt::Far { volume, .. } | VolumeAt::Merged { volume, .. } => volume.volume(k)?,
        })
    }
}
