//! A schedule: its loops, what stays in fast memory, the words it moves and the bound.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_math::Expr;
use redblue_schedule::{Stop, Tiling};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::formula::Formula;
use super::model::Model;
use super::table::{Align, columns};
use crate::sizes::Point;
use crate::tile::Tiled;

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
    formula: Formula,
    lower_bound: Option<Formula>,
    ratio: Option<f64>,
    /// Why the search ended: `complete` or `time-limit`.
    stop: &'static str,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct TilingView {
    /// Whether it is the program's own order.
    original: bool,
    /// Loops outermost first; `i/32` counts tiles. With several components, those of each in turn.
    order: Vec<String>,
    /// Sides of tiles by loop.
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
        let name = |array: redblue_program::ArrayId| tiling.program.array(array).name.clone();
        let arrays = tiling.traffic.per_array.iter();
        TileDocument {
            schema: "redblue.tile",
            schema_version: SCHEMA_VERSION,
            program: tiling.program.name.clone(),
            model: Model::proved(tiling.model),
            sizes: tiling.sizes.clone(),
            fast: tiling.fast,
            tiling: TilingView::of(tiling),
            traffic: TrafficView {
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
            },
            formula: Formula::of_integer(&tiling.formula, &point),
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
    let mut out = format!(
        "{} at {}, S = {}\n",
        document.program,
        sizes.join(" "),
        document.fast
    );
    if tiling.original {
        out.push_str("nothing better than the program's own order was found\n");
    }
    for (number, component) in tiling.components.iter().enumerate() {
        out.push_str(&format!("\n{}\n", component.statements.join(", ")));
        let mut indent = "  ".to_owned();
        let stays = |depth: usize| {
            let here = tiling
                .resident
                .iter()
                .filter(|r| r.component == number && r.depth == depth);
            here.map(|r| format!("{} ({} words)", r.array, r.words))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut line = |text: &str, depth: usize| {
            let resident = stays(depth);
            if !resident.is_empty() {
                out.push_str(&format!("{indent}keep {resident}\n"));
            }
            if !text.is_empty() {
                out.push_str(&format!("{indent}for {text}\n"));
                indent.push_str("  ");
            }
        };
        for (depth, name) in component.order.iter().enumerate() {
            line(name, depth);
        }
        line("", component.order.len());
        let streamed = stays(component.order.len() + 1);
        if !streamed.is_empty() {
            out.push_str(&format!("{indent}nothing of {streamed} stays\n"));
        }
    }
    let mut rows = vec![["array", "loads", "stores"].map(String::from).to_vec()];
    for view in &document.traffic.arrays {
        rows.push(vec![
            view.array.clone(),
            view.loads.to_string(),
            view.stores.to_string(),
        ]);
    }
    rows.push(vec![
        "total".into(),
        document.traffic.loads.to_string(),
        document.traffic.stores.to_string(),
    ]);
    out.push('\n');
    out.push_str(&columns(
        "  ",
        &rows,
        &[Align::Left, Align::Right, Align::Right],
    ));
    out.push_str(&format!(
        "\n{} words of fast memory are used, {} words are moved",
        tiling.fast_words, document.traffic.total
    ));
    if let Some(lower) = &document.lower_bound {
        out.push_str(&format!("; no schedule moves less than {}", lower.text));
    }
    if let Some(ratio) = document.ratio {
        out.push_str(&format!(" (ratio {ratio})"));
    }
    out.push_str(&format!("\n{}\n", document.model.in_words()));
    if document.stop == "time-limit" {
        out.push_str("the time limit ended the search\n");
    }
    out
}
