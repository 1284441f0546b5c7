//! The interpreter runs programs in their order, with C's numbers, and refuses what C leaves undefined.

#![allow(clippy::unwrap_used)]

use redblue_program::build::{Assignment, ProgramBuilder};
use redblue_program::interpret::{Memory, Value, Walk, interpret, interpret_with};
use redblue_program::{
    ArrayId, BinaryOp, ElementType, Expression, Program, ProgramError, Role, Sizes,
};

fn read(position: usize) -> Expression {
    Expression::Read(position)
}

fn size(value: i64) -> Sizes {
    [("N".to_string(), value)].into()
}

/// One array of each element type given, all of `N` cells, and statements over them.
fn program(types: &[(&str, ElementType)], statements: Vec<Assignment<'_>>) -> Program {
    let mut builder = ProgramBuilder::new("test", &["N"]);
    for (name, element) in types {
        builder.array(name, &["N"], *element, Role::Parameter);
    }
    for statement in statements {
        builder.statement(statement);
    }
    builder.build().unwrap()
}

fn each<'a>(
    name: &'a str,
    time: &'a str,
    write: &'a str,
    reads: &'a [&'a str],
    value: Expression,
) -> Assignment<'a> {
    let condition = "0 <= i < N";
    Assignment {
        name,
        iterators: "i",
        condition,
        time,
        write,
        reads,
        value,
    }
}

fn run(program: &Program, sizes: &Sizes) -> Result<Memory, ProgramError> {
    let mut memory = Memory::zeroed(program, sizes)?;
    memory.fill(program, |name, cell| {
        cell[0] as f64 + if name == "A" { 0.5 } else { 0.25 }
    })?;
    interpret(program, sizes, &mut memory)?;
    Ok(memory)
}

fn numbers(memory: &Memory, array: usize) -> Vec<f64> {
    memory
        .array(ArrayId(array))
        .iter()
        .map(|value| value.to_f64())
        .collect()
}

#[test]
fn the_order_is_the_schedule() {
    // A prefix sum run upwards and downwards.
    let sum = |time| {
        let condition = "1 <= i < N";
        let reads = &["A[i]", "A[i - 1]"];
        let assignment = Assignment {
            condition,
            ..each("S0", time, "A[i]", reads, read(0) + read(1))
        };
        let program = program(&[("A", ElementType::F64)], vec![assignment]);
        numbers(&run(&program, &size(4)).unwrap(), 0)
    };
    assert_eq!(sum("i"), [0.5, 2.0, 4.5, 8.0]);
    assert_eq!(sum("-i"), [0.5, 2.0, 4.0, 6.0]);
}

#[test]
fn values_have_the_type_of_their_array() {
    use ElementType::{F32, F64, I32};
    let types = [("A", F64), ("F", F32), ("I", I32)];
    let statements = vec![
        each(
            "S0",
            "0, i",
            "F[i]",
            &["A[i]"],
            read(0) / Expression::Real("3.0".into()),
        ),
        each(
            "S1",
            "1, i",
            "I[i]",
            &["A[i]"],
            read(0) * Expression::Integer(3),
        ),
        each(
            "S2",
            "2, i",
            "A[i]",
            &["I[i]"],
            read(0) / Expression::Integer(2),
        ),
    ];
    let memory = run(&program(&types, statements), &size(3)).unwrap();
    let third = |x: f64| f64::from((x / 3.0) as f32);
    assert_eq!(numbers(&memory, 1), [third(0.5), third(1.5), third(2.5)]);
    assert_eq!(numbers(&memory, 2), [1.0, 4.0, 7.0]);
    assert_eq!(numbers(&memory, 0), [0.0, 2.0, 3.0]);
}

#[test]
fn counters_sizes_calls_and_selections() {
    let positive = Expression::Binary(
        BinaryOp::Greater,
        Box::new(Expression::Iterator(0)),
        Box::new(Expression::Integer(0)),
    );
    let guarded = Expression::Parameter("N".into()) / Expression::Iterator(0);
    let value = Expression::Select(
        Box::new(positive),
        Box::new(guarded),
        Box::new(Expression::Call("sqrt".into(), vec![read(0)])),
    );
    let program = program(
        &[("A", ElementType::F64)],
        vec![each("S0", "i", "A[i]", &["A[i]"], value)],
    );
    // The division by zero at i = 0 is not evaluated.
    assert_eq!(
        numbers(&run(&program, &size(4)).unwrap(), 0),
        [0.5f64.sqrt(), 4.0, 2.0, 1.0]
    );
}

