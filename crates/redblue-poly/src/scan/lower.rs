//! From isl's loops to our loop tree.

use crate::context::borrowed_text;
use crate::error::{PolyError, Result};
use crate::handle::Handle;
use crate::sys::{self, ast, isl_ast_expr, isl_ast_node};
use crate::value;

use super::tree::{Call, Comparison, Condition, Expr, Form, Loop, Node};

/// The tree for an isl loop nest, and the number of its iterators; parameters are iterators that have been
/// set before.
pub(super) fn lower(
    node: &Handle<isl_ast_node>,
    statements: &[&str],
    params: &[String],
) -> Result<(Vec<Node>, usize)> {
    let mut lowering = Lowering {
        statements,
        names: params
            .iter()
            .enumerate()
            .map(|(at, name)| (name.clone(), Expr::variable(at)))
            .collect(),
        params: params.len(),
        deepest: params.len(),
    };
    let mut roots = Vec::new();
    lowering.node(node, &mut roots)?;
    Ok((roots, lowering.deepest))
}

struct Lowering<'a> {
    statements: &'a [&'a str],
    /// Parameters and iterators of the surrounding loops, outermost first. A degenerate loop is replaced by its
    /// value.
    names: Vec<(String, Expr)>,
    params: usize,
    deepest: usize,
}

fn unexpected(what: &str) -> PolyError {
    PolyError::Isl {
        message: format!("unexpected {what} in generated loops"),
    }
}

