//! Affine data in plain Rust: what isl's constraints and piecewise functions look like outside isl.
//!
//! A [`Linear`] form is `c + Σ aᵢ·paramᵢ + Σ bⱼ·dimⱼ + Σ dₖ·floorₖ`, where the floors belong to the
//! enclosing [`Affine`] or basic set and each may use the floors before it.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use crate::error::Result;
use crate::handle::Handle;
use crate::sys::{self, Dim, isl_aff, isl_mat};
use crate::value;

/// An integer linear form in parameters, dimensions and floors.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Linear {
    /// The constant term.
    pub constant: BigInt,
    /// Coefficients of the parameters.
    pub params: Vec<BigInt>,
    /// Coefficients of the set dimensions, or of the domain's dimensions for a function.
    pub dims: Vec<BigInt>,
    /// Coefficients of the floors.
    pub floors: Vec<BigInt>,
}

/// `floor(numerator / denominator)` with a positive denominator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Floor {
    /// What is divided; uses only floors before this one.
    pub numerator: Linear,
    /// The positive divisor.
    pub denominator: BigInt,
}

/// A quasi-affine function `numerator / denominator`, an integer on the domain it is used on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine {
    /// What is divided.
    pub numerator: Linear,
    /// The positive divisor, usually one.
    pub denominator: BigInt,
    /// The floors that `numerator` and later floors refer to.
    pub floors: Vec<Floor>,
}

/// `linear = 0` or `linear >= 0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constraint {
    /// Whether this is an equality.
    pub equality: bool,
    /// The constrained form.
    pub linear: Linear,
}

impl Linear {
    /// The value at a point, given the values of the floors.
    pub fn evaluate(&self, params: &[BigInt], dims: &[BigInt], floors: &[BigInt]) -> BigInt {
        let dot = |coefficients: &[BigInt], values: &[BigInt]| -> BigInt {
            coefficients.iter().zip(values).map(|(c, v)| c * v).sum()
        };
        &self.constant
            + dot(&self.params, params)
            + dot(&self.dims, dims)
            + dot(&self.floors, floors)
    }

    /// Whether the form is a constant.
    pub fn is_constant(&self) -> bool {
        [&self.params, &self.dims, &self.floors]
            .iter()
            .all(|part| part.iter().all(Zero::is_zero))
    }
}

/// The values of floors at a point, in order.
pub(crate) fn floor_values(floors: &[Floor], params: &[BigInt], dims: &[BigInt]) -> Vec<BigInt> {
    let mut values = Vec::with_capacity(floors.len());
    for floor in floors {
        let numerator = floor.numerator.evaluate(params, dims, &values);
        values.push(numerator.div_floor(&floor.denominator));
    }
    values
}

impl Affine {
    /// The value at a point, rounded down if the denominator does not divide it.
    pub fn evaluate(&self, params: &[BigInt], dims: &[BigInt]) -> BigInt {
        let floors = floor_values(&self.floors, params, dims);
        self.numerator
            .evaluate(params, dims, &floors)
            .div_floor(&self.denominator)
    }

    /// Whether there are no floors and no denominator left.
    pub fn is_plain(&self) -> bool {
        self.denominator.is_one() && self.numerator.floors.iter().all(Zero::is_zero)
    }

    pub(crate) fn from_isl(aff: &Handle<isl_aff>) -> Result<Affine> {
        let Floor {
            numerator,
            denominator,
        } = Floor::from_isl(aff)?;
        let count = i32::try_from(numerator.floors.len()).unwrap_or(0);
        let floors = (0..count)
            .map(|at| Floor::from_isl(&aff.get(|a| sys::isl_aff_get_div(a, at))?))
            .collect::<Result<_>>()?;
        Ok(Affine {
            numerator,
            denominator,
            floors,
        })
    }
}

impl Floor {
    /// Numerator and denominator of an isl function; its own floors are only referred to.
    pub(crate) fn from_isl(aff: &Handle<isl_aff>) -> Result<Floor> {
        let denominator = value::integer(&aff.get(sys::isl_aff_get_denominator_val)?)?;
        // isl hands out coefficients already divided.
        let scaled = |value: Handle<sys::isl_val>| -> Result<BigInt> {
            Ok((value::rational(&value)? * &denominator).to_integer())
        };
        let part = |dim: Dim| -> Result<Vec<BigInt>> {
            let count = i32::try_from(aff.number(|a| sys::isl_aff_dim(a, dim))).unwrap_or(0);
            (0..count)
                .map(|at| scaled(aff.get(|a| sys::isl_aff_get_coefficient_val(a, dim, at))?))
                .collect()
        };
        let numerator = Linear {
            constant: scaled(aff.get(sys::isl_aff_get_constant_val)?)?,
            params: part(Dim::PARAM)?,
            dims: part(Dim::IN)?,
            floors: part(Dim::DIV)?,
        };
        Ok(Floor {
            numerator,
            denominator,
        })
    }
}

/// The rows of a constraint matrix whose columns are constant, parameters, dimensions, floors.
pub(crate) fn rows(
    matrix: &Handle<isl_mat>,
    [params, dims, floors]: [usize; 3],
) -> Result<Vec<Linear>> {
    let context = matrix.context();
    let count = context.size(sys::isl_mat_rows(matrix.keep()))?;
    let entry = |row: usize, column: usize| -> Result<BigInt> {
        // Matrix sizes come from isl itself, so they fit its integers.
        let (row, column) = (row as i32, column as i32);
        value::integer(&matrix.get(|m| sys::isl_mat_get_element_val(m, row, column))?)
    };
    let part = |row: usize, first: usize, n: usize| -> Result<Vec<BigInt>> {
        (first..first + n)
            .map(|column| entry(row, column))
            .collect()
    };
    (0..count)
        .map(|row| {
            Ok(Linear {
                constant: entry(row, 0)?,
                params: part(row, 1, params)?,
                dims: part(row, 1 + params, dims)?,
                floors: part(row, 1 + params + dims, floors)?,
            })
        })
        .collect()
}
