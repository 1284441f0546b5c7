//! Loop generation.

use super::*;

/// `enum isl_ast_expr_type`, `enum isl_ast_node_type` and `enum isl_ast_expr_op_type`.
pub(crate) mod ast {
    use std::ffi::c_int;

    pub(crate) const EXPR_OP: c_int = 0;
    pub(crate) const EXPR_ID: c_int = 1;
    pub(crate) const EXPR_INT: c_int = 2;

    pub(crate) const NODE_FOR: c_int = 1;
    pub(crate) const NODE_IF: c_int = 2;
    pub(crate) const NODE_BLOCK: c_int = 3;
    pub(crate) const NODE_USER: c_int = 5;

    pub(crate) const OP_AND: c_int = 0;
    pub(crate) const OP_AND_THEN: c_int = 1;
    pub(crate) const OP_OR: c_int = 2;
    pub(crate) const OP_OR_ELSE: c_int = 3;
    pub(crate) const OP_MAX: c_int = 4;
    pub(crate) const OP_MIN: c_int = 5;
    pub(crate) const OP_MINUS: c_int = 6;
    pub(crate) const OP_ADD: c_int = 7;
    pub(crate) const OP_SUB: c_int = 8;
    pub(crate) const OP_MUL: c_int = 9;
    pub(crate) const OP_DIV: c_int = 10;
    pub(crate) const OP_FDIV_Q: c_int = 11;
    pub(crate) const OP_PDIV_Q: c_int = 12;
    pub(crate) const OP_PDIV_R: c_int = 13;
    pub(crate) const OP_ZDIV_R: c_int = 14;
    pub(crate) const OP_COND: c_int = 15;
    pub(crate) const OP_SELECT: c_int = 16;
    pub(crate) const OP_EQ: c_int = 17;
    pub(crate) const OP_LE: c_int = 18;
    pub(crate) const OP_LT: c_int = 19;
    pub(crate) const OP_GE: c_int = 20;
    pub(crate) const OP_GT: c_int = 21;
    pub(crate) const OP_CALL: c_int = 22;
}

// Loop generation.
functions! {
    fn (build: Keep<'_, isl_ast_build>) -> Give<isl_ast_build> { isl_ast_build_copy }
    fn (build: Take<isl_ast_build>) -> Give<isl_ast_build> { isl_ast_build_free }
    fn (params: Take<isl_set>) -> Give<isl_ast_build> { isl_ast_build_from_context }
    fn (build: Keep<'_, isl_ast_build>, schedule: Take<isl_union_map>) -> Give<isl_ast_node> {
        isl_ast_build_node_from_schedule_map
    }

    fn (node: Keep<'_, isl_ast_node>) -> Give<isl_ast_node> {
        isl_ast_node_copy isl_ast_node_for_get_body isl_ast_node_if_get_then_node
        isl_ast_node_if_get_else_node
    }
    fn (node: Take<isl_ast_node>) -> Give<isl_ast_node> { isl_ast_node_free }
    fn (node: Keep<'_, isl_ast_node>) -> c_int { isl_ast_node_get_type }
    fn (node: Keep<'_, isl_ast_node>) -> Give<isl_ast_expr> {
        isl_ast_node_for_get_iterator isl_ast_node_for_get_init isl_ast_node_for_get_cond
        isl_ast_node_for_get_inc isl_ast_node_if_get_cond isl_ast_node_user_get_expr
    }
    fn (node: Keep<'_, isl_ast_node>) -> Bool { isl_ast_node_for_is_degenerate isl_ast_node_if_has_else_node }
    fn (node: Keep<'_, isl_ast_node>) -> Give<isl_ast_node_list> { isl_ast_node_block_get_children }
    fn (list: Keep<'_, isl_ast_node_list>) -> Give<isl_ast_node_list> { isl_ast_node_list_copy }
    fn (list: Take<isl_ast_node_list>) -> Give<isl_ast_node_list> { isl_ast_node_list_free }
    fn (list: Keep<'_, isl_ast_node_list>) -> Size { isl_ast_node_list_size }
    fn (list: Keep<'_, isl_ast_node_list>, pos: c_int) -> Give<isl_ast_node> { isl_ast_node_list_get_at }

    fn (expr: Keep<'_, isl_ast_expr>) -> Give<isl_ast_expr> { isl_ast_expr_copy }
    fn (expr: Take<isl_ast_expr>) -> Give<isl_ast_expr> { isl_ast_expr_free }
    fn (expr: Keep<'_, isl_ast_expr>) -> c_int { isl_ast_expr_get_type isl_ast_expr_op_get_type }
    fn (expr: Keep<'_, isl_ast_expr>) -> Give<isl_val> { isl_ast_expr_int_get_val }
    fn (expr: Keep<'_, isl_ast_expr>) -> Give<isl_id> { isl_ast_expr_id_get_id }
    fn (expr: Keep<'_, isl_ast_expr>) -> Size { isl_ast_expr_op_get_n_arg }
    fn (expr: Keep<'_, isl_ast_expr>, pos: c_int) -> Give<isl_ast_expr> { isl_ast_expr_op_get_arg }
    fn (id: Keep<'_, isl_id>) -> *const c_char { isl_id_get_name }
}
