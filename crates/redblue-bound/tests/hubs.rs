//! Hourglasses and wavefronts against legal plays and convex sets (T-4, T-5).

use num_bigint::BigInt;
use redblue_bound::analysis::{Analysis, Options, analyse};
use redblue_cert::certificate as cert;
use redblue_cert::{Certificate, Counted, Model, Proof, Sums, check};
use redblue_math::Assignment;
use redblue_math::rational::int;
use redblue_pebble::program::{Origin, ProgramGraph};
use redblue_program::{Program, Sizes, catalogue};
use redblue_testkit::capacities::adversarial;
use redblue_testkit::phase::{Form, Frontier, PhaseEffort};
use redblue_testkit::{Arena, Effort, Stake, Verdict, model};

const LOADS: Model = Model {
    count: Counted::Loads,
    recompute: false,
    sums: Sums::Fixed,
};

fn program(name: &str) -> Program {
    let entry = catalogue::find(name).expect("in the catalogue");
    entry.read(&Default::default()).program.expect("understood")
}

fn analysis(program: &Program, methods: &[&str]) -> Analysis {
    let options = Options {
        model: LOADS,
        methods: methods.iter().map(|name| (*name).to_owned()).collect(),
        time_limit: None,
    };
    analyse(program, &options).expect("an analysis")
}

fn sizes(text: &str) -> Sizes {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').expect("name=value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    text.split(',').map(pair).collect()
}

/// A kernel and what the two methods prove about it.
struct Case {
    name: &'static str,
    program: Program,
    analysis: Analysis,
}

impl Case {
    fn of(name: &'static str) -> Case {
        Case::by(name, &["hourglass", "wavefront"])
    }

    fn by(name: &'static str, methods: &[&str]) -> Case {
        let program = program(name);
        let analysis = analysis(&program, methods);
        Case {
            name,
            program,
            analysis,
        }
    }

    /// The best bound at some sizes and a memory.
    fn best(&self, sizes: &Sizes, fast: Option<usize>, count: Counted) -> BigInt {
        let mut at = Assignment::new();
        if let Some(fast) = fast {
            at.set("S", fast as i64);
        }
        for (size, value) in sizes {
            at.set(size.as_str(), *value);
        }
        let bounds = self.analysis.bounds.iter();
        let model = Model { count, ..LOADS };
        let values = bounds.map(|bound| bound.value(model, &at).expect("a value"));
        values.flatten().max().unwrap_or_default()
    }

    /// Demands that every bound at adversarial memories survives the harness.
    fn survives(self, all_sizes: &[&str]) -> Case {
        for text in all_sizes {
            let sizes = sizes(text);
            let arena = Arena::of_program(&self.program, &sizes, &[], 20_000).expect("a graph");
            let mut stakes = Vec::new();
            for (count, model) in [
                (Counted::Loads, model::Model::LOADS),
                (Counted::Total, model::Model::TOTAL),
            ] {
                for capacity in adversarial(&arena, &model.game()) {
                    let value = self.best(&sizes, Some(capacity), count);
                    stakes.push(Stake {
                        capacity,
                        model,
                        value: u64::try_from(value).expect("not negative"),
                    });
                }
            }
            let verdicts = arena.attack(&stakes, &Effort::QUICK).expect("plays");
            for (stake, verdict) in stakes.iter().zip(verdicts) {
                let about = format!("{} {text} {stake:?}", self.name);
                match verdict {
                    Verdict::Broken { io, by, .. } => {
                        panic!("{about} claimed, {io} reached by {by:?}")
                    }
                    Verdict::Survived { best, .. } => println!("{about} of {best}"),
                }
            }
        }
        self
    }

    /// Demands that the best bound is at least the best sound value of the literature (H-15).
    fn reaches(self, values: &[(&str, u64)]) {
        for (text, known) in values {
            let best = self.best(&sizes(text), None, Counted::Loads);
            let reached = best >= (*known).into();
            assert!(reached, "{} {text}: {best}, known is {known}", self.name);
        }
    }
}

