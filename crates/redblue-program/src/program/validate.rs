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
        self.check_names()?;
        let mut times = UnionMap::empty(self.context.context())?;
        let mut depth = None;
        for statement in &self.statements {
            let name = &statement.name;
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

    /// Checks that arrays, and statements, have different names: sets and maps know them by name only.
    pub(crate) fn check_names(&self) -> Result<()> {
        for (position, array) in self.arrays.iter().enumerate() {
            if self.array_named(&array.name).map(|id| id.0) != Some(position) {
                return broken(format!("two arrays are called {}", array.name));
            }
        }
        for (position, statement) in self.statements.iter().enumerate() {
            let name = &statement.name;
            if self.statements[..position].iter().any(|s| s.name == *name) {
                return broken(format!("two statements are called {name}"));
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Assignment, ProgramBuilder};
    use crate::program::{ElementType, Expression, Role};

    fn valid() -> Program {
        let mut builder = ProgramBuilder::new("valid", &["N", "M"]);
        builder.array("A", &["N"], ElementType::F64, Role::Parameter);
        builder.array("s", &[], ElementType::F64, Role::Local);
        for (name, time) in [("S0", "i, 0"), ("S1", "i, 1")] {
            builder.statement(Assignment {
                name,
                iterators: "i",
                condition: "0 <= i < N",
                time,
                write: "A[i]",
                reads: &["A[i]", "s"],
                value: Expression::Read(0) + Expression::Read(1),
            });
        }
        builder.build().unwrap()
    }

    fn map(program: &Program, text: &str) -> Map {
        Map::parse(
            program.context.context(),
            &format!("[N, M] -> {{ {text} }}"),
        )
        .unwrap()
    }

    #[track_caller]
    fn check_broken(change: impl FnOnce(&mut Program), expect: &str) {
        let mut program = valid();
        change(&mut program);
        let error = program.validate().unwrap_err().to_string();
        assert!(error.contains(expect), "{error}");
    }

    #[test]
    fn every_invariant_is_checked() {
        valid().validate().unwrap();
        check_broken(|p| p.arrays[1].name = "A".into(), "two arrays");
        check_broken(|p| p.statements[1].name = "S0".into(), "two statements");
        check_broken(|p| p.statements[0].name = "T".into(), "another name");
        check_broken(|p| p.statements[0].iterators.clear(), "0 iterators");
        check_broken(|p| drop(p.params.pop()), "other parameters");
        check_broken(
            |p| p.statements[0].schedule = map(p, "S0[i] -> [i, 1]"),
            "the same time",
        );
        check_broken(
            |p| p.statements[0].schedule = map(p, "S0[i] -> [i, 0] : i > 0"),
            "not defined everywhere",
        );
        check_broken(
            |p| p.statements[0].schedule = map(p, "S0[i] -> [i]"),
            "components",
        );
        check_broken(
            |p| p.statements[0].write.map = map(p, "S0[i] -> A[a] : i <= a <= i + 1"),
            "not single-valued",
        );
        check_broken(
            |p| p.statements[0].write.map = map(p, "S0[i] -> B[i]"),
            "should be to A",
        );
        check_broken(
            |p| p.statements[0].reads[0].map = map(p, "S0[i] -> A[i, i]"),
            "1 subscripts",
        );
        check_broken(
            |p| p.statements[1].value = Expression::Read(2),
            "no operand 2",
        );
        check_broken(
            |p| p.statements[1].value = Expression::Iterator(1),
            "no loop 1",
        );
    }
}
