//! The last step: drafts become isl sets and maps.

use std::collections::BTreeSet;

use redblue_poly::{Map, PolyError, Set};

use super::draft::{AccessDraft, StatementDraft, Time};
use super::{Lowering, Outcome};
use crate::affine::{self, Formula, Linear, Value, is_isl_word, tuple_text};
use crate::c::obstacle::{Obstacle, Place};
use crate::diagnostic::{self, Diagnostic};
use crate::expression::Expression;
use crate::program::{Access, Array, ArrayId, Param, Program, Role, Statement};

impl Lowering<'_> {
    /// Turns everything that was collected into a program.
    pub(super) fn emit(mut self) -> Outcome {
        self.split_flat_indices();
        self.drop_nonaffine();
        let params = self.params();
        self.check_sizes(&params);
        // A size that isl reads as an operator was reported; no set can be written with it.
        let is_readable = params.iter().all(|param| !is_isl_word(&param.name));
        let program = if is_readable {
            self.program(&params)
        } else {
            None
        };
        Outcome {
            program,
            diagnostics: self.diagnostics,
            needs: self.needs,
        }
    }

    /// Leaves out statements with a subscript that is still not affine, and says why.
    fn drop_nonaffine(&mut self) {
        let statements = std::mem::take(&mut self.statements);
        for statement in statements {
            let bad = statement
                .accesses()
                .find(|access| !access.is_affine())
                .cloned();
            match bad {
                None => self.statements.push(statement),
                Some(access) => self.report_nonaffine(&access),
            }
        }
    }

    fn report_nonaffine(&mut self, access: &AccessDraft) {
        // A flat index that could not be split was reported before.
        if self.diagnostics.iter().any(|d| d.span == Some(access.span)) {
            return;
        }
        for value in &access.subscripts {
            let problem = match value.cases() {
                Err(error) => Some(error),
                Ok(cases) => cases
                    .iter()
                    .find_map(|(_, polynomial)| polynomial.to_linear().err()),
            };
            if let Some(error) = problem {
                return self.refuse(&Obstacle::from_affine(error, access.span), Place::Subscript);
            }
        }
    }

    /// The sizes the program depends on, in order of first appearance.
    fn params(&self) -> Vec<Param> {
        let mut used = BTreeSet::new();
        for statement in &self.statements {
            statement.domain.collect_parameters(&mut used);
            for access in statement.accesses() {
                access
                    .subscripts
                    .iter()
                    .for_each(|value| collect(value, &mut used));
                for extent in self.arrays[access.array].extents.iter().flatten() {
                    collect(extent, &mut used);
                }
            }
            statement.value.visit(&mut |node| {
                if let Expression::Parameter(name) = node {
                    used.insert(name.clone());
                }
            });
        }
        let seen = self.seen.borrow();
        seen.iter()
            .filter(|(name, _)| used.contains(name))
            .map(|(name, _)| Param {
                name: name.clone(),
                default: self
                    .source
                    .sizes
                    .get(name)
                    .copied()
                    .or_else(|| super::scope::global_number(self.source.unit, name)),
            })
            .collect()
    }

    fn program(&mut self, params: &[Param]) -> Option<Program> {
        let names: Vec<String> = params.iter().map(|param| param.name.clone()).collect();
        let prefix = format!("{} -> ", tuple_text("", &names));
        let context = match self.sizes_considered(&prefix, &names) {
            Ok(context) => context,
            Err(error) => {
                self.isl_problem(&error, None);
                return None;
            }
        };
        let mut emitted = Vec::new();
        for mut draft in std::mem::take(&mut self.statements) {
            // isl would read a dimension with the name of a size as equal to it.
            for iterator in &mut draft.iterators {
                while names.contains(iterator) {
                    iterator.push('_');
                }
            }
            // A statement that never runs is no statement.
            match self.domain(&draft, &prefix) {
                Ok(domain) if domain.is_empty().unwrap_or(false) => {}
                Ok(domain) => emitted.push((draft, domain)),
                Err(error) => self.isl_problem(&error, Some(&draft)),
            }
        }
        let kept = self.kept_arrays(&emitted);
        let arrays = self.emit_arrays(&kept, &emitted);
        let statement_names = self.statement_names(&emitted, &arrays);
        let length = emitted
            .iter()
            .map(|(draft, _)| draft.time.len())
            .max()
            .unwrap_or(0);
        let mut statements = Vec::new();
        for ((draft, domain), name) in emitted.into_iter().zip(statement_names) {
            match self.statement_of(&draft, &domain, &name, &prefix, length, &kept) {
                Ok(statement) => statements.push(statement),
                Err(error) => self.isl_problem(&error, Some(&draft)),
            }
        }
        let assumed = self.source.assumptions.iter();
        Some(Program {
            name: self.source.function.name.clone(),
            params: params.to_vec(),
            context,
            assumptions: assumed.map(|(_, text, _)| text.clone()).collect(),
            arrays,
            statements,
            omitted: Vec::new(),
        })
    }

    /// The assumptions as a set of sizes.
    fn sizes_considered(&mut self, prefix: &str, names: &[String]) -> Result<Set, PolyError> {
        let is_known = |formula: &&Formula| {
            let mut named = BTreeSet::new();
            formula.collect_parameters(&mut named);
            named.iter().all(|name| names.contains(name))
        };
        let assumed = self.source.assumptions.iter().map(|(formula, ..)| formula);
        let all = Formula::all(assumed.filter(is_known).cloned().collect());
        let set = Set::parse(self.context, &format!("{prefix}{{ : {} }}", all.text(&[])))?;
        let set = set.coalesce()?;
        if set.is_empty()? {
            let code = &diagnostic::codes::EMPTY_ASSUMPTIONS;
            let mut problem = Diagnostic::error(code, "no sizes satisfy all assumptions")
                .hint("drop one of them");
            problem.span = self.source.assumptions.last().map(|(.., span)| *span);
            self.problem(problem);
        }
        Ok(set)
    }

    fn isl_problem(&mut self, error: &PolyError, draft: Option<&StatementDraft>) {
        let code = &affine::codes::TOO_COMPLICATED;
        let mut problem = Diagnostic::error(code, "integer set computation failed")
            .note(error.to_string())
            .hint("use simpler bounds and subscripts");
        problem.span = draft.map(|draft| draft.span);
        self.problem(problem);
    }

    fn domain(&self, draft: &StatementDraft, prefix: &str) -> Result<Set, PolyError> {
        let tuple = tuple_text("", &draft.iterators);
        let condition = draft.domain.text(&draft.iterators);
        let text = format!("{prefix}{{ {tuple} : {condition} }}");
        Set::parse(self.context, &text)?.coalesce()
    }

    /// Arrays that some statement touches, as indices of drafts.
    fn kept_arrays(&self, emitted: &[(StatementDraft, Set)]) -> Vec<usize> {
        let touched: BTreeSet<usize> = emitted
            .iter()
            .flat_map(|(draft, _)| draft.accesses().map(|access| access.array))
            .collect();
        touched.into_iter().collect()
    }

    fn emit_arrays(&mut self, kept: &[usize], emitted: &[(StatementDraft, Set)]) -> Vec<Array> {
        let written: BTreeSet<usize> = emitted.iter().map(|(draft, _)| draft.write.array).collect();
        let outputs = self.source.options.outputs.as_ref();
        let mut arrays = Vec::new();
        for &at in kept {
            let draft = &self.arrays[at];
            let by_rule = match draft.role {
                Role::Global => true,
                Role::Parameter => !draft.by_value,
                Role::Local => draft.returned,
            };
            let output = match outputs {
                Some(names) => names.contains(&draft.name),
                None => by_rule && written.contains(&at),
            };
            arrays.push(Array {
                name: draft.name.clone(),
                extents: draft.extents.iter().map(extent_text).collect(),
                element: draft.element,
                // What a local holds before the region is an input like any other.
                role: if draft.captured && draft.role == Role::Local {
                    Role::Parameter
                } else {
                    draft.role
                },
                output,
            });
        }
        self.check_outputs(&written);
        arrays
    }

    /// `S0`, `S1`, … or labels of the source, different from all array names.
    fn statement_names(&self, emitted: &[(StatementDraft, Set)], arrays: &[Array]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let taken = |name: &str, names: &[String]| {
            arrays.iter().any(|array| array.name == name) || names.iter().any(|n| n == name)
        };
        for (at, (draft, _)) in emitted.iter().enumerate() {
            let label = draft
                .label
                .iter()
                .filter(|label| !is_isl_word(label))
                .cloned();
            let numbered = ["S", "T", "S_", "T_"]
                .iter()
                .map(|prefix| format!("{prefix}{at}"));
            let mut candidates = label.chain(numbered);
            let name = candidates.find(|name| !taken(name, &names));
            names.push(name.unwrap_or_else(|| format!("S__{at}")));
        }
        names
    }

    fn statement_of(
        &self,
        draft: &StatementDraft,
        domain: &Set,
        name: &str,
        prefix: &str,
        length: usize,
        kept: &[usize],
    ) -> Result<Statement, PolyError> {
        let point = tuple_text(name, &draft.iterators);
        let access = |access: &AccessDraft| self.access_of(access, draft, &point, prefix, kept);
        let reads = draft.reads.iter().map(access).collect::<Result<_, _>>()?;
        let time = time_text(&draft.time, &draft.iterators, length);
        let schedule = format!("{prefix}{{ {point} -> {} }}", tuple_text("", &time));
        Ok(Statement {
            name: name.to_string(),
            iterators: draft.iterators.clone(),
            domain: domain.set_tuple_name(name)?,
            schedule: Map::parse(self.context, &schedule)?,
            write: access(&draft.write)?,
            reads,
            value: draft.value.clone(),
            span: Some(draft.span),
            text: self
                .source
                .sources
                .one_line(draft.span)
                .trim_end_matches(';')
                .to_string(),
        })
    }

    fn access_of(
        &self,
        access: &AccessDraft,
        draft: &StatementDraft,
        point: &str,
        prefix: &str,
        kept: &[usize],
    ) -> Result<Access, PolyError> {
        let name = &self.arrays[access.array].name;
        let cases = combinations(&access.subscripts);
        let n_cases = cases.len();
        let parts: Vec<String> = cases
            .into_iter()
            .map(|(when, subscripts)| {
                let texts: Vec<String> = subscripts
                    .iter()
                    .map(|s| s.text(&draft.iterators))
                    .collect();
                let cell = tuple_text(name, &texts);
                format!("{point} -> {cell} : {}", when.text(&draft.iterators))
            })
            .collect();
        let mut map = Map::parse(self.context, &format!("{prefix}{{ {} }}", parts.join("; ")))?;
        if n_cases > 1 {
            map = map.coalesce()?;
        }
        Ok(Access {
            array: ArrayId(kept.iter().position(|at| *at == access.array).unwrap_or(0)),
            map,
            span: Some(access.span),
        })
    }
}

