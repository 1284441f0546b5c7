//! Certificates with something changed: refused, or what they still prove is true.
//!
//! A generic mutator walks the JSON of a certificate and changes one number, text, flag or list at a time. The
//! checker may refuse. If it accepts, the mutant claims no more than its proof gives, and its proof gives no more than the
//! certificate did; where it does give more, that is compared with the least traffic that any play of the program was seen to
//! need. Claims that say more than their proof, and labels that do not fit their paths, are always refused.
//!
//! ```text
//! kernel ──► certificate ──► one claim ──► mutants ──► checker ──► Err, or a bound ≤ the original, or ≤ every play seen
//! ```

use crate::arena::{Field, MODELS, Seen};
use crate::common::{bounds, kernel};
use redblue_bound::analysis::Analysis;
use redblue_cert::{Certificate, Checker, Claim, LowerBound, Model, Sums, check};
use redblue_math::random::Random;
use redblue_math::{Assignment, Expr};
use redblue_program::Program;
use redblue_testkit::sizes;
use redblue_testkit::sums::free_sums;
use serde_json::Value;

fn soak() -> bool {
    std::env::var_os("REDBLUE_SOAK").is_some_and(|value| value == "1")
}

/// A program with small arenas in which its bounds are judged.
struct Court {
    program: Program,
    analysis: Analysis,
    arenas: Vec<(redblue_program::Sizes, redblue_testkit::Arena)>,
    /// The least traffic seen, by arena, memory and model.
    seen: Seen,
}

impl Court {
    fn of(name: &str, model: Model) -> Court {
        let program = kernel(name);
        let analysis = bounds(&program, model);
        let free = free_sums(&program).expect("sums");
        let arenas = sizes::adversarial(&program, &free, 400, 4);
        Court {
            program,
            analysis,
            arenas,
            seen: Default::default(),
        }
    }

    /// Demands that a claim says no more than its proof, at all sizes at hand.
    fn demand_proved(&self, claim: &Claim, bound: &LowerBound, what: &str) {
        let claimed: Expr = claim.formula.parse().expect("checked");
        let proved = bound.formula(claim.model).expect("checked");
        for (sizes, fast) in self.arenas.iter().flat_map(|(sizes, _)| {
            let positive = sizes.values().all(|&size| size > 0);
            let sizes = positive.then_some(sizes).into_iter();
            sizes.flat_map(|sizes| [1, 4, 17, 1000].map(|fast| (sizes, fast)))
        }) {
            let mut at = Assignment::new().with("S", fast);
            for (name, value) in sizes {
                at.set(name.as_str(), *value);
            }
            let value = |formula: &Expr| formula.eval_floor(&at).ok();
            if let (Some(claimed), Some(proved)) = (value(&claimed), value(&proved)) {
                assert!(claimed <= proved, "{what}: {} at {at:?}", claim.formula);
            }
        }
    }

    /// Demands that a bound says no more than the certificate that was changed, or at least nothing false: then it is below all plays.
    fn judge(&self, bound: &LowerBound, what: &str) {
        for (sizes, arena) in &self.arenas {
            let field = Field {
                name: &self.program.name,
                arena,
                sizes,
                capacities: 8,
            };
            for (stake, known) in field.stakes(bound, &self.analysis.bounds) {
                if stake.value <= known {
                    continue;
                }
                let best = field.least(&stake, &self.seen);
                assert!(
                    stake.value <= best,
                    "{what}: accepted, {} at {sizes:?}, {stake:?}, but {best} are enough",
                    bound.loads()
                );
            }
        }
    }
}

/// Paths to everything in a document that can be changed.
fn places(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                // Names of methods and texts of statements are for people.
                if !matches!(name.as_str(), "method" | "text" | "kind" | "schema") {
                    places(inner, format!("{path}/{name}"), found);
                }
            }
        }
        Value::Array(items) => {
            found.push(path.clone());
            for (at, inner) in items.iter().enumerate() {
                places(inner, format!("{path}/{at}"), found);
            }
        }
        _ => found.push(path),
    }
}

/// A different value for a place.
fn changed(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            Value::from(number + [1, -1, 2][random.below(3)])
        }
        Value::Bool(flag) => Value::from(!flag),
        Value::String(text) => Value::from(changed_text(text, random)),
        Value::Array(items) if !items.is_empty() => {
            let mut items = items.clone();
            let at = random.below(items.len());
            match random.below(3) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => {
                    let other = random.below(items.len());
                    items.swap(at, other);
                }
            }
            Value::Array(items)
        }
        other => other.clone(),
    }
}

