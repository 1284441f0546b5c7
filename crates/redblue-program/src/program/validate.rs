//! Checking the invariants that front ends promise and analyses use.

use redblue_poly::{Map, Set, UnionMap};

use super::{Access, Program, Statement};
use crate::error::{ProgramError, Result};

impl Program {
    /// Checks the invariants listed in [`crate::program`], and says which one is broken.
    ///
    /// The check costs more than most analyses (it compares all execution times), so it belongs into tests
    /// of front ends, not into their every use.
    pub fn validate(&self) -> Result<()> {
        let params: Vec<&str> = self.params.iter().map(|p| p.name.as_str()).collect();
        for (position, array) in self.arrays.iter().enumerate() {
            if self.array_named(&array.name).map(|id| id.0) != Some(position) {
                return broken(format!("two arrays are called {}", array.name));
            }
        }
        let mut times = UnionMap::empty(self.context.context())?;
        let mut depth = None;
        for (position, statement) in self.statements.iter().enumerate() {
            let name = &statement.name;
            if self.statements[..position].iter().any(|s| s.name == *name) {
                return broken(format!("two statements are called {name}"));
            }
            self.validate_statement(statement, &params)?;
            let length = statement.schedule.n_out();
            if *depth.get_or_insert(length) != length {
                return broken(format!("the time of {name} has {length} components"));
            }
            let time = statement.schedule.intersect_domain(&statement.domain)?;
            times = times.union(&time.to_union()?)?;
        }
        if !times.is_injective()? {
            return broken("two instances have the same time".to_string());
        }
        Ok(())
    }

    fn validate_statement(&self, statement: &Statement, params: &[&str]) -> Result<()> {
        let Statement {
            name,
            domain,
            schedule,
            value,
            reads,
            ..
        } = statement;
        if domain.tuple_name().as_deref() != Some(name) {
            return broken(format!("the domain of {name} has another name: {domain}"));
        }
        if domain.n_dim() != statement.iterators.len() {
            return broken(format!(
                "{name} has {} iterators",
                statement.iterators.len()
            ));
        }
        if domain.param_names() != params {
            return broken(format!(
                "the domain of {name} lists other parameters: {domain}"
            ));
        }
        function_on(schedule, domain, &format!("the schedule of {name}"))?;
        self.validate_access(&statement.write, statement)?;
        for read in reads {
            self.validate_access(read, statement)?;
        }
        if let Some(operand) = value.operands().into_iter().find(|&p| p >= reads.len()) {
            return broken(format!("{name} has no operand {operand}"));
        }
        if let Some(loop_) = value.iterators().into_iter().find(|&p| p >= domain.n_dim()) {
            return broken(format!("{name} has no loop {loop_}"));
        }
        Ok(())
    }

    fn validate_access(&self, access: &Access, statement: &Statement) -> Result<()> {
        let what = format!("the access {} of {}", access.map, statement.name);
        let Some(array) = self.arrays.get(access.array.0) else {
            return broken(format!("{what} names no array"));
        };
        if access.map.out_tuple().as_deref() != Some(&array.name) {
            return broken(format!("{what} should be to {}", array.name));
        }
        if access.map.n_out() != array.extents.len() {
            return broken(format!(
                "{what} should have {} subscripts",
                array.extents.len()
            ));
        }
        function_on(&access.map, &statement.domain, &what)
    }
}

/// Demands that a map is total and single-valued on a domain.
fn function_on(map: &Map, domain: &Set, what: &str) -> Result<()> {
    if !domain.is_subset(&map.domain()?)? {
        return broken(format!("{what} is not defined everywhere"));
    }
    if !map.intersect_domain(domain)?.is_single_valued()? {
        return broken(format!("{what} is not single-valued"));
    }
    Ok(())
}

fn broken(what: String) -> Result<()> {
    Err(ProgramError::Invalid(what))
}