/// Every combination of the cases of several values that are affine.
fn combinations(values: &[Value]) -> Vec<(Formula, Vec<Linear>)> {
    let mut all = vec![(Formula::True, Vec::new())];
    for value in values {
        let cases = value.cases().unwrap_or_default();
        let mut extended = Vec::new();
        for (guard, chosen) in &all {
            for (when, polynomial) in &cases {
                let both = Formula::all(vec![guard.clone(), when.clone()]);
                if let (Ok(linear), true) = (polynomial.to_linear(), both != Formula::False) {
                    extended.push((both, [chosen.clone(), vec![linear]].concat()));
                }
            }
        }
        all = extended;
    }
    all
}

fn collect(value: &Value, into: &mut BTreeSet<String>) {
    for (when, polynomial) in value.cases().unwrap_or_default() {
        when.collect_parameters(into);
        if let Ok(linear) = polynomial.to_linear() {
            linear.collect_parameters(into);
        }
    }
}

/// An extent in isl's notation; only those without cases have one.
fn extent_text(extent: &Option<Value>) -> Option<String> {
    let linear = extent.as_ref()?.as_leaf()?.to_linear().ok()?;
    Some(linear.text(&[]))
}

fn time_text(time: &[Time], iterators: &[String], length: usize) -> Vec<String> {
    let component = |at: usize| match time.get(at) {
        None => "0".to_string(),
        Some(Time::Position(position)) => position.to_string(),
        Some(Time::Loop { depth, backwards }) => {
            let name = iterators.get(*depth).map_or("0", String::as_str);
            format!("{}{name}", if *backwards { "-" } else { "" })
        }
    };
    (0..length).map(component).collect()
}