impl Lowering<'_> {
    fn node(&mut self, node: &Handle<isl_ast_node>, out: &mut Vec<Node>) -> Result<()> {
        match sys::isl_ast_node_get_type(node.keep()) {
            ast::NODE_FOR => self.for_node(node, out),
            ast::NODE_IF => {
                let condition = node.get(sys::isl_ast_node_if_get_cond)?;
                let condition = self.condition(&condition)?;
                let (mut then, mut otherwise) = (Vec::new(), Vec::new());
                self.node(&node.get(sys::isl_ast_node_if_get_then_node)?, &mut then)?;
                if node.ask(sys::isl_ast_node_if_has_else_node)? {
                    self.node(
                        &node.get(sys::isl_ast_node_if_get_else_node)?,
                        &mut otherwise,
                    )?;
                }
                out.push(Node::Guard {
                    condition,
                    then,
                    otherwise,
                });
                Ok(())
            }
            ast::NODE_BLOCK => {
                let list = node.get(sys::isl_ast_node_block_get_children)?;
                let count = list
                    .context()
                    .size(sys::isl_ast_node_list_size(list.keep()))?;
                (0..count as i32).try_for_each(|at| {
                    self.node(&list.get(|l| sys::isl_ast_node_list_get_at(l, at))?, out)
                })
            }
            ast::NODE_USER => {
                let call = node.get(sys::isl_ast_node_user_get_expr)?;
                out.push(Node::Call(self.call(&call)?));
                Ok(())
            }
            _ => Err(unexpected("node")),
        }
    }

    fn for_node(&mut self, node: &Handle<isl_ast_node>, out: &mut Vec<Node>) -> Result<()> {
        let name = identifier(&node.get(sys::isl_ast_node_for_get_iterator)?)?;
        let first = self.expr(&node.get(sys::isl_ast_node_for_get_init)?)?;
        let body_node = node.get(sys::isl_ast_node_for_get_body)?;
        if node.ask(sys::isl_ast_node_for_is_degenerate)? {
            self.names.push((name, first));
            self.node(&body_node, out)?;
            self.names.pop();
            return Ok(());
        }
        let iterator = self.params + component(&name)?;
        self.names.push((name, Expr::variable(iterator)));
        self.deepest = self.deepest.max(iterator + 1);
        let last = self.last(&node.get(sys::isl_ast_node_for_get_cond)?, iterator)?;
        let step = match self.expr(&node.get(sys::isl_ast_node_for_get_inc)?)? {
            Expr::Linear(Form { constant, terms }) if terms.is_empty() && constant > 0 => constant,
            _ => return Err(unexpected("stride")),
        };
        let mut body = Vec::new();
        self.node(&body_node, &mut body)?;
        self.names.pop();
        let straight = straight_calls(&body, iterator);
        out.push(Node::Loop(Loop {
            iterator,
            first,
            last,
            step,
            body,
            straight,
        }));
        Ok(())
    }

    /// The last value from a loop's condition `iterator <= e`, or a conjunction of such.
    fn last(&self, condition: &Handle<isl_ast_expr>, iterator: usize) -> Result<Expr> {
        let [left, right] = match op(condition)? {
            ast::OP_AND | ast::OP_AND_THEN => {
                let parts = arguments(condition)?;
                let parts = parts.iter().map(|part| self.last(part, iterator));
                return Ok(Expr::Min(parts.collect::<Result<_>>()?));
            }
            ast::OP_LE | ast::OP_LT => self.two(condition)?,
            _ => return Err(unexpected("loop condition")),
        };
        if left != Expr::variable(iterator) {
            return Err(unexpected("loop condition"));
        }
        let strict = op(condition)? == ast::OP_LT;
        if strict {
            right.plus(Expr::constant(-1))
        } else {
            Ok(right)
        }
    }

    fn call(&self, expr: &Handle<isl_ast_expr>) -> Result<Call> {
        if op(expr)? != ast::OP_CALL {
            return Err(unexpected("statement"));
        }
        let arguments = arguments(expr)?;
        let (function, point) = arguments.split_first().ok_or_else(|| unexpected("call"))?;
        let name = identifier(function)?;
        let statement = self
            .statements
            .iter()
            .position(|statement| *statement == name);
        let statement = statement.ok_or(PolyError::UnknownName { name })?;
        let point = point.iter().map(|e| self.expr(e)).collect::<Result<_>>()?;
        Ok(Call { statement, point })
    }

    fn two(&self, expr: &Handle<isl_ast_expr>) -> Result<[Expr; 2]> {
        match &arguments(expr)?[..] {
            [left, right] => Ok([self.expr(left)?, self.expr(right)?]),
            _ => Err(unexpected("operands")),
        }
    }

    fn list(&self, expr: &Handle<isl_ast_expr>) -> Result<Vec<Expr>> {
        arguments(expr)?.iter().map(|e| self.expr(e)).collect()
    }

    fn expr(&self, expr: &Handle<isl_ast_expr>) -> Result<Expr> {
        match sys::isl_ast_expr_get_type(expr.keep()) {
            ast::EXPR_INT => {
                let value = value::integer(&expr.get(sys::isl_ast_expr_int_get_val)?)?;
                Ok(Expr::constant(value::small(&value)?))
            }
            ast::EXPR_ID => {
                let name = identifier(expr)?;
                let at = self.names.iter().rposition(|(known, _)| *known == name);
                let at = at.ok_or(PolyError::UnknownName { name })?;
                Ok(self.names[at].1.clone())
            }
            ast::EXPR_OP => self.operation(expr),
            _ => Err(unexpected("expression")),
        }
    }

    fn operation(&self, expr: &Handle<isl_ast_expr>) -> Result<Expr> {
        let operation = op(expr)?;
        match operation {
            ast::OP_MAX => Ok(Expr::Max(self.list(expr)?)),
            ast::OP_MIN => Ok(Expr::Min(self.list(expr)?)),
            ast::OP_MINUS => match self.list(expr)?.pop() {
                Some(e) => e.times(-1),
                None => Err(unexpected("operands")),
            },
            ast::OP_COND | ast::OP_SELECT => match &arguments(expr)?[..] {
                [condition, yes, no] => Ok(Expr::Select(
                    Box::new(self.condition(condition)?),
                    Box::new(self.expr(yes)?),
                    Box::new(self.expr(no)?),
                )),
                _ => Err(unexpected("operands")),
            },
            _ => {
                let [left, right] = self.two(expr)?;
                match operation {
                    ast::OP_ADD => left.plus(right),
                    ast::OP_SUB => left.plus(right.times(-1)?),
                    ast::OP_MUL => match (left.as_constant(), right.as_constant()) {
                        (Some(factor), _) => right.times(factor),
                        (_, Some(factor)) => left.times(factor),
                        _ => Err(unexpected("product")),
                    },
                    ast::OP_DIV | ast::OP_FDIV_Q | ast::OP_PDIV_Q => {
                        Ok(Expr::FloorDiv(Box::new(left), divisor(&right)?))
                    }
                    ast::OP_PDIV_R | ast::OP_ZDIV_R => {
                        Ok(Expr::Modulo(Box::new(left), divisor(&right)?))
                    }
                    _ => Err(unexpected("operator")),
                }
            }
        }
    }

    fn condition(&self, expr: &Handle<isl_ast_expr>) -> Result<Condition> {
        if sys::isl_ast_expr_get_type(expr.keep()) == ast::EXPR_INT {
            // isl writes "always" as 1, and "never" as 0.
            let always = self.expr(expr)? != Expr::constant(0);
            return Ok(if always {
                Condition::All(Vec::new())
            } else {
                Condition::Any(Vec::new())
            });
        }
        let operation = op(expr)?;
        if matches!(
            operation,
            ast::OP_AND | ast::OP_AND_THEN | ast::OP_OR | ast::OP_OR_ELSE
        ) {
            let parts = arguments(expr)?;
            let parts = parts
                .iter()
                .map(|e| self.condition(e))
                .collect::<Result<_>>()?;
            let all = matches!(operation, ast::OP_AND | ast::OP_AND_THEN);
            return Ok(if all {
                Condition::All(parts)
            } else {
                Condition::Any(parts)
            });
        }
        let [left, right] = self.two(expr)?;
        let difference = |a: Expr, b: Expr| a.plus(b.times(-1)?);
        let less = |a: Expr, b: Expr| difference(b, a)?.plus(Expr::constant(-1));
        let (comparison, e) = match operation {
            ast::OP_EQ => (Comparison::Equal, difference(left, right)?),
            ast::OP_LE => (Comparison::NonNegative, difference(right, left)?),
            ast::OP_GE => (Comparison::NonNegative, difference(left, right)?),
            ast::OP_LT => (Comparison::NonNegative, less(left, right)?),
            ast::OP_GT => (Comparison::NonNegative, less(right, left)?),
            _ => return Err(unexpected("condition")),
        };
        Ok(Condition::Zero(comparison, e))
    }
}

