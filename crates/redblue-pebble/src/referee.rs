//! The referee: judges a play by the rules alone, move by move.
//!
//! [`judge`] takes a graph, the rules, a capacity and a list of moves, and either counts the
//! traffic or names the first illegal move. It shares no code with any player: every number this
//! crate reports as achieved has passed through here. Pointless moves (loading a red value again)
//! are legal and cost what they cost.

use crate::cdag::{Cdag, Vertex};
use crate::game::{Game, Move};

/// What a legal play cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Score {
    /// Words moved from slow to fast memory.
    pub loads: u64,
    /// Words moved from fast to slow memory.
    pub stores: u64,
    /// Most red pebbles on the board at any moment.
    pub peak: usize,
}

impl Score {
    /// Loads plus stores.
    pub fn io(&self) -> u64 {
        self.loads + self.stores
    }
}

/// The first thing that is wrong with a play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", place(*index, step))]
pub struct Illegal {
    /// Position of the move, counted from 0; the length of the play if it ends too early.
    pub index: usize,
    /// The move, or nothing if the play ends too early.
    pub step: Option<Move>,
    /// Why it is not allowed.
    pub reason: Reason,
}

/// Why a move, or the end of a play, is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The move names a vertex that does not exist.
    #[error("there is no vertex {0}")]
    NoSuchVertex(Vertex),
    /// All red pebbles are in use.
    #[error("all {0} red pebbles are in use")]
    NoFreePebble(usize),
    /// A load of a value that is not in slow memory.
    #[error("vertex {0} is not in slow memory")]
    NotBlue(Vertex),
    /// A store or delete of a value that is not in fast memory.
    #[error("vertex {0} has no red pebble")]
    NotRed(Vertex),
    /// A computation with an operand that is not in fast memory.
    #[error("operand {0} has no red pebble")]
    OperandNotRed(Vertex),
    /// Inputs are loaded, never computed.
    #[error("vertex {0} is an input")]
    ComputesInput(Vertex),
    /// A second computation where the rules forbid it.
    #[error("vertex {0} was computed before")]
    Recomputes(Vertex),
    /// A store move where values are saved automatically.
    #[error("this game has no store moves")]
    StoresAreAutomatic,
    /// A slide where the rules forbid it.
    #[error("this game does not allow sliding")]
    SlidingForbidden,
    /// A slide along something that is not an edge.
    #[error("vertex {0} is not an operand")]
    NotAnOperand(Vertex),
    /// The play ends with a vertex that was never computed.
    #[error("the play ends but vertex {0} was never computed")]
    NeverComputed(Vertex),
    /// The play ends with an output that is not in slow memory.
    #[error("the play ends but output {0} is not in slow memory")]
    OutputNotStored(Vertex),
}

/// Judges a play with at most `capacity` red pebbles.
///
/// # Errors
/// The first illegal move, or what is missing at the end.
pub fn judge(graph: &Cdag, game: &Game, capacity: usize, play: &[Move]) -> Result<Score, Illegal> {
    let mut board = Board::new(graph, game, capacity);
    for (index, &step) in play.iter().enumerate() {
        board.apply(step).map_err(|reason| Illegal {
            index,
            step: Some(step),
            reason,
        })?;
    }
    board.finish().map_err(|reason| Illegal {
        index: play.len(),
        step: None,
        reason,
    })?;
    Ok(board.score)
}

struct Board<'a> {
    graph: &'a Cdag,
    game: &'a Game,
    capacity: usize,
    red: Vec<bool>,
    blue: Vec<bool>,
    computed: Vec<bool>,
    n_red: usize,
    score: Score,
}

impl<'a> Board<'a> {
    fn new(graph: &'a Cdag, game: &'a Game, capacity: usize) -> Board<'a> {
        let n = graph.len();
        let blue = (0..n).map(|v| graph.is_input(v)).collect();
        let (red, computed) = (vec![false; n], vec![false; n]);
        Board {
            graph,
            game,
            capacity,
            red,
            blue,
            computed,
            n_red: 0,
            score: Score::default(),
        }
    }

    fn apply(&mut self, step: Move) -> Result<(), Reason> {
        match step {
            Move::Load(v) => {
                self.known(v)?;
                if !self.blue[v] {
                    return Err(Reason::NotBlue(v));
                }
                self.pebble(v)?;
                self.score.loads += 1;
            }
            Move::Store(v) => {
                self.known(v)?;
                if self.game.automatic_stores {
                    return Err(Reason::StoresAreAutomatic);
                }
                if !self.red[v] {
                    return Err(Reason::NotRed(v));
                }
                self.blue[v] = true;
                self.score.stores += 1;
            }
            Move::Compute(v) => {
                self.computable(v)?;
                self.pebble(v)?;
                self.mark_computed(v);
            }
            Move::Delete(v) => {
                self.known(v)?;
                self.unpebble(v)?;
            }
            Move::Slide { from, to } => {
                self.known(from)?;
                if !self.game.slide {
                    return Err(Reason::SlidingForbidden);
                }
                self.computable(to)?;
                if !self.graph.preds(to).contains(&from) {
                    return Err(Reason::NotAnOperand(from));
                }
                self.unpebble(from)?;
                self.pebble(to)?;
                self.mark_computed(to);
            }
        }
        Ok(())
    }

    fn finish(&self) -> Result<(), Reason> {
        let graph = self.graph;
        if !self.game.recompute
            && let Some(v) = (0..graph.len()).find(|&v| !graph.is_input(v) && !self.computed[v])
        {
            return Err(Reason::NeverComputed(v));
        }
        for &v in graph.outputs() {
            if !graph.is_input(v) && !self.computed[v] {
                return Err(Reason::NeverComputed(v));
            }
            if self.game.final_stores && !self.blue[v] {
                return Err(Reason::OutputNotStored(v));
            }
        }
        Ok(())
    }

    fn known(&self, v: Vertex) -> Result<(), Reason> {
        match v < self.graph.len() {
            true => Ok(()),
            false => Err(Reason::NoSuchVertex(v)),
        }
    }

    fn computable(&self, v: Vertex) -> Result<(), Reason> {
        self.known(v)?;
        if self.graph.is_input(v) {
            return Err(Reason::ComputesInput(v));
        }
        if self.computed[v] && !self.game.recompute {
            return Err(Reason::Recomputes(v));
        }
        match self.graph.preds(v).iter().find(|&&u| !self.red[u]) {
            Some(&u) => Err(Reason::OperandNotRed(u)),
            None => Ok(()),
        }
    }

    fn mark_computed(&mut self, v: Vertex) {
        self.computed[v] = true;
        self.blue[v] |= self.game.automatic_stores;
    }

    fn pebble(&mut self, v: Vertex) -> Result<(), Reason> {
        if self.red[v] {
            return Ok(());
        }
        if self.n_red == self.capacity {
            return Err(Reason::NoFreePebble(self.capacity));
        }
        self.red[v] = true;
        self.n_red += 1;
        self.score.peak = self.score.peak.max(self.n_red);
        Ok(())
    }

    fn unpebble(&mut self, v: Vertex) -> Result<(), Reason> {
        if !self.red[v] {
            return Err(Reason::NotRed(v));
        }
        self.red[v] = false;
        self.n_red -= 1;
        Ok(())
    }
}

