//! Exact numbers across the border: isl's values and big integers.

use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;

use crate::context::Context;
use crate::error::{PolyError, Result};
use crate::handle::Handle;
use crate::sys::{self, isl_val};

/// Bytes in one chunk of a number that crosses the border.
const CHUNK: usize = 1;

/// isl's copy of an integer.
pub(crate) fn to_isl(context: &Context, value: &BigInt) -> Result<Handle<isl_val>> {
    if let Ok(small) = i64::try_from(value) {
        return context.receive(sys::isl_val_int_from_si(context.keep(), small));
    }
    let (sign, bytes) = value.to_bytes_le();
    // SAFETY: `bytes` holds `bytes.len()` chunks of one byte, least significant first, and isl copies them.
    let magnitude = unsafe {
        sys::isl_val_int_from_chunks(context.keep(), bytes.len(), CHUNK, bytes.as_ptr().cast())
    };
    let magnitude = context.receive(magnitude)?;
    if sign == Sign::Minus {
        magnitude.map(sys::isl_val_neg)
    } else {
        Ok(magnitude)
    }
}

/// Our copy of a rational value; infinity and not-a-number are errors.
pub(crate) fn rational(value: &Handle<isl_val>) -> Result<BigRational> {
    if !value.ask(sys::isl_val_is_rat)? {
        return Err(PolyError::Isl {
            message: "a value is not a number".to_owned(),
        });
    }
    let denominator = value.get(sys::isl_val_get_den_val)?;
    Ok(BigRational::new(
        numerator(value)?,
        numerator(&denominator)?,
    ))
}

/// Our copy of an integer value.
pub(crate) fn integer(value: &Handle<isl_val>) -> Result<BigInt> {
    let value = rational(value)?;
    if value.is_integer() {
        Ok(value.to_integer())
    } else {
        Err(PolyError::Isl {
            message: format!("{value} is not an integer"),
        })
    }
}

fn numerator(value: &Handle<isl_val>) -> Result<BigInt> {
    let context = value.context();
    let length = context.size(sys::isl_val_n_abs_num_chunks(value.keep(), CHUNK))?;
    let mut bytes = vec![0u8; length];
    // SAFETY: `bytes` has room for the number of chunks of that size that isl just told us.
    let stat =
        unsafe { sys::isl_val_get_abs_num_chunks(value.keep(), CHUNK, bytes.as_mut_ptr().cast()) };
    context.done(stat)?;
    let sign = if value.ask(sys::isl_val_is_neg)? {
        Sign::Minus
    } else {
        Sign::Plus
    };
    Ok(BigInt::from_biguint(sign, BigUint::from_bytes_le(&bytes)))
}

/// Our copy of an integer value that fits a machine word, without going through big numbers.
pub(crate) fn coordinate(value: &Handle<isl_val>) -> Result<i64> {
    const WORD: usize = size_of::<u64>();
    let context = value.context();
    let chunks = context.size(sys::isl_val_n_abs_num_chunks(value.keep(), WORD))?;
    if chunks > 1 || !value.ask(sys::isl_val_is_int)? {
        return small(&integer(value)?);
    }
    let mut magnitude = 0u64;
    // SAFETY: there is room for the one chunk of a word that the value has.
    let stat =
        unsafe { sys::isl_val_get_abs_num_chunks(value.keep(), WORD, (&raw mut magnitude).cast()) };
    context.done(stat)?;
    let negative = value.ask(sys::isl_val_is_neg)?;
    let signed = i128::from(magnitude) * if negative { -1 } else { 1 };
    i64::try_from(signed).map_err(|_| PolyError::Overflow {
        value: signed.to_string(),
    })
}

/// A coordinate for the interfaces that use machine integers.
pub(crate) fn small(value: &BigInt) -> Result<i64> {
    i64::try_from(value).map_err(|_| PolyError::Overflow {
        value: value.to_string(),
    })
}
