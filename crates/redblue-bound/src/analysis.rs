//! All methods on one program: from the graph to checked bounds.
//!
//! ```text
//! Program ──► Graph ──► methods ──► claims ──► Checker ──► Analysis { certificate, bounds, tried }
//! ```
//!
//! Methods are listed in [`METHODS`]; each looks at the whole graph and proposes proofs. A proof that the checker
//! refuses is reported with the reason and is no claim.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use redblue_cert::certificate::{Certificate, SCHEMA, VERSION};
use redblue_cert::text::ProgramText;
use redblue_cert::{Checker, Claim, LowerBound, Model, Proof, Sums};
use redblue_poly::PolyError;
use redblue_program::Program;

use crate::error::Result;
use crate::graph::Graph;
use crate::reference::{self, Point};

/// A way to find bounds.
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Looks for proofs and proposes them one by one.
    pub find: fn(&Search<'_>) -> Result<()>,
}

/// All methods, in the order in which they are tried.
pub const METHODS: &[Method] = &[
    Method {
        name: "compulsory",
        summary: "inputs that reach a result are loaded, results are stored",
        find: crate::compulsory::find,
    },
    Method {
        name: "projections",
        summary: "few words, few labels, few operations: phases and the Brascamp-Lieb inequality",
        find: crate::addition::find,
    },
    Method {
        name: "symmetry",
        summary: "two operands read one array, exchanged by a swap of loops: √2 more",
        find: crate::symmetric::find,
    },
    Method {
        name: "mirror",
        summary: "two statements read one operand as mirror images of each other: one joint bound",
        find: crate::mirror::find,
    },
    Method {
        name: "complete-reduction",
        summary: "a sum is finished only when everything it reduces has been at hand",
        find: crate::reduction::find,
    },
    Method {
        name: "fused",
        summary: "a reduction, a map and a second reduction: each mapped value needs its whole row and column, or a word of its own",
        find: crate::fused::find,
    },
    Method {
        name: "any-order",
        summary: "sums in any order: what a phase adds up has to be at hand again later",
        find: crate::merging::find,
    },
    Method {
        name: "hourglass",
        summary: "whole slices between the ticks of a column: Gram-Schmidt, Householder",
        find: crate::hourglass::find,
    },
    Method {
        name: "wavefront",
        summary: "values that must survive the computation of a hub that depends on all of them",
        find: crate::wavefront::find,
    },
    Method {
        name: "spills",
        summary: "values that wait for a hub are spilled, or the words they are made of are read again",
        find: crate::spills::find,
    },
    Method {
        name: "crossing",
        summary: "recurrences in opposite directions: what one has computed waits for the other",
        find: crate::crossing::find,
    },
];

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The model claims are made in; the default counts loads and stores.
    pub model: Model,
    /// Names of the methods to use; all if empty.
    pub methods: Vec<String>,
    /// When to stop: the search a little before, so that there is time to check what was found.
    pub time_limit: Option<Duration>,
}

/// What a method works with.
pub struct Search<'s> {
    /// The graph; without the arrows along running values where sums have no order.
    pub graph: &'s Graph,
    /// The graph with all its arrows.
    pub whole: &'s Graph,
    /// The graph in which temporaries are stepped over, if there are any and sums keep their order.
    pub absorbed: Option<&'s Graph>,
    /// The model that is asked for.
    pub model: Model,
    /// Sizes at which alternatives are compared.
    pub points: &'s [Point],
    limits: Limits,
    /// What the method at work has proposed.
    proposed: RefCell<Vec<Proof>>,
    /// What it would propose if it had to end now.
    meanwhile: RefCell<Vec<Proof>>,
}

