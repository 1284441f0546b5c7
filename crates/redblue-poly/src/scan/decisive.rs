//! The coordinates of times that decide which of two instances is first.
//!
//! A tiled order ends with the program's own time, most of which says again what stands before it:
//! `[0, ⌊j/29⌋, ⌊i/34⌋, k, j, i, 0, i, 1, j, 1, k, 0]`. isl pays for every coordinate, so it is given only those at which
//! two instances can differ first.
//!
//! **Why that is the same order.** If two instances are equal in all coordinates before one, and affine functions tell
//! that they are equal there, too, then that one never is the first at which instances differ; the others are compared
//! as before. ∎

use num_bigint::BigInt;
use num_traits::Zero;

use crate::affine::Linear;
use crate::error::Result;
use crate::map::Map;
use crate::union::UnionMap;

/// The coordinates of a statement's time; `None` for those with floors.
type Time = Vec<Option<Linear>>;

/// The same order with fewer coordinates, as far as affine functions tell.
pub(super) fn decisive(schedule: &UnionMap) -> Result<UnionMap> {
    let maps = schedule.maps()?;
    let times: Option<Vec<Time>> = maps.iter().map(time).collect();
    let Some(needed) = times.as_deref().and_then(needed) else {
        return Ok(schedule.clone());
    };
    let mut shorter = Vec::with_capacity(maps.len());
    for map in maps {
        let mut map = map;
        for at in (0..needed.len()).rev().filter(|at| !needed[*at]) {
            map = map.project_out_out(at, 1)?;
        }
        shorter.push(map);
    }
    UnionMap::from_maps(schedule.context(), &shorter)
}

/// Nothing if the time is not one function on all instances.
fn time(map: &Map) -> Option<Time> {
    let pieces = map.affine_pieces().ok()?;
    let [(_, functions)] = pieces.as_slice() else {
        return None;
    };
    let plain = functions
        .iter()
        .map(|function| function.is_plain().then(|| function.numerator.clone()));
    Some(plain.collect())
}

/// By coordinate, whether two instances can differ there first; nothing if times have different lengths.
fn needed(times: &[Time]) -> Option<Vec<bool>> {
    let length = times.first()?.len();
    if times.iter().any(|time| time.len() != length) {
        return None;
    }
    // Statements of which two instances can be equal in all coordinates so far.
    let mut tied: Vec<(usize, usize)> = Vec::new();
    for one in 0..times.len() {
        tied.extend((one..times.len()).map(|other| (one, other)));
    }
    let mut needed = Vec::with_capacity(length);
    for at in 0..length {
        let before = tied.len();
        let mut unknown = false;
        tied.retain(|(one, other)| {
            let difference = difference(&times[*one], &times[*other], at);
            unknown |= difference.is_none();
            difference.is_none_or(|difference| difference.is_zero())
        });
        needed.push(unknown || tied.len() < before);
    }
    Some(needed)
}

/// How much two instances that are equal in all coordinates before one differ there, if that is always the same.
fn difference(one: &Time, other: &Time, at: usize) -> Option<BigInt> {
    let (left, right) = (one[at].as_ref()?, other[at].as_ref()?);
    if left.is_constant() && right.is_constant() {
        return Some(&left.constant - &right.constant);
    }
    let pairs = one.iter().zip(other).take(at);
    let mut equal = pairs.filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?)));
    equal.find_map(|(a, b)| {
        let both = |sign: i64| Some(beyond(left, a, sign)? - beyond(right, b, sign)?);
        both(1).or_else(|| both(-1))
    })
}

/// The constant that a function adds to another one, or to that turned around, if it adds nothing else.
fn beyond(function: &Linear, other: &Linear, sign: i64) -> Option<BigInt> {
    let same = |left: &[BigInt], right: &[BigInt]| {
        let mut pairs = left.iter().zip(right);
        left.len() == right.len() && pairs.all(|(a, b)| *a == b * sign)
    };
    let same = same(&function.dims, &other.dims) && same(&function.params, &other.params);
    same.then(|| &function.constant - &other.constant * sign)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::Context;

    #[track_caller]
    fn check(schedule: &str, expected: &str) {
        let context = Context::new().unwrap();
        let schedule = UnionMap::parse(&context, schedule).unwrap();
        let expected = UnionMap::parse(&context, expected).unwrap();
        let found = decisive(&schedule).unwrap();
        assert!(found.is_equal(&expected).unwrap(), "{found}");
    }

    #[test]
    fn what_is_known_is_left_out() {
        check(
            "{ S[i, j] -> [0, floor(i/4), j, i, 0, i, 0, j] : 0 <= i, j < 9 }",
            "{ S[i, j] -> [floor(i/4), j, i] : 0 <= i, j < 9 }",
        );
        // What says i again, turned around, decides nothing; what tells S from T does.
        check(
            "{ S[i] -> [i, 0, 0, 7 - i] : 0 <= i < 9; T[i, j] -> [i, j, 1, 7 - i] : 0 <= i, j < 9 }",
            "{ S[i] -> [i, 0, 0] : 0 <= i < 9; T[i, j] -> [i, j, 1] : 0 <= i, j < 9 }",
        );
        // Which one is first is another question for each pair.
        check(
            "{ S[i] -> [i, i, 0] : 0 <= i < 9; T[i] -> [i, 4, 1] : 0 <= i < 9 }",
            "{ S[i] -> [i, i, 0] : 0 <= i < 9; T[i] -> [i, 4, 1] : 0 <= i < 9 }",
        );
    }

    #[test]
    fn what_is_not_one_function_is_kept() {
        let text = "{ S[i] -> [0, i, 0] : 0 <= i < 4; S[i] -> [1, -i, 0] : 4 <= i < 9 }";
        check(text, text);
        let text = "{ S[i] -> [0, i] : 0 <= i < 4; T[i] -> [1, i, 0] : 4 <= i < 9 }";
        check(text, text);
    }
}
