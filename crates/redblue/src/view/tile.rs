//! A schedule: its loops, what stays in fast memory, the words it moves and the bound.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_cert::Counted;
use redblue_math::Expr;
use redblue_schedule::{Scope, Stop, Tiling};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

use super::SCHEMA_VERSION;
use super::formula::{self, Formula, Towards};
use super::gap::at;
use super::model::Model;
use super::nest::{nest, used};
use super::table::{Align, columns};
use crate::sizes::Point;
use crate::tile::Tiled;

/// The scope of a formula that holds everywhere within the assumptions.
const ALL_SIZES: &str = "all sizes";

/// Longer formulas are left to JSON.
const LONG: usize = 240;

/// A schedule with its traffic.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TileDocument {
    schema: &'static str,
    schema_version: u32,
    program: String,
    model: Model,
    #[serde(flatten)]
    shown: TileResult,
    /// With several sizes or memories all of them; everything else is about the one with the largest ratio.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    results: Vec<TileResult>,
}

/// A schedule for one size and memory.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct TileResult {
    sizes: Point,
    #[serde(rename = "S")]
    fast: u64,
    tiling: TilingView,
    traffic: TrafficView,
    /// Above the words moved in this order, as far as the model counts them.
    formula: Formula,
    /// The sizes that the formula is for: `all sizes`, as long as what stays fits, or `these sizes`.
    formula_scope: &'static str,
    lower_bound: Option<Formula>,
    ratio: Option<f64>,
    /// With nested memories all levels, nearest first; everything else is about the last one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    levels: Vec<LevelView>,
    /// Why the search ended: `complete` or `time-limit`.
    stop: &'static str,
}