/// A text in isl notation, a formula or a number with one word changed.
fn changed_text(text: &str, random: &mut Random) -> String {
    match text {
        "loads" => return "total".into(),
        "total" => return "loads".into(),
        "fixed" => return "free".into(),
        "free" => return "fixed".into(),
        "any" | "disjoint" | "columns" | "far-columns" => {
            let all = ["any", "disjoint", "columns", "far-columns"];
            return all[random.below(4)].into();
        }
        _ => {}
    }
    let mut words: Vec<String> = Vec::new();
    for c in text.chars() {
        let same = |word: &String| {
            let kind = |c: char| (c.is_alphanumeric() || c == '_', "<>=".contains(c));
            word.chars()
                .last()
                .is_some_and(|last| kind(last) == kind(c) && kind(c) != (false, false))
        };
        match words.last_mut().filter(|word| same(word)) {
            Some(word) => word.push(c),
            None => words.push(c.to_string()),
        }
    }
    let plain = |word: &String| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let candidates: Vec<usize> = (0..words.len())
        .filter(|&at| {
            plain(&words[at])
                || matches!(
                    words[at].as_str(),
                    "<" | "<=" | ">" | ">=" | "+" | "-" | "*"
                )
        })
        .collect();
    let Some(&at) = candidates.get(random.below(candidates.len())) else {
        return format!("{text} + 1");
    };
    let names: Vec<String> = words.iter().filter(|word| plain(word)).cloned().collect();
    words[at] = match words[at].as_str() {
        "<" => "<=".into(),
        "<=" => "<".into(),
        ">" => ">=".into(),
        ">=" => ">".into(),
        "+" => "-".into(),
        "-" => "+".into(),
        "*" => "+".into(),
        word => match word.parse::<i64>() {
            Ok(number) => (number + [1, -1, 1][random.below(3)]).to_string(),
            Err(_) => names[random.below(names.len())].clone(),
        },
    };
    words.concat()
}

/// Changes one place of one part of a certificate.
fn mutate<T: serde::Serialize + serde::de::DeserializeOwned + PartialEq>(
    part: &T,
    random: &mut Random,
) -> Option<(String, T)> {
    let mut document = serde_json::to_value(part).expect("a document");
    let mut found = Vec::new();
    places(&document, String::new(), &mut found);
    let path = &found[random.below(found.len())];
    let place = document.pointer_mut(path)?;
    let (old, new) = (place.to_string(), changed(place, random));
    *place = new.clone();
    // What is no certificate any more is refused by the reader.
    let mutant: T = serde_json::from_value(document).ok()?;
    (mutant != *part).then(|| (format!("{path}: {old} -> {new}"), mutant))
}

/// A field in which every change makes the labels of a family differ from those of its paths.
const LABELS: &str = "/proof/groups/families/projection";

/// The field of a certificate that a mutation is in: its path without positions.
fn field(what: &str) -> String {
    let path = what.split(':').next().unwrap_or_default();
    let names = path
        .split('/')
        .filter(|name| name.parse::<usize>().is_err());
    names.collect::<Vec<_>>().join("/")
}

/// Changes claims and their proofs.
fn change_proofs(court: &Court, checker: &Checker) {
    let per_claim = if soak() { 600 } else { 8 };
    let (mut refused, mut accepted) = (0, 0);
    for (at, claim) in court.analysis.certificate.claims.iter().enumerate() {
        let mut random = Random::new(at as u64);
        for _ in 0..per_claim {
            let Some((what, mutant)) = mutate(claim, &mut random) else {
                continue;
            };
            let Ok(bound) = checker.check(&mutant) else {
                refused += 1;
                continue;
            };
            accepted += 1;
            let is_label = field(&what) == LABELS;
            let what = format!("{}, {}: {what}", court.program.name, claim.method);
            assert!(!is_label, "{what}: accepted");
            court.demand_proved(&mutant, &bound, &what);
            court.judge(&bound, &what);
        }
    }
    // Half of a certificate of one claim is its model and its formula, which may well claim less.
    println!("{refused} refused, {accepted} accepted, none of which says more");
    assert!(refused > 0);
}

