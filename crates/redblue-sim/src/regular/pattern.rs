//! Comparing the states of fast memory at two iterations of a loop.
//!
//! States are lists of cells, least recently used first. The later state `after` repeats the earlier one
//! `before` if both are the same up to the shift π of the loop. Two ways to repeat are recognised:
//!
//! ```text
//! whole:   before = x              after = π(x)
//! top:     before = deep · top     after = rest of deep · sunk · π(top)
//! ```
//!
//! In the second, the part that the loop works on repeats while fast memory still fills up, or while it
//! pushes out what others left behind: the window did not touch `deep`, evicted at most a part of it, and
//! left `sunk` behind for good. The next window finds π(top) and does the same again, as long as no cell it
//! must miss on is among those below; the caller checks that.

use std::ops::Range;

/// A resident cell, and the reference that made it dirty, plus one.
pub(super) type Resident = (u32, u32);

/// How a state repeats an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// All of it.
    Whole,
    /// Only its most recently used part.
    Top {
        /// Where in the later state that part starts.
        top: usize,
        /// What the window left behind, also in the later state.
        sunk: Range<usize>,
    },
}

/// The later state, and what is known of it.
pub(super) struct Later<'a> {
    /// The cells.
    pub(super) cells: &'a [Resident],
    /// How many of them, from the first on, were not used since the earlier state.
    pub(super) unused: usize,
    /// Whether they fill fast memory.
    pub(super) full: bool,
}

/// Finds how the later state repeats the earlier one, if it does. `moved` applies the shift once, and
/// `contains` says whether a cell is in the later state.
pub(super) fn pattern(
    before: &[Resident],
    later: Later<'_>,
    contains: impl Fn(u32) -> bool,
    moved: impl Fn(Resident) -> Resident,
) -> Option<Pattern> {
    let after = later.cells;
    let pairs = before.iter().rev().zip(after.iter().rev());
    let same = pairs.take_while(|(b, a)| moved(**b) == **a).count();
    if same == before.len() && same == after.len() {
        return Some(Pattern::Whole);
    }
    let deep = &before[..before.len() - same];
    let top = after.len() - same;
    // Evictions must not have gone beyond the untouched cells, or what sank is not all there to see.
    let rest = match deep.iter().position(|cell| after.first() == Some(cell)) {
        // What is missing was evicted; if it is elsewhere, it was touched.
        Some(gone) if deep[..gone].iter().all(|(cell, _)| !contains(*cell)) => &deep[gone..],
        None if deep.is_empty() && !later.full => deep,
        _ => return None,
    };
    // The unused cells come first, so this says that all of the rest is there, unused and in order.
    let untouched = rest.len() <= top.min(later.unused) && after[..rest.len()] == *rest;
    untouched.then_some(Pattern::Top {
        top,
        sunk: rest.len()..top,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells below 100 stay, the others move by 10. A `*` stands before the cells used since.
    fn check(before: &[u32], after: &str, full: bool, expected: Option<Pattern>) {
        let clean = |cells: &[u32]| cells.iter().map(|&c| (c, 0)).collect::<Vec<_>>();
        let moved = |(cell, writer)| (if cell < 100 { cell } else { cell + 10 }, writer);
        let words: Vec<&str> = after.split_whitespace().collect();
        let cells: Vec<u32> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let later = Later {
            cells: &clean(&cells),
            unused: words.iter().position(|word| *word == "*").unwrap(),
            full,
        };
        let found = pattern(&clean(before), later, |cell| cells.contains(&cell), moved);
        assert_eq!(found, expected, "{before:?} {after:?}");
    }

    fn top(top: usize, sunk: Range<usize>) -> Option<Pattern> {
        Some(Pattern::Top { top, sunk })
    }

    #[test]
    fn finds_both_patterns() {
        check(&[1, 100], "* 1 110", true, Some(Pattern::Whole));
        // Filling up from nothing, and on top of what was there.
        check(&[1, 100], "100 * 1 110", false, top(1, 0..1));
        check(&[7, 8, 1, 100], "7 8 100 * 1 110", false, top(3, 2..3));
        // Pushing out 7.
        check(&[7, 8, 1, 100], "8 100 * 1 110", true, top(2, 1..2));
    }

    #[test]
    fn refuses_what_does_not_repeat() {
        // 8 was used, so it is not where it was.
        check(&[7, 8, 1, 100], "7 100 * 8 110", false, None);
        check(&[8, 7, 1, 100], "7 100 * 8 1 110", true, None);
        // Used again in place.
        check(&[7, 100], "7 * 100", false, None);
        // Everything below the top may have been evicted, and more.
        check(&[7, 1, 100], "100 * 1 110", true, None);
        check(&[1, 100], "100 * 1 110", true, None);
    }
}