#[test]
fn every_instance_is_observed_with_its_cells() {
    let program = program(
        &[("A", ElementType::F64), ("B", ElementType::F64)],
        vec![each("S0", "-i", "B[i]", &["A[N - 1 - i]"], read(0))],
    );
    let mut memory = Memory::zeroed(&program, &size(3)).unwrap();
    memory.fill(&program, |_, cell| cell[0] as f64).unwrap();
    let mut seen = Vec::new();
    interpret_with(&program, &size(3), &mut memory, |step, value| {
        seen.push((
            step.point[0],
            step.reads[0].offset,
            step.write.offset,
            value,
        ));
    })
    .unwrap();
    let value = Value::Double;
    assert_eq!(
        seen,
        [
            (2, 0, 2, value(0.0)),
            (1, 1, 1, value(1.0)),
            (0, 2, 0, value(2.0))
        ]
    );
}

#[test]
fn subscripts_with_floors_and_cases() {
    let program = program(
        &[("A", ElementType::F64), ("B", ElementType::F64)],
        vec![each(
            "S0",
            "i",
            "B[i]",
            &["A[floor(i/2)]", "A[max(i - 1, 0)]"],
            read(0) * read(1),
        )],
    );
    let memory = run(&program, &size(5)).unwrap();
    assert_eq!(numbers(&memory, 1), [0.25, 0.25, 2.25, 3.75, 8.75]);
}

#[test]
fn unknown_extents_are_the_box_of_all_accesses() {
    let mut builder = ProgramBuilder::new("shifted", &["N"]);
    builder.array("A", &["N"], ElementType::F64, Role::Parameter);
    let value = Expression::Iterator(0);
    builder.statement(Assignment {
        condition: "3 <= i < N",
        ..each("S0", "i", "A[i - 5]", &[], value)
    });
    let mut program = builder.build().unwrap();
    program.arrays[0].extents[0] = None;
    let walk = Walk::new(&program, &size(7)).unwrap();
    let range = walk.layout().ranges(ArrayId(0))[0];
    assert_eq!((range.first, range.extent), (-2, 4));
    let mut memory = Memory::zeroed(&program, &size(7)).unwrap();
    interpret(&program, &size(7), &mut memory).unwrap();
    assert_eq!(numbers(&memory, 0), [3.0, 4.0, 5.0, 6.0]);
    assert_eq!(
        Walk::new(&program, &size(2))
            .unwrap()
            .layout()
            .cells(ArrayId(0)),
        0
    );
}

#[test]
fn what_has_no_meaning_is_an_error() {
    let float = |value: Expression, reads: &[&str]| {
        run(
            &program(
                &[("A", ElementType::F64)],
                vec![each("S0", "i", "A[i]", reads, value)],
            ),
            &size(3),
        )
    };
    let unknown = float(
        Expression::Call("frobnicate".into(), vec![read(0)]),
        &["A[i]"],
    );
    assert!(matches!(unknown, Err(ProgramError::UnknownFunction(name)) if name == "frobnicate"));
    let zero = Expression::Integer(1) / Expression::Iterator(0);
    assert!(matches!(float(zero, &[]), Err(ProgramError::Undefined(_))));
    let outside = float(read(0), &["A[i + 1]"]);
    assert!(matches!(outside, Err(ProgramError::OutOfBounds { cell, .. }) if cell == [3]));
}

/// Sets find the same cells as the walk, at sizes that no walk reaches, too.
#[test]
fn cells_outside_arrays_are_found_without_a_walk() {
    let next = |reads: &[&str]| {
        let statement = each("S0", "i", "A[i]", reads, read(0));
        program(&[("A", ElementType::F64)], vec![statement])
    };
    let outside = next(&["A[i + 1]"]).check_cells(&[2_000_000_000]);
    let Err(ProgramError::OutOfBounds { point, cell, .. }) = outside else {
        panic!("{outside:?}");
    };
    assert_eq!((point, cell), (vec![1_999_999_999], vec![2_000_000_000]));
    assert!(next(&["A[i]"]).check_cells(&[2_000_000_000]).is_ok());
    let mut open = next(&["A[i + 1]"]);
    open.arrays[0].extents[0] = None;
    assert!(open.check_cells(&[9]).is_ok());
}

#[test]
fn sizes_are_checked() {
    let mut builder = ProgramBuilder::new("sized", &["N"]);
    builder
        .assume("N >= 2")
        .array("A", &["N"], ElementType::F64, Role::Parameter);
    builder.statement(each("S0", "i", "A[i]", &["A[i]"], read(0)));
    let mut program = builder.build().unwrap();
    assert!(matches!(
        run(&program, &size(1)),
        Err(ProgramError::OutsideContext { .. })
    ));
    assert!(matches!(
        run(&program, &Sizes::new()),
        Err(ProgramError::MissingSize(_))
    ));
    assert!(matches!(
        run(&program, &size(1 << 40)),
        Err(ProgramError::TooLarge { .. })
    ));
    let mut memory = Memory::zeroed(&program, &size(3)).unwrap();
    assert!(interpret(&program, &size(4), &mut memory).is_err());
    program.params[0].default = Some(5);
    assert_eq!(
        run(&program, &Sizes::new())
            .unwrap()
            .array(ArrayId(0))
            .len(),
        5
    );
}
