//! What the tests of bounds have in common.

use num_bigint::BigInt;
use redblue_bound::analysis::{Analysis, Options, analyse};
use redblue_cert::{Counted, Model};
use redblue_math::Assignment;
use redblue_program::c::{self, CInput};
use redblue_program::{Program, catalogue};

/// Loads, no recomputation, sums in the program's own order: the model of the published tables.
pub(crate) const LOADS: Model = Model {
    count: Counted::Loads,
    ..Model::DEFAULT
};

/// A kernel of the catalogue.
pub(crate) fn kernel(name: &str) -> Program {
    let entry = catalogue::find(name).unwrap_or_else(|| panic!("no kernel {name}"));
    entry.read(&Default::default()).program.expect("a program")
}

/// A program from C.
pub(crate) fn source(text: &str) -> Program {
    let input = CInput {
        name: "test.c",
        text,
    };
    let reading = c::read(&input, &Default::default(), &|_| None);
    assert!(!reading.has_errors(), "{}", reading.render());
    reading.program.expect("a program")
}

/// All bounds of a program in a model.
pub(crate) fn bounds(program: &Program, model: Model) -> Analysis {
    let options = Options {
        model,
        ..Options::default()
    };
    analyse(program, &options).unwrap_or_else(|error| panic!("{}: {error}", program.name))
}

/// Sizes and S.
pub(crate) fn at(sizes: &[(&str, i64)], fast: i64) -> Assignment {
    let mut all = Assignment::new().with("S", fast);
    for (name, value) in sizes {
        all.set(*name, *value);
    }
    all
}

/// The best bound at some sizes: loads, and stores if they count.
pub(crate) fn best(analysis: &Analysis, sizes: &Assignment, count: Counted) -> BigInt {
    let value = |bound: &redblue_cert::LowerBound| {
        let model = Model {
            count,
            ..bound.model()
        };
        let value = bound.value(model, sizes).ok().flatten();
        value.unwrap_or_default()
    };
    analysis.bounds.iter().map(value).max().unwrap_or_default()
}
