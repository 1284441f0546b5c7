//! One run of isl's array dataflow analysis for all operands and outputs of a program.
//!
//! Each operand is a reader with a space of its own, named by its number, so that a single run tells the
//! operands of one statement apart (`@` keeps it apart from any name of the source). The end of the program is a reader too: after all statements it reads
//! every cell of every output array.
//!
//! ```text
//! S1[i, j, k] at (0, time)   writes  C[i, j]
//! @3[i, j, k] at (0, time)   reads   A[i, k]      operand 3 of the program, an operand of S1
//! @7[x, y]    at (1, 0, …)   reads   C[x, y]      the end
//! ```
//!
//! Operands of one statement that read the same cell share a reader, and time components that never differ are
//! left out: both are common (`a < b ? a : b`, padded schedules), and the run is what reading a kernel costs.
//!
//! A read and the write of its own instance have the same time, and only strictly earlier writes are
//! sources, so a statement never reads what it is about to write.

use num_bigint::BigInt;
use redblue_poly::{Affine, Map, PwAff, Set, Space, UnionMap, flow};

use super::{LiveOut, Operand};
use crate::error::{ProgramError, Result};
use crate::program::{Access, ArrayId, Program, Role, Statement, StatementId};

/// The flow of every operand, and of the outputs.
pub(super) fn solve(program: &Program) -> Result<(Vec<Vec<Operand>>, Vec<LiveOut>)> {
    program.check_names()?;
    let mut problem = Problem::default();
    let times = distinct_times(program)?;
    for (id, time) in program.statement_ids().zip(&times) {
        problem.add_statement(program, id, time)?;
    }
    problem.add_end(program)?;
    problem.solve(program)
}

/// Readers, writers and their times, before the run.
#[derive(Default)]
struct Problem {
    readers: Vec<Reader>,
    reads: Vec<Map>,
    writes: Vec<Map>,
    times: Vec<Map>,
}

/// Who reads, and where the answer goes.
enum Reader {
    /// These operands of a statement, which read the same cell.
    Operands(StatementId, Vec<usize>),
    End(ArrayId),
}

impl Problem {
    fn add_statement(&mut self, program: &Program, id: StatementId, time: &Map) -> Result<()> {
        let statement = program.statement(id);
        let domain = statement.domain.intersect_params(&program.context)?;
        let time = in_phase(0, &time.intersect_domain(&domain)?)?;
        for positions in statement.operands_by_cell()? {
            let read = &statement.reads[positions[0]];
            let cells = read.map.intersect_domain(&domain)?;
            self.add_reader(Reader::Operands(id, positions), cells, &time)?;
        }
        self.writes
            .push(statement.write.map.intersect_domain(&domain)?);
        self.times.push(time);
        Ok(())
    }

    fn add_end(&mut self, program: &Program) -> Result<()> {
        for (position, array) in program.arrays.iter().enumerate() {
            let mut written: Option<Set> = None;
            for (statement, write) in program.statements.iter().zip(&self.writes) {
                if statement.write.array == ArrayId(position) && array.output {
                    let cells = write.range()?;
                    written = Some(match written {
                        Some(others) => others.union(&cells)?,
                        None => cells,
                    });
                }
            }
            let (Some(cells), Some(time)) = (written, self.times.last()) else {
                continue;
            };
            let zeros = constant(&cells.space()?, 0, time.n_out() - 1)?;
            let end = in_phase(1, &zeros)?;
            self.add_reader(Reader::End(ArrayId(position)), cells.identity()?, &end)?;
        }
        Ok(())
    }

    fn add_reader(&mut self, reader: Reader, cells: Map, time: &Map) -> Result<()> {
        let name = format!("@{}", self.readers.len());
        self.reads.push(cells.set_in_tuple(&name)?);
        self.times.push(time.set_in_tuple(&name)?);
        self.readers.push(reader);
        Ok(())
    }

