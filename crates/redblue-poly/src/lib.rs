//! Integer sets and maps on isl, and counting their points.

/// Placeholder until the isl layer exists.
#[derive(Clone, Debug)]
pub struct Set;
/// Placeholder until the isl layer exists.
#[derive(Clone, Debug)]
pub struct Map;
