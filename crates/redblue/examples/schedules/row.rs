//! One row of the table: a kernel at given sizes with a given memory.

use std::fmt;

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;
use redblue::program::Sizes;
use redblue::program::catalogue::Entry;
use redblue::tile::{Tiled, bounds};
use redblue_math::Assignment;
use redblue_schedule::Options;

/// A schedule and its bound.
pub(crate) struct Row {
    name: &'static str,
    sizes: Sizes,
    words: u64,
    moved: BigInt,
    lower: BigInt,
    /// Hundredths of the bound that are promised.
    promised: Option<u32>,
    /// The order in one line.
    order: String,
    /// What is thought to be loose, if the ratio is large.
    loose: &'static str,
}

impl Row {
    /// Looks for a schedule and a bound.
    pub(crate) fn of(
        entry: &'static Entry,
        sizes: &Sizes,
        words: u64,
        promised: Option<u32>,
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
        let order = components.collect::<Vec<_>>().join(" ");
        let mut point = tiled.tiling.sizes.clone();
        point.insert("S".to_owned(), i64::try_from(words)?);
        let point: Assignment = point.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let lower = tiled.lower.unwrap_or_default();
        let moved = tiled.tiling.cost();
        let loose = match () {
            () if &moved * 2 <= &lower * 5 => "",
            () if bounds.inputs.eval_floor(&point)? >= lower => "bound",
            () if tiled.tiling.is_original => "schedule",
            () => "either",
        };
        Ok(Row {
            name: entry.name,
            sizes: sizes.clone(),
            words,
            promised,
            moved,
            lower,
            order,
            loose,
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
        let promised = match self.promised {
            Some(most) => format!("{}.{:02}", most / 100, most % 100),
            None => String::new(),
        };
        write!(
            f,
            "| {} | {} | {} | {} | {} | {:.3} | {} | `{}` | {} |",
            self.name,
            sizes.join(" "),
            self.words,
            self.moved,
            self.lower,
            self.ratio(),
            promised,
            self.order,
            self.loose
        )
    }
}