impl Search<'_> {
    /// Proposes proofs: they are checked even if the method is interrupted afterwards.
    pub fn propose(&self, proofs: impl IntoIterator<Item = Proof>) {
        self.proposed.borrow_mut().extend(proofs);
    }

    /// Proposes proofs in case the method is interrupted before it has better ones; they are not even written where nothing interrupts.
    pub fn meanwhile(&self, proofs: impl FnOnce() -> Result<Vec<Proof>>) -> Result<()> {
        if self.limits.looking.is_some() {
            self.meanwhile.borrow_mut().extend(proofs()?);
        }
        Ok(())
    }

    /// Whether the time for looking is up: then the method ends with what it has.
    pub fn is_over(&self) -> bool {
        let over = passed(self.limits.looking);
        self.limits.cut.set(self.limits.cut.get() || over);
        over
    }
}

/// When which part of an analysis ends, if there is a limit.
#[derive(Clone, Debug, Default)]
struct Limits {
    /// The first method and what all need; a moment longer than the limit if that is very short.
    first: Option<Instant>,
    /// Methods end by themselves.
    looking: Option<Instant>,
    /// Methods are interrupted.
    finding: Option<Instant>,
    /// Checks are interrupted.
    end: Option<Instant>,
    /// Whether anything was left out.
    cut: Cell<bool>,
}

/// The least time for what must be loaded in any case: without it there is no bound at all.
const FIRST: Duration = Duration::from_millis(300);

impl Limits {
    fn new(limit: Option<Duration>) -> Limits {
        let Some(limit) = limit else {
            return Limits::default();
        };
        let start = Instant::now();
        Limits {
            first: Some(start + limit.max(FIRST)),
            looking: Some(start + limit * 5 / 8),
            finding: Some(start + limit * 13 / 16),
            end: Some(start + limit),
            cut: Cell::new(false),
        }
    }
}

fn passed(time: Option<Instant>) -> bool {
    time.is_some_and(|time| Instant::now() >= time)
}

/// What was found.
#[derive(Debug)]
pub struct Analysis {
    /// The claims that hold, with their proofs.
    pub certificate: Certificate,
    /// The same as bounds, in the order of the claims.
    pub bounds: Vec<LowerBound>,
    /// What every method did, in order.
    pub tried: Vec<Trial>,
    /// Whether the time limit ended the search.
    pub cut: bool,
}

/// What one method did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The method.
    pub method: &'static str,
    /// How many of its proofs were accepted.
    pub accepted: usize,
    /// Why proofs were refused, or why the search stopped.
    pub problems: Vec<String>,
}

/// Tries every method and checks what it finds. Past the time limit the answer is what has been checked until then.
pub fn analyse(program: &Program, options: &Options) -> Result<Analysis> {
    let limits = Limits::new(options.time_limit);
    let isl = program.context.context();
    let mut analysis = Analysis {
        certificate: Certificate {
            schema: SCHEMA.to_owned(),
            schema_version: VERSION,
            program: ProgramText::of(program),
            dependences: Vec::new(),
            live: Vec::new(),
            claims: Vec::new(),
        },
        bounds: Vec::new(),
        tried: Vec::new(),
        cut: false,
    };
    let prepared = isl.until(limits.first, || Prepared::of(program, options.model));
    let prepared = match prepared {
        // Not even the dependences were finished: nothing is claimed.
        Err(_) if passed(limits.first) => {
            analysis.cut = true;
            return Ok(analysis);
        }
        prepared => prepared?,
    };
    let form = &prepared.forms[0];
    analysis.certificate.dependences = form.graph.dependences().to_vec();
    analysis.certificate.live = form.graph.live_sets().to_vec();
    let searches: Vec<Search<'_>> = prepared
        .forms
        .iter()
        .map(|form| Search {
            graph: &form.graph,
            whole: &form.whole,
            absorbed: form.absorbed.as_ref(),
            model: options.model,
            points: &form.points,
            limits: limits.clone(),
            proposed: RefCell::default(),
            meanwhile: RefCell::default(),
        })
        .collect();
    for method in METHODS {
        if options.methods.is_empty() || options.methods.iter().any(|name| name == method.name) {
            let mut trial = Trial {
                method: method.name,
                accepted: 0,
                problems: Vec::new(),
            };
            let known = analysis.certificate.claims.len();
            for search in &searches {
                analysis.attempt(search, &prepared.checker, method, &mut trial);
            }
            if searches.len() > 1 {
                analysis.forget_twins(known);
            }
            analysis.tried.push(trial);
        }
    }
    analysis.cut = searches.iter().any(|search| search.limits.cut.get());
    Ok(analysis)
}

