//! The traffic of an order as a formula in the sizes.
//!
//! ```text
//! gemm with tiles of 38 × 26 elements of C:    ceil(NI/38)·NJ·NK + ceil(NJ/26)·NI·NK + 2·NI·NJ + 2
//! ```
//!
//! The theorem of [`crate::residency`] is about any sizes: loads and stores are numbers of pairs of subtrees and cells, and
//! these pairs are sets with parameters as long as no size is fixed ([`Site::open`]). Their number is bounded from above
//! disjunct by disjunct, group by group of dimensions that no constraint connects ([`bound`], [`system`]). Tile sides
//! stay the numbers that they are. What holds for all sizes is the traffic of the same order with the same things
//! resident; the words they need may grow with sizes that are not tiled.
//!
//! If some set is too hard, or if the formula is far above the exact number at the given sizes, that number stays.

mod bound;
mod system;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_cert::Counted;
use redblue_math::{Assignment, Expr, Symbol};
use redblue_poly::{BasicSet, Context, PolyError, Set};
use redblue_program::{ArrayId, Program};

use crate::dependence::free_sums;
use crate::error::{Result, ScheduleError};
use crate::plan::Plan;
use crate::residency::moves;
use crate::site::Site;
use crate::storage::Stored;
use crate::tiling::{Scope, Tiling, Traffic};
use bound::{Above, Names};
use system::{Made, Row, System};

/// Steps of isl for the sets of one class, and for the disjuncts of one set.
const STEPS: u64 = 60_000;
/// Most disjuncts of a set.
const DISJUNCTS: usize = 24;

/// Gives tilings of one program their formulas, if there are such.
pub(crate) fn with_formulas(
    stored: &Stored,
    levels: Vec<(Tiling, Vec<Plan>)>,
) -> Result<Vec<Tiling>> {
    let Some((first, _)) = levels.first() else {
        return Ok(Vec::new());
    };
    let Stored { program, flow } = stored;
    let free = free_sums(program, flow, first.model.sums)?;
    let all = Scoped::of(program, first)?;
    let site = Site::open(program, flow, &all.scope, !free.is_empty())?;
    let mut tilings = Vec::new();
    for (mut tiling, plans) in levels {
        if let Some((above, classes)) = all.traffic(&site, &plans, tiling.model.count)? {
            lower(&mut tiling, &classes);
            // A formula that overstates by more than half is of no use.
            let total = tiling.cost();
            if above.value <= &total + &total / 2 {
                tiling.formula = above.expr;
                tiling.scope = Scope::AllSizes;
            }
        }
        tilings.push(tiling);
    }
    Ok(tilings)
}

/// Loads and stores by class.
type Moved = Vec<[BigInt; 2]>;

/// What could not be counted exactly is at most what formulas say.
fn lower(tiling: &mut Tiling, classes: &[[BigInt; 2]]) {
    let mut traffic = Traffic::default();
    let mut arrays: BTreeMap<ArrayId, [BigInt; 2]> = BTreeMap::new();
    for (resident, [loads, stores]) in tiling.resident.iter_mut().zip(classes) {
        resident.loads = loads.clone().min(resident.loads.clone());
        resident.stores = stores.clone().min(resident.stores.clone());
        traffic.loads += &resident.loads;
        traffic.stores += &resident.stores;
        let [loads, stores] = arrays.entry(resident.array).or_default();
        *loads += &resident.loads;
        *stores += &resident.stores;
    }
    let zero = BigInt::default();
    traffic.per_array = arrays
        .into_iter()
        .filter(|(_, words)| words.iter().any(|words| *words != zero))
        .map(|(array, [loads, stores])| (array, loads, stores))
        .collect();
    tiling.traffic = traffic;
    tiling.formula = Expr::integer(tiling.cost());
}

/// The sizes a formula is for.
struct Scoped {
    scope: Set,
    /// The same as rows, or some of them.
    rows: Vec<Row>,
    names: Names,
}

