//! Statements that copy cells from one array to another, before or after everything else.

use num_traits::Zero;
use redblue_poly::{Map, PwAff, Set};
use redblue_program::{Access, Array, ArrayId, Expression, Program, Statement};

use crate::error::Result;
use crate::order::loop_names;
use crate::shape::Shape;

/// When a copy runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    First,
    Last,
}

/// Cells of an array that are copied.
pub(crate) struct Copied {
    /// What the loops of the copy go over: subscripts of the cells that are written.
    pub(crate) cells: Set,
    /// Cell → where it is read.
    pub(crate) from: (ArrayId, Map),
    /// Cell → where it is written.
    pub(crate) to: (ArrayId, Map),
    pub(crate) iterators: Vec<String>,
}

impl Copied {
    /// The statement that copies, for a program that has the arrays already; nothing if the program's times have no room for it.
    pub(crate) fn statement(self, program: &Program, when: When) -> Result<Option<Statement>> {
        let (Some((first, last)), Some(any)) = (outer_nests(program)?, program.statements.first())
        else {
            return Ok(None);
        };
        let length = any.schedule.n_out();
        if self.iterators.len() + 1 > length {
            return Ok(None);
        }
        let name = fresh_name(program);
        let nest = match when {
            When::First => first - 1,
            When::Last => last + 1,
        };
        let loops = loop_names("c", self.iterators.len());
        let mut times = vec![nest.to_string()];
        times.extend(loops.iter().cloned());
        times.resize(length, "0".to_owned());
        let params: Vec<&str> = program.params.iter().map(|p| p.name.as_str()).collect();
        let schedule = format!(
            "[{}] -> {{ {name}[{}] -> [{}] }}",
            params.join(", "),
            loops.join(", "),
            times.join(", ")
        );
        let access = |(array, map): &(ArrayId, Map)| -> Result<Access> {
            Ok(Access {
                array: *array,
                map: map.set_in_tuple(&name)?,
                span: None,
            })
        };
        let called = |(array, _): &(ArrayId, Map)| program.array(*array).name.as_str();
        Ok(Some(Statement {
            domain: self.cells.set_tuple_name(&name)?,
            schedule: Map::parse(program.context.context(), &schedule)?,
            write: access(&self.to)?,
            reads: vec![access(&self.from)?],
            value: Expression::Read(0),
            span: None,
            text: format!("{}[…] = {}[…]", called(&self.to), called(&self.from)),
            iterators: self.iterators,
            name,
        }))
    }
}

/// Whether it is known how large an array is, so that there can be another one like it.
pub(crate) fn has_extents(array: &Array) -> bool {
    array.extents.iter().all(Option::is_some)
}

/// Every one of some cells as the cell of an array with the same subscripts.
pub(crate) fn same(cells: &Set, array: &Array) -> Result<Map> {
    let space = cells.space()?;
    let dims: Vec<PwAff> = (0..array.extents.len())
        .map(|at| PwAff::dim(&space, at))
        .collect::<std::result::Result<_, _>>()?;
    Ok(Map::from_pw_affs(&space, &array.name, &dims)?)
}

/// Loops over the cells of an array, called like those of a statement that writes it where these are subscripts. No two have the
/// same name, and none has that of a parameter.
pub(crate) fn iterator_names(
    program: &Program,
    array: &Array,
    writer: &Statement,
) -> Result<Vec<String>> {
    let pieces = writer.write.map.affine_pieces()?;
    let functions = pieces.first().map(|(_, functions)| functions.as_slice());
    let mut names: Vec<String> = Vec::new();
    for at in 0..array.extents.len() {
        let function = functions.and_then(|list| list.get(at));
        let dims = function.map(|f| f.numerator.dims.as_slice());
        let loop_ = dims.and_then(|dims| dims.iter().position(|c| !c.is_zero()));
        let known = loop_.and_then(|at| writer.iterators.get(at));
        let taken = |name: &String| {
            names.contains(name)
                || writer.iterators.contains(name)
                || program.params.iter().any(|param| param.name == *name)
        };
        names.push(match known.filter(|name| !names.contains(name)) {
            Some(name) => name.clone(),
            None => {
                let mut name = format!("c{at}");
                while taken(&name) {
                    name.push('_');
                }
                name
            }
        });
    }
    Ok(names)
}

/// The numbers of the first and the last nest, if all statements are in numbered ones.
fn outer_nests(program: &Program) -> Result<Option<(i64, i64)>> {
    let shape = Shape::of(program)?;
    let numbers: Option<Vec<i64>> = program.statement_ids().map(|id| shape.nest(id)).collect();
    let numbers = numbers.unwrap_or_default();
    let ends = (numbers.iter().min(), numbers.iter().max());
    Ok(ends.0.copied().zip(ends.1.copied()))
}

/// A name for one more statement.
fn fresh_name(program: &Program) -> String {
    let taken = |name: &str| program.statements.iter().any(|s| s.name == name);
    let mut name = format!("S{}", program.statements.len());
    while taken(&name) {
        name.push('c');
    }
    name
}

/// For tests: two programs leave the same in the arrays that the first one has.
#[cfg(test)]
pub(crate) fn assert_same_results(
    before: &Program,
    after: &Program,
    sizes: &redblue_program::Sizes,
) {
    use redblue_program::interpret::{Memory, interpret};
    let run = |program: &Program| {
        let mut memory = Memory::zeroed(program, sizes).expect("memory");
        let value = |name: &str, cell: &[i64]| {
            let place = cell.iter().fold(0, |place, x| 7 * place + x);
            1.0 + ((place + name.len() as i64) % 5) as f64
        };
        memory.fill(program, value).expect("values");
        interpret(program, sizes, &mut memory).expect("a run");
        memory
    };
    let results = [run(before), run(after)];
    for id in (0..before.arrays.len()).map(ArrayId) {
        assert_eq!(results[0].array(id), results[1].array(id), "{sizes:?}");
    }
}
