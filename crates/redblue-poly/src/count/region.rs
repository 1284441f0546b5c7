//! Regions: conjunctions of constraints on dimensions, parameters and floors of parameters.
//!
//! isl decides emptiness and removes redundant constraints; everything else works on plain forms.

use num_bigint::BigInt;

use crate::affine::Linear;
use crate::context::Context;
use crate::error::Result;
use crate::set::{BasicSet, Set};

use super::polynomial::{Form, Var};
use super::variables::{Kind, Variables};

/// `equalities = 0` and `inequalities >= 0`.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The dimensions to sum over.
    pub(crate) dims: Vec<Var>,
    pub(crate) equalities: Vec<Form>,
    pub(crate) inequalities: Vec<Form>,
}

impl Region {
    /// The points of a basic set, one for one: a floor that dimensions determine becomes a dimension,
    /// one that parameters determine becomes a floor variable.
    pub(crate) fn of(
        basic: &BasicSet,
        params: &[Var],
        dims: usize,
        variables: &mut Variables,
    ) -> Result<Region> {
        let mut region = Region {
            dims: Vec::new(),
            equalities: Vec::new(),
            inequalities: Vec::new(),
        };
        region.dims.extend((0..dims).map(|_| variables.fresh_dim()));
        let own: Vec<Form> = region.dims.iter().copied().map(Form::variable).collect();
        let params: Vec<Form> = params.iter().copied().map(Form::variable).collect();
        let mut floors: Vec<Form> = Vec::new();
        let form = |linear: &Linear, floors: &[Form]| -> Form {
            let parts = [
                (&linear.params, &params[..]),
                (&linear.dims, &own),
                (&linear.floors, floors),
            ];
            let start = Form::constant(linear.constant.clone());
            parts
                .iter()
                .flat_map(|(coefficients, forms)| coefficients.iter().zip(*forms))
                .fold(start, |sum, (coefficient, form)| {
                    sum.plus(coefficient, form)
                })
        };
        for floor in basic.floors()? {
            let numerator = form(&floor.numerator, &floors);
            if !numerator.terms.keys().any(|var| variables.is_dim(*var)) {
                floors.push(variables.floor(&numerator, &floor.denominator));
                continue;
            }
            let var = variables.fresh_dim();
            region.dims.push(var);
            region
                .inequalities
                .extend(definition(var, &numerator, &floor.denominator));
            floors.push(Form::variable(var));
        }
        for constraint in basic.constraints()? {
            let form = form(&constraint.linear, &floors);
            if constraint.equality {
                region.equalities.push(form);
            } else {
                region.inequalities.push(form);
            }
        }
        Ok(region)
    }

    pub(crate) fn substitute(&mut self, var: Var, value: &Form) {
        for form in self.equalities.iter_mut().chain(&mut self.inequalities) {
            if form.terms.contains_key(&var) {
                *form = form.substitute(var, value);
            }
        }
    }

    /// The same region without redundant constraints and with implied equalities written out, or `None`
    /// if it is empty.
    pub(crate) fn simplified(
        self,
        variables: &Variables,
        context: &Context,
    ) -> Result<Option<Region>> {
        let dims = self.dims;
        let forms = self.equalities.iter().chain(&self.inequalities);
        let used = forms.flat_map(|form| form.terms.keys().copied());
        let params = variables.with_floors(used.filter(|var| !variables.is_dim(*var)));
        let names = |vars: &[Var]| {
            vars.iter()
                .map(|var| name(*var))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let mut text = format!("[{}] -> {{ [{}] : ", names(&params), names(&dims));
        push_constraints(
            &mut text,
            &self.equalities,
            &self.inequalities,
            &params,
            variables,
        );
        text.push_str(" }");
        let set = Set::parse(context, &text)?
            .detect_equalities()?
            .remove_redundancies()?;
        let [basic] = &set.basic_sets()?[..] else {
            return Ok(None);
        };
        if set.is_empty()? {
            return Ok(None);
        }
        let mut region = Region {
            dims,
            equalities: Vec::new(),
            inequalities: Vec::new(),
        };
        for constraint in basic.constraints()? {
            let linear = constraint.linear;
            let coefficients = params.iter().zip(&linear.params);
            let coefficients = coefficients.chain(region.dims.iter().zip(&linear.dims));
            let form = coefficients.fold(Form::constant(linear.constant), |sum, (var, c)| {
                sum.plus(c, &Form::variable(*var))
            });
            if constraint.equality {
                region.equalities.push(form);
            } else {
                region.inequalities.push(form);
            }
        }
        Ok(Some(region))
    }

    /// The constraints as a set of parameters, once no dimension is left.
    pub(crate) fn params(
        &self,
        variables: &Variables,
        space: &[String],
        context: &Context,
    ) -> Result<Set> {
        let forms = self.equalities.iter().chain(&self.inequalities);
        let used = variables.with_floors(forms.flat_map(|form| form.terms.keys().copied()));
        let renamed = |var: &Var| match variables.kind(*var) {
            Kind::Param(name) => space.iter().position(|param| param == name),
            _ => None,
        };
        let mut text = String::new();
        push_constraints(
            &mut text,
            &self.equalities,
            &self.inequalities,
            &used,
            variables,
        );
        let floors: Vec<Var> = used
            .iter()
            .copied()
            .filter(|var| renamed(var).is_none())
            .collect();
        let exists = floors
            .iter()
            .map(|var| name(*var))
            .collect::<Vec<_>>()
            .join(", ");
        let exists = if exists.is_empty() {
            exists
        } else {
            format!("exists {exists} : ")
        };
        // The variables' own names avoid any clash; the parameters get theirs afterwards.
        let params: Vec<Var> = used
            .into_iter()
            .filter(|var| renamed(var).is_some())
            .collect();
        let listed = params
            .iter()
            .map(|var| name(*var))
            .collect::<Vec<_>>()
            .join(", ");
        let mut set = Set::parse(context, &format!("[{listed}] -> {{ : {exists}{text} }}"))?;
        for var in params {
            if let Kind::Param(param) = variables.kind(var) {
                set = set.rename_param(&name(var), param)?;
            }
        }
        set.align_params(space)
    }
}

/// `divisor·var <= form < divisor·var + divisor`.
fn definition(var: Var, form: &Form, divisor: &BigInt) -> [Form; 2] {
    let rest = form.clone().plus(&-divisor, &Form::variable(var));
    let slack = Form::constant(divisor - 1).minus(&rest);
    [rest, slack]
}

fn name(var: Var) -> String {
    format!("v{var}")
}

fn push_constraints(
    text: &mut String,
    equalities: &[Form],
    inequalities: &[Form],
    vars: &[Var],
    variables: &Variables,
) {
    let definitions = vars.iter().filter_map(|var| match variables.kind(*var) {
        Kind::Floor(form, divisor) => Some(definition(*var, form, divisor)),
        _ => None,
    });
    let definitions: Vec<Form> = definitions.flatten().collect();
    let equalities = equalities.iter().map(|form| (form, "="));
    let inequalities = inequalities
        .iter()
        .chain(&definitions)
        .map(|form| (form, ">="));
    for (at, (form, relation)) in equalities.chain(inequalities).enumerate() {
        if at > 0 {
            text.push_str(" and ");
        }
        text.push_str(&form.constant.to_string());
        for (var, coefficient) in &form.terms {
            text.push_str(&format!(" + {coefficient}{}", name(*var)));
        }
        text.push_str(&format!(" {relation} 0"));
    }
}
