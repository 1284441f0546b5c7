//! Loops whose subscripts or bounds look at a remainder become loops over whole periods, with one copy of their
//! statements per remainder.
//!
//! ```text
//! for t  A[(t + 1) % 2][i] = f(A[t % 2][…]);
//!   ──►  for t_by_2 { A[1][i] = f(A[0][…]);  A[0][i] = f(A[1][…]); }
//! ```
//!
//! The search looks at subscripts that are affine in the loops; a remainder is not, and nothing that has one can stay
//! in fast memory for longer than an instance. The copies compute the same values in the same cells and in the same
//! order, so what is found for them is an order of the program. The new loop has another name because it has other
//! values.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use redblue_poly::{Floor, Map};
use redblue_program::error::Result;
use redblue_program::{Access, BinaryOp, Expression, Program, Statement, StatementId};

use crate::order::{Row, loop_names};
use crate::shape::Shape;

/// Longer periods are left alone: each remainder is a copy of the statements.
const LONGEST: i64 = 4;

/// At most so many statements in all.
const MOST_STATEMENTS: usize = 24;

/// At most so many loops are unfolded.
const MOST_LOOPS: usize = 8;

/// A loop and the period of what it does.
struct Folded {
    statement: StatementId,
    position: usize,
    period: i64,
}

/// The program with such loops unfolded, if it has any.
pub(crate) fn unfold(program: &Program) -> Result<Option<Program>> {
    let mut unfolded: Option<Program> = None;
    for _ in 0..MOST_LOOPS {
        let current = unfolded.as_ref().unwrap_or(program);
        let Some(folded) = folded(current)? else {
            break;
        };
        match unfold_loop(current, &folded)? {
            Some(next) => unfolded = Some(next),
            None => break,
        }
    }
    Ok(unfolded)
}

/// A loop with a remainder that its period explains.
fn folded(program: &Program) -> Result<Option<Folded>> {
    for statement in program.statement_ids() {
        let floors = floors(program.statement(statement))?;
        for position in 0..program.statement(statement).iterators.len() {
            let periods = floors.iter().filter(|f| is_of_loop(f, position));
            let period = periods.fold(BigInt::one(), |all, f| all.lcm(&f.denominator));
            match period.to_i64() {
                Some(period) if (2..=LONGEST).contains(&period) => {
                    return Ok(Some(Folded {
                        statement,
                        position,
                        period,
                    }));
                }
                _ => {}
            }
        }
    }
    Ok(None)
}

/// All floors in the subscripts and in the domain of a statement.
fn floors(statement: &Statement) -> Result<Vec<Floor>> {
    let mut floors = Vec::new();
    for part in statement.domain.basic_sets()? {
        floors.extend(part.floors()?);
    }
    for access in statement.reads.iter().chain([&statement.write]) {
        for (_, functions) in access.map.affine_pieces()? {
            floors.extend(functions.into_iter().flat_map(|function| function.floors));
        }
    }
    Ok(floors)
}

/// Whether a floor is a function of one loop alone.
fn is_of_loop(floor: &Floor, position: usize) -> bool {
    let form = &floor.numerator;
    let others = form
        .dims
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != position);
    !form.dims[position].is_zero()
        && others
            .map(|(_, factor)| factor)
            .chain(&form.params)
            .chain(&form.floors)
            .all(Zero::is_zero)
}

