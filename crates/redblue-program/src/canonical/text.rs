//! The canonical form as text: one line per operation, operand source and output.

use std::fmt;

use super::{Canonical, Origin, Source};

impl fmt::Display for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "sizes {}", self.context)?;
        for input in &self.inputs {
            writeln!(f, "{} {}", input.name, input.cells)?;
        }
        for operation in &self.operations {
            writeln!(
                f,
                "{} = {} ({})",
                operation.name, operation.value, operation.element
            )?;
            writeln!(f, "  for {}", operation.domain)?;
            if !operation.live_is_exact {
                writeln!(f, "  live at least {}", operation.live)?;
            }
            if let Some(chain) = &operation.reduction {
                write!(
                    f,
                    "  {}-chain through ${} along",
                    chain.operator, chain.operand
                )?;
                for dim in &chain.dims {
                    write!(f, " c{dim}")?;
                }
                let free = chain.independent && chain.private;
                writeln!(f, "{}", if free { ", in any order" } else { "" })?;
            }
            for (position, operand) in operation.operands.iter().enumerate() {
                for source in &operand.sources {
                    self.write_source(f, &format!("${position}"), source)?;
                }
            }
        }
        for output in &self.outputs {
            for source in &output.sources {
                self.write_source(f, &output.name, source)?;
            }
        }
        Ok(())
    }
}

impl Canonical {
    fn write_source(&self, f: &mut fmt::Formatter<'_>, of: &str, source: &Source) -> fmt::Result {
        let origin = match &source.origin {
            Origin::Operation(at) => self.operations[*at].name.clone(),
            Origin::Input(at) => self.inputs[*at].name.clone(),
            Origin::Constant(value) => format!("constant {value}"),
            Origin::Undefined => "undefined".to_string(),
        };
        writeln!(f, "  {of} from {origin}: {}", source.relation)
    }
}