#[test]
fn gram_schmidt() {
    let mgs = Case::of("mgs").survives(&["M=7,N=4", "M=12,N=8"]);
    mgs.reaches(&[
        ("M=100,N=50,S=16", 56_325),
        ("M=100,N=50,S=64", 41_551),
        ("M=100,N=50,S=128", 21_853),
        ("M=100,N=50,S=400", 6_187),
        ("M=1000,N=200,S=256", 8_675_762),
        ("M=1000,N=200,S=1024", 4_853_051),
        ("M=1000,N=200,S=8192", 542_842),
        ("M=4096,N=512,S=32768", 14_930_177),
    ]);
    Case::of("gramschmidt").survives(&["M=2,N=12", "M=3,N=14"]);
}

#[test]
fn householder() {
    let known = [
        ("M=100,N=50,S=64", 11_889),
        ("M=100,N=50,S=400", 2_883),
        ("M=1000,N=200,S=1024", 2_146_129),
        ("M=1000,N=200,S=8192", 414_253),
        ("M=4096,N=512,S=32768", 12_689_637),
    ];
    let forward = Case::of("geqr2").survives(&["M=7,N=4", "M=9,N=8", "M=12,N=4"]);
    forward.reaches(&known);
    let backward = Case::of("org2r").survives(&["M=7,N=6", "M=8,N=7", "M=12,N=4"]);
    backward.reaches(&known);
}

#[test]
fn reductions_to_condensed_form() {
    let bidiagonal = Case::of("gebd2").survives(&["M=6,N=4", "M=6,N=6", "M=9,N=7"]);
    bidiagonal.reaches(&[
        ("M=100,N=50,S=64", 11_272),
        ("M=1000,N=200,S=1024", 2_037_250),
    ]);
    let hessenberg = Case::of("gehd2").survives(&["N=6", "N=8"]);
    hessenberg.reaches(&[
        ("N=100,S=16", 120_566),
        ("N=100,S=64", 58_577),
        ("N=1000,S=256", 108_300_872),
        ("N=1000,S=1024", 30_375_759),
        ("N=1000,S=16384", 2_306_142),
    ]);
}

/// Scores wait for the largest one of their row, and where weights are divided before they are used, exponentials for their sum.
#[test]
fn rows_of_scores_wait_twice() {
    let total = Model {
        count: Counted::Total,
        ..LOADS
    };
    for (name, times) in [("attention", 4), ("attention-fused", 2)] {
        let case = Case::of(name).survives(&["N=2,M=5,D=1", "N=3,M=9,D=1", "N=2,M=12,D=2"]);
        for (n, m, d, fast) in [(50, 300, 8, 32), (8192, 8192, 32, 4096)] {
            let at = Assignment::new().with("N", n).with("M", m).with("D", d);
            let at = at.with("S", fast);
            let bounds = case.analysis.bounds.iter();
            let values = bounds.filter_map(|bound| bound.value(total, &at).expect("a value"));
            // Inputs and outputs, and of every row what does not stay, out and in again.
            let expected = 2 * d * (m + n) + times * n * (m - fast);
            assert!(values.max() >= Some(expected.into()), "{name} {at:?}");
        }
    }
}

/// Scores and exponentials are spilled however many rows fit into the memory, unless keys and values stay.
#[test]
fn rows_that_fit_wait_all_the_same() {
    let total = Model {
        count: Counted::Total,
        ..LOADS
    };
    for (name, kinds) in [("attention", 2), ("attention-fused", 1)] {
        let case = Case::by(name, &["spills"]);
        let case = case.survives(&["N=6,M=5,D=2", "N=5,M=4,D=3", "N=8,M=3,D=4", "N=3,M=6,D=5"]);
        for (n, m, d, fast) in [(16_384, 16_384, 64, 16_384), (1000, 100, 16, 300)] {
            let at = Assignment::new().with("N", n).with("M", m).with("D", d);
            let bounds = case.analysis.bounds.iter();
            let values = bounds.filter_map(|bound| {
                bound
                    .value(total, &at.clone().with("S", fast))
                    .expect("a value")
            });
            // Out and in again, but for what is resident when D/2 more rows are finished; Q and O besides.
            let cuts = (2 * n + d - 1) / d - 1;
            let expected = 2 * n * d + kinds * 2 * (n * m - fast * cuts);
            assert!(values.max() >= Some(expected.into()), "{name} {at:?}");
        }
    }
}

