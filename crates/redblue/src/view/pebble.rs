//! Pebble games: the least traffic of a graph, or the verdict on a given game.

use redblue_pebble::exact::{Outcome, Stop};
use redblue_pebble::referee::{Illegal, Score};
use redblue_pebble::{Cdag, Game};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::model::Model;

/// A game on a graph: the best one found, or one that was judged.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PebbleDocument {
    schema: &'static str,
    schema_version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    model: Model,
    vertices: usize,
    edges: usize,
    inputs: usize,
    outputs: usize,
    #[serde(rename = "S")]
    pebbles: usize,
    game: &'static str,
    slide: bool,
    #[serde(flatten)]
    verdict: Verdict,
}

/// What is said about the game.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Verdict {
    Played {
        io: u64,
        loads: u64,
        stores: u64,
        stop: &'static str,
        lower_bound: u64,
        peak: usize,
        moves: usize,
    },
    Legal {
        legal: bool,
        io: u64,
        loads: u64,
        stores: u64,
        lower_bound: u64,
        peak: usize,
        moves: usize,
    },
    Illegal {
        legal: bool,
        /// The number of the move, from 1; nothing if the game ends too early.
        #[serde(rename = "move")]
        number: Option<usize>,
        step: Option<String>,
        reason: String,
        moves: usize,
    },
}

/// The question: a graph, the rules, the red pebbles.
#[derive(Clone, Debug)]
pub struct Board<'a> {
    /// The program or file it comes from.
    pub name: Option<String>,
    /// The graph.
    pub graph: &'a Cdag,
    /// The rules.
    pub game: Game,
    /// How many red pebbles there are.
    pub pebbles: usize,
}

impl Board<'_> {
    fn document(&self, verdict: Verdict) -> PebbleDocument {
        PebbleDocument {
            schema: "redblue.pebble",
            schema_version: SCHEMA_VERSION,
            name: self.name.clone(),
            model: Model::of_game(&self.game),
            vertices: self.graph.len(),
            edges: self.graph.edge_count(),
            inputs: self.graph.inputs().len(),
            outputs: self.graph.outputs().len(),
            pebbles: self.pebbles,
            game: self.game.name().unwrap_or_default(),
            slide: self.game.slide,
            verdict,
        }
    }

    /// The best game found.
    pub fn played(&self, outcome: &Outcome) -> PebbleDocument {
        let score = outcome.score;
        self.document(Verdict::Played {
            io: score.io(),
            loads: score.loads,
            stores: score.stores,
            stop: match outcome.stop {
                Stop::Optimal => "optimal",
                Stop::TimeLimit => "time-limit",
                Stop::StateLimit | Stop::MemoryLimit | Stop::TooLarge => "budget",
            },
            lower_bound: outcome.lower_bound,
            peak: score.peak,
            moves: outcome.play.len(),
        })
    }

    /// The verdict of the referee on a game of this many moves.
    pub fn judged(
        &self,
        verdict: &Result<Score, Illegal>,
        moves: usize,
        lower_bound: u64,
    ) -> PebbleDocument {
        self.document(match verdict {
            Ok(score) => Verdict::Legal {
                legal: true,
                io: score.io(),
                loads: score.loads,
                stores: score.stores,
                lower_bound,
                peak: score.peak,
                moves,
            },
            Err(illegal) => Verdict::Illegal {
                legal: false,
                number: illegal.step.map(|_| illegal.index + 1),
                step: illegal.step.map(|step| step.to_string()),
                reason: illegal.reason.to_string(),
                moves,
            },
        })
    }
}

/// The document for people.
pub fn text(document: &PebbleDocument) -> String {
    let PebbleDocument {
        name,
        vertices,
        edges,
        inputs,
        outputs,
        pebbles,
        game,
        slide,
        ..
    } = document;
    let name = name.as_deref().unwrap_or("graph");
    let rules = if *slide { ", sliding" } else { "" };
    let what = if document.model.is_loads_only() {
        "loads"
    } else {
        "loads and stores"
    };
    let mut out = format!(
        "{name}: {}, {}, {}, {}\n{game} game{rules}, {}, {what} count\n\n",
        counted(*vertices, "vertex", "vertices"),
        counted(*edges, "edge", "edges"),
        counted(*inputs, "input", "inputs"),
        counted(*outputs, "output", "outputs"),
        counted(*pebbles, "red pebble", "red pebbles"),
    );
    let table = |io: u64, loads: u64, stores: u64, lower: u64, peak: usize, moves: usize| {
        format!(
            "  traffic      {io} (loads {loads}, stores {stores})\n  lower bound  {lower}\n  \
             game         {}, at most {} at a time\n",
            counted(moves, "move", "moves"),
            counted(peak, "red pebble", "red pebbles"),
        )
    };
    match &document.verdict {
        Verdict::Played {
            io,
            loads,
            stores,
            stop,
            lower_bound,
            peak,
            moves,
        } => {
            out.push_str(&table(*io, *loads, *stores, *lower_bound, *peak, *moves));
            out.push_str(match *stop {
                "optimal" => "\nOptimal: no game moves less\n",
                "time-limit" => "\nStopped by the time limit: the optimum is between the two\n",
                _ => "\nStopped by the budget of the search: the optimum is between the two\n",
            });
        }
        Verdict::Legal {
            io,
            loads,
            stores,
            lower_bound,
            peak,
            moves,
            ..
        } => {
            out.push_str(&table(*io, *loads, *stores, *lower_bound, *peak, *moves));
            out.push_str("\nLegal\n");
        }
        Verdict::Illegal {
            number,
            step,
            reason,
            moves,
            ..
        } => out.push_str(&match (number, step) {
            (Some(number), Some(step)) => format!("Illegal: move {number} ({step}): {reason}\n"),
            _ => format!(
                "Illegal after {}: {reason}\n",
                counted(*moves, "move", "moves")
            ),
        }),
    }
    out
}

fn counted(number: usize, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{number} {noun}")
}
