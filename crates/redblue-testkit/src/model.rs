//! What a claim counts and allows, as a game and a treatment of sums.

use redblue_pebble::Game;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Loads and stores.
    Total,
    /// Loads only: stores are free.
    Loads,
}

/// How sums are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sums {
    /// In the program's own order.
    Fixed,
    /// Terms in any order, where the operator allows it.
    Free,
}

/// The model a bound is claimed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Model {
    /// What is counted.
    pub count: Count,
    /// Whether values may be computed more than once.
    pub recompute: bool,
    /// How sums are computed.
    pub sums: Sums,
    /// Whether a result may take the place of an operand (G-3). Bounds should hold with sliding: it is the
    /// easier game to win.
    pub slide: bool,
}

impl Model {
    /// Loads and stores, no recomputation, sums in the program's order, with sliding.
    pub const TOTAL: Model = Model {
        count: Count::Total,
        recompute: false,
        sums: Sums::Fixed,
        slide: true,
    };

    /// As [`Model::TOTAL`], loads only.
    pub const LOADS: Model = Model {
        count: Count::Loads,
        ..Model::TOTAL
    };

    /// The graphs that plays may be on: a model with free sums includes the program's own order.
    pub fn sums(&self) -> &'static [Sums] {
        match self.sums {
            Sums::Fixed => &[Sums::Fixed],
            Sums::Free => &[Sums::Fixed, Sums::Free],
        }
    }

    /// The game that is played.
    pub fn game(&self) -> Game {
        let game = match self.count {
            Count::Total => Game::red_blue_white(),
            Count::Loads => Game::red_white(),
        };
        Game {
            recompute: self.recompute,
            slide: self.slide,
            ..game
        }
    }
}
