//! A program at fixed sizes.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use redblue_poly::scan::LoopNest;
use redblue_poly::{Map, Set, UnionMap};

use super::Program;
use crate::error::{ProgramError, Result};

/// Values of size parameters by name.
pub type Sizes = BTreeMap<String, i64>;

impl Program {
    /// Values for all parameters, in their order: the given ones, else the source's defaults.
    ///
    /// An error if one is missing or if the sizes are outside the program's assumptions.
    pub fn size_values(&self, given: &Sizes) -> Result<Vec<i64>> {
        let mut values = Vec::new();
        for param in &self.params {
            let value = given.get(&param.name).copied().or(param.default);
            values.push(value.ok_or_else(|| ProgramError::MissingSize(param.name.clone()))?);
        }
        let point: Vec<BigInt> = values.iter().copied().map(BigInt::from).collect();
        if !self.context.contains(&point, &[])? {
            return Err(ProgramError::OutsideContext {
                program: self.name.clone(),
                context: self.context.to_string(),
            });
        }
        Ok(values)
    }

    /// Like [`Program::size_values`], by name.
    pub fn all_sizes(&self, given: &Sizes) -> Result<Sizes> {
        let names = self.params.iter().map(|param| param.name.clone());
        Ok(names.zip(self.size_values(given)?).collect())
    }

    /// A set of this program at fixed sizes: no parameters are left.
    pub fn set_at(&self, set: &Set, values: &[i64]) -> Result<Set> {
        let mut fixed = set.clone();
        for (param, value) in self.params.iter().zip(values) {
            fixed = fixed.fix_param(&param.name, *value)?;
        }
        Ok(fixed)
    }

    /// A map of this program at fixed sizes: no parameters are left.
    pub fn map_at(&self, map: &Map, values: &[i64]) -> Result<Map> {
        let mut fixed = map.clone();
        for (param, value) in self.params.iter().zip(values) {
            fixed = fixed.fix_param(&param.name, *value)?;
        }
        Ok(fixed)
    }

    /// The schedules of all statements on their domains: the program's own order.
    pub fn schedule(&self) -> Result<UnionMap> {
        let mut times = Vec::new();
        for statement in &self.statements {
            let domain = statement.domain.intersect_params(&self.context)?;
            times.push(statement.schedule.intersect_domain(&domain)?);
        }
        Ok(UnionMap::from_maps(self.context.context(), &times)?)
    }

    /// Loops that visit all instances in execution order; statements are numbered as in the program.
    pub fn scan(&self, sizes: &Sizes) -> Result<LoopNest> {
        let values = self.size_values(sizes)?;
        let names: Vec<&str> = self.statements.iter().map(|s| s.name.as_str()).collect();
        let all = self
            .params
            .iter()
            .map(|param| param.name.clone())
            .zip(values)
            .collect();
        Ok(LoopNest::build(&self.schedule()?, &names, &all)?)
    }
}
