//! Sets and maps as one would write them on paper.
//!
//! ```text
//! [N] -> { S1[i, k] -> S1[i' = i, k' = -1 + k] : k > 0 }      isl
//! S1[i, k - 1]  when k > 0                                    here, for a reader who knows i and k
//! ```

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use redblue_poly::{Affine, Floor, Linear, Map, PolyError, Set};

/// One affine piece of a single-valued map.
pub(super) struct Image {
    /// The image, as in `A[i, j + 1]`.
    pub(super) cell: String,
    /// When it applies; `None` for always.
    pub(super) when: Option<String>,
}

/// The images of a single-valued map, for elements of `domain` whose coordinates have these names.
pub(super) fn images(map: &Map, domain: &Set, names: &[String]) -> Result<Vec<Image>, PolyError> {
    let tuple = map.out_tuple().unwrap_or_default();
    let params = map.param_names();
    let mut images = Vec::new();
    for (piece, coordinates) in map.intersect_domain(domain)?.coalesce()?.affine_pieces()? {
        let text = |affine: &Affine| affine_text(affine, &params, names);
        let coordinates: Vec<String> = coordinates.iter().map(text).collect();
        let cell = match (coordinates.is_empty(), tuple.is_empty()) {
            (true, false) => tuple.clone(),
            _ => format!("{tuple}[{}]", coordinates.join(", ")),
        };
        images.push(Image {
            cell,
            when: condition(&piece.gist(domain)?),
        });
    }
    Ok(images)
}

/// The constraints of a set, as in `0 <= i < N and j <= i`; `None` if there are none.
pub(super) fn condition(set: &Set) -> Option<String> {
    let text = set.to_string();
    let pieces: Vec<String> = disjuncts(&text).into_iter().map(conjunction).collect();
    match &pieces[..] {
        pieces if pieces.iter().any(String::is_empty) => None,
        [piece] => Some(piece.clone()),
        pieces => Some(format!("({})", pieces.join(") or ("))),
    }
}

/// The constraints of one disjunct in isl notation, `tuple` or `tuple : constraints`.
fn conjunction(disjunct: &str) -> String {
    let (tuple, constraints) = match disjunct.split_once(':') {
        Some((tuple, constraints)) => (tuple, Some(constraints.trim())),
        None => (disjunct, None),
    };
    // isl writes an equality `i = 0` inside the tuple, as in `S0[i = 0, j]`.
    let inner = tuple
        .split_once('[')
        .and_then(|(_, rest)| rest.rsplit_once(']'));
    let entries = inner.map_or(Vec::new(), |(inner, _)| top_level(inner));
    let mut parts: Vec<&str> = entries
        .into_iter()
        .filter(|entry| entry.contains(" = "))
        .collect();
    parts.extend(constraints);
    constants_last(&parts.join(" and "))
}

/// isl writes `-1 + N`; people write `N - 1`. Sides with brackets stay as they are.
fn constants_last(constraints: &str) -> String {
    const BETWEEN: [&str; 8] = ["<", "<=", ">", ">=", "=", "!=", "and", "or"];
    let words: Vec<&str> = constraints.split(' ').collect();
    let sides = words
        .split_inclusive(|word| BETWEEN.contains(word))
        .map(|side| {
            let (sum, link) = match side.split_last() {
                Some((last, sum)) if BETWEEN.contains(last) => (sum, Some(*last)),
                _ => (side, None),
            };
            let plain = !sum.iter().any(|word| word.contains(['(', ')', '[', ':']));
            let mut sum: Vec<&str> = sum.to_vec();
            if let [constant, "+", rest @ ..] = &sum[..]
                && plain
                && constant.parse::<BigInt>().is_ok()
            {
                let (sign, size) = constant
                    .strip_prefix('-')
                    .map_or(("+", *constant), |size| ("-", size));
                sum = [rest, &[sign, size]].concat();
            }
            sum.extend(link);
            sum.join(" ")
        });
    sides.collect::<Vec<_>>().join(" ")
}

/// A set of cells, as in `A[i0, i1] : 0 <= i0 < N`.
pub(super) fn cell_set(set: &Set) -> String {
    let text = set.to_string();
    let cells = |disjunct: &str| match disjunct.split_once(" : ") {
        Some((tuple, constraints)) => format!("{tuple} : {}", constants_last(constraints)),
        None => disjunct.to_string(),
    };
    let pieces: Vec<String> = disjuncts(&text).into_iter().map(cells).collect();
    pieces.join("; ").replace("[]", "")
}

/// The disjuncts of a set in isl notation, without its parameters and braces.
fn disjuncts(text: &str) -> Vec<&str> {
    let inner = text.find('{').map_or(text, |at| &text[at + 1..]);
    inner
        .trim()
        .trim_end_matches('}')
        .split(';')
        .map(str::trim)
        .collect()
}

