//! Contexts, identifiers, values, points, matrices and spaces.

use super::*;

functions! {
    fn () -> *mut isl_ctx { isl_ctx_alloc }
    fn (ctx: Take<isl_ctx>) { isl_ctx_free }
    fn (ctx: Keep<'_, isl_ctx>) { isl_ctx_reset_operations isl_ctx_reset_error isl_ctx_abort isl_ctx_resume }
    fn (ctx: Keep<'_, isl_ctx>, operations: c_ulong) { isl_ctx_set_max_operations }
    fn (ctx: Keep<'_, isl_ctx>, value: c_int) -> Stat { isl_options_set_on_error }
    fn (ctx: Keep<'_, isl_ctx>) -> c_int { isl_ctx_last_error }
    fn (ctx: Keep<'_, isl_ctx>) -> *const c_char { isl_ctx_last_error_msg }

    fn (id: Keep<'_, isl_id>) -> Give<isl_id> { isl_id_copy }
    fn (id: Take<isl_id>) -> Give<isl_id> { isl_id_free }

    fn (value: Keep<'_, isl_val>) -> Give<isl_val> { isl_val_copy isl_val_get_den_val }
    fn (value: Take<isl_val>) -> Give<isl_val> { isl_val_free isl_val_neg }
    fn (ctx: Keep<'_, isl_ctx>, value: c_long) -> Give<isl_val> { isl_val_int_from_si }
    fn (value: Keep<'_, isl_val>) -> Bool { isl_val_is_int isl_val_is_rat isl_val_is_neg }
    fn (value: Keep<'_, isl_val>, size: usize) -> Size { isl_val_n_abs_num_chunks }

    fn (point: Keep<'_, isl_point>) -> Give<isl_point> { isl_point_copy }
    fn (point: Take<isl_point>) -> Give<isl_point> { isl_point_free }
    fn (point: Keep<'_, isl_point>) -> Bool { isl_point_is_void }
    fn (point: Keep<'_, isl_point>, dim: Dim, pos: c_int) -> Give<isl_val> { isl_point_get_coordinate_val }

    fn (mat: Keep<'_, isl_mat>) -> Give<isl_mat> { isl_mat_copy }
    fn (mat: Take<isl_mat>) -> Give<isl_mat> { isl_mat_free }
    fn (mat: Keep<'_, isl_mat>) -> Size { isl_mat_rows }
    fn (mat: Keep<'_, isl_mat>, row: c_int, column: c_int) -> Give<isl_val> { isl_mat_get_element_val }
}

unsafe extern "C" {
    pub(crate) fn isl_id_alloc(
        ctx: Keep<'_, isl_ctx>,
        name: Text<'_>,
        user: *mut c_void,
    ) -> Give<isl_id>;
    pub(crate) fn isl_val_int_from_chunks(
        ctx: Keep<'_, isl_ctx>,
        count: usize,
        size: usize,
        chunks: *const c_void,
    ) -> Give<isl_val>;
    pub(crate) fn isl_val_get_abs_num_chunks(
        value: Keep<'_, isl_val>,
        size: usize,
        chunks: *mut c_void,
    ) -> Stat;
}

// Spaces.
functions! {
    fn (space: Keep<'_, isl_space>) -> Give<isl_space> { isl_space_copy }
    fn (space: Take<isl_space>) -> Give<isl_space> {
        isl_space_free isl_space_domain isl_space_range isl_space_set_from_params
    }
    fn (space: Keep<'_, isl_space>) -> *mut c_char { isl_space_to_str }
    fn (ctx: Keep<'_, isl_ctx>, params: c_uint) -> Give<isl_space> { isl_space_params_alloc }
    fn (space: Take<isl_space>, dim: Dim, n: c_uint) -> Give<isl_space> { isl_space_add_dims }
    fn (left: Take<isl_space>, right: Take<isl_space>) -> Give<isl_space> {
        isl_space_map_from_domain_and_range isl_space_align_params
    }
    fn (space: Keep<'_, isl_space>, dim: Dim) -> Size { isl_space_dim }
    fn (space: Keep<'_, isl_space>, dim: Dim) -> *const c_char { isl_space_get_tuple_name }
    fn (space: Keep<'_, isl_space>, dim: Dim, pos: c_uint) -> *const c_char { isl_space_get_dim_name }
    fn (space: Take<isl_space>, dim: Dim, name: Text<'_>) -> Give<isl_space> { isl_space_set_tuple_name }
    fn (space: Take<isl_space>, dim: Dim, pos: c_uint, name: Text<'_>) -> Give<isl_space> { isl_space_set_dim_name }
    fn (space: Take<isl_space>, id: Take<isl_id>) -> Give<isl_space> { isl_space_add_param_id }
    fn (left: Keep<'_, isl_space>, right: Keep<'_, isl_space>) -> Bool { isl_space_is_equal }
    fn (space: Take<isl_space>) -> Give<isl_local_space> { isl_local_space_from_space }
    fn (space: Keep<'_, isl_local_space>) -> Give<isl_local_space> { isl_local_space_copy }
    fn (space: Take<isl_local_space>) -> Give<isl_local_space> { isl_local_space_free }
}
