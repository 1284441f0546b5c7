//! Whether a program stays inside its arrays.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_poly::{Map, Set};

use super::{Access, Array, Program, Statement};
use crate::error::{ProgramError, Result};

impl Program {
    /// Refuses values of the parameters at which an instance touches a cell outside its array, as far as extents are
    /// declared. Nothing is enumerated, so sizes may be large.
    pub fn check_cells(&self, values: &[i64]) -> Result<()> {
        for (statement, access, outside) in self.outside()? {
            let outside = self.map_at(&outside, values)?.wrap()?;
            if let Some((_, found)) = outside.sample_point()? {
                let (point, cell) = found.split_at(statement.iterators.len());
                let numbers = |list: &[BigInt]| {
                    let number = |n: &BigInt| n.to_i64().unwrap_or(i64::MAX);
                    list.iter().map(number).collect()
                };
                return Err(ProgramError::OutOfBounds {
                    statement: statement.name.clone(),
                    point: numbers(point),
                    array: self.array(access.array).name.clone(),
                    cell: numbers(cell),
                });
            }
        }
        Ok(())
    }

    /// The sizes within the assumptions at which no instance touches a cell outside its array.
    pub fn sizes_inside(&self) -> Result<Set> {
        let mut sizes = self.context.clone();
        for (_, _, outside) in self.outside()? {
            sizes = sizes.subtract(&outside.params()?)?;
        }
        Ok(sizes)
    }

    /// The accesses to arrays with declared extents: instances with the cells outside that they touch.
    fn outside(&self) -> Result<Vec<(&Statement, &Access, Map)>> {
        let cells = self.arrays.iter().map(|array| self.declared_cells(array));
        let cells: Vec<Option<Set>> = cells.collect::<Result<_>>()?;
        let mut found = Vec::new();
        for statement in &self.statements {
            for access in statement.reads.iter().chain([&statement.write]) {
                if let Some(inside) = &cells[access.array.0] {
                    let touched = access.map.intersect_domain(&statement.domain)?;
                    let outside = touched.range()?.subtract(inside)?;
                    found.push((statement, access, touched.intersect_range(&outside)?));
                }
            }
        }
        Ok(found)
    }

    /// The cells that declared extents allow; nothing for scalars and where no extent is declared.
    fn declared_cells(&self, array: &Array) -> Result<Option<Set>> {
        // No size has such a name: isl allows the prime, C does not.
        let subscripts: Vec<String> = (0..array.extents.len())
            .map(|at| format!("c{at}'"))
            .collect();
        let bounds: Vec<String> = subscripts
            .iter()
            .zip(&array.extents)
            .filter_map(|(c, extent)| Some(format!("0 <= {c} < {}", extent.as_ref()?)))
            .collect();
        if bounds.is_empty() {
            return Ok(None);
        }
        let names: Vec<&str> = self.params.iter().map(|p| p.name.as_str()).collect();
        let text = format!(
            "[{}] -> {{ {}[{}] : {} }}",
            names.join(", "),
            array.name,
            subscripts.join(", "),
            bounds.join(" and ")
        );
        let cells = Set::parse(self.context.context(), &text)?.align_params(&names)?;
        Ok(Some(cells))
    }
}