/// Splits at the commas outside all brackets.
fn top_level(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

fn affine_text(affine: &Affine, params: &[String], dims: &[String]) -> String {
    let numerator = linear_text(&affine.numerator, &affine.floors, params, dims);
    match affine.denominator.is_one() {
        true => numerator,
        false => format!("{}/{}", bracketed(numerator), affine.denominator),
    }
}

/// A sum in brackets; a single term as it is.
fn bracketed(sum: String) -> String {
    if sum.contains(' ') {
        format!("({sum})")
    } else {
        sum
    }
}

/// Loop variables first, then sizes, then the constant: `i + N - 1`.
fn linear_text(linear: &Linear, floors: &[Floor], params: &[String], dims: &[String]) -> String {
    let floor_text = |floor: &Floor| {
        let numerator = linear_text(&floor.numerator, floors, params, dims);
        format!("floor({}/{})", bracketed(numerator), floor.denominator)
    };
    let named = |coefficients: &[BigInt], names: &[String]| -> Vec<(BigInt, String)> {
        let used = coefficients
            .iter()
            .zip(names)
            .filter(|(coefficient, _)| !coefficient.is_zero());
        used.map(|(coefficient, name)| (coefficient.clone(), name.clone()))
            .collect()
    };
    let mut terms = named(&linear.dims, dims);
    for (coefficient, floor) in linear.floors.iter().zip(floors) {
        if !coefficient.is_zero() {
            terms.push((coefficient.clone(), floor_text(floor)));
        }
    }
    terms.extend(named(&linear.params, params));
    // A positive term first, if there is one, saves a leading minus.
    terms.sort_by_key(|(coefficient, _)| coefficient.is_negative());
    if !linear.constant.is_zero() || terms.is_empty() {
        terms.push((linear.constant.clone(), String::new()));
    }
    sum_text(&terms)
}

/// Terms `coefficient * name`, an empty name standing for the constant.
fn sum_text(terms: &[(BigInt, String)]) -> String {
    let mut out = String::new();
    for (coefficient, name) in terms {
        let sign = match (out.is_empty(), coefficient.is_negative()) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let size = coefficient.abs();
        out.push_str(sign);
        out.push_str(&match (name.is_empty(), size.is_one()) {
            (true, _) => size.to_string(),
            (false, true) => name.clone(),
            (false, false) => format!("{size}*{name}"),
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_poly::Context;

    fn check_condition(set: &str, expected: Option<&str>) {
        let set = Set::parse(&Context::new().unwrap(), set).unwrap();
        assert_eq!(condition(&set).as_deref(), expected);
    }

    #[test]
    fn conditions() {
        check_condition(
            "[N] -> { S0[i, j] : 0 <= i < N and j < i }",
            Some("0 <= i < N and j < i"),
        );
        check_condition("[N] -> { S0[i, j] }", None);
        check_condition("{ S0[] }", None);
        check_condition(
            "[N] -> { S0[i, j] : i = 0 and j > 3 }",
            Some("i = 0 and j >= 4"),
        );
        check_condition("[N] -> { : N > 3 }", Some("N >= 4"));
        check_condition(
            "[N] -> { S[i, j] : i = N - 1 and j <= N - 8 }",
            Some("i = N - 1 and j <= N - 8"),
        );
        check_condition("[N] -> { S[i] : i >= N + 3 }", Some("i >= N + 3"));
        check_condition(
            "[N] -> { S[t, i] : i = 1 or (t = 0 and i >= 2) }",
            Some("(i = 1) or (t = 0 and i >= 2)"),
        );
    }

    fn check_images(map: &str, names: &[&str], expected: &[&str]) {
        let map = Map::parse(&Context::new().unwrap(), map).unwrap();
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let domain = Set::universe(&map.domain().unwrap().space().unwrap()).unwrap();
        let shown: Vec<String> = images(&map, &domain, &names)
            .unwrap()
            .into_iter()
            .map(|image| match image.when {
                Some(when) => format!("{} when {when}", image.cell),
                None => image.cell,
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn cells() {
        check_images(
            "[N] -> { S[i, j] -> A[N - i - 1, 2j + 3] }",
            &["i", "j"],
            &["A[N - i - 1, 2*j + 3]"],
        );
        check_images("{ S[i] -> x[] }", &["i"], &["x"]);
        check_images(
            "{ S[i] -> A[floor((i + 1)/32), floor(i/2)] }",
            &["i"],
            &["A[floor((i + 1)/32), floor(i/2)]"],
        );
        check_images(
            "{ S[i] -> T[i - 1] : i > 0 }",
            &["i"],
            &["T[i - 1] when i > 0"],
        );
    }
}