impl Scoped {
    fn of(program: &Program, tiling: &Tiling) -> Result<Scoped> {
        let names: Vec<String> = program.params.iter().map(|p| p.name.clone()).collect();
        let least: Vec<String> = names.iter().map(|name| format!("{name} >= 1")).collect();
        let text = match least.is_empty() {
            true => "{ : }".to_owned(),
            false => format!("[{}] -> {{ : {} }}", names.join(", "), least.join(" and ")),
        };
        let context = program.context.context();
        let scope = Set::parse(context, &text)?.intersect(&program.context)?;
        let scope = scope.align_params(&names)?.simplify()?;
        let mut rows = Vec::new();
        if let [one] = scope.basic_sets()?.as_slice()
            && let Made::System(system) = System::of(one, names.len(), &[])?
            && system.left.is_empty()
        {
            rows = system.rows;
        }
        let sizes: Assignment = tiling.sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        Ok(Scoped {
            scope,
            rows,
            names: Names {
                params: names.iter().map(|name| Symbol::new(name)).collect(),
                sizes,
            },
        })
    }

    /// Above what counts of the traffic of plans, and above loads and stores of every class; nothing if that is too hard.
    fn traffic(
        &self,
        site: &Site<'_>,
        plans: &[Plan],
        count: Counted,
    ) -> Result<Option<(Above, Moved)>> {
        let mut total = Expr::zero();
        let mut classes = Vec::new();
        let context = site.program.context.context();
        for plan in plans {
            for (class, _) in &plan.classes {
                let forward = class.depth <= plan.monotone;
                let dims = &plan.component.dims;
                let sets = limited(context, || moves(site, dims, class, forward))?;
                let Some(sets) = sets else {
                    return Ok(None);
                };
                let mut moved = [BigInt::default(), BigInt::default()];
                for (kind, (sets, moved)) in sets.iter().zip(&mut moved).enumerate() {
                    for set in sets {
                        let Some(above) = self.points(set)? else {
                            return Ok(None);
                        };
                        if kind == 0 || count == Counted::Total {
                            total += above.expr;
                        }
                        *moved += above.value;
                    }
                }
                classes.push(moved);
            }
        }
        Ok(self.names.above(total).map(|total| (total, classes)))
    }

    /// Above the number of points of a set.
    fn points(&self, set: &Set) -> Result<Option<Above>> {
        let context = set.context();
        let names: Vec<&str> = self.names.params.iter().map(Symbol::name).collect();
        let whole = limited(context, || Ok(set.align_params(&names)?.coalesce()?))?;
        let Some(whole) = whole else {
            return Ok(None);
        };
        let parts = whole.basic_sets()?;
        let mut found = self.sum(&parts)?;
        if parts.len() > 1 {
            let disjoint = limited(context, || Ok(whole.make_disjoint()?.basic_sets()?))?;
            let hull = limited(context, || Ok(whole.simple_superset()?.basic_sets()?))?;
            for parts in [hull, disjoint].into_iter().flatten() {
                let other = self.sum(&parts)?;
                found = [found, other]
                    .into_iter()
                    .flatten()
                    .min_by_key(|a| a.value.clone());
            }
        }
        Ok(found)
    }

    /// Above the sum of the numbers of points of disjuncts.
    fn sum(&self, parts: &[BasicSet]) -> Result<Option<Above>> {
        if parts.len() > DISJUNCTS {
            return Ok(None);
        }
        let mut sum = Above {
            expr: Expr::zero(),
            value: BigInt::default(),
        };
        for part in parts {
            let Some(above) = self.product(part)? else {
                return Ok(None);
            };
            sum.expr += above.expr;
            sum.value += above.value;
        }
        Ok(Some(sum))
    }

    /// Above the number of points of a disjunct: a product over groups of dimensions that have nothing to do with each other.
    fn product(&self, part: &BasicSet) -> Result<Option<Above>> {
        let system = match System::of(part, self.names.params.len(), &self.rows)? {
            Made::System(system) => system,
            Made::Empty => return Ok(self.names.above(Expr::zero())),
            Made::TooHard => return Ok(None),
        };
        let mut product = Expr::one();
        for group in system.groups() {
            let bound = group
                .nonnegative()
                .and_then(|group| self.names.bound(group, &self.rows));
            let Some(above) = bound else {
                return Ok(None);
            };
            product = product * above.expr;
        }
        Ok(self.names.above(product))
    }
}

/// Runs something within a number of steps; nothing if it takes more or fails in another way.
fn limited<T>(context: &Context, run: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    let ran = context.limited(STEPS, || match run() {
        Ok(value) => Ok(Some(value)),
        Err(ScheduleError::Poly(error)) => Err(error),
        Err(_) => Ok(None),
    });
    match ran {
        Ok(found) => Ok(found.flatten()),
        Err(PolyError::Interrupted) => Err(PolyError::Interrupted.into()),
        Err(_) => Ok(None),
    }
}