/// What all methods need.
struct Prepared {
    /// The program in one way, or in two.
    forms: Vec<Form>,
    checker: Checker,
}

/// A way to look at a program.
struct Form {
    whole: Graph,
    graph: Graph,
    absorbed: Option<Graph>,
    points: Vec<Point>,
}

impl Prepared {
    fn of(program: &Program, model: Model) -> Result<Prepared> {
        let (graph, by_tiles) = Graph::forms(program)?;
        let mut forms = vec![Form::of(graph, model)?];
        let (dependences, live) = (forms[0].graph.dependences(), forms[0].graph.live_sets());
        let checker = Checker::new(program.clone(), dependences, live)?;
        // Its proofs refer to the same dependences.
        let same = |graph: &Graph| graph.dependences() == dependences;
        if let Some(other) = by_tiles.filter(same) {
            forms.push(Form::of(other, model)?);
        }
        Ok(Prepared { forms, checker })
    }
}

impl Form {
    fn of(whole: Graph, model: Model) -> Result<Form> {
        let mut graph = whole.clone();
        if model.sums == Sums::Free {
            graph.forget_accumulators();
        }
        Ok(Form {
            absorbed: match model.sums {
                Sums::Fixed => graph.absorbed()?,
                Sums::Free => None,
            },
            points: reference::points(&graph)?,
            whole,
            graph,
        })
    }
}

impl Analysis {
    /// Lets one method look, and adds what the checker accepts.
    fn attempt(
        &mut self,
        search: &Search<'_>,
        checker: &Checker,
        method: &Method,
        trial: &mut Trial,
    ) {
        let limits = &search.limits;
        let is_first = self.tried.is_empty();
        let or_first = |time| if is_first { limits.first } else { time };
        if !is_first && search.is_over() {
            trial.problems.push(PolyError::Interrupted.to_string());
            return;
        }
        let isl = search.graph.context.context();
        let outcome = isl.until(or_first(limits.finding), || (method.find)(search));
        let mut proofs = search.proposed.take();
        let meanwhile = search.meanwhile.take();
        if let Err(error) = outcome {
            trial.problems.push(error.to_string());
            proofs.extend(meanwhile);
        }
        for proof in proofs {
            let stated = isl.until(or_first(limits.end), || {
                state(checker, method, search.model, proof)
            });
            match stated {
                Ok((claim, bound)) => {
                    self.certificate.claims.push(claim);
                    self.bounds.push(bound);
                    trial.accepted += 1;
                }
                Err(refusal) => trial.problems.push(refusal.to_string()),
            }
        }
        // Problems of a method that was not interrupted are its own.
        if !trial.problems.is_empty() && passed(or_first(limits.finding)) {
            limits.cut.set(true);
        }
    }

    /// Drops claims, from a position on, that state what one before them does.
    fn forget_twins(&mut self, known: usize) {
        let mut at = known;
        while at < self.bounds.len() {
            let claim = &self.certificate.claims[at];
            let same = |other: &Claim| {
                other.formula == claim.formula && other.conditions == claim.conditions
            };
            match self.certificate.claims[known..at].iter().any(same) {
                true => {
                    self.certificate.claims.remove(at);
                    self.bounds.remove(at);
                }
                false => at += 1,
            }
        }
    }
}

/// A proof as a claim that states exactly what the proof gives, and the bound that it is.
fn state(
    checker: &Checker,
    method: &Method,
    model: Model,
    proof: Proof,
) -> std::result::Result<(Claim, LowerBound), redblue_cert::Refusal> {
    checker.settle(Claim {
        method: method.name.to_owned(),
        model,
        formula: String::new(),
        conditions: Vec::new(),
        proof,
    })
}
