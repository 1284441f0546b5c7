//! Sets and maps.

use super::*;

functions! {
    fn (set: Keep<'_, isl_basic_set>) -> Give<isl_basic_set> { isl_basic_set_copy }
    fn (set: Take<isl_basic_set>) -> Give<isl_basic_set> { isl_basic_set_free }
    fn (set: Keep<'_, isl_basic_set>) -> *mut c_char { isl_basic_set_to_str }
    fn (set: Keep<'_, isl_basic_set>, dim: Dim) -> Size { isl_basic_set_dim }
    fn (set: Keep<'_, isl_basic_set>, pos: c_int) -> Give<isl_aff> { isl_basic_set_get_div }
    fn (set: Keep<'_, isl_basic_set>, c1: Dim, c2: Dim, c3: Dim, c4: Dim) -> Give<isl_mat> {
        isl_basic_set_equalities_matrix isl_basic_set_inequalities_matrix
    }
    fn (set: Take<isl_basic_set>) -> Give<isl_set> { isl_set_from_basic_set }
    fn (set: Take<isl_set>) -> Give<isl_basic_set> { isl_set_unshifted_simple_hull }
    fn (list: Keep<'_, isl_basic_set_list>) -> Give<isl_basic_set_list> { isl_basic_set_list_copy }
    fn (list: Take<isl_basic_set_list>) -> Give<isl_basic_set_list> { isl_basic_set_list_free }
    fn (list: Keep<'_, isl_basic_set_list>) -> Size { isl_basic_set_list_size }
    fn (list: Keep<'_, isl_basic_set_list>, pos: c_int) -> Give<isl_basic_set> { isl_basic_set_list_get_at }

    fn (set: Keep<'_, isl_set>) -> Give<isl_set> { isl_set_copy }
    fn (set: Take<isl_set>) -> Give<isl_set> {
        isl_set_free isl_set_coalesce isl_set_lexmin isl_set_lexmax isl_set_params isl_set_from_params
        isl_set_complement isl_set_make_disjoint isl_set_compute_divs isl_set_detect_equalities
        isl_set_remove_redundancies isl_set_reset_tuple_id isl_set_flatten isl_set_drop_unused_params isl_set_remove_divs
    }
    fn (set: Keep<'_, isl_set>) -> *mut c_char { isl_set_to_str }
    fn (ctx: Keep<'_, isl_ctx>, text: Text<'_>) -> Give<isl_set> { isl_set_read_from_str }
    fn (space: Take<isl_space>) -> Give<isl_set> { isl_set_universe isl_set_empty }
    fn (set: Keep<'_, isl_set>) -> Give<isl_space> { isl_set_get_space }
    fn (left: Take<isl_set>, right: Take<isl_set>) -> Give<isl_set> {
        isl_set_union isl_set_intersect isl_set_subtract isl_set_intersect_params isl_set_gist
        isl_set_gist_params isl_set_flat_product isl_set_product
    }
    fn (set: Take<isl_set>, map: Take<isl_map>) -> Give<isl_set> { isl_set_apply }
    fn (set: Take<isl_set>) -> Give<isl_map> { isl_set_identity isl_set_unwrap }
    fn (left: Keep<'_, isl_set>, right: Keep<'_, isl_set>) -> Bool {
        isl_set_is_equal isl_set_is_subset isl_set_is_disjoint
    }
    fn (set: Keep<'_, isl_set>) -> Bool {
        isl_set_is_empty isl_set_is_bounded isl_set_is_params isl_set_is_wrapping
    }
    fn (set: Keep<'_, isl_set>, dim: Dim) -> Size { isl_set_dim }
    fn (set: Keep<'_, isl_set>) -> Size { isl_set_n_basic_set }
    fn (set: Keep<'_, isl_set>, dim: Dim, first: c_uint, n: c_uint) -> Bool { isl_set_involves_dims }
    fn (set: Take<isl_set>, dim: Dim, first: c_uint, n: c_uint) -> Give<isl_set> {
        isl_set_project_out isl_set_eliminate isl_set_insert_dims
    }
    fn (set: Take<isl_set>, dst: Dim, at: c_uint, src: Dim, first: c_uint, n: c_uint) -> Give<isl_set> {
        isl_set_move_dims
    }
    fn (set: Take<isl_set>, dim: Dim, pos: c_uint, value: Take<isl_val>) -> Give<isl_set> {
        isl_set_fix_val
    }
    fn (set: Take<isl_set>, model: Take<isl_space>) -> Give<isl_set> { isl_set_align_params }
    fn (set: Take<isl_set>, name: Text<'_>) -> Give<isl_set> { isl_set_set_tuple_name }
    fn (set: Take<isl_set>, dim: Dim, pos: c_uint, name: Text<'_>) -> Give<isl_set> { isl_set_set_dim_name }
    fn (set: Take<isl_set>) -> Give<isl_point> { isl_set_sample_point }
    fn (set: Keep<'_, isl_set>) -> Give<isl_basic_set_list> { isl_set_get_basic_set_list }
    fn (list: Keep<'_, isl_set_list>) -> Give<isl_set_list> { isl_set_list_copy }
    fn (list: Take<isl_set_list>) -> Give<isl_set_list> { isl_set_list_free }
    fn (list: Keep<'_, isl_set_list>) -> Size { isl_set_list_size }
    fn (list: Keep<'_, isl_set_list>, pos: c_int) -> Give<isl_set> { isl_set_list_get_at }
}

// Maps.
functions! {
    fn (map: Keep<'_, isl_map>) -> Give<isl_map> { isl_map_copy }
    fn (map: Take<isl_map>) -> Give<isl_map> {
        isl_map_free isl_map_reverse isl_map_coalesce isl_map_lexmin isl_map_lexmax isl_map_domain_map
        isl_map_range_map isl_map_flatten_domain isl_map_flatten_range isl_map_compute_divs
        isl_map_detect_equalities isl_map_remove_redundancies isl_map_drop_unused_params
        isl_map_domain_factor_domain isl_map_domain_factor_range isl_map_range_factor_domain
        isl_map_range_factor_range isl_map_curry isl_map_uncurry
    }
    fn (map: Keep<'_, isl_map>) -> *mut c_char { isl_map_to_str }
    fn (ctx: Keep<'_, isl_ctx>, text: Text<'_>) -> Give<isl_map> { isl_map_read_from_str }
    fn (space: Take<isl_space>) -> Give<isl_map> {
        isl_map_universe isl_map_empty isl_map_lex_lt isl_map_lex_le isl_map_lex_gt isl_map_lex_ge
    }
    fn (map: Keep<'_, isl_map>) -> Give<isl_space> { isl_map_get_space }
    fn (left: Take<isl_map>, right: Take<isl_map>) -> Give<isl_map> {
        isl_map_union isl_map_intersect isl_map_subtract isl_map_apply_range isl_map_apply_domain
        isl_map_gist isl_map_range_product isl_map_flat_range_product isl_map_domain_product
        isl_map_product
    }
    fn (map: Take<isl_map>, set: Take<isl_set>) -> Give<isl_map> {
        isl_map_intersect_domain isl_map_intersect_range isl_map_intersect_params isl_map_gist_domain
        isl_map_gist_range isl_map_gist_params isl_map_subtract_domain isl_map_subtract_range
    }
    fn (map: Take<isl_map>) -> Give<isl_set> {
        isl_map_domain isl_map_range isl_map_params isl_map_deltas isl_map_wrap
    }
    fn (domain: Take<isl_set>, range: Take<isl_set>) -> Give<isl_map> { isl_map_from_domain_and_range }
    fn (left: Keep<'_, isl_map>, right: Keep<'_, isl_map>) -> Bool {
        isl_map_is_equal isl_map_is_subset isl_map_is_disjoint
    }
    fn (map: Keep<'_, isl_map>) -> Bool {
        isl_map_is_empty isl_map_is_single_valued isl_map_is_injective isl_map_is_bijective
    }
    fn (map: Keep<'_, isl_map>, dim: Dim) -> Size { isl_map_dim }
    fn (map: Keep<'_, isl_map>) -> Size { isl_map_n_basic_map }
    fn (map: Take<isl_map>, dim: Dim, first: c_uint, n: c_uint) -> Give<isl_map> {
        isl_map_project_out isl_map_insert_dims
    }
    fn (map: Take<isl_map>, dim: Dim, pos: c_uint, value: Take<isl_val>) -> Give<isl_map> {
        isl_map_fix_val
    }
    fn (map: Take<isl_map>, d1: Dim, p1: c_int, d2: Dim, p2: c_int) -> Give<isl_map> { isl_map_equate }
    fn (map: Take<isl_map>, model: Take<isl_space>) -> Give<isl_map> { isl_map_align_params }
    fn (map: Take<isl_map>, dim: Dim, name: Text<'_>) -> Give<isl_map> { isl_map_set_tuple_name }
    fn (map: Take<isl_map>, dim: Dim) -> Give<isl_map> { isl_map_reset_tuple_id }
    fn (map: Take<isl_map>, dim: Dim, pos: c_uint, name: Text<'_>) -> Give<isl_map> { isl_map_set_dim_name }
    fn (list: Keep<'_, isl_map_list>) -> Give<isl_map_list> { isl_map_list_copy }
    fn (list: Take<isl_map_list>) -> Give<isl_map_list> { isl_map_list_free }
    fn (list: Keep<'_, isl_map_list>) -> Size { isl_map_list_size }
    fn (list: Keep<'_, isl_map_list>, pos: c_int) -> Give<isl_map> { isl_map_list_get_at }
}
