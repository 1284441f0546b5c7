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
//! A read and the write of its own instance have the same time, and only strictly earlier writes are
//! sources, so a statement never reads what it is about to write.

use redblue_poly::{Map, PwAff, Set, Space, UnionMap, flow};

use super::{LiveOut, Operand};
use crate::error::Result;
use crate::program::{Access, ArrayId, Program, Role, Statement, StatementId};

/// The flow of every operand, and of the outputs.
pub(super) fn solve(program: &Program) -> Result<(Vec<Vec<Operand>>, Vec<LiveOut>)> {
    let mut problem = Problem::default();
    for id in program.statement_ids() {
        problem.add_statement(program, id)?;
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
#[derive(Clone, Copy)]
enum Reader {
    Operand(StatementId, usize),
    End(ArrayId),
}

impl Problem {
    fn add_statement(&mut self, program: &Program, id: StatementId) -> Result<()> {
        let statement = program.statement(id);
        let domain = statement.domain.intersect_params(&program.context)?;
        let time = in_phase(0, &statement.schedule.intersect_domain(&domain)?)?;
        for (position, read) in statement.reads.iter().enumerate() {
            let cells = read.map.intersect_domain(&domain)?;
            self.add_reader(Reader::Operand(id, position), cells, &time)?;
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
            let (Some(cells), Some(statement)) = (written, program.statements.first()) else {
                continue;
            };
            let zeros = constant(&cells.space()?, 0, statement.schedule.n_out())?;
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
            let producer = |map: &Map| {
                let name = map.in_tuple()?;
                program
                    .statement_ids()
                    .find(|id| program.statement(*id).name == name)
            };
            let mut producers = Vec::new();
            for map in relations {
                if let Some(id) = producer(&map) {
                    producers.push((id, map));
                }
            }
            producers.sort_by_key(|(id, _)| *id);
            match *reader {
                Reader::Operand(statement, position) => {
                    let name = &program.statement(statement).name;
                    let operand = &mut operands[statement.0][position];
                    for (_, map) in &mut producers {
                        *map = map.set_out_tuple(name)?;
                    }
                    operand.producers = producers;
                    for map in cells {
                        let map = Some(map.set_in_tuple(name)?);
                        match program.array(operand.array).role {
                            Role::Local => operand.undefined = map,
                            Role::Parameter | Role::Global => operand.input = map,
                        }
                    }
                }
                Reader::End(array) => {
                    for (_, map) in &mut producers {
                        *map = map.set_out_tuple(&program.array(array).name)?;
                    }
                    outputs.push(LiveOut {
                        array,
                        writers: producers,
                    });
                }
            }
        }
        Ok((operands, outputs))
    }
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

/// Puts a first component before a time: statements are in phase 0, the end of the program in phase 1.
fn in_phase(phase: i64, time: &Map) -> Result<Map> {
    Ok(constant(&time.domain()?.space()?, phase, 1)?.flat_range_product(time)?)
}

/// The function with `length` coordinates that are all `value`.
fn constant(space: &Space, value: i64, length: usize) -> Result<Map> {
    let coordinate = PwAff::constant(space, value)?;
    Ok(Map::from_pw_affs(space, "", &vec![coordinate; length])?)
}
