//! Score matrices over finite fields: what holds for *every* way to multiply, fast algorithms included (A-10 to A-16).
//!
//! The other methods count operations of the program's own graph. Strassen-like algorithms have another graph, so
//! they need another argument: words are elements of F_q, and a memory can only hold so many different contents.
//!
//! ```text
//! an epoch of S transfers            is a message of 2S words            from which B entries of Q·Kᵀ follow
//! a message for B entries            has at least min(d·√(B/2), B/4) words    (compression)
//! so an epoch produces               B ≤ max(8S²/d², 8S) entries              (bound)
//! ```
//!
//! [`compression`] has the counting argument, [`protocol`] the matching messages, [`vandermonde`] and [`bch`] the
//! matrices on which the counting argument rests, and [`bound`] the formulas.
//!
//! These results are *reported*, never certified, and never mixed with bounds of the pebble games: they hold for
//! algorithms that decide without looking at the data which entries they produce when (the published argument
//! fixes the entries before the matrices), for q > N, and only where all scores are formed.

pub mod bch;
pub mod bound;
pub mod compression;
pub mod protocol;
pub mod vandermonde;

pub use bound::{Reported, Scores, binary_field, large_field, reported};
pub use compression::Entries;
