//! Whether hubs have more and more values around them as sizes grow.
//!
//! A bound needs more paths per hub than the fast memory has words. Where all possible ends or starts of a hub are near each
//! other, whatever the sizes are, no proof is worth looking for.

use redblue_poly::{Map, Set};

use crate::error::Result;

/// Values with one index that are never this far apart are few.
const FAR: u32 = 1 << 12;

/// Whether values with one index can be far apart, in `{ value -> index }`.
pub(super) fn grows(values: &Map) -> Result<bool> {
    let dims: Vec<String> = (0..values.n_in()).map(|at| format!("d{at}")).collect();
    let far: Vec<String> = dims.iter().map(|dim| format!("{dim} >= {FAR}")).collect();
    if far.is_empty() {
        return Ok(false);
    }
    let far = format!("{{ [{}] : {} }}", dims.join(", "), far.join(" or "));
    let far = Set::parse(values.context(), &far)?;
    for piece in values.wrap()?.basic_sets()? {
        // Pieces are few: each of them counts alone.
        let piece = piece.to_set()?.unwrap_map()?;
        let apart = piece.apply_range(&piece.reverse()?)?.deltas()?;
        if !apart.drop_tuple_name()?.is_disjoint(&far)? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_poly::Context;

    #[test]
    fn only_what_is_near_the_index_does_not_grow() {
        let context = Context::new().unwrap();
        for (text, expected) in [
            ("{ V[t, i] -> [t] : 0 <= i < N }", true),
            ("{ V[t, i] -> [t] : 0 <= i < 1000 }", false),
            (
                "{ V[t, i] -> [s, j] : t - 2 <= s <= t and j <= i <= j + 1 }",
                false,
            ),
            (
                "{ V[t, i] -> [s, j] : t - 2 <= s <= t and 0 <= i <= j < N }",
                true,
            ),
            (
                "{ V[i, j] -> [t] : i + j = t and 0 <= i <= N and 0 <= j <= N }",
                true,
            ),
            (
                "{ V[i] -> [t] : i = t; V[i] -> [t] : 0 <= i < t < N }",
                true,
            ),
            (
                "{ V[i] -> [t] : i = t; V[i] -> [t] : i = 2t; V[i] -> [t] : i = N - t }",
                false,
            ),
            ("{ V[t, N] -> [t] }", false),
        ] {
            let map = Map::parse(&context, &format!("[N] -> {text}")).unwrap();
            assert_eq!(grows(&map).unwrap(), expected, "{text}");
        }
    }
}
