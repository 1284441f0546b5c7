//! How wide the window is that slides over the cells of an array while one dimension of an order grows.
//!
//! Each coordinate of the cells is looked at by itself: the window is at most the product of its sides. That keeps the
//! sets small; a window that is not a box is overstated.

use redblue_poly::Map;

use crate::error::Result;
use crate::footprint::{side, values};

/// At most so many cells are used both before or at, and at or after, any step, given (subtree, step) → cells; nothing
/// without a step. Cells are at multiples of their strides from each other.
pub(crate) fn widest(touched: &[Map], strides: &[u64]) -> Result<Option<u128>> {
    let Some(first) = touched.first() else {
        return Ok(Some(0));
    };
    let names: Vec<String> = (0..first.n_in()).map(|at| format!("p{at}")).collect();
    let Some((step, outer)) = names.split_last() else {
        return Ok(None);
    };
    let text = format!(
        "{{ [{}] -> [{}] : q <= {step} }}",
        names.join(", "),
        [outer, &["q".to_owned()]].concat().join(", ")
    );
    let earlier = Map::parse(first.context(), &text)?;
    assert_eq!(first.n_out(), strides.len());
    let mut cells: u128 = 1;
    for (at, stride) in (0..first.n_out()).zip(strides) {
        let side = side(first, &touched[1..], at)?.coalesce()?;
        // Of two values in the window, each is used at the step or before, and at the step or after.
        let distances = side
            .reverse()?
            .apply_range(&earlier)?
            .apply_range(&side)?
            .deltas()?;
        cells = cells.saturating_mul(values(&distances, *stride)?);
    }
    Ok(Some(cells))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use redblue_poly::Context;

    fn map(text: &str) -> Map {
        Map::parse(&Context::new().unwrap(), text).unwrap()
    }

    #[test]
    fn windows_slide() {
        // Three neighbours along a row, and a band of four steps of a skewed stencil.
        let row = map("{ [p, w] -> [i] : 0 <= p < 5 and 1 <= w < 50 and w - 1 <= i <= w + 1 }");
        assert_eq!(widest(&[row], &[1]).unwrap(), Some(3));
        let front = "{ [p, w] -> [i] : exists t : 4p <= t < 4p + 4 and 2t + 1 <= w < 2t + 50 \
                     and w - 2t - 1 <= i <= w - 2t + 1 }";
        assert_eq!(widest(&[map(front)], &[1]).unwrap(), Some(9));
    }

    #[test]
    fn holes_need_no_room() {
        let even = map("{ [w] -> [i] : 1 <= w < 50 and 2w - 2 <= i <= 2w + 2 and i mod 2 = 0 }");
        assert_eq!(widest(&[even], &[2]).unwrap(), Some(3));
    }

    #[test]
    fn what_comes_back_stays() {
        let twice = map("{ [w] -> [i] : 0 <= w < 20 and (i = w or i = 19 - w) }");
        assert_eq!(widest(&[twice], &[1]).unwrap(), Some(20));
    }
}
