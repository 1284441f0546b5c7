//! Lower bounds as documents, as text and as they would stand in a paper.

use num_bigint::BigInt;
use redblue_bound::parallel::{ASSUMPTIONS, Parallel};
use redblue_cert::Model as Proved;
use redblue_cert::certificate::{Claim, Proof};
use redblue_math::Expr;
use redblue_program::Program;
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::formula::{Formula, Regime};
use super::model::Model;
use super::outline;
use super::relation::condition;
use crate::bound::{Bounds, contest, effort};
use crate::sizes::Point;

/// The answer of `redblue bound`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BoundDocument {
    schema: &'static str,
    schema_version: u32,
    program: ProgramNames,
    model: Model,
    assumptions: Vec<String>,
    inputs: Formula,
    full: Formula,
    leading: Formula,
    simplified: Formula,
    regimes: Vec<Regime>,
    methods: Vec<Found>,
    tried: Vec<Tried>,
    certificate: Summary,
    /// `complete`, or `time-limit` if there was no time for everything that was to be tried.
    stop: &'static str,
    /// The best value at the sizes given: phases have their best length, so it can exceed the value of `full`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    results: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel: Option<ParallelDocument>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ProgramNames {
    name: String,
    parameters: Vec<String>,
    statements: Vec<String>,
}

/// One bound that was proved.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Found {
    method: String,
    statements: Vec<String>,
    model: Model,
    formula: Formula,
    conditions: Vec<String>,
    /// Whether it is the best one for some sizes, and so part of `full`.
    best: bool,
    /// Its proof in outline, in LaTeX.
    #[serde(skip)]
    outline: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Tried {
    method: &'static str,
    accepted: usize,
    problems: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Summary {
    checked: bool,
    steps: usize,
}

/// The best value at one choice of sizes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Value {
    /// The sizes, S among them.
    pub sizes: Point,
    /// Words that no schedule avoids.
    pub value: String,
    /// Operations of the program per word moved, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intensity: Option<String>,
}

/// Bounds for several ranks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ParallelDocument {
    model: Model,
    assumptions: Vec<&'static str>,
    /// Words that some rank receives, whatever its memory.
    received: Option<String>,
    /// Words that some rank sends and receives together.
    exchanged: Option<String>,
    /// The memory-independent bound in its regimes; only those of the sizes, if they are given.
    regimes: Vec<Regime>,
    /// With S words of memory.
    memory: Vec<Formula>,
    /// Published and weaker, for comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    reported: Option<Formula>,
}

impl ParallelDocument {
    /// The bounds at sizes that include `p`, and `S` where the memory is limited.
    pub fn of(parallel: &Parallel, ranks: u64, sizes: &Point) -> ParallelDocument {
        let given = crate::bound::assignment(sizes);
        let value = parallel.at(&given).ok();
        // Where sizes are given, formulas of other sizes would only mislead.
        let regimes = parallel
            .surfaces
            .iter()
            .flat_map(|surface| &surface.regimes)
            .filter(|regime| regime.holds_at(&given).unwrap_or(true));
        ParallelDocument {
            model: Model::of_ranks(ranks),
            assumptions: ASSUMPTIONS.to_vec(),
            received: value.as_ref().map(|value| value.received.to_string()),
            exchanged: value.as_ref().map(|value| value.exchanged.to_string()),
            regimes: regimes
                .map(|regime| Regime {
                    when: when(regime),
                    formula: Formula::of_bound(&regime.formula, sizes),
                })
                .collect(),
            memory: parallel
                .memory
                .iter()
                .map(|formula| Formula::of_bound(formula, sizes))
                .collect(),
            reported: parallel
                .reported
                .as_ref()
                .map(|formula| Formula::of_bound(formula, sizes)),
        }
    }
}

/// For how many ranks a formula is the exact minimum.
fn when(regime: &redblue_bound::parallel::Regime) -> String {
    let least = regime.at_least.iter().map(|limit| format!("p >= {limit}"));
    let most = regime.at_most.iter().map(|limit| format!("p <= {limit}"));
    least.chain(most).collect::<Vec<_>>().join(" and ")
}