/// Unfolds one loop around all statements in it; nothing if they are too many or their times are not those of loops.
fn unfold_loop(program: &Program, folded: &Folded) -> Result<Option<Program>> {
    let Ok(shape) = Shape::of(program) else {
        return Ok(None);
    };
    let inside = |id: &StatementId| {
        *id == folded.statement || shape.shared_loops(*id, folded.statement) > folded.position
    };
    let members: Vec<StatementId> = program.statement_ids().filter(inside).collect();
    let copies = members.len() * (folded.period as usize - 1);
    // A statement whose times are not those of loops may belong to this one, too.
    let odd = shape.times.iter().any(Option::is_none);
    if odd || program.statements.len() + copies > MOST_STATEMENTS {
        return Ok(None);
    }
    let mut times = Vec::new();
    for id in &members {
        match shape.times[id.0]
            .as_ref()
            .and_then(|rows| Times::of(rows, folded.position))
        {
            Some(found) => times.push(found),
            None => return Ok(None),
        }
    }
    if times.iter().any(|one| one.direction != times[0].direction) {
        return Ok(None);
    }
    let width = 1 + times.iter().map(Times::place).max().unwrap_or(0);
    let mut unfolded = program.clone();
    unfolded.statements.retain(|s| {
        members
            .iter()
            .all(|id| program.statement(*id).name != s.name)
    });
    let mut at = members.first().map_or(0, |first| first.0);
    let iterator = iterator_name(program, &members, folded);
    for remainder in 0..folded.period {
        for (id, times) in members.iter().zip(&times) {
            let statement = program.statement(*id);
            let name = statement_name(&unfolded, &format!("{}_{remainder}", statement.name));
            let names = (name.as_str(), iterator.as_str());
            let copy = copy(program, statement, times, folded, (remainder, width), names)?;
            if let Some(copy) = copy {
                unfolded.statements.insert(at, copy);
                at += 1;
            }
        }
    }
    Ok(Some(unfolded))
}

/// A name that no statement and no array has.
fn statement_name(program: &Program, wish: &str) -> String {
    let mut name = wish.to_owned();
    while program.array_named(&name).is_some() || program.statements.iter().any(|s| s.name == name)
    {
        name.push('_');
    }
    name
}

/// A name for the loop over whole periods that no other loop around the statements has.
fn iterator_name(program: &Program, members: &[StatementId], folded: &Folded) -> String {
    let old = &program.statement(folded.statement).iterators[folded.position];
    let mut name = format!("{old}_by_{}", folded.period);
    let taken = |name: &String| {
        let mut statements = members.iter().map(|id| program.statement(*id));
        statements.any(|statement| statement.iterators.contains(name))
    };
    while taken(&name) {
        name.push('_');
    }
    name
}

/// The times of a statement around the loop.
struct Times<'a> {
    rows: &'a [Row],
    /// Which component the loop is.
    component: usize,
    /// 1 if it counts up, -1 if it counts down.
    direction: i64,
}

impl Times<'_> {
    fn of(rows: &[Row], position: usize) -> Option<Times<'_>> {
        let is_number = |row: &Row| row.dims.iter().chain(&row.params).all(|c| *c == 0);
        let component = rows
            .iter()
            .position(|row| row.dims.get(position).is_some_and(|c| *c != 0))?;
        let row = &rows[component];
        let alone = row
            .dims
            .iter()
            .enumerate()
            .all(|(at, c)| at == position || *c == 0);
        let elsewhere = rows[component + 1..]
            .iter()
            .any(|row| row.dims[position] != 0);
        let next = rows
            .get(component + 1)
            .filter(|row| is_number(row) && row.constant >= 0);
        let direction = row.dims[position];
        let alone = alone && row.constant == 0 && row.params.iter().all(|c| *c == 0);
        (alone && !elsewhere && direction.abs() == 1 && next.is_some()).then_some(Times {
            rows,
            component,
            direction,
        })
    }

    /// The place among the statements and loops of the loop's body.
    fn place(&self) -> i64 {
        self.rows[self.component + 1].constant
    }

    /// The times of the copy for a remainder: whole periods, and in them one body after the other.
    fn unfolded(&self, period: i64, remainder: i64, width: i64) -> Vec<Row> {
        let mut rows = self.rows.to_vec();
        let turn = if self.direction > 0 {
            remainder
        } else {
            period - 1 - remainder
        };
        let position = rows[self.component]
            .dims
            .iter()
            .position(|c| *c != 0)
            .unwrap_or(0);
        let mut whole = Row::zero(
            rows[self.component].dims.len(),
            rows[self.component].params.len(),
        );
        whole.dims[position] = self.direction;
        rows[self.component] = whole;
        rows[self.component + 1].constant += turn * width;
        rows
    }
}

