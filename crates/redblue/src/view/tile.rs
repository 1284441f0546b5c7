//! A schedule: its loops, what stays in fast memory, the words it moves and the bound.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_math::Expr;
use redblue_schedule::{Scope, Stop, Tiling};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::formula::Formula;
use super::model::Model;
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
    sizes: Point,
    #[serde(rename = "S")]
    fast: u64,
    tiling: TilingView,
    traffic: TrafficView,
    /// Above the words moved in this order, loads and stores.
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
    loads: String,
    stores: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct TrafficView {
    loads: u64,
    stores: u64,
    total: u64,
    arrays: Vec<ArrayView>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ArrayView {
    array: String,
    loads: u64,
    stores: u64,
}

impl TileDocument {
    /// The document of a schedule.
    pub fn of(tiled: &Tiled) -> TileDocument {
        let Tiled { tiling, lower } = tiled;
        let mut point = tiling.sizes.clone();
        point.insert(
            "S".to_owned(),
            i64::try_from(tiling.fast).unwrap_or(i64::MAX),
        );
        TileDocument {
            schema: "redblue.tile",
            schema_version: SCHEMA_VERSION,
            program: tiling.program.name.clone(),
            model: Model::proved(tiling.model),
            sizes: tiling.sizes.clone(),
            fast: tiling.fast,
            tiling: TilingView::of(tiling),
            traffic: TrafficView::of(tiling),
            levels: Vec::new(),
            formula: Formula::of_upper(&tiling.formula, &point),
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
            stop: match tiling.stopped {
                Stop::Complete => "complete",
                Stop::TimeLimit => "time-limit",
            },
        }
    }

    /// The document of a schedule for nested memories, nearest first; none without a memory.
    pub fn nested(levels: &[Tiled]) -> Option<TileDocument> {
        let mut document = TileDocument::of(levels.last()?);
        if levels.len() > 1 {
            let views = levels.iter().map(TileDocument::of);
            document.levels = views.map(TileDocument::level).collect();
        }
        Some(document)
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
                    loads: resident.loads.to_string(),
                    stores: resident.stores.to_string(),
                })
                .collect(),
            fast_words: tiling.fast_words,
            components,
        }
    }
}

/// Counts beyond 64 bits do not occur; one would be shown as the largest number.
fn number(value: &BigInt) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// How many times the bound, rounded up to a ten-thousandth; `None` without a positive bound.
fn ratio(upper: &BigInt, lower: &BigInt) -> Option<f64> {
    if *lower <= BigInt::default() {
        return None;
    }
    let scaled: BigInt = (upper * 10_000u32 + lower - 1u32) / lower;
    Some(scaled.to_f64()? / 10_000.0)
}

/// For people.
pub fn text(document: &TileDocument) -> String {
    let sizes: Vec<String> = document
        .sizes
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let tiling = &document.tiling;
    let own = document.clone().level();
    let levels = match document.levels.as_slice() {
        [] => std::slice::from_ref(&own),
        levels => levels,
    };
    let memories: Vec<String> = levels.iter().map(|level| level.fast.to_string()).collect();
    let mut out = format!(
        "{} at {}, S = {}\n",
        document.program,
        sizes.join(" "),
        memories.join(", ")
    );
    if tiling.original {
        out.push_str("nothing better than the program's own order was found\n");
    }
    for (number, component) in tiling.components.iter().enumerate() {
        out.push_str(&format!("\n{}\n", component.statements.join(", ")));
        out.push_str(&loops(levels, number, &component.order));
    }
    for level in levels {
        out.push_str(&level.text(levels.len() > 1));
    }
    if levels.len() == 1 && document.formula_scope == ALL_SIZES {
        out.push_str(&for_all_sizes(&document.formula.text));
    }
    out.push_str(&format!("{}\n", document.model.in_words()));
    if document.stop == "time-limit" {
        out.push_str("the time limit ended the search\n");
    }
    out
}

/// What a tiling moves at all sizes, for people; nothing if that is known for the given ones only.
pub(super) fn everywhere(tiling: &Tiling) -> Option<String> {
    (tiling.scope == Scope::AllSizes).then(|| for_all_sizes(&tiling.formula.factored()))
}

fn for_all_sizes(formula: &str) -> String {
    match formula.len() <= LONG {
        true => format!("in this order, at all sizes, at most {formula}\n"),
        false => "a formula for this order at all sizes is in --format json\n".to_owned(),
    }
}

/// The loops of a component, with what stays in them at each level.
fn loops(levels: &[LevelView], component: usize, order: &[String]) -> String {
    let mut out = String::new();
    let mut indent = "  ".to_owned();
    let stays = |level: &LevelView, depth: usize| {
        let here = level
            .resident
            .iter()
            .filter(|r| r.component == component && r.depth == depth);
        here.map(|r| format!("{} ({} words)", r.array, r.words))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let place = |level: &LevelView| match levels.len() {
        1 => String::new(),
        _ => format!(" in {} words", level.fast),
    };
    for depth in 0..=order.len() {
        for level in levels.iter().rev() {
            let resident = stays(level, depth);
            if !resident.is_empty() {
                out.push_str(&format!("{indent}keep {resident}{}\n", place(level)));
            }
        }
        if let Some(name) = order.get(depth) {
            out.push_str(&format!("{indent}for {name}\n"));
            indent.push_str("  ");
        }
    }
    for level in levels.iter().rev() {
        let streamed = stays(level, order.len() + 1);
        if !streamed.is_empty() {
            out.push_str(&format!(
                "{indent}nothing of {streamed} stays{}\n",
                place(level)
            ));
        }
    }
    out
}

impl LevelView {
    /// What moves; `nested` if there are other levels.
    fn text(&self, nested: bool) -> String {
        let mut rows = vec![["array", "loads", "stores"].map(String::from).to_vec()];
        for view in &self.traffic.arrays {
            rows.push(vec![
                view.array.clone(),
                view.loads.to_string(),
                view.stores.to_string(),
            ]);
        }
        rows.push(vec![
            "total".into(),
            self.traffic.loads.to_string(),
            self.traffic.stores.to_string(),
        ]);
        let mut out = "\n".to_owned();
        out.push_str(&columns(
            "  ",
            &rows,
            &[Align::Left, Align::Right, Align::Right],
        ));
        let of = if nested {
            format!("of {} ", self.fast)
        } else {
            String::new()
        };
        out.push_str(&format!(
            "\n{} {of}words of fast memory are used, {} words are moved",
            self.fast_words, self.traffic.total
        ));
        if let Some(lower) = &self.lower_bound {
            out.push_str(&format!("; no schedule moves less than {}", lower.text));
        }
        if let Some(ratio) = self.ratio {
            out.push_str(&format!(" (ratio {ratio})"));
        }
        out.push('\n');
        out
    }
}
