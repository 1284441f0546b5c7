//! Whether a program stays inside its arrays at given sizes.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_poly::Set;

use super::{ArrayId, Program};
use crate::error::{ProgramError, Result};

impl Program {
    /// Refuses values of the parameters at which an instance touches a cell outside its array, as far as extents are
    /// declared. Nothing is enumerated, so sizes may be large.
    pub fn check_cells(&self, values: &[i64]) -> Result<()> {
        let mut arrays = Vec::new();
        for id in (0..self.arrays.len()).map(ArrayId) {
            arrays.push(self.declared_cells(id, values)?);
        }
        for statement in &self.statements {
            let domain = self.set_at(&statement.domain, values)?;
            for access in statement.reads.iter().chain([&statement.write]) {
                let Some(inside) = &arrays[access.array.0] else {
                    continue;
                };
                let cells = self
                    .map_at(&access.map, values)?
                    .intersect_domain(&domain)?;
                let outside = cells.range()?.subtract(inside)?;
                let outside = cells.intersect_range(&outside)?.wrap()?;
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
        }
        Ok(())
    }

    /// The cells that declared extents allow; nothing for scalars and where no extent is declared.
    fn declared_cells(&self, id: ArrayId, values: &[i64]) -> Result<Option<Set>> {
        let array = self.array(id);
        let subscripts: Vec<String> = (0..array.extents.len()).map(|n| format!("c{n}")).collect();
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
        Ok(Some(self.set_at(&cells, values)?))
    }
}
