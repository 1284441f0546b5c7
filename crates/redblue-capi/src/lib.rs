//! ScaLAPACK's matrix products for C and Fortran programs, by the plans of redblue: `pdgemm_`, `psgemm_`, `pcgemm_`,
//! `pzgemm_` under all customary names, and `redblue_p?gemm`.
//!
//! ```text
//! pdgemm_(…) ──arguments──► agreement of all ranks ──► pgemm: the way that moves least ──► C
//!     │                          │ bad argument: report                ▲
//!     └─ blacs ──► context: the caller's communicator and grid ────────┘
//!     └─ a matrix we do not know: the next pdgemm_ in link order
//! ```
//!
//! The library is put before ScaLAPACK by link order or `LD_PRELOAD`; programs need no change. It takes the
//! communicator of the caller's BLACS context, which it asks the program's own BLACS for when it runs, and never
//! initialises MPI. `include/redblue.h` declares the functions, [`settings`] lists the environment variables.
//!
//! The exported functions exist with the feature `mpi` only; everything else is tested without it. Integers have 32
//! bits, as in ScaLAPACK. Not here: other routines of ScaLAPACK, which keep working and call these products.

pub mod arguments;
#[cfg(feature = "mpi")]
mod blacs;
#[cfg(feature = "mpi")]
mod context;
pub mod element;
#[cfg(feature = "mpi")]
pub mod exports;
pub mod pgemm;
#[cfg(feature = "mpi")]
mod report;
pub mod settings;
#[cfg(feature = "mpi")]
mod symbols;