/// The instances of a statement with one remainder, as a statement of its own; nothing if there are none.
fn copy(
    program: &Program,
    statement: &Statement,
    times: &Times<'_>,
    folded: &Folded,
    (remainder, width): (i64, i64),
    (name, iterator): (&str, &str),
) -> Result<Option<Statement>> {
    let (position, period) = (folded.position, folded.period);
    let params: Vec<String> = program.params.iter().map(|p| p.name.clone()).collect();
    let loops = loop_names("i", statement.iterators.len());
    let head = |target: &str| {
        format!(
            "[{}] -> {{ {name}[{}] -> {target} }}",
            params.join(", "),
            loops.join(", ")
        )
    };
    let mut old = loops.clone();
    old[position] = format!("{period}{} + {remainder}", loops[position]);
    let context = program.context.context();
    let instance = Map::parse(
        context,
        &head(&format!("{}[{}]", statement.name, old.join(", "))),
    )?;
    let domain = instance
        .intersect_range(&statement.domain)?
        .domain()?
        .coalesce()?;
    if domain.intersect_params(&program.context)?.is_empty()? {
        return Ok(None);
    }
    let rows = times.unfolded(period, remainder, width);
    let rows: Vec<String> = rows.iter().map(|row| row.text(&loops, &params)).collect();
    let schedule = Map::parse(context, &head(&format!("[{}]", rows.join(", "))))?;
    let access = |access: &Access| -> Result<Access> {
        let map = instance.apply_range(&access.map)?;
        Ok(Access {
            map: map.gist_domain(&domain)?.coalesce()?,
            ..access.clone()
        })
    };
    let mut iterators = statement.iterators.clone();
    iterator.clone_into(&mut iterators[position]);
    Ok(Some(Statement {
        write: access(&statement.write)?,
        reads: statement.reads.iter().map(access).collect::<Result<_>>()?,
        value: replaced(&statement.value, position, period, remainder),
        span: statement.span,
        text: statement.text.clone(),
        schedule,
        iterators,
        domain,
        name: name.to_owned(),
    }))
}