impl BoundDocument {
    /// The bounds of a program; `sizes` are those with one value.
    pub fn of(
        program: &Program,
        bounds: &Bounds,
        sizes: &Point,
        results: Vec<Value>,
    ) -> BoundDocument {
        // Formulas are about positive sizes; at others only `results` speak, which count exactly.
        let none = Point::new();
        let positive = sizes.values().all(|size| *size >= 1);
        let sizes = if positive { sizes } else { &none };
        let formula = |expr: &Expr| Formula::of_bound(expr, sizes);
        let claims = &bounds.analysis.certificate.claims;
        let methods = bounds.analysis.bounds.iter().zip(claims).enumerate();
        let methods = methods.filter_map(|(at, (bound, claim))| {
            Some(Found {
                method: bound.method().to_owned(),
                statements: statements(program, claim),
                model: Model::proved(bound.model()),
                formula: formula(bounds.formulas[at].as_ref()?),
                conditions: bound.conditions(),
                best: bounds.best.contains(&at),
                outline: outline::latex(&claim.proof),
            })
        });
        BoundDocument {
            schema: "redblue.bound",
            schema_version: SCHEMA_VERSION,
            program: ProgramNames {
                name: program.name.clone(),
                parameters: program
                    .params
                    .iter()
                    .map(|param| param.name.clone())
                    .collect(),
                statements: program
                    .statements
                    .iter()
                    .map(|statement| statement.name.clone())
                    .collect(),
            },
            model: Model::proved(bounds.model),
            assumptions: assumptions(program, bounds),
            inputs: formula(&bounds.inputs),
            full: formula(&bounds.full),
            leading: formula(&bounds.leading),
            simplified: formula(&bounds.simplified),
            regimes: regimes(program, bounds, sizes),
            methods: methods.collect(),
            tried: bounds
                .analysis
                .tried
                .iter()
                .map(|trial| Tried {
                    method: trial.method,
                    accepted: trial.accepted,
                    problems: trial.problems.clone(),
                })
                .collect(),
            certificate: Summary {
                checked: true,
                steps: bounds.analysis.certificate.steps(),
            },
            stop: if bounds.analysis.cut {
                "time-limit"
            } else {
                "complete"
            },
            results,
            parallel: None,
        }
    }

    /// The same with bounds for several ranks.
    pub fn with_parallel(self, parallel: ParallelDocument) -> BoundDocument {
        BoundDocument {
            parallel: Some(parallel),
            ..self
        }
    }
}

/// What the formulas assume: the program's own assumptions, and sizes that are too small excluded.
fn assumptions(program: &Program, bounds: &Bounds) -> Vec<String> {
    let small = bounds
        .conditions
        .iter()
        .filter_map(|set| condition(&set.gist(&program.context).ok()?));
    program.assumptions.iter().cloned().chain(small).collect()
}

/// A condition with more letters than this tells nobody anything.
const LONGEST_CONDITION: usize = 60;

/// The bounds that are the best ones elsewhere than at large sizes: by their leading terms, or as a whole where these would say too much.
fn regimes(program: &Program, bounds: &Bounds, sizes: &Point) -> Vec<Regime> {
    let large = redblue_math::Regime::large_sizes();
    let mut found: Vec<Regime> = Vec::new();
    for &at in &bounds.best {
        let Some(formula) = &bounds.formulas[at] else {
            continue;
        };
        let Ok(leading) = formula.leading(&large) else {
            continue;
        };
        let effort = effort(&bounds.analysis);
        let contest = contest(program, &leading, &bounds.leading, &bounds.full, effort);
        let when = if contest.wins {
            Some(leading_is_larger(&leading, &bounds.leading))
        } else {
            // Leading terms cannot tell; whole formulas may.
            let others = bounds.large.and_then(|at| bounds.formulas[at].as_ref());
            let when = others.and_then(|others| formula.roughly_at_least(others));
            when.filter(|text| text.len() <= LONGEST_CONDITION)
        };
        let Some(when) = when else {
            continue;
        };
        let shown = if contest.overstates {
            formula
        } else {
            &leading
        };
        let regime = Regime {
            when,
            formula: Formula::of_bound(shown, sizes),
        };
        // A constant factor less is less in every regime.
        let quotient = leading.div(&bounds.leading);
        let less = quotient.is_ok_and(|quotient| quotient.symbols().is_empty());
        if !less && !found.contains(&regime) {
            found.push(regime);
        }
    }
    found
}

/// When one leading term is larger than another, if that can be said in a few words.
fn leading_is_larger(one: &Expr, other: &Expr) -> String {
    let short = one.at_least(other);
    let short = short.filter(|text| text.len() <= LONGEST_CONDITION);
    short.unwrap_or_else(|| "it is larger".to_owned())
}

/// The statements whose instances a claim counts, in textual order.
fn statements(program: &Program, claim: &Claim) -> Vec<String> {
    let texts: Vec<&String> = match &claim.proof {
        Proof::Compulsory => return program.statements.iter().map(|s| s.name.clone()).collect(),
        Proof::Phases(phases) => phases
            .groups
            .iter()
            .flat_map(|group| &group.targets)
            .collect(),
        Proof::Wavefront(wavefront) => wavefront.hubs.iter().collect(),
        Proof::Spills(spills) => {
            let kinds = spills.kinds.iter();
            kinds
                .flat_map(|kind| kind.hubs.iter().chain(&kind.centres))
                .collect()
        }
        Proof::Crossing(crossing) => {
            let lines = crossing.lines.iter();
            lines
                .flat_map(|lines| lines.forward.iter().chain(&lines.backward))
                .collect()
        }
    };
    let named = |name: &str| texts.iter().any(|text| text.contains(&format!("{name}[")));
    let names = program
        .statements
        .iter()
        .map(|statement| statement.name.clone());
    names.filter(|name| named(name)).collect()
}

/// Most statements that are listed one by one.
const FEW: usize = 8;

