//! Exact dataflow: who wrote what a read sees.
//!
//! ```text
//! sinks  { S[i] -> A[i] }  sources  { T[i] -> A[i] }  schedule  { T[i] -> [0, i]; S[i] -> [1, i] }
//!        └──────────────► Flow { must: { T[i] -> [S[i] -> A[i]] }, must_no_source: { … } }
//! ```
//!
//! Every source writes all its cells (must-sources only), so each read has exactly one last writer or
//! none, and the result is exact (theory G-1, values and their last writers).

use crate::error::Result;
use crate::sys;
use crate::union::UnionMap;

/// The last writers of all reads.
#[derive(Clone, Debug)]
pub struct Flow {
    /// `{ source instance -> sink instance }`.
    pub must: UnionMap,
    /// `{ source instance -> [sink instance -> cell] }`.
    pub full: UnionMap,
    /// `{ sink instance -> cell }` of reads that no source precedes.
    pub must_no_source: UnionMap,
}

/// The last source before each sink that touches the same cell. All maps go from instances to cells; the
/// schedule maps the instances to one time space.
pub fn flow(sinks: &UnionMap, must_sources: &UnionMap, schedule: &UnionMap) -> Result<Flow> {
    let access = sinks.0.map(sys::isl_union_access_info_from_sink)?;
    let access = access.pair(&must_sources.0, sys::isl_union_access_info_set_must_source)?;
    let access = access.pair(&schedule.0, sys::isl_union_access_info_set_schedule_map)?;
    let flow = access.map(sys::isl_union_access_info_compute_flow)?;
    Ok(Flow {
        must: UnionMap(flow.get(sys::isl_union_flow_get_must_dependence)?),
        full: UnionMap(flow.get(sys::isl_union_flow_get_full_must_dependence)?),
        must_no_source: UnionMap(flow.get(sys::isl_union_flow_get_must_no_source)?),
    })
}