/// Changes dependences and live sets.
fn change_dependences(court: &Court) {
    let many = if soak() { 300 } else { 3 };
    let mut random = Random::new(1);
    let own = &court.analysis.certificate;
    for round in 0..many {
        let mut mutant = own.clone();
        let what = match round % 3 {
            0 => mutate(&own.live, &mut random).map(|(what, live)| {
                mutant.live = live;
                what
            }),
            _ => mutate(&own.dependences, &mut random).map(|(what, dependences)| {
                mutant.dependences = dependences;
                what
            }),
        };
        let Some(what) = what else { continue };
        for bound in check(&mutant, None).into_iter().flatten() {
            court.judge(&bound, &format!("{}: {what}", court.program.name));
        }
    }
}

/// Puts another program into the certificate: what is proved must be true of that one.
fn change_program(court: &Court) {
    let many = if soak() { 300 } else { 3 };
    let own = &court.analysis.certificate;
    let mut random = Random::new(2);
    for _ in 0..many {
        let Some((what, program)) = mutate(&own.program, &mut random) else {
            continue;
        };
        let mutant = Certificate {
            program,
            ..own.clone()
        };
        let Ok(found) = check(&mutant, None) else {
            continue;
        };
        let isl = redblue_poly::Context::new().expect("isl");
        let program = mutant.program.to_program(&isl).expect("checked");
        let free = free_sums(&program).unwrap_or_default();
        for (sizes, arena) in sizes::adversarial(&program, &free, 300, 3) {
            let field = Field {
                name: &program.name,
                arena: &arena,
                sizes: &sizes,
                capacities: 6,
            };
            if let Err(violation) = field.attack(&found) {
                panic!("{what}: {violation}");
            }
        }
    }
}

/// Claims that say more than their proof, in formula or in model.
fn claim_more(court: &Court, checker: &Checker) {
    let refuse = |claim: &Claim| {
        let refused = checker.check(claim).is_err();
        let (name, method) = (&court.program.name, &claim.method);
        let (formula, model) = (&claim.formula, claim.model);
        assert!(refused, "{name}, {method}: {formula} in {model:?}");
    };
    let claims = court.analysis.certificate.claims.iter();
    for (claim, bound) in claims.zip(&court.analysis.bounds) {
        for larger in [
            "{} + 1",
            "{} + 1/1000",
            "2*({}) + S",
            "({}) + N0",
            "max({}, S)",
        ] {
            refuse(&Claim {
                formula: larger.replace("{}", &format!("({})", claim.formula)),
                ..claim.clone()
            });
        }
        for other in MODELS {
            if !bound.model().implies(other) {
                refuse(&Claim {
                    model: other,
                    ..claim.clone()
                });
            }
        }
        let fixed = bound.model().sums == Sums::Fixed && !bound.model().recompute;
        let holds = fixed || bound.model().implies(claim.model);
        assert!(holds, "{}, {}", court.program.name, claim.method);
    }
}

/// All of it for one kernel.
fn check_mutants(name: &str, model: Model) {
    let court = Court::of(name, model);
    let checker = Checker::of(&court.analysis.certificate, None).expect("holds");
    claim_more(&court, &checker);
    change_proofs(&court, &checker);
    change_dependences(&court);
    change_program(&court);
}

/// Kernels whose proofs are of every kind, quick to analyse.
macro_rules! kernels {
    ($($test:ident: $name:literal in $model:expr;)*) => {
        $(#[test] fn $test() { check_mutants($name, $model); })*
    };
}

kernels! {
    matmul: "matmul" in MODELS[0];
    matmul_in_any_order: "matmul" in MODELS[2];
    syrk: "syrk" in MODELS[0];
    mgs: "mgs" in MODELS[0];
    attention: "attention" in MODELS[0];
    attention_in_any_order: "attention" in MODELS[2];
    atax: "atax" in MODELS[0];
    two_products: "2mm" in MODELS[0];
    convolution_with_recomputation: "conv2d" in MODELS[1];
}

#[test]
fn certificates_do_not_fit_other_programs() {
    let names = [
        "matmul",
        "gemm",
        "syrk",
        "mgs",
        "atax",
        "trisolv",
        "jacobi-1d",
        "cholesky",
        "lu",
    ];
    let programs: Vec<Program> = names.iter().map(|name| kernel(name)).collect();
    for (at, own) in programs.iter().enumerate() {
        let certificate = bounds(own, MODELS[0]).certificate;
        for (other_at, other) in programs.iter().enumerate() {
            let fits = check(&certificate, Some(other)).is_ok();
            assert_eq!(fits, at == other_at, "{} for {}", own.name, other.name);
        }
    }
}