/// One of several nested memories: the same order, and what moves between it and the next one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct LevelView {
    #[serde(rename = "S")]
    fast: u64,
    fast_words: u64,
    resident: Vec<ResidentView>,
    traffic: TrafficView,
    lower_bound: Option<Formula>,
    ratio: Option<f64>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct TilingView {
    /// Whether it is the program's own order.
    original: bool,
    /// Loops outermost first; `i/32` counts tiles. With several components, those of each in turn.
    order: Vec<String>,
    /// Sides of tiles by loop; the innermost, if there are several.
    sizes: BTreeMap<String, u64>,
    resident: Vec<ResidentView>,
    /// Words that suffice: less than the sum of what stays where statements must take turns.
    fast_words: u64,
    components: Vec<ComponentView>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ComponentView {
    statements: Vec<String>,
    order: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ResidentView {
    array: String,
    component: usize,
    references: Vec<String>,
    /// The loops whose iteration it stays for: the first so many of the component.
    depth: usize,
    words: u64,
    /// Where its cells lie between those of another array, what both need.
    #[serde(skip_serializing_if = "Option::is_none")]
    together: Option<TogetherView>,
    loads: String,
    stores: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct TogetherView {
    with: String,
    words: u64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct TrafficView {
    /// Words; rounded up where JSON numbers have too few digits.
    loads: Option<Number>,
    stores: Option<Number>,
    total: Option<Number>,
    arrays: Vec<ArrayView>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ArrayView {
    array: String,
    loads: Option<Number>,
    stores: Option<Number>,
}

impl TileDocument {
    /// The document of a schedule.
    pub fn of(tiled: &Tiled) -> TileDocument {
        TileDocument {
            schema: "redblue.tile",
            schema_version: SCHEMA_VERSION,
            program: tiled.tiling.program.name.clone(),
            model: Model::proved(tiled.tiling.model),
            shown: TileResult::of(tiled),
            results: Vec::new(),
        }
    }

    /// The document of a schedule for nested memories, nearest first; none without a memory.
    pub fn nested(levels: &[Tiled]) -> Option<TileDocument> {
        let mut document = TileDocument::of(levels.last()?);
        if levels.len() > 1 {
            let views = levels.iter().map(TileResult::of);
            document.shown.levels = views.map(TileResult::level).collect();
        }
        Some(document)
    }

    /// The ratio in thousandths; the largest number without one.
    pub(super) fn thousandths(&self) -> u64 {
        self.shown
            .ratio
            .map_or(u64::MAX, |ratio| (ratio * 1000.0).ceil() as u64)
    }

    /// Lists all schedules of a sweep.
    pub(super) fn add_results(&mut self, all: Vec<TileDocument>) {
        self.results = all.into_iter().map(|document| document.shown).collect();
    }
}

impl TileResult {
    fn of(tiled: &Tiled) -> TileResult {
        let Tiled { tiling, lower } = tiled;
        let mut point = tiling.sizes.clone();
        point.insert(
            "S".to_owned(),
            i64::try_from(tiling.fast).unwrap_or(i64::MAX),
        );
        TileResult {
            sizes: tiling.sizes.clone(),
            fast: tiling.fast,
            tiling: TilingView::of(tiling),
            traffic: TrafficView::of(tiling),
            formula: Formula::of_traffic(&tiling.formula, &point),
            formula_scope: match tiling.scope {
                Scope::AllSizes => ALL_SIZES,
                Scope::TheseSizes => "these sizes",
            },
            lower_bound: lower
                .as_ref()
                .map(|value| Formula::of_bound(&Expr::integer(value.clone()), &point)),
            ratio: lower
                .as_ref()
                .and_then(|lower| ratio(&tiling.cost(), lower)),
            levels: Vec::new(),
            stop: match tiling.stopped {
                Stop::Complete => "complete",
                Stop::TimeLimit => "time-limit",
            },
        }
    }

    fn level(self) -> LevelView {
        LevelView {
            fast: self.fast,
            fast_words: self.tiling.fast_words,
            resident: self.tiling.resident,
            traffic: self.traffic,
            lower_bound: self.lower_bound,
            ratio: self.ratio,
        }
    }
}

impl TrafficView {
    fn of(tiling: &Tiling) -> TrafficView {
        let name = |array: redblue_program::ArrayId| tiling.program.array(array).name.clone();
        let arrays = tiling.traffic.per_array.iter();
        TrafficView {
            loads: number(&tiling.traffic.loads),
            stores: number(&tiling.traffic.stores),
            total: number(&tiling.traffic.total()),
            arrays: arrays
                .map(|(array, loads, stores)| ArrayView {
                    array: name(*array),
                    loads: number(loads),
                    stores: number(stores),
                })
                .collect(),
        }
    }
}

impl TilingView {
    fn of(tiling: &Tiling) -> TilingView {
        let program = &tiling.program;
        let mut sizes = BTreeMap::new();
        let mut components = Vec::new();
        for component in &tiling.order.components {
            for dim in &component.dims {
                if let Some(side) = dim.tile {
                    sizes.insert(dim.family.name.clone(), side);
                }
            }
            let statements = component.statements.iter();
            components.push(ComponentView {
                statements: statements
                    .map(|id| program.statement(*id).name.clone())
                    .collect(),
                order: component.dims.iter().map(|dim| dim.name()).collect(),
            });
        }
        TilingView {
            original: tiling.is_original,
            order: components
                .iter()
                .flat_map(|component| component.order.clone())
                .collect(),
            sizes,
            resident: tiling
                .resident
                .iter()
                .map(|resident| ResidentView {
                    array: program.array(resident.array).name.clone(),
                    component: resident.component,
                    references: resident.references.clone(),
                    depth: resident.depth,
                    words: resident.words,
                    together: resident.together.map(|together| TogetherView {
                        with: program.array(together.with).name.clone(),
                        words: together.words,
                    }),
                    loads: resident.loads.to_string(),
                    stores: resident.stores.to_string(),
                })
                .collect(),
            fast_words: tiling.fast_words,
            components,
        }
    }
}

fn number(value: &BigInt) -> Option<Number> {
    formula::number(value, Towards::More)
}

/// How many times the bound, rounded up to a ten-thousandth; `None` without a positive bound.
pub(super) fn ratio(upper: &BigInt, lower: &BigInt) -> Option<f64> {
    if *lower <= BigInt::default() {
        return None;
    }
    let scaled: BigInt = (upper * 10_000u32 + lower - 1u32) / lower;
    Some(scaled.to_f64()? / 10_000.0)
}

/// For people. Nested memories come nearest first.
pub fn text(levels: &[Tiled]) -> String {
    let Some(Tiled { tiling: last, .. }) = levels.last() else {
        return String::new();
    };
    let memories: Vec<String> = levels.iter().map(|l| l.tiling.fast.to_string()).collect();
    let words = format!("S = {} words", memories.join(", "));
    let mut out = format!("{}{} with {words}\n\n", last.program.name, at(&last.sizes));
    if let [_] = levels {
        out.push_str(&used(last));
    }
    let tilings: Vec<&Tiling> = levels.iter().map(|level| &level.tiling).collect();
    out.push_str(&nest(&tilings));
    for level in levels {
        if levels.len() > 1 {
            out.push_str(&format!("\n{}", used(&level.tiling)));
        } else {
            out.push('\n');
        }
        out.push_str(&moved(level));
    }
    if let [_] = levels {
        out.push_str(&everywhere(last).unwrap_or_default());
    }
    out.push_str(&format!("{}\n", Model::proved(last.model).in_words()));
    if last.stopped == Stop::TimeLimit {
        out.push_str(CUT);
    }
    out
}

/// What is said of a search that the time limit ended.
pub(super) const CUT: &str = "the time limit ended the search\n";

/// What a tiling moves at all sizes, for people; nothing if that is known for the given ones only.
pub(super) fn everywhere(tiling: &Tiling) -> Option<String> {
    if tiling.scope == Scope::TheseSizes {
        return None;
    }
    let formula = tiling.formula.factored();
    Some(match formula.len() <= LONG {
        true => format!("in this order, at all sizes, at most {formula}\n"),
        false => "a formula for this order at all sizes is in --format json\n".to_owned(),
    })
}

/// What moves, by array, and the bound.
fn moved(Tiled { tiling, lower }: &Tiled) -> String {
    let traffic = &tiling.traffic;
    let mut rows = vec![["array", "loads", "stores"].map(String::from).to_vec()];
    for (array, loads, stores) in &traffic.per_array {
        let name = tiling.program.array(*array).name.clone();
        rows.push(vec![name, loads.to_string(), stores.to_string()]);
    }
    rows.push(vec![
        "total".into(),
        traffic.loads.to_string(),
        traffic.stores.to_string(),
    ]);
    let mut out = columns("  ", &rows, &[Align::Left, Align::Right, Align::Right]);
    let (moved, moves) = match tiling.model.count {
        Counted::Loads => ("loaded", "loads"),
        Counted::Total => ("moved", "moves"),
    };
    out.push_str(&format!("\n{} words are {moved}", tiling.cost()));
    if let Some(lower) = lower {
        out.push_str(&format!("; no schedule {moves} less than {lower}"));
        if let Some(ratio) = ratio(&tiling.cost(), lower) {
            out.push_str(&format!(" (ratio {ratio})"));
        }
    }
    out.push('\n');
    out
}
