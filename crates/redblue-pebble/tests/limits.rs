//! What the exact players answer when a limit ends the search: the best legal play, a proven lower
//! bound, the reason, and never a claim of optimality. No test reads a real clock.

use std::time::Duration;

use redblue_pebble::exact::{Limits, Outcome, Progress, Stop, Watch, solve, solve_watched};
use redblue_pebble::generate::{self, Product};
use redblue_pebble::referee::judge;
use redblue_pebble::{Cdag, Error, Game};

const RB: Game = Game::red_blue();
const RBW: Game = Game::red_blue_white();

const OPEN: Limits = Limits {
    time: None,
    states: u64::MAX,
    memory: u64::MAX,
};

/// A clock that goes on by one tick whenever it is read.
struct Ticks {
    now: Duration,
    tick: Duration,
    shown: Vec<Progress>,
}

impl Ticks {
    fn new(tick: Duration) -> Ticks {
        Ticks {
            now: Duration::ZERO,
            tick,
            shown: Vec::new(),
        }
    }
}

impl Watch for Ticks {
    fn elapsed(&mut self) -> Duration {
        self.now += self.tick;
        self.now
    }

    fn show(&mut self, progress: &Progress) {
        self.shown.push(*progress);
    }
}

/// An answer that was cut is legal, bracketed and not called optimal.
fn check_cut(graph: &Cdag, game: Game, capacity: usize, outcome: &Outcome, stop: Stop) {
    assert_eq!(outcome.stop, stop);
    assert!(outcome.lower_bound < outcome.score.io());
    assert!(outcome.lower_bound > 0);
    let verdict = judge(graph, &game, capacity, &outcome.play);
    assert_eq!(verdict, Ok(outcome.score));
}

/// A graph that neither game settles within a few thousand states.
fn hard_graph() -> Result<Cdag, Error> {
    generate::stencil_1d(8, 4)
}

#[test]
fn each_limit_cuts_honestly() {
    let graph = hard_graph().expect("fine");
    for game in [RB, RBW] {
        let states = Limits {
            states: 1000,
            ..OPEN
        };
        let memory = Limits {
            memory: 1 << 19,
            ..OPEN
        };
        for (limits, stop) in [(states, Stop::StateLimit), (memory, Stop::MemoryLimit)] {
            let outcome = solve(&graph, &game, 5, &limits).expect("playable");
            check_cut(&graph, game, 5, &outcome, stop);
            let again = solve(&graph, &game, 5, &limits).expect("playable");
            assert_eq!(again.play, outcome.play, "cut without a clock, repeatable");
        }
        let time = Limits {
            time: Some(Duration::from_secs(100)),
            ..OPEN
        };
        let mut watch = Ticks::new(Duration::from_millis(500));
        let outcome = solve_watched(&graph, &game, 5, &time, &mut watch).expect("playable");
        check_cut(&graph, game, 5, &outcome, Stop::TimeLimit);
    }
}

#[test]
fn no_time_at_all_still_gives_a_play() {
    let graph = hard_graph().expect("fine");
    let limits = Limits {
        time: Some(Duration::ZERO),
        ..OPEN
    };
    let mut watch = Ticks::new(Duration::from_secs(1));
    let outcome = solve_watched(&graph, &RBW, 5, &limits, &mut watch).expect("playable");
    check_cut(&graph, RBW, 5, &outcome, Stop::TimeLimit);
    let reads = watch.now.as_secs();
    assert!(reads < 20, "the clock was read {reads} times after the end");
}

/// Forty values that read half of forty inputs each: one state has more steps than can ever be listed.
#[test]
fn wide_graphs_keep_their_limits() {
    let graph = generate::random_layers(2, 40, 20, 1).expect("fine");
    let states = Limits { states: 20, ..OPEN };
    let time = Limits {
        time: Some(Duration::from_secs(100)),
        ..OPEN
    };
    for game in [RB, RBW] {
        for (limits, stop) in [(states, Stop::StateLimit), (time, Stop::TimeLimit)] {
            let mut watch = Ticks::new(Duration::from_secs(1));
            let outcome = solve_watched(&graph, &game, 30, &limits, &mut watch).expect("playable");
            check_cut(&graph, game, 30, &outcome, stop);
        }
    }
}

#[test]
fn progress_is_shown_and_only_tightens() {
    let graph = hard_graph().expect("fine");
    let limits = Limits {
        states: 20_000,
        ..OPEN
    };
    let mut watch = Ticks::new(Duration::from_millis(10));
    let outcome = solve_watched(&graph, &RBW, 5, &limits, &mut watch).expect("playable");
    assert!(watch.shown.len() > 1);
    for pair in watch.shown.windows(2) {
        let [before, after] = [pair[0], pair[1]];
        assert!(after.elapsed >= before.elapsed + Duration::from_secs(1));
        assert!(after.states >= before.states);
        assert!(after.lower_bound >= before.lower_bound);
        assert!(after.upper_bound <= before.upper_bound);
    }
    for progress in watch.shown {
        assert!(progress.frontier > 0 && progress.states > 0);
        assert!(progress.lower_bound <= outcome.lower_bound);
        assert!(progress.upper_bound >= outcome.score.io());
    }
}

#[test]
fn watching_changes_no_answer() {
    let graph = generate::matmul(2, 2, 2, Product::Fused).expect("fine");
    for game in [RB, RBW] {
        let mut watch = Ticks::new(Duration::from_millis(1));
        let watched = solve_watched(&graph, &game, 4, &OPEN, &mut watch).expect("playable");
        let alone = solve(&graph, &game, 4, &OPEN).expect("playable");
        assert_eq!(watched.stop, Stop::Optimal);
        assert_eq!(watched.play, alone.play);
    }
}

#[test]
fn large_graphs_get_a_play_and_a_bound() {
    let graph = generate::matmul(8, 8, 8, Product::Fused).expect("fine");
    let outcome = solve(&graph, &RBW, 24, &Limits::default()).expect("playable");
    check_cut(&graph, RBW, 24, &outcome, Stop::TooLarge);
}
