//! Piecewise quasi-affine functions, the values that front ends compute subscripts and bounds with.
//!
//! ```text
//! i < min(ii + 32, n)   is   i.lt_set(&ii.add(&thirty_two)?.min(&n)?)?
//! ```

use num_bigint::BigInt;
use num_traits::Zero;

use crate::affine::Affine;
use crate::error::Result;
use crate::handle::{Handle, calls, public_object};
use crate::pieces;
use crate::set::Set;
use crate::space::{Space, position};
use crate::sys::{self, Dim};
use crate::value;

public_object! {
    /// A function from the points of a set to integers, affine on each of finitely many pieces.
    PwAff(isl_pw_aff), isl_pw_aff_to_str
}

impl PwAff {
    /// The constant function on a set space.
    pub fn constant(space: &Space, value: impl Into<BigInt>) -> Result<PwAff> {
        let value = value::to_isl(space.context(), &value.into())?;
        let domain = space.0.map(sys::isl_set_universe)?;
        Ok(PwAff(domain.pair(&value, sys::isl_pw_aff_val_on_domain)?))
    }

    /// The value of a parameter, as a function on a set space that has this parameter.
    pub fn param(space: &Space, name: &str) -> Result<PwAff> {
        PwAff::variable(space, Dim::PARAM, space.param_position(name)?)
    }

    /// The value of a dimension, as a function on a set space.
    pub fn dim(space: &Space, at: usize) -> Result<PwAff> {
        PwAff::variable(space, Dim::SET, position(at)?)
    }

    fn variable(space: &Space, dim: Dim, at: std::ffi::c_uint) -> Result<PwAff> {
        let local = space.0.map(sys::isl_local_space_from_space)?;
        Ok(PwAff(
            local.map(|s| sys::isl_pw_aff_var_on_domain(s, dim, at))?,
        ))
    }

    calls!(map PwAff {
        /// `-self`.
        neg = isl_pw_aff_neg;
        /// Rounded down, for a function with a denominator.
        floor = isl_pw_aff_floor;
        /// Rounded up, for a function with a denominator.
        ceil = isl_pw_aff_ceil;
    });

    calls!(pair PwAff -> PwAff {
        /// `self + other`.
        add = isl_pw_aff_add;
        /// `self - other`.
        sub = isl_pw_aff_sub;
        /// `self * other`; an error unless one of them is a constant.
        mul = isl_pw_aff_mul;
        /// The smaller of the two, point by point.
        min = isl_pw_aff_min;
        /// The larger of the two, point by point.
        max = isl_pw_aff_max;
        /// C's `self / other`, rounded towards zero; `other` must be a positive constant.
        div_truncated = isl_pw_aff_tdiv_q;
        /// C's `self % other`, with the sign of `self`; `other` must be a positive constant.
        rem_truncated = isl_pw_aff_tdiv_r;
    });

    calls!(pair PwAff -> Set {
        /// Where `self = other`.
        eq_set = isl_pw_aff_eq_set;
        /// Where `self != other`.
        ne_set = isl_pw_aff_ne_set;
        /// Where `self <= other`.
        le_set = isl_pw_aff_le_set;
        /// Where `self < other`.
        lt_set = isl_pw_aff_lt_set;
        /// Where `self >= other`.
        ge_set = isl_pw_aff_ge_set;
        /// Where `self > other`.
        gt_set = isl_pw_aff_gt_set;
    });

    calls!(pair Set -> PwAff {
        /// The function restricted to a set.
        intersect_domain = isl_pw_aff_intersect_domain;
        /// The function restricted to a parameter set.
        intersect_params = isl_pw_aff_intersect_params;
        /// A simpler function that agrees on the given set.
        gist = isl_pw_aff_gist;
        /// A simpler function that agrees for the given parameters.
        gist_params = isl_pw_aff_gist_params;
    });

    calls!(map Set {
        /// Where the function is defined.
        domain = isl_pw_aff_domain;
    });

    calls!(ask PwAff {
        /// Whether both are defined on the same set and agree there.
        is_equal = isl_pw_aff_is_equal;
    });

    /// `factor * self`.
    pub fn scale(&self, factor: impl Into<BigInt>) -> Result<PwAff> {
        let factor = value::to_isl(self.context(), &factor.into())?;
        Ok(PwAff(self.0.pair(&factor, sys::isl_pw_aff_scale_val)?))
    }

    /// `floor(self / divisor)`.
    pub fn floor_div(&self, divisor: impl Into<BigInt>) -> Result<PwAff> {
        let divisor = value::to_isl(self.context(), &divisor.into())?;
        PwAff(self.0.pair(&divisor, sys::isl_pw_aff_scale_down_val)?).floor()
    }

    /// `self mod modulus`, in `0..modulus`.
    pub fn modulo(&self, modulus: impl Into<BigInt>) -> Result<PwAff> {
        let modulus = value::to_isl(self.context(), &modulus.into())?;
        Ok(PwAff(self.0.pair(&modulus, sys::isl_pw_aff_mod_val)?))
    }

    /// `yes` on the points of `condition`, `no` elsewhere.
    pub fn select(condition: &Set, yes: &PwAff, no: &PwAff) -> Result<PwAff> {
        let context = condition.context();
        context.same(yes.context())?;
        context.same(no.context())?;
        let indicator = condition.0.map(sys::isl_set_indicator_function)?;
        Ok(PwAff(indicator.map(|i| {
            sys::isl_pw_aff_cond(i, yes.0.take(), no.0.take())
        })?))
    }

    /// The set space the function is defined on.
    pub fn space(&self) -> Result<Space> {
        Ok(Space(self.0.get(sys::isl_pw_aff_get_domain_space)?))
    }

    /// The pieces: disjoint sets with an affine function each.
    pub fn pieces(&self) -> Result<Vec<(Set, Affine)>> {
        let pieces = pieces::of_function(&self.0)?;
        pieces
            .iter()
            .map(|(set, aff)| Ok((set.clone(), Affine::from_isl(aff)?)))
            .collect()
    }

    /// The value, if the function is the same number on its whole domain and defined somewhere.
    pub fn as_constant(&self) -> Result<Option<BigInt>> {
        let mut value: Option<BigInt> = None;
        for (set, affine) in self.pieces()? {
            if set.is_empty()? {
                continue;
            }
            let Some(here) = affine.as_constant() else {
                return Ok(None);
            };
            if value.as_ref().is_some_and(|v| *v != here) {
                return Ok(None);
            }
            value = Some(here);
        }
        Ok(value)
    }

    /// The value for given parameters of a function without dimensions, or of one that uses none.
    pub fn evaluate(&self, params: &[BigInt], dims: &[BigInt]) -> Result<Option<BigInt>> {
        for (set, affine) in self.pieces()? {
            if set.contains(params, dims)? {
                return Ok(Some(affine.evaluate(params, dims)));
            }
        }
        Ok(None)
    }
}

impl Affine {
    /// The value of a function that is visibly constant.
    pub fn as_constant(&self) -> Option<BigInt> {
        let constant = self.numerator.is_constant()
            && (&self.numerator.constant % &self.denominator).is_zero();
        constant.then(|| &self.numerator.constant / &self.denominator)
    }
}

/// A list for isl.
pub(crate) fn list(space: &Space, functions: &[PwAff]) -> Result<Handle<sys::isl_pw_aff_list>> {
    let context = space.context();
    let mut list = context.receive(sys::isl_pw_aff_list_alloc(context.keep(), 0))?;
    for function in functions {
        list = list.pair(&function.0, sys::isl_pw_aff_list_add)?;
    }
    Ok(list)
}
