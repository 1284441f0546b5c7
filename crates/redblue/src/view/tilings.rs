//! Several schedules, of a sweep over sizes or memories, as one table and as one document.

use redblue_report::table::{Align, Table};

use super::tile::{TileDocument, ratio, text as one};
use crate::tile::Tiled;

/// More schedules than this are shown as one table, one line each.
const MOST_IN_FULL: usize = 3;

/// All schedules, each with its levels, as one table with a row per level.
pub fn rows(all: &[Vec<Tiled>]) -> Table {
    let first = all.iter().flatten().next();
    let names: Vec<String> = first
        .map(|tiled| tiled.tiling.sizes.keys().cloned().collect())
        .unwrap_or_default();
    let mut columns: Vec<(&str, Align)> = names
        .iter()
        .map(|name| (name.as_str(), Align::Right))
        .collect();
    columns.push(("S", Align::Right));
    columns.push(("order", Align::Left));
    let numbers = [
        "fast words",
        "loads",
        "stores",
        "total",
        "lower bound",
        "ratio",
    ];
    columns.extend(numbers.map(|name| (name, Align::Right)));
    let mut table = Table::new(&columns);
    for Tiled { tiling, lower } in all.iter().flatten() {
        let mut row: Vec<String> = tiling.sizes.values().map(i64::to_string).collect();
        let components = tiling.order.components.iter().map(|component| {
            let dims: Vec<String> = component.dims.iter().map(|dim| dim.name()).collect();
            dims.join(" ")
        });
        let order = components.collect::<Vec<_>>().join("; ");
        let far = lower.as_ref().and_then(|l| ratio(&tiling.cost(), l));
        row.extend([
            tiling.fast.to_string(),
            order,
            tiling.fast_words.to_string(),
            tiling.traffic.loads.to_string(),
            tiling.traffic.stores.to_string(),
            tiling.traffic.total().to_string(),
            lower.as_ref().map_or("–".to_owned(), |l| l.to_string()),
            far.map_or("–".to_owned(), |ratio| ratio.to_string()),
        ]);
        table.rows.push(row);
    }
    table
}

/// For people: a few in full, many as a table.
pub fn text(all: &[Vec<Tiled>]) -> String {
    if all.len() > MOST_IN_FULL {
        return rows(all).text("");
    }
    let parts: Vec<String> = all.iter().map(|levels| one(levels)).collect();
    parts.join("\n")
}

/// One document: that of the schedule that is farthest from its bound, and of several all.
pub fn document(all: &[Vec<Tiled>]) -> Option<TileDocument> {
    let documents: Vec<TileDocument> = all
        .iter()
        .filter_map(|levels| TileDocument::nested(levels))
        .collect();
    // The first of equals.
    let far = |document: &&TileDocument| document.thousandths();
    let mut worst = documents.iter().rev().max_by_key(far)?.clone();
    if documents.len() > 1 {
        worst.add_results(documents);
    }
    Some(worst)
}
