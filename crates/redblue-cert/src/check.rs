//! The checker: certificates become bounds, or are refused.
//!
//! ```text
//! Certificate ─► View (program, sizes) ─► Graph (dependences, live) ─► claims, one by one ─► LowerBound
//! ```
//!
//! | file | verifies |
//! |---|---|
//! | `view`, `sizes`, `count`, `fibre` | names and texts; formulas at all sizes; numbers of points |
//! | `dependence`, `live`, `varying`, `graph` | who reads whose value; what is needed for a result; what is no constant |
//! | `compulsory` | inputs and results |
//! | `phases`, `family` | the phase argument; paths, labels, disjoint words |
//! | `capacity`, `brascamp_lieb`, `symmetric`, `hourglass`, `reduction`, `fused`, `merging`, `partial`, `mirror` | how much a phase can compute |
//! | `reach`, `wavefront` | dependence on hubs; what survives them |
//! | `spills` | what waits for hubs that share operands |
//! | `crossing` | what survives the meeting of opposite recurrences |
//! | `sums` | whether the order of sums matters |
//!
//! It trusts the front end's `Program`, isl with the counting on top of it, and redblue-math. It shares no code with the engines,
//! re-derives every formula, and refuses whatever it cannot prove.

mod brascamp_lieb;
pub(crate) mod capacity;
mod compulsory;
pub(crate) mod count;
pub(crate) mod crossing;
mod dependence;
mod family;
mod fibre;
mod fused;
mod graph;
mod hourglass;
mod live;
mod merging;
mod mirror;
mod partial;
pub(crate) mod phases;
mod reach;
mod reduction;
mod sizes;
pub(crate) mod spills;
mod sums;
mod symmetric;
mod varying;
pub(crate) mod view;
pub(crate) mod wavefront;

use redblue_math::Expr;
use redblue_poly::Context;
use redblue_program::Program;

use crate::bound::LowerBound;
use crate::certificate::{Certificate, Claim, Dependence, LiveSet, Proof, SCHEMA, VERSION};
use crate::model::{Counted, Model, Sums};
use crate::refusal::{Cause, Refusal, Result, demand};
use compulsory::Compulsory;
use crossing::Crossings;
use graph::Graph;
use phases::Argument;
use spills::Spilled;
use view::View;
use wavefront::Waves;

/// Checks all claims of a certificate, against its own program or a given one.
///
/// If a program is given, all sets are taken from it and names must fit; the certificate's own program is not looked at.
pub fn check(certificate: &Certificate, program: Option<&Program>) -> Result<Vec<LowerBound>> {
    let checker = Checker::of(certificate, program)?;
    let claims = certificate.claims.iter().enumerate();
    claims
        .map(|(at, claim)| {
            let checked = checker.check(claim);
            checked.map_err(|refusal| refusal.within(format!("claim {at} ({})", claim.method)))
        })
        .collect()
}

/// A certificate without its claims: dependences and live sets that hold.
pub struct Checker {
    graph: Graph,
    compulsory: Compulsory,
}

impl Checker {
    /// Verifies format, program, dependences and live sets of a certificate; its claims are not looked at.
    pub fn of(certificate: &Certificate, program: Option<&Program>) -> Result<Checker> {
        let known = certificate.schema == SCHEMA && certificate.schema_version == VERSION;
        demand(known, Cause::Format, || {
            format!(
                "`{}` version {}",
                certificate.schema, certificate.schema_version
            )
        })?;
        let program = match program {
            Some(program) => program.clone(),
            None => certificate.program.to_program(&Context::new()?)?,
        };
        Checker::new(program, &certificate.dependences, &certificate.live)
    }

    /// The same for parts that are not a certificate yet.
    pub fn new(program: Program, dependences: &[Dependence], live: &[LiveSet]) -> Result<Checker> {
        let graph = Graph::verify(View::new(program)?, dependences, live)?;
        let compulsory = Compulsory::of(&graph)?;
        Ok(Checker { graph, compulsory })
    }

    /// The formula that the proof of a claim gives in the claimed model, whatever formula the claim states.
    ///
    /// Engines use it to state exactly what will be accepted; it is no substitute for [`Checker::check`].
    pub fn propose(&self, claim: &Claim) -> Result<Expr> {
        let bound = self.prove(claim)?;
        self.in_model(&bound, claim)
    }

    /// A claim whose formula is exactly what its proof gives, and the bound that it is: [`Checker::propose`] and
    /// [`Checker::check`] in one, with the proof verified once.
    pub fn settle(&self, mut claim: Claim) -> Result<(Claim, LowerBound)> {
        let bound = self.prove(&claim)?;
        let derived = self.in_model(&bound, &claim)?;
        claim.formula = derived.to_string();
        claim.conditions = bound.conditions();
        let written = self.graph.view.formula(&claim.formula)?;
        sizes::demand_not_larger(&self.graph.view, &written, &derived)?;
        self.demand_conditions(&claim, &bound)?;
        Ok((claim, bound))
    }

    /// Checks one claim.
    pub fn check(&self, claim: &Claim) -> Result<LowerBound> {
        let claimed = self.graph.view.formula(&claim.formula)?;
        let bound = self.prove(claim)?;
        let derived = self.in_model(&bound, claim)?;
        sizes::demand_not_larger(&self.graph.view, &claimed, &derived)?;
        self.demand_conditions(claim, &bound)?;
        Ok(bound)
    }

    /// Demands that a claim states the conditions under which the formula of its proof is right.
    fn demand_conditions(&self, claim: &Claim, bound: &LowerBound) -> Result<()> {
        let mut stated = self.graph.view.positive().clone();
        for text in &claim.conditions {
            stated = stated.intersect(&self.graph.view.condition(text)?)?;
        }
        for condition in bound.condition_sets() {
            demand(stated.is_subset(condition)?, Cause::Formula, || {
                format!("the formula is right only if {condition}, which is not stated")
            })?;
        }
        Ok(())
    }

    fn prove(&self, claim: &Claim) -> Result<LowerBound> {
        let stores = &self.compulsory.stores;
        match &claim.proof {
            Proof::Compulsory => {
                let model = Model {
                    count: Counted::Loads,
                    recompute: true,
                    sums: Sums::Free,
                };
                let loads = &self.compulsory.loads;
                Ok(LowerBound::compulsory(&claim.method, model, loads, stores))
            }
            Proof::Phases(phases) => {
                let argument = Argument::verify(&self.graph, phases)?;
                Ok(LowerBound::phases(&claim.method, argument, stores))
            }
            Proof::Wavefront(wavefront) => {
                let Compulsory {
                    inputs, results, ..
                } = &self.compulsory;
                let waves = Waves::verify(&self.graph, inputs, results, wavefront)?;
                Ok(LowerBound::waves(&claim.method, &waves, stores))
            }
            Proof::Spills(spills) => {
                let Compulsory {
                    inputs, results, ..
                } = &self.compulsory;
                let spilled = Spilled::verify(&self.graph, inputs, results, spills)?;
                LowerBound::spilled(&claim.method, &spilled, stores)
            }
            Proof::Crossing(crossing) => {
                let crossings = Crossings::verify(&self.graph, &self.compulsory.loads, crossing)?;
                Ok(LowerBound::crossings(&claim.method, &crossings, stores))
            }
        }
    }

    /// What a bound says in the model of a claim.
    fn in_model(&self, bound: &LowerBound, claim: &Claim) -> Result<Expr> {
        let formula = bound.formula(claim.model);
        formula.ok_or_else(|| {
            let reason = format!("the proof holds for {:?}", bound.model());
            Refusal::new(Cause::Model, reason)
        })
    }
}
