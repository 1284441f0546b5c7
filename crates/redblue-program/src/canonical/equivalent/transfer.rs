//! Bringing one computation into the parameters and the isl context of another.

use redblue_poly::{Context, Map, Set};

use super::ParamMatch;
use crate::canonical::{Canonical, Origin, Source};
use crate::error::Result;
use crate::expression::Expression;

/// The ways to name the parameters of `b` by those of `a`: for each parameter of `b`, in order, its name.
pub(super) fn namings(a: &Canonical, b: &Canonical, params: ParamMatch) -> Vec<Vec<String>> {
    match params {
        ParamMatch::ByPosition => vec![a.params.clone()],
        ParamMatch::ByName if b.params.iter().all(|name| a.params.contains(name)) => {
            vec![b.params.clone()]
        }
        ParamMatch::ByName => Vec::new(),
        ParamMatch::Any => permutations(&a.params),
    }
}

fn permutations(names: &[String]) -> Vec<Vec<String>> {
    let mut orders = vec![Vec::new()];
    for _ in names {
        let mut longer = Vec::new();
        for order in orders {
            for name in names.iter().filter(|name| !order.contains(*name)) {
                longer.push([order.as_slice(), std::slice::from_ref(name)].concat());
            }
        }
        orders = longer;
    }
    orders
}

/// `b` with its parameters named `names`, in the context and parameter order of `a`.
pub(super) fn into_context_of(a: &Canonical, b: &Canonical, names: &[String]) -> Result<Canonical> {
    let transfer = Transfer {
        context: a.context.context(),
        order: &a.params,
        b,
        names,
    };
    let mut moved = b.clone();
    moved.params = a.params.clone();
    moved.context = transfer.set(&b.context)?;
    for operation in &mut moved.operations {
        operation.domain = transfer.set(&operation.domain)?;
        operation.live = transfer.set(&operation.live)?;
        operation.instances = transfer.map(&operation.instances)?;
        operation.value = transfer.value(&operation.value);
        for operand in &mut operation.operands {
            transfer.sources(&mut operand.sources)?;
        }
    }
    for input in &mut moved.inputs {
        input.cells = transfer.set(&input.cells)?;
    }
    for output in &mut moved.outputs {
        transfer.sources(&mut output.sources)?;
    }
    Ok(moved)
}

struct Transfer<'a> {
    context: &'a Context,
    order: &'a [String],
    b: &'a Canonical,
    names: &'a [String],
}

impl Transfer<'_> {
    /// Objects of different isl contexts cannot meet, so they travel as text, which isl prints exactly.
    fn set(&self, set: &Set) -> Result<Set> {
        let mut set = set.align_params(&self.b.params)?;
        for (from, to) in self.renames() {
            set = set.rename_param(&from, &to)?;
        }
        Ok(Set::parse(self.context, &set.to_string())?.align_params(self.order)?)
    }

    fn map(&self, map: &Map) -> Result<Map> {
        let mut map = map.align_params(&self.b.params)?;
        for (from, to) in self.renames() {
            map = map.rename_param(&from, &to)?;
        }
        Ok(Map::parse(self.context, &map.to_string())?.align_params(self.order)?)
    }

    fn sources(&self, sources: &mut [Source]) -> Result<()> {
        for source in sources {
            source.relation = self.map(&source.relation)?;
            if let Origin::Constant(value) = &mut source.origin {
                *value = self.value(value);
            }
        }
        Ok(())
    }

    fn value(&self, value: &Expression) -> Expression {
        value.map_leaves(&mut |leaf| match leaf {
            Expression::Parameter(name) => {
                let at = self.b.params.iter().position(|param| param == name);
                let new = at.and_then(|at| self.names.get(at)).unwrap_or(name);
                Expression::Parameter(new.clone())
            }
            other => other.clone(),
        })
    }

    /// Two rounds, through names nobody else has, so that parameters can change places.
    fn renames(&self) -> Vec<(String, String)> {
        let passing = |at: usize| format!("param{at}'");
        let away = self
            .b
            .params
            .iter()
            .enumerate()
            .map(|(at, name)| (name.clone(), passing(at)));
        let back = self
            .names
            .iter()
            .enumerate()
            .map(|(at, name)| (passing(at), name.clone()));
        away.chain(back).collect()
    }
}
