//! Folding local storage to what the order of a program needs.
//!
//! ```text
//! live:     write of x ──────────────► last read of x
//! conflict:            write of y  in between, y ≠ x       Δ = y - x
//! fold:     x[d] mod m with m = 1 + max |Δ_d| over conflicts with equal outer subscripts
//! ```
//!
//! Two cells may share a place if no write to one falls between a write to the other and a read of it. The
//! subscripts are folded one after the other, outermost first: places are equal only if the first subscripts are
//! equal modulo m, which for conflicting cells means equal, and so on inwards. All differences are computed
//! with isl from the exact dataflow under the program's own schedule; one that has no constant bound leaves
//! the subscript as it is, and so does a computation that takes too long.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use redblue_poly::scan::Expr;
use redblue_poly::{Context, Map, PolyError, Set, Space};
use redblue_program::{ArrayId, Dataflow, Program, ProgramError, Role};

use super::Result;

/// How the subscripts of one array are folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fold {
    /// Per subscript: `Some(m)` if only its value modulo `m` matters; `Some(1)` means it does not matter.
    pub moduli: Vec<Option<u64>>,
}

/// Steps of isl that the search for one array may take.
const BUDGET: u64 = 400_000;

impl Fold {
    /// The folded subscripts.
    pub(super) fn apply(&self, cell: Vec<Expr>) -> Vec<Expr> {
        let moduli = self.moduli.iter().chain(std::iter::repeat(&None));
        let folded = cell
            .into_iter()
            .zip(moduli)
            .filter_map(
                |(subscript, modulus)| match modulus.and_then(|m| i64::try_from(m).ok()) {
                    None => Some(subscript),
                    Some(1) => None,
                    Some(m) => Some(Expr::Modulo(Box::new(subscript), m)),
                },
            );
        folded.collect()
    }

    /// Whether anything is folded.
    pub fn is_folded(&self) -> bool {
        self.moduli.iter().any(Option::is_some)
    }
}

/// The folds of all arrays; only local arrays that nobody reads unwritten are folded.
pub fn fold(program: &Program) -> Result<Vec<Fold>> {
    let mut folds: Vec<Fold> = program
        .arrays
        .iter()
        .map(|array| Fold {
            moduli: vec![None; array.extents.len()],
        })
        .collect();
    let local = |id: &ArrayId| {
        let array = program.array(*id);
        array.role == Role::Local && !array.output && !array.extents.is_empty()
    };
    let locals: Vec<ArrayId> = (0..program.arrays.len())
        .map(ArrayId)
        .filter(local)
        .collect();
    if locals.is_empty() {
        return Ok(folds);
    }
    let flow = match Dataflow::of(program) {
        Err(ProgramError::Poly(PolyError::Budget { .. })) => return Ok(folds),
        other => other?,
    };
    for id in locals {
        match moduli(program, &flow, id) {
            Ok(moduli) => folds[id.0].moduli = moduli,
            Err(PolyError::Budget { .. }) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Ok(folds)
}

type PolyResult<T> = std::result::Result<T, PolyError>;

/// Subscripts within constant distances of each other wherever cells are in use at the same time.
fn moduli(program: &Program, flow: &Dataflow, id: ArrayId) -> PolyResult<Vec<Option<u64>>> {
    let depth = program.array(id).extents.len();
    let unfolded = vec![None; depth];
    let context = Context::with_budget(BUDGET)?;
    let moved = |map: &Map| Map::parse(&context, &map.to_string());
    let sizes = Set::parse(&context, &program.context.to_string())?;
    let mut differences: Option<Set> = None;
    let mut writers = Vec::new();
    for statement in program.statements.iter().filter(|s| s.write.array == id) {
        let domain = statement.domain.intersect_params(&program.context)?;
        let time = moved(&statement.schedule.intersect_domain(&domain)?)?;
        let cell = moved(&statement.write.map.intersect_domain(&domain)?)?;
        // When something is written where: time -> cell.
        writers.push((time.clone(), time.reverse()?.apply_range(&cell)?, cell));
    }
    for consumer in program.statement_ids() {
        for operand in flow.operands(consumer).iter().filter(|o| o.array == id) {
            if operand.undefined.is_some() {
                return Ok(unfolded);
            }
            for (producer, map) in &operand.producers {
                let statement = program.statement(*producer);
                let reader = program.statement(consumer);
                let read_time = moved(&map.apply_range(&reader.schedule)?)?;
                let writer = program.statements[..producer.0]
                    .iter()
                    .filter(|s| s.write.array == id)
                    .count();
                let (write_time, _, cell) = &writers[writer];
                assert_eq!(statement.write.array, id);
                let times = space_of_times(write_time)?;
                let after = write_time.apply_range(&Map::lex_lt(&times)?)?;
                let before = read_time.apply_range(&Map::lex_gt(&times)?)?;
                let live = after.intersect(&before)?;
                for (_, written, _) in &writers {
                    let conflict = live.apply_range(written)?.apply_domain(cell)?;
                    let these = conflict.intersect_params(&sizes)?.deltas()?;
                    differences = Some(match differences {
                        Some(others) => others.union(&these)?,
                        None => these,
                    });
                }
            }
        }
    }
    let Some(mut differences) = differences else {
        return Ok(vec![Some(1); depth]);
    };
    let mut moduli = Vec::new();
    for _ in 0..depth {
        // The first subscript is dropped once it is known to be equal.
        let modulus = match reach(&differences)? {
            Some(reach) => reach.to_u64().and_then(|r| r.checked_add(1)),
            None => None,
        };
        moduli.push(modulus);
        differences = differences.fix_dim(0, 0)?.project_out(0, 1)?;
    }
    Ok(moduli)
}

fn space_of_times(time: &Map) -> PolyResult<Space> {
    time.range()?.space()
}

/// The largest absolute value of the first coordinate, if it has a constant bound.
fn reach(differences: &Set) -> PolyResult<Option<BigInt>> {
    let first = differences.project_out(1, differences.n_dim() - 1)?;
    if first.is_empty()? {
        return Ok(Some(BigInt::ZERO));
    }
    // Over all sizes: the parameters are projected away, too.
    let all = first.params_as_dims()?;
    let parameters = all.n_dim() - 1;
    let values = all.project_out(0, parameters)?;
    if !values.is_bounded()? {
        return Ok(None);
    }
    let low = values.dim_min(0)?.as_constant()?;
    let high = values.dim_max(0)?.as_constant()?;
    Ok(low.zip(high).map(|(low, high)| low.abs().max(high.abs())))
}