    /// Runs the analysis and hands every relation to its reader.
    fn solve(self, program: &Program) -> Result<(Vec<Vec<Operand>>, Vec<LiveOut>)> {
        let mut operands: Vec<Vec<Operand>> = program.statements.iter().map(blank).collect();
        let mut outputs = Vec::new();
        let context = program.context.context();
        let union = |maps: &[Map]| UnionMap::from_maps(context, maps);
        let flow = flow(
            &union(&self.reads)?,
            &union(&self.writes)?,
            &union(&self.times)?,
        )?;
        let found = by_reader(&flow.must, self.readers.len(), |map| map.out_tuple())?;
        let missing = by_reader(&flow.must_no_source, self.readers.len(), |map| {
            map.in_tuple()
        })?;
        for ((reader, relations), cells) in self.readers.iter().zip(found).zip(missing) {
            match reader {
                Reader::Operands(statement, positions) => {
                    let name = &program.statement(*statement).name;
                    let producers = read_by(name, relations, program)?;
                    let unwritten = match cells.first() {
                        Some(map) => Some(map.set_in_tuple(name)?),
                        None => None,
                    };
                    for position in positions {
                        let operand = &mut operands[statement.0][*position];
                        operand.producers = producers.clone();
                        match program.array(operand.array).role {
                            Role::Local => operand.undefined = unwritten.clone(),
                            Role::Parameter | Role::Global => operand.input = unwritten.clone(),
                        }
                    }
                }
                Reader::End(array) => {
                    let writers = read_by(&program.array(*array).name, relations, program)?;
                    let array = *array;
                    outputs.push(LiveOut { array, writers });
                }
            }
        }
        Ok((operands, outputs))
    }
}

/// The relations of one reader by producing statement, with the reader's own name instead of its number.
fn read_by(name: &str, relations: Vec<Map>, program: &Program) -> Result<Vec<(StatementId, Map)>> {
    let mut producers = Vec::new();
    for map in relations {
        let producer = map.in_tuple().unwrap_or_default();
        let id = program
            .statement_ids()
            .find(|id| program.statement(*id).name == producer)
            .ok_or_else(|| ProgramError::Invalid(format!("no statement writes as {producer}")))?;
        producers.push((id, map.set_out_tuple(name)?));
    }
    producers.sort_by_key(|(id, _)| *id);
    Ok(producers)
}

fn blank(statement: &Statement) -> Vec<Operand> {
    let operand = |read: &Access| Operand {
        array: read.array,
        producers: Vec::new(),
        input: None,
        undefined: None,
    };
    statement.reads.iter().map(operand).collect()
}

/// The non-empty maps of a union by the number of the reader in their name.
fn by_reader(
    union: &UnionMap,
    readers: usize,
    name: impl Fn(&Map) -> Option<String>,
) -> Result<Vec<Vec<Map>>> {
    let mut lists = vec![Vec::new(); readers];
    for map in union.maps()? {
        let number = name(&map).and_then(|name| name.strip_prefix('@')?.parse::<usize>().ok());
        if let Some(list) = number.and_then(|number| lists.get_mut(number))
            && !map.is_empty()?
        {
            list.push(map.coalesce()?);
        }
    }
    Ok(lists)
}

/// The schedules without the components that have one and the same value in all of them.
fn distinct_times(program: &Program) -> Result<Vec<Map>> {
    let mut times: Vec<Map> = Vec::new();
    let mut values: Vec<Vec<Option<BigInt>>> = Vec::new();
    for statement in &program.statements {
        times.push(statement.schedule.clone());
        values.push(match statement.schedule.affine_pieces()?.as_slice() {
            [(_, time)] => time.iter().map(Affine::as_constant).collect(),
            _ => vec![None; statement.schedule.n_out()],
        });
    }
    let depth = times.first().map_or(0, Map::n_out);
    for component in (0..depth).rev() {
        let first = values[0].get(component);
        let shared = values.iter().all(|time| time.get(component) == first);
        if shared && matches!(first, Some(Some(_))) {
            for time in &mut times {
                *time = time.project_out_out(component, 1)?;
            }
        }
    }
    Ok(times)
}

/// Puts a first component before a time: statements are in phase 0, the end of the program in phase 1.
fn in_phase(phase: i64, time: &Map) -> Result<Map> {
    Ok(constant(&time.domain()?.space()?, phase, 1)?.flat_range_product(time)?)
}

/// The function with `length` coordinates that are all `value`.
fn constant(space: &Space, value: i64, length: usize) -> Result<Map> {
    let coordinate = PwAff::constant(space, value)?;
    Ok(Map::from_pw_affs(space, "", &vec![coordinate; length])?)
}
