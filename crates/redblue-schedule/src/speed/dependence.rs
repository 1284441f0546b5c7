//! Pairs of instances whose order matters, and functions that never turn one around.

use std::cell::RefCell;
use std::collections::BTreeMap;

use redblue_poly::{Map, PolyError};
use redblue_program::error::Result;
use redblue_program::{Access, Program};

/// Instances that touch one cell, one of them writing, the first before the second.
#[derive(Clone, Debug)]
pub(super) struct Dependence {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) pairs: Map,
}

/// One component of a statement's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Row {
    /// The same for all instances, before everything else.
    First,
    /// The counter at this position.
    Counter(usize),
}

impl Row {
    /// In isl notation, with names `prefix0`, `prefix1`, … for the counters.
    pub(super) fn text(self, prefix: &str) -> String {
        match self {
            Row::First => "0".to_string(),
            Row::Counter(position) => format!("{prefix}{position}"),
        }
    }
}

/// All dependences of a program in its own order.
pub(super) fn dependences(program: &Program) -> Result<Vec<Dependence>> {
    let mut touches: Vec<(usize, &Access, bool, Map, Map)> = Vec::new();
    for (index, statement) in program.statements.iter().enumerate() {
        let domain = statement.domain.intersect_params(&program.context)?;
        let time = statement.schedule.intersect_domain(&domain)?;
        for group in statement.operands_by_cell()? {
            let access = &statement.reads[group[0]];
            let cell = access.map.intersect_domain(&domain)?;
            touches.push((index, access, false, cell, time.clone()));
        }
        let cell = statement.write.map.intersect_domain(&domain)?;
        touches.push((index, &statement.write, true, cell, time));
    }
    let mut found: BTreeMap<(usize, usize), Map> = BTreeMap::new();
    for (from, a, a_writes, a_cell, a_time) in &touches {
        for (to, b, b_writes, b_cell, b_time) in &touches {
            if a.array != b.array || !(*a_writes || *b_writes) {
                continue;
            }
            let later = Map::lex_lt(&a_time.range()?.space()?)?;
            let order = a_time
                .apply_range(&later)?
                .apply_range(&b_time.reverse()?)?;
            let pairs = a_cell.apply_range(&b_cell.reverse()?)?.intersect(&order)?;
            if pairs.is_empty()? {
                continue;
            }
            let known = found.remove(&(*from, *to));
            let all = match known {
                Some(others) => others.union(&pairs)?,
                None => pairs,
            };
            found.insert((*from, *to), all);
        }
    }
    let list = found.into_iter();
    list.map(|((from, to), pairs)| {
        let pairs = pairs.coalesce()?;
        Ok(Dependence { from, to, pairs })
    })
    .collect()
}

/// Statements, rows and the stage of a question.
type Question = (usize, usize, Row, Row, u64);

/// Answers whether dependences point forwards, each question once.
pub(super) struct Oracle<'p> {
    program: &'p Program,
    answers: RefCell<BTreeMap<Question, bool>>,
}

impl<'p> Oracle<'p> {
    pub(super) fn new(program: &'p Program) -> Oracle<'p> {
        Oracle {
            program,
            answers: RefCell::default(),
        }
    }

    /// Whether the second instance is never earlier than the first; `stage` tells lists of dependences apart.
    pub(super) fn is_forward(
        &self,
        d: &Dependence,
        from: Row,
        to: Row,
        stage: u64,
    ) -> Result<bool> {
        let key = (d.from, d.to, from, to, stage);
        if let Some(answer) = self.answers.borrow().get(&key) {
            return Ok(*answer);
        }
        let answer = match self
            .related(d, from, "<", to)
            .and_then(|map| map.is_empty())
        {
            Err(PolyError::Budget { .. }) => false,
            other => other?,
        };
        self.answers.borrow_mut().insert(key, answer);
        Ok(answer)
    }

    /// The pairs in which the second instance's row compares so with the first one's.
    pub(super) fn related(
        &self,
        d: &Dependence,
        from: Row,
        sign: &str,
        to: Row,
    ) -> redblue_poly::Result<Map> {
        let tuple = |index: usize, prefix: &str| {
            let statement = &self.program.statements[index];
            let dims: Vec<String> = (0..statement.iterators.len())
                .map(|p| format!("{prefix}{p}"))
                .collect();
            format!("{}[{}]", statement.name, dims.join(", "))
        };
        let names: Vec<&str> = self
            .program
            .params
            .iter()
            .map(|p| p.name.as_str())
            .collect();
        let text = format!(
            "[{}] -> {{ {} -> {} : {} {sign} {} }}",
            names.join(", "),
            tuple(d.from, "from_"),
            tuple(d.to, "to_"),
            to.text("to_"),
            from.text("from_"),
        );
        d.pairs.intersect(&Map::parse(d.pairs.context(), &text)?)
    }
}
