//! What users see: values as text and as JSON documents.
//!
//! ```text
//! Program, Dataflow, Machine, catalogue ──► document (Serialize, `schema` and `schema_version`)
//!                                      └──► text
//! ```
//!
//! Every function here is pure. Documents keep sets and maps in isl notation, which other tools read; text
//! says the same in the way one would write it on paper. Nothing is computed here that is not shown.

pub mod bench;
pub mod bound;
pub mod check;
pub mod deps;
pub mod diff;
pub mod formula;
pub mod gap;
pub mod instances;
pub mod ir;
pub mod kernels;
pub mod machine;
pub mod methods;
pub mod model;
mod nest;
mod outline;
pub mod pebble;
pub mod picture;
pub mod plan;
pub mod program;
mod relation;
pub mod schema;
pub mod simulate;
mod table;
pub mod tile;
pub mod tilings;

/// Version of every JSON schema here. Fields may be added without a new version, never renamed.
pub const SCHEMA_VERSION: u32 = 1;
