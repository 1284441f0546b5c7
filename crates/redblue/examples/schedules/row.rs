//! One row of the table: a kernel at given sizes with a given memory.

use std::fmt;

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;
use redblue::Refusal;
use redblue::bound::Bounds;
use redblue::program::catalogue::Entry;
use redblue::program::{Program, Sizes};
use redblue::tile::{Tiled, bounds};
use redblue_math::Assignment;
use redblue_schedule::Options;

use super::Outcome;

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

/// A kernel at given sizes with its bounds, which are the same for all memories.
pub(crate) struct Sized {
    entry: &'static Entry,
    sizes: Sizes,
    program: Program,
    bounds: Bounds,
}

impl Sized {
    /// Reads the kernel and looks for bounds.
    pub(crate) fn of(entry: &'static Entry, sizes: &Sizes) -> Outcome<Sized> {
        let program = entry.read(&Default::default()).program.ok_or("not read")?;
        let bounds = bounds(&program, &asked(sizes, 1)).map_err(|refusal| said(&refusal))?;
        let sizes = sizes.clone();
        Ok(Sized {
            entry,
            sizes,
            program,
            bounds,
        })
    }
}

fn asked(sizes: &Sizes, words: u64) -> Options {
    Options {
        model: Default::default(),
        fast: vec![words],
        sizes: sizes.clone(),
        time_limit: None,
        work: Options::WORK,
    }
}

/// What a refusal says, in one line.
fn said(refusal: &Refusal) -> String {
    let messages = refusal.diagnostics.iter().map(|one| one.message.as_str());
    messages.collect::<Vec<_>>().join("; ")
}

impl Row {
    /// Looks for a schedule.
    pub(crate) fn of(kernel: &Sized, words: u64, promised: Option<u32>) -> Outcome<Row> {
        let Sized {
            entry,
            sizes,
            program,
            bounds,
        } = kernel;
        let tiled =
            Tiled::of(program, &asked(sizes, words), bounds).map_err(|refusal| said(&refusal))?;
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
        let compulsory = bounds.inputs.eval_floor(&point)? >= lower;
        let loose = match (compulsory, tiled.tiling.is_original) {
            _ if &moved * 2 <= &lower * 5 => "",
            (true, false) => "bound",
            (false, true) => "schedule",
            (true, true) | (false, false) => "either",
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

    /// Moved over unavoidable; a copy computes nothing, and nothing of it is unavoidable.
    fn ratio(&self) -> String {
        let number = |value: &BigInt| value.to_f64().unwrap_or(f64::NAN);
        match self.lower == BigInt::default() {
            true => "–".to_owned(),
            false => format!("{:.3}", number(&self.moved) / number(&self.lower)),
        }
    }
}

/// Sizes in one line.
pub(crate) fn listed(sizes: &Sizes) -> String {
    let sizes = sizes.iter().map(|(name, value)| format!("{name}={value}"));
    sizes.collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let promised = match self.promised {
            Some(most) => format!("{}.{:02}", most / 100, most % 100),
            None => String::new(),
        };
        write!(
            f,
            "| {} | {} | {} | {} | {} | {} | {} | `{}` | {} |",
            self.name,
            listed(&self.sizes),
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