fn place(index: usize, step: &Option<Move>) -> String {
    match step {
        Some(step) => format!("move {index} ({step}) is illegal"),
        None => format!("after {index} moves"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::from_text;

    /// Two inputs, a sum, and a second value computed from the sum.
    fn chain() -> Cdag {
        Cdag::from_parts(4, &[(0, 2), (1, 2), (2, 3)], None, None).expect("fine")
    }

    fn check(game: Game, capacity: usize, play: &str, expect: &str) {
        let moves = from_text(&play.replace("; ", "\n")).expect("a play");
        let verdict = match judge(&chain(), &game, capacity, &moves) {
            Ok(score) => format!("{} + {}, peak {}", score.loads, score.stores, score.peak),
            Err(illegal) => illegal.to_string(),
        };
        assert_eq!(verdict, expect, "{play}");
    }

    #[test]
    fn legal_plays_are_counted() {
        let play = "load 0; load 1; compute 2; delete 0; compute 3; store 3";
        check(Game::red_blue(), 3, play, "2 + 1, peak 3");
        check(Game::red_blue_white(), 3, play, "2 + 1, peak 3");
        check(
            Game::lecture(),
            3,
            "load 0; load 1; compute 2; delete 1; compute 3",
            "2 + 0, peak 3",
        );
        check(
            Game::red_white(),
            3,
            "load 0; load 1; compute 2; delete 1; compute 3",
            "2 + 0, peak 3",
        );
        let sliding = "load 0; load 1; slide 1 2; slide 2 3; store 3";
        check(Game::red_blue().sliding(), 2, sliding, "2 + 1, peak 2");
    }

    #[test]
    fn the_first_illegal_move_is_named() {
        let rb = Game::red_blue();
        let rbw = Game::red_blue_white();
        check(
            rb,
            2,
            "load 0; load 1; compute 2",
            "move 2 (compute 2) is illegal: all 2 red pebbles are in use",
        );
        check(
            rb,
            3,
            "load 0; compute 2",
            "move 1 (compute 2) is illegal: operand 1 has no red pebble",
        );
        check(
            rb,
            3,
            "load 2",
            "move 0 (load 2) is illegal: vertex 2 is not in slow memory",
        );
        check(
            rb,
            3,
            "store 0",
            "move 0 (store 0) is illegal: vertex 0 has no red pebble",
        );
        check(
            rb,
            3,
            "delete 9",
            "move 0 (delete 9) is illegal: there is no vertex 9",
        );
        check(
            rb,
            3,
            "compute 0",
            "move 0 (compute 0) is illegal: vertex 0 is an input",
        );
        check(
            rb,
            3,
            "load 0; load 1; slide 1 2",
            "move 2 (slide 1 2) is illegal: this game does not allow sliding",
        );
        check(
            rb.sliding(),
            3,
            "load 0; load 1; slide 3 2",
            "move 2 (slide 3 2) is illegal: vertex 3 is not an operand",
        );
        check(
            rbw,
            3,
            "load 0; load 1; compute 2; compute 2",
            "move 3 (compute 2) is illegal: vertex 2 was computed before",
        );
        check(
            Game::red_white(),
            3,
            "load 0; store 0",
            "move 1 (store 0) is illegal: this game has no store moves",
        );
    }

    #[test]
    fn unfinished_plays_are_refused() {
        check(
            Game::red_blue(),
            3,
            "",
            "after 0 moves: the play ends but vertex 3 was never computed",
        );
        let play = "load 0; load 1; compute 2; delete 0; compute 3";
        check(
            Game::red_blue(),
            3,
            play,
            "after 5 moves: the play ends but output 3 is not in slow memory",
        );
    }
}
