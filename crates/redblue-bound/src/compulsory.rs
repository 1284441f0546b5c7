//! *compulsory*: what no schedule avoids, whatever the memory (G-4.3, U-15).
//!
//! # Statement
//! Every input cell that reaches a result is loaded at least once, and every result that is not an input is stored.
//!
//! # Assumptions
//! None; it holds with recomputation and for every order of sums.
//!
//! # Certificate
//! Live sets and dependences; the checker counts.
//!
//! # Fails when
//! Never; it is exact for kernels that touch every word once.
//!
//! # Example
//! atax: `M·N + N` loads.
//!
//! # References
//! Hong and Kung 1981.

use redblue_cert::Proof;

use crate::analysis::Search;
use crate::error::Result;

/// The proof.
pub(crate) fn find(search: &Search<'_>) -> Result<()> {
    search.propose([Proof::Compulsory]);
    Ok(())
}