/// An expression with the old loop's value written in terms of the new one's.
fn replaced(value: &Expression, position: usize, period: i64, remainder: i64) -> Expression {
    let inner = |part: &Expression| replaced(part, position, period, remainder);
    let boxed = |part: &Expression| Box::new(inner(part));
    match value {
        Expression::Iterator(at) if *at == position => {
            let whole = Expression::Binary(
                BinaryOp::Multiply,
                Box::new(Expression::Integer(period)),
                Box::new(value.clone()),
            );
            Expression::Binary(
                BinaryOp::Add,
                Box::new(whole),
                Box::new(Expression::Integer(remainder)),
            )
        }
        Expression::Unary(op, a) => Expression::Unary(*op, boxed(a)),
        Expression::Binary(op, a, b) => Expression::Binary(*op, boxed(a), boxed(b)),
        Expression::Call(name, parts) => {
            Expression::Call(name.clone(), parts.iter().map(inner).collect())
        }
        Expression::Select(a, b, c) => Expression::Select(boxed(a), boxed(b), boxed(c)),
        Expression::Cast(kind, a) => Expression::Cast(*kind, boxed(a)),
        Expression::Read(_)
        | Expression::Real(_)
        | Expression::Integer(_)
        | Expression::Iterator(_)
        | Expression::Parameter(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use redblue_program::c::{self, CInput};
    use redblue_program::catalogue;
    use redblue_program::interpret::{Memory, interpret};
    use redblue_program::{ArrayId, Sizes};

    fn program(text: &str) -> Program {
        let input = CInput {
            name: "folded.c",
            text,
        };
        let reading = c::read(&input, &Default::default(), &|_| None);
        reading.program.unwrap()
    }

    /// Bit for bit, what all arrays hold at the end.
    fn results(program: &Program, sizes: &Sizes) -> Vec<Vec<u64>> {
        let mut memory = Memory::zeroed(program, sizes).unwrap();
        let value = |_: &str, cell: &[i64]| {
            let mix = cell.iter().fold(3, |mix: i64, at| mix * 11 + at);
            0.5 + mix.rem_euclid(17) as f64 / 32.0
        };
        memory.fill(program, value).unwrap();
        interpret(program, sizes, &mut memory).unwrap();
        let arrays = (0..program.arrays.len()).map(ArrayId);
        arrays
            .map(|id| {
                memory
                    .array(id)
                    .iter()
                    .map(|x| x.to_f64().to_bits())
                    .collect()
            })
            .collect()
    }

    /// Unfolds into so many statements that compute the same and have affine subscripts.
    #[track_caller]
    fn check(program: &Program, statements: usize, sizes: &[Sizes]) {
        let unfolded = unfold(program).unwrap().unwrap();
        unfolded.validate().unwrap();
        assert_eq!(unfolded.statements.len(), statements);
        let shape = Shape::of(&unfolded).unwrap();
        assert!(shape.writes.iter().all(Option::is_some));
        assert!(shape.reads.iter().flatten().all(Option::is_some));
        for sizes in sizes {
            assert_eq!(
                results(program, sizes),
                results(&unfolded, sizes),
                "{sizes:?}"
            );
        }
    }

    fn sizes(names: &[&str]) -> Vec<Sizes> {
        let values = [[5, 8, 7], [6, 5, 9], [7, 7, 7], [8, 6, 5], [1, 4, 2]];
        let named = |values: &[i64; 3]| names.iter().map(|n| n.to_string()).zip(*values).collect();
        values.iter().map(named).collect()
    }

    #[test]
    fn folded_stencils_become_two_statements() {
        for name in ["stencil-1d", "stencil-2d", "stencil-3d"] {
            let entry = catalogue::find(name).unwrap();
            let program = entry.read(&Default::default()).program.unwrap();
            check(&program, 2, &entry.small);
        }
    }

    #[test]
    fn three_steps_with_a_second_statement_and_the_counter_as_a_value() {
        let text = "void f(int T, int N, double A[3][N], double s[N]) {
            for (int t = 1; t < T; t++) {
                for (int i = 1; i < N - 1; i++)
                    A[(t + 2) % 3][i] = A[t % 3][i] + t * A[(t + 1) % 3][i - 1];
                s[0] += A[(t + 2) % 3][1];
            }
            s[1] = A[0][0];
        }";
        check(&program(text), 7, &sizes(&["T", "N"]));
    }

    #[test]
    fn steps_and_loops_that_count_down() {
        let text = "void f(int N, int M, double A[N][M], double B[M]) {
            for (int i = N - 1; i >= 0; i--)
                for (int j = 1; j < M; j += 2)
                    A[i % 2][j] = A[i][j - 1] + B[j / 2] * A[(i + 1) % 2][j];
        }";
        check(&program(text), 2, &sizes(&["N", "M"])[..4]);
    }

    #[test]
    fn names_stay_different() {
        let text = "void f(int T, int N, double A[2][N], double S_1[N]) {
            for (int t = 0; t < T; t++)
                for (int t_by_2 = 1; t_by_2 < N - 1; t_by_2++) {
                    S: A[(t + 1) % 2][t_by_2] = A[t % 2][t_by_2 - 1] + t;
                }
            for (int i = 0; i < N; i++) {
                S_0: S_1[i] = A[0][i];
            }
        }";
        check(&program(text), 3, &sizes(&["T", "N"]));
    }

    #[test]
    fn affine_programs_and_long_periods_stay() {
        for name in ["gemm", "jacobi-1d", "matmul-tiled", "deriche"] {
            let entry = catalogue::find(name).unwrap();
            let program = entry.read(&Default::default()).program.unwrap();
            assert!(unfold(&program).unwrap().is_none(), "{name}");
        }
        let text = "void f(int T, double A[7]) { for (int t = 0; t < T; t++) A[t % 7] += t; }";
        assert!(unfold(&program(text)).unwrap().is_none());
    }
}
