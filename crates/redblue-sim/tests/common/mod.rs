//! Random traces shared by the test files.

use proptest::prelude::*;
use redblue_sim::{Access, Array, Grain, Recorded, Reference, Shape};

/// A trace over a few arrays, some live-out, each with references of both kinds.
pub(crate) fn any_trace(max_cells: u32, max_len: usize) -> impl Strategy<Value = Recorded> {
    let grain = prop_oneof![Just(Grain::Word), Just(Grain::Line { words: 4 })];
    let arrays = prop::collection::vec((1..=max_cells, any::<bool>()), 1..=3);
    (grain, arrays).prop_flat_map(move |(grain, arrays)| {
        let shape = shape(grain, &arrays);
        let cells: u32 = shape.cells();
        // Now and then the same cell several times in a row, as programs do.
        let step = (0..cells, any::<bool>(), 1..=3usize);
        prop::collection::vec(step, 0..max_len).prop_map(move |steps| {
            let accesses = steps.iter().flat_map(|&(cell, write, repeat)| {
                let array = (0..shape.arrays().len())
                    .rev()
                    .find(|&a| shape.first_cell(a) <= cell)
                    .unwrap();
                let reference = 2 * array as u32 + u32::from(write);
                let count = if repeat == 3 { 2 } else { 1 };
                std::iter::repeat_n(Access { cell, reference }, count)
            });
            let accesses = accesses.collect();
            Recorded::new(shape.clone(), accesses).unwrap()
        })
    })
}

fn shape(grain: Grain, arrays: &[(u32, bool)]) -> Shape {
    let named = |(index, &(cells, output)): (usize, &(u32, bool))| Array {
        name: format!("A{index}"),
        cells,
        output,
    };
    let references = (0..arrays.len() as u32).flat_map(|array| {
        [false, true].map(|write| Reference {
            array,
            write,
            text: format!("A{array} {write}"),
        })
    });
    Shape::new(
        grain,
        arrays.iter().enumerate().map(named).collect(),
        references.collect(),
    )
    .unwrap()
}
