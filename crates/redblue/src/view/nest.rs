//! The loops of a tiling, outermost first, with what stays in fast memory while they run.
//!
//! ```text
//! fast memory: 1023 of 1024 words
//! for i in tiles of 31
//! | for j in tiles of 32
//! | | C stays: 992 words
//! | | for k
//! | | | A stays: 31 words
//! | | | << S1 >>
//! ```

use redblue_schedule::{Component, Family, Tiling};

/// The loops as text.
pub(super) fn nest(tiling: &Tiling) -> String {
    let mut out = format!(
        "fast memory: {} of {} words\n",
        tiling.fast_words, tiling.fast
    );
    if tiling.is_original {
        out.push_str("nothing better than the program's own order was found\n");
    }
    for (number, component) in tiling.order.components.iter().enumerate() {
        write(&mut out, tiling, number, component);
    }
    out
}

/// Whether a dimension only says which statement comes first.
fn is_sequence(family: &Family) -> bool {
    let mut rows = family.rows.iter().flatten();
    rows.all(|row| row.dims.iter().all(|c| *c == 0))
}

fn write(out: &mut String, tiling: &Tiling, number: usize, component: &Component) {
    let mut line = |depth: usize, text: &str| {
        out.push_str(&format!("{}{text}\n", "| ".repeat(depth)));
    };
    let staying = |depth: usize| {
        let resident = tiling.resident.iter();
        let here = resident.filter(move |r| r.component == number && r.depth == depth);
        here.map(|r| {
            let plural = if r.words == 1 { "" } else { "s" };
            let array = &tiling.program.array(r.array).name;
            format!("{array} stays: {} word{plural}", r.words)
        })
    };
    for (depth, dim) in component.dims.iter().enumerate() {
        for stay in staying(depth) {
            line(depth, &stay);
        }
        match dim.tile {
            None if is_sequence(&dim.family) => line(depth, "one after the other:"),
            Some(side) => line(
                depth,
                &format!("for {} in tiles of {side}", dim.family.name),
            ),
            None => line(depth, &format!("for {}", dim.family.name)),
        }
    }
    let depth = component.dims.len();
    for stay in staying(depth) {
        line(depth, &stay);
    }
    let names = component.statements.iter();
    let names: Vec<&str> = names
        .map(|id| tiling.program.statement(*id).name.as_str())
        .collect();
    let streamed: Vec<&str> = tiling
        .resident
        .iter()
        .filter(|r| r.component == number && r.depth > depth)
        .map(|r| tiling.program.array(r.array).name.as_str())
        .collect();
    if !streamed.is_empty() {
        let passes = if streamed.len() == 1 {
            "passes"
        } else {
            "pass"
        };
        line(depth, &format!("{} {passes} through", streamed.join(", ")));
    }
    line(depth, &format!("<< {} >>", names.join(", ")));
}
