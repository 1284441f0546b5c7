//! Loops for a schedule with symbolic sizes: what a code generator prints.
//!
//! ```text
//! schedule { S[i] -> [0, i] : 0 <= i < N } + context ──isl──► loops ──lower──► SymbolicNest
//! ```
//!
//! The tree is the one of [`LoopNest`](super::LoopNest); parameters take the first positions, before the
//! iterators. Nothing runs here, so nothing is checked for overflow: that is up to the generated code's types.

use super::lower;
use super::tree::Node;
use crate::error::Result;
use crate::map::Map;
use crate::set::Set;
use crate::sys;
use crate::union::UnionMap;

/// Loops over all instances of a set of statements in schedule order, for all sizes of a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolicNest {
    /// The loops, outermost first.
    pub roots: Vec<Node>,
    /// Number of parameters: forms refer to them by the positions before those of the iterators. The
    /// iterator of the loop for component `d` of the time has position `params + d`.
    pub params: usize,
}

impl SymbolicNest {
    /// Loops for schedules restricted to the instances that exist; `statements` gives the tuple names in the
    /// order of the indices in calls. All maps list the parameters of `context`, in its order.
    pub fn build<N: AsRef<str>>(
        schedules: &[Map],
        statements: &[N],
        context: &Set,
    ) -> Result<SymbolicNest> {
        let params = context.param_names();
        // isl calls its iterators c0, c1, …; a mark keeps parameters apart from them.
        let marked: Vec<String> = params.iter().map(|name| format!("${name}")).collect();
        let mut times = Vec::new();
        for schedule in schedules {
            let mut time = schedule.clone();
            for (name, marked) in params.iter().zip(&marked) {
                time = time.rename_param(name, marked)?;
            }
            times.push(time);
        }
        let mut sizes = context.clone();
        for (name, marked) in params.iter().zip(&marked) {
            sizes = sizes.rename_param(name, marked)?;
        }
        let schedule = UnionMap::from_maps(context.context(), &times)?;
        let names: Vec<&str> = statements.iter().map(AsRef::as_ref).collect();
        let mut roots = Vec::new();
        if !schedule.is_empty()? {
            let build = sizes.0.map(sys::isl_ast_build_from_context)?;
            let schedule = schedule.0.take();
            let node = build.get(|b| sys::isl_ast_build_node_from_schedule_map(b, schedule))?;
            (roots, _) = lower::lower(&node, &names, &marked)?;
        }
        Ok(SymbolicNest {
            roots,
            params: params.len(),
        })
    }
}