/// The calls of a body without loops and guards, if all coordinates are straight in the iterator.
fn straight_calls(body: &[Node], iterator: usize) -> Option<Vec<Call>> {
    body.iter()
        .map(|node| match node {
            Node::Call(call) if call.point.iter().all(|e| e.is_straight(iterator)) => {
                Some(call.clone())
            }
            _ => None,
        })
        .collect()
}

fn op(expr: &Handle<isl_ast_expr>) -> Result<std::ffi::c_int> {
    match sys::isl_ast_expr_get_type(expr.keep()) {
        ast::EXPR_OP => Ok(sys::isl_ast_expr_op_get_type(expr.keep())),
        _ => Err(unexpected("expression")),
    }
}

fn arguments(expr: &Handle<isl_ast_expr>) -> Result<Vec<Handle<isl_ast_expr>>> {
    let count = expr
        .context()
        .size(sys::isl_ast_expr_op_get_n_arg(expr.keep()))?;
    (0..count as i32)
        .map(|at| expr.get(|e| sys::isl_ast_expr_op_get_arg(e, at)))
        .collect()
}

/// The component of the time that a loop runs over: isl's iterators are called c0, c1, … accordingly.
fn component(name: &str) -> Result<usize> {
    let digits = name
        .strip_prefix('c')
        .and_then(|digits| digits.parse().ok());
    digits.ok_or_else(|| unexpected("iterator"))
}

fn identifier(expr: &Handle<isl_ast_expr>) -> Result<String> {
    if sys::isl_ast_expr_get_type(expr.keep()) != ast::EXPR_ID {
        return Err(unexpected("name"));
    }
    let id = expr.get(sys::isl_ast_expr_id_get_id)?;
    borrowed_text(sys::isl_id_get_name(id.keep())).ok_or_else(|| unexpected("name"))
}

fn divisor(expr: &Expr) -> Result<i64> {
    expr.as_constant()
        .filter(|d| *d > 0)
        .ok_or_else(|| unexpected("divisor"))
}
