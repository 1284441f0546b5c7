//! A schedule and the bound it is measured against, at the same sizes and in the same model.

use num_bigint::BigInt;
use redblue_bound::analysis::Options as BoundOptions;
use redblue_program::Program;
use redblue_schedule::{Options, ScheduleError, Tiling, tile, tile_all, tile_nested};

use crate::Refusal;
use crate::bound::Bounds;
use crate::codes::BAD_MEMORY;
use crate::sizes::Point;

/// A tiling with the words that no schedule avoids.
#[derive(Debug)]
pub struct Tiled {
    /// The schedule.
    pub tiling: Tiling,
    /// The lower bound in the same model, if one was found.
    pub lower: Option<BigInt>,
}

impl Tiled {
    /// Looks for a schedule for the largest memory, and evaluates bounds that are at hand.
    ///
    /// # Errors
    /// When fast memory is too small for an instance, sizes are missing, or sets are too hard to count.
    pub fn of(program: &Program, options: &Options, bounds: &Bounds) -> Result<Tiled, Refusal> {
        let tiling = tile(program, options).map_err(refusal)?;
        Ok(Tiled::with(tiling, bounds))
    }

    /// The same for several questions, each about nested memories: by question and level, nearest first. Bounds are found
    /// while schedules are looked for.
    ///
    /// # Errors
    /// As for one memory; those of the bounds.
    pub fn all(
        program: &Program,
        questions: &[Options],
        prove: impl FnOnce() -> Result<Bounds, Refusal>,
    ) -> Result<Vec<Vec<Tiled>>, Refusal> {
        let (answers, bounds) = tile_all(program, questions, prove);
        let bounds = bounds?;
        let tiled = |tiling| Tiled::with(tiling, &bounds);
        answers
            .into_iter()
            .map(|levels| Ok(levels.map_err(refusal)?.into_iter().map(tiled).collect()))
            .collect()
    }

    fn with(tiling: Tiling, bounds: &Bounds) -> Tiled {
        let mut point: Point = tiling.sizes.clone();
        point.insert(
            "S".to_owned(),
            i64::try_from(tiling.fast).unwrap_or(i64::MAX),
        );
        Tiled {
            lower: bounds.at(&point),
            tiling,
        }
    }
}

/// One order for nested memories, nearest first, with what it moves through each.
///
/// # Errors
/// When fast memory is too small for an instance, sizes are missing, or sets are too hard to count.
pub fn nested(program: &Program, options: &Options) -> Result<Vec<Tiling>, Refusal> {
    tile_nested(program, options).map_err(refusal)
}

/// The bounds of a program in the model of a schedule.
///
/// # Errors
/// When the program is too hard to analyse exactly.
pub fn bounds(program: &Program, options: &Options) -> Result<Bounds, Refusal> {
    let asked = BoundOptions {
        model: options.model,
        methods: Vec::new(),
        time_limit: options.time_limit,
    };
    let known = program.all_sizes(&options.sizes).unwrap_or_default();
    Bounds::of(program, &asked, &known)
}

fn refusal(error: ScheduleError) -> Refusal {
    match error {
        ScheduleError::TooFewWords { .. } | ScheduleError::NoFastMemory => {
            Refusal::new(&BAD_MEMORY, error.to_string())
                .hint("give a fast memory that holds at least the operands of one statement")
        }
        error => Refusal::gave_up("no schedule", &error),
    }
}