/// The norm of row k depends on all that is left of the matrix, and all of that is changed with it: beside its first loads,
/// the block of rows and columns behind k and k + 1 is loaded in every step but the first, less what stays in memory.
#[test]
fn reflectors_from_both_sides_pass_over_the_matrix() {
    let analysis = analysis(&program("gebd2"), &["wavefront"]);
    for (m, n, fast) in [(1200, 1000, 1024), (300, 40, 64), (64, 64, 512)] {
        let at = Assignment::new().with("S", fast).with("M", m).with("N", n);
        let block = |k: i64| (m - k - 1) * (n - k - 2);
        let again: i64 = (1..n - 2).map(|k| (block(k) - fast).max(0)).sum();
        let values = analysis
            .bounds
            .iter()
            .map(|bound| bound.at(&at).expect("a value"));
        let best = values.max().expect("a bound");
        assert!(best >= (m * n + again).into(), "{best} < {}", m * n + again);
    }
}

#[test]
fn sweeps() {
    Case::of("durbin").survives(&["N=7", "N=20"]);
    Case::of("adi").survives(&["TSTEPS=2,N=6", "TSTEPS=3,N=5"]);
    Case::of("atax").survives(&["M=5,N=6"]);
    Case::of("gemver").survives(&["N=6"]);
    Case::of("deriche").survives(&["W=5,H=6"]);
}

/// T-5 for the two forms of the capacity when columns are columns of one matrix, with targets at least `far` from the diagonal.
fn check_capacity(rows: i64, columns: i64) {
    let program = program("gramschmidt");
    let sizes = sizes(&format!("M={rows},N={columns}"));
    let arena = Arena::of_program(&program, &sizes, &[], 20_000).expect("a graph");
    let graph = ProgramGraph::of(&program, &sizes, 20_000).expect("a graph");
    let update = program
        .statements
        .iter()
        .rposition(|s| s.iterators.len() == 3);
    // Iterators k, j, i.
    let distance = |vertex: usize| match &graph.origins[vertex] {
        Origin::Instance(s, point) if Some(s.0) == update => point[1] - point[0],
        _ => 0,
    };
    let effort = PhaseEffort {
        climbs: 60,
        ..PhaseEffort::QUICK
    };
    let w = rows as u64;
    for far in 1..columns as u64 {
        let is_target = |vertex: usize| distance(vertex) >= far as i64;
        let frontier = Frontier::explore(&arena, is_target, Form::Convex, &effort).expect("fine");
        for k in 1..=(rows * columns) as u64 {
            let seen = int(frontier.most(k as usize));
            let flat = int(2 * k);
            let square = int(k * k) / int(w);
            let all = (&square / int(2) + int(9 * w) / int(8)).max(flat.clone());
            assert!(
                seen <= all,
                "{rows}x{columns}, far {far}, K={k}: {seen} targets, {all} allowed"
            );
            if far > (k / w).max(1) {
                let fewer = (square / int(4) + int(9 * w) / int(4)).max(flat);
                assert!(
                    seen <= fewer,
                    "{rows}x{columns}, far {far}, K={k}: {seen} targets, {fewer} allowed"
                );
            }
        }
    }
}

#[test]
fn phases_of_gram_schmidt_hold_no_more_than_the_capacity() {
    check_capacity(2, 8);
    check_capacity(3, 7);
}

