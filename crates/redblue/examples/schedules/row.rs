//! One row of the table: a kernel at given sizes with a given memory.

use std::fmt;

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;
use redblue::program::Sizes;
use redblue::program::catalogue::Entry;
use redblue::tile::{Tiled, bounds};
use redblue_schedule::Options;

/// A schedule and its bound.
pub(crate) struct Row {
    name: &'static str,
    sizes: Sizes,
    words: u64,
    moved: BigInt,
    lower: BigInt,
    /// The order in one line.
    order: String,
}

impl Row {
    /// Looks for a schedule and a bound.
    pub(crate) fn of(
        entry: &'static Entry,
        sizes: &Sizes,
        words: u64,
    ) -> Result<Row, Box<dyn std::error::Error>> {
        let program = entry.read(&Default::default()).program.ok_or("not read")?;
        let options = Options {
            model: Default::default(),
            fast: vec![words],
            sizes: sizes.clone(),
            time_limit: None,
        };
        let bounds = bounds(&program, &options).map_err(|refusal| format!("{refusal:?}"))?;
        let tiled =
            Tiled::of(&program, &options, &bounds).map_err(|refusal| format!("{refusal:?}"))?;
        let components = tiled.tiling.order.components.iter().map(|component| {
            let dims: Vec<String> = component.dims.iter().map(|dim| dim.name()).collect();
            format!("[{}]", dims.join(", "))
        });
        Ok(Row {
            name: entry.name,
            sizes: sizes.clone(),
            words,
            moved: tiled.tiling.cost(),
            lower: tiled.lower.unwrap_or_default(),
            order: components.collect::<Vec<_>>().join(" "),
        })
    }

    /// Moved over unavoidable.
    pub(crate) fn ratio(&self) -> f64 {
        let number = |value: &BigInt| value.to_f64().unwrap_or(f64::NAN);
        number(&self.moved) / number(&self.lower)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self
            .sizes
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        write!(
            f,
            "| {} | {} | {} | {} | {} | {:.3} | {} |",
            self.name,
            sizes.join(" "),
            self.words,
            self.moved,
            self.lower,
            self.ratio(),
            self.order
        )
    }
}