impl Found {
    /// The statements it is about, by name if they are few.
    fn on(&self, program: &ProgramNames, written: impl Fn(&str) -> String) -> String {
        match self.statements.len() {
            few if few <= FEW => {
                let names = self.statements.iter().map(|name| written(name));
                names.collect::<Vec<_>>().join(", ")
            }
            all if all == program.statements.len() => "all statements".to_owned(),
            many => format!("{many} statements"),
        }
    }
}

/// For people.
pub fn text(document: &BoundDocument) -> String {
    let mut out = format!("{}: no schedule moves less than\n\n", document.program.name);
    let mut line = |name: &str, formula: &Formula| {
        out.push_str(&format!("  {name:<11} {}\n", formula.shown()));
    };
    line("all sizes", &document.full);
    line("leading", &document.leading);
    line("sizes = N", &document.simplified);
    line("inputs", &document.inputs);
    for regime in &document.regimes {
        out.push_str(&format!(
            "  {:<11} {}   if {}\n",
            "otherwise", regime.formula.text, regime.when
        ));
    }
    out.push_str(&format!(
        "\n{}; {}\n",
        document.model.in_words(),
        "S is the fast memory in words"
    ));
    if !document.assumptions.is_empty() {
        out.push_str(&format!(
            "assuming {}\n",
            document.assumptions.join(" and ")
        ));
    }
    for value in &document.results {
        let sizes: Vec<String> = value
            .sizes
            .iter()
            .map(|(name, size)| format!("{name}={size}"))
            .collect();
        out.push_str(&format!("\nat {}: {} words", sizes.join(", "), value.value));
        if let Some(intensity) = &value.intensity {
            out.push_str(&format!(", at most {intensity} operations per word"));
        }
    }
    if !document.results.is_empty() {
        out.push('\n');
    }
    out.push_str("\nproved by\n");
    for found in document.methods.iter().filter(|found| found.best) {
        out.push_str(&format!(
            "  {:<12} on {}: {}\n",
            found.method,
            found.on(&document.program, str::to_owned),
            found.formula.text
        ));
    }
    if let Some(parallel) = &document.parallel {
        out.push_str(&parallel_text(parallel));
    }
    out.push_str(&format!(
        "\nproof checked: {} steps\n",
        document.certificate.steps
    ));
    if document.stop == "time-limit" {
        out.push_str("stopped by the time limit: with more time there may be better bounds\n");
    }
    out
}

fn parallel_text(parallel: &ParallelDocument) -> String {
    let mut out = String::from("\non several ranks\n");
    for regime in &parallel.regimes {
        out.push_str(&format!(
            "  received     {}   if {}\n",
            regime.formula.shown(),
            regime.when
        ));
    }
    for formula in &parallel.memory {
        out.push_str(&format!("  exchanged    {}\n", formula.shown()));
    }
    if let Some(words) = &parallel.received {
        out.push_str(&format!("  some rank receives at least {words} words\n"));
    }
    if let Some(words) = &parallel.exchanged {
        out.push_str(&format!(
            "  some rank sends and receives at least {words} words\n"
        ));
    }
    for assumption in &parallel.assumptions {
        out.push_str(&format!("  assuming {assumption}\n"));
    }
    out
}

/// As it would stand in a paper.
pub fn latex(document: &BoundDocument) -> String {
    let mut out = String::from("\\begin{theorem}\n");
    out.push_str(&format!(
        "Every schedule of \\texttt{{{}}} with a fast memory of $S$ words ({}){} moves at least\n\\[\n  {}\n\\]\nwords.\n\\end{{theorem}}\n",
        escaped(&document.program.name),
        document.model.in_words(),
        match &document.assumptions[..] {
            [] => String::new(),
            some => format!(", for all sizes with \\texttt{{{}}},", escaped(&some.join(" and "))),
        },
        document.full.latex,
    ));
    out.push_str("\\begin{proof}[Proof outline]\n");
    for found in document.methods.iter().filter(|found| found.best) {
        out.push_str(&format!(
            "\\paragraph{{{}}} on {}: $ {} $. {}\n",
            found.method,
            found.on(&document.program, |name| format!(
                "\\texttt{{{}}}",
                escaped(name)
            )),
            found.formula.latex,
            found.outline,
        ));
    }
    out.push_str(&format!(
        "\nThe bound is the largest of these; every step was verified by an independent checker ({} steps).\n\\end{{proof}}\n",
        document.certificate.steps
    ));
    out
}

fn escaped(name: &str) -> String {
    name.replace('_', "\\_")
}

/// The best value at one choice of sizes, with the operations it would suffice for.
pub fn value(sizes: Point, words: &BigInt, operations: Option<&BigInt>) -> Value {
    let intensity = operations
        .filter(|_| *words > BigInt::from(0))
        .map(|operations| {
            let hundredths: BigInt = operations * 100 / words;
            format!("{}.{:0>2}", &hundredths / 100, &hundredths % 100)
        });
    Value {
        sizes,
        value: words.to_string(),
        intensity,
    }
}

impl Model {
    /// The model of a bound.
    pub fn proved(model: Proved) -> Model {
        Model::of_bound(
            model.count == redblue_cert::Counted::Loads,
            model.recompute,
            model.sums == redblue_cert::Sums::Free,
        )
    }
}
