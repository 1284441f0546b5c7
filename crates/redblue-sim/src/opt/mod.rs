//! OPT (Belady's MIN): the replacement with the fewest loads, exact, fully associative.
//!
//! OPT is usually simulated with knowledge of the future: evict the cell used again last. Here it is
//! simulated from the past alone. Call the time between two accesses to a cell an *interval*; keeping the
//! cell over the interval (p, t) makes the access at t hit and occupies one place during every access
//! strictly between. OPT keeps a largest set of intervals such that no access has more than S - 1 others
//! kept across it, and the greedy rule "by increasing right end, keep if there is room" finds one. It makes
//! the same decisions as evicting the cell used again last. Right ends arrive in the order of the trace,
//! so one pass is enough and nothing is looked up ahead.
//!
//! The room left at a moment is the largest occupation since. Kept intervals always end now, so keeping
//! (p, t) raises the occupation of a whole suffix of time, and the suffix maxima change in two places only:
//! a *token* (one step of the staircase of suffix maxima) appears at the end, and the last token at or
//! before p disappears.
//!
//! ```text
//! occupation   1 2 2 3 1 2 1
//! suffix max   3 3 3 3 2 2 1
//! tokens       . . . • . • •      suffix maximum at x = number of tokens at or after x
//! ```
//!
//! Hence: there are never more than S - 1 tokens, and once there are that many, the access at t with previous
//! access p hits exactly if a token lies at or before p. [`OneSize`] keeps the tokens in a bit set. For all sizes, the tokens of size S + 1 are those
//! of size S and one more, so each token gets the least size that has it, and [`Distances`] keeps those.
//!
//! **What is optimal.** The loads are, for the given order of accesses; that is Belady's theorem, and as a
//! maximum flow in the amount S - 1 they are a convex function of S. Loads plus stores are not (theory
//! U-18): keeping a dirty cell instead of a clean one can save a store at the same number of loads.
//!
//! **Words.** A write miss loads nothing, so an interval that ends in a write need not be kept: the old
//! value is dead and dropped. A statement that updates a cell in place reads it and then writes it, two
//! accesses next to each other that need one place (theory G-3, sliding).

mod distances;
mod one_size;
mod renumber;
mod staircase;
mod tokens;

pub use distances::Distances;
pub use one_size::OneSize;