#[test]
fn left_looking_gram_schmidt_is_nearly_optimal() {
    // reads M·N + M·B·q(q−1)/2 with q = ⌈N/B⌉ blocks of B = ⌊S/M⌋ − 1 columns (H-17), once a factor of 4 away.
    let analysis = analysis(&program("mgs"), &["hourglass"]);
    let (m, n) = (1000, 1000_i64);
    for blocks in [8, 16, 32] {
        let at = Assignment::new()
            .with("M", m)
            .with("N", n)
            .with("S", m * blocks);
        let values = analysis
            .bounds
            .iter()
            .map(|bound| bound.at(&at).expect("a value"));
        let lower = values.max().unwrap_or_default();
        let columns = blocks - 1;
        let q = (n + columns - 1) / columns;
        let upper: BigInt = (m * n + m * columns * q * (q - 1) / 2).into();
        assert!(lower <= upper && lower * 3 >= upper * 2, "S = {blocks}·M");
    }
}

/// A change that the checker must not accept.
fn check_refused(certificate: &Certificate, what: &str, change: impl Fn(&mut Certificate)) {
    let mut changed = certificate.clone();
    change(&mut changed);
    assert_ne!(&changed, certificate, "{what} changes nothing");
    assert!(check(&changed, None).is_err(), "{what} is accepted");
}

fn hourglass(certificate: &mut Certificate) -> &mut cert::Hourglass {
    let Proof::Phases(phases) = &mut certificate.claims[0].proof else {
        panic!("phases");
    };
    let cert::Capacity::Hourglass(glass) = &mut phases.groups[0].capacity else {
        panic!("an hourglass");
    };
    glass
}

#[test]
fn changed_hourglasses_are_refused() {
    let certificate = analysis(&program("mgs"), &["hourglass"]).certificate;
    assert!(check(&certificate, None).is_ok());
    check_refused(&certificate, "a larger value", |c| {
        c.claims[0].formula.push_str(" + 1")
    });
    check_refused(&certificate, "a wider slice", |c| {
        hourglass(c).least_width.push_str(" + 1")
    });
    check_refused(&certificate, "the other direction", |c| {
        hourglass(c).step = -1
    });
    check_refused(&certificate, "disjoint words", |c| {
        hourglass(c).sharing = cert::Sharing::Disjoint
    });
    check_refused(&certificate, "time and column exchanged", |c| {
        let glass = hourglass(c);
        std::mem::swap(&mut glass.time, &mut glass.neutral[0]);
    });
    check_refused(&certificate, "no hubs", |c| hourglass(c).hubs.clear());
    check_refused(&certificate, "no way into the hubs", |c| {
        hourglass(c).into.edges.clear()
    });
    check_refused(&certificate, "fewer members", |c| {
        hourglass(c).into.members.clear()
    });
    check_refused(&certificate, "no way out of the hubs", |c| {
        hourglass(c).out_of.edges.clear()
    });
}

fn wavefront(certificate: &mut Certificate) -> &mut cert::Wavefront {
    let Proof::Wavefront(wavefront) = &mut certificate.claims[0].proof else {
        panic!("a wavefront");
    };
    wavefront
}

#[test]
fn changed_wavefronts_are_refused() {
    let certificate = analysis(&program("durbin"), &["wavefront"]).certificate;
    assert!(check(&certificate, None).is_ok());
    check_refused(&certificate, "a larger value", |c| {
        c.claims[0].formula.push_str(" + 1")
    });
    check_refused(&certificate, "no hubs", |c| wavefront(c).hubs.clear());
    check_refused(&certificate, "no sequence", |c| wavefront(c).next = None);
    check_refused(&certificate, "no way back", |c| {
        wavefront(c).before.edges.clear()
    });
    check_refused(&certificate, "no way on", |c| {
        wavefront(c).after.edges.clear()
    });
    check_refused(&certificate, "paths counted twice", |c| {
        let bundle = wavefront(c).bundles[0].clone();
        wavefront(c).bundles.push(bundle);
    });
    check_refused(&certificate, "paths without steps", |c| {
        wavefront(c).bundles[0].steps.clear()
    });
    check_refused(&certificate, "backwards", |c| {
        let next = wavefront(c).next.as_mut().expect("a sequence");
        next.step = next.step.iter().map(|by| -by).collect();
    });
}
