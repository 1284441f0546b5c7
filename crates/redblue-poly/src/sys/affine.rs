//! Quasi-affine functions and their piecewise versions.

use super::*;

functions! {
    fn (aff: Keep<'_, isl_aff>) -> Give<isl_aff> { isl_aff_copy }
    fn (aff: Take<isl_aff>) -> Give<isl_aff> { isl_aff_free }
    fn (aff: Keep<'_, isl_aff>) -> Give<isl_val> { isl_aff_get_constant_val isl_aff_get_denominator_val }
    fn (aff: Keep<'_, isl_aff>, dim: Dim, pos: c_int) -> Give<isl_val> { isl_aff_get_coefficient_val }
    fn (aff: Keep<'_, isl_aff>, pos: c_int) -> Give<isl_aff> { isl_aff_get_div }
    fn (aff: Keep<'_, isl_aff>, dim: Dim) -> Size { isl_aff_dim }

    fn (list: Keep<'_, isl_pw_aff_list>) -> Give<isl_pw_aff_list> { isl_pw_aff_list_copy }
    fn (list: Take<isl_pw_aff_list>) -> Give<isl_pw_aff_list> { isl_pw_aff_list_free }
    fn (ctx: Keep<'_, isl_ctx>, n: c_int) -> Give<isl_pw_aff_list> { isl_pw_aff_list_alloc }
    fn (list: Take<isl_pw_aff_list>, item: Take<isl_pw_aff>) -> Give<isl_pw_aff_list> { isl_pw_aff_list_add }

    fn (pa: Keep<'_, isl_pw_aff>) -> Give<isl_pw_aff> { isl_pw_aff_copy }
    fn (pa: Take<isl_pw_aff>) -> Give<isl_pw_aff> {
        isl_pw_aff_free isl_pw_aff_neg isl_pw_aff_floor isl_pw_aff_ceil
    }
    fn (pa: Keep<'_, isl_pw_aff>) -> *mut c_char { isl_pw_aff_to_str }
    fn (pa: Keep<'_, isl_pw_aff>) -> Give<isl_space> { isl_pw_aff_get_domain_space }
    fn (left: Take<isl_pw_aff>, right: Take<isl_pw_aff>) -> Give<isl_pw_aff> {
        isl_pw_aff_add isl_pw_aff_sub isl_pw_aff_mul isl_pw_aff_min isl_pw_aff_max
        isl_pw_aff_tdiv_q isl_pw_aff_tdiv_r
    }
    fn (pa: Take<isl_pw_aff>, value: Take<isl_val>) -> Give<isl_pw_aff> {
        isl_pw_aff_scale_val isl_pw_aff_scale_down_val isl_pw_aff_mod_val
    }
    fn (left: Take<isl_pw_aff>, right: Take<isl_pw_aff>) -> Give<isl_set> {
        isl_pw_aff_eq_set isl_pw_aff_ne_set isl_pw_aff_le_set isl_pw_aff_lt_set
        isl_pw_aff_ge_set isl_pw_aff_gt_set
    }
    fn (condition: Take<isl_pw_aff>, yes: Take<isl_pw_aff>, no: Take<isl_pw_aff>) -> Give<isl_pw_aff> {
        isl_pw_aff_cond
    }
    fn (set: Take<isl_set>) -> Give<isl_pw_aff> { isl_set_indicator_function }
    fn (pa: Take<isl_pw_aff>) -> Give<isl_set> { isl_pw_aff_domain }
    fn (pa: Take<isl_pw_aff>, set: Take<isl_set>) -> Give<isl_pw_aff> {
        isl_pw_aff_intersect_domain isl_pw_aff_intersect_params isl_pw_aff_gist isl_pw_aff_gist_params
    }
    fn (left: Keep<'_, isl_pw_aff>, right: Keep<'_, isl_pw_aff>) -> Bool { isl_pw_aff_is_equal }
    fn (space: Take<isl_local_space>, dim: Dim, pos: c_uint) -> Give<isl_pw_aff> { isl_pw_aff_var_on_domain }
    fn (domain: Take<isl_set>, value: Take<isl_val>) -> Give<isl_pw_aff> { isl_pw_aff_val_on_domain }
    fn (set: Take<isl_set>, pos: c_int) -> Give<isl_pw_aff> { isl_set_dim_min isl_set_dim_max }
    fn (set: Take<isl_set>, pos: c_int) -> Give<isl_val> { isl_set_dim_max_val }

    fn (ma: Keep<'_, isl_multi_aff>) -> Give<isl_multi_aff> { isl_multi_aff_copy }
    fn (ma: Take<isl_multi_aff>) -> Give<isl_multi_aff> { isl_multi_aff_free }
    fn (ma: Keep<'_, isl_multi_aff>, pos: c_int) -> Give<isl_aff> { isl_multi_aff_get_at }
    fn (mpa: Keep<'_, isl_multi_pw_aff>) -> Give<isl_multi_pw_aff> { isl_multi_pw_aff_copy }
    fn (mpa: Take<isl_multi_pw_aff>) -> Give<isl_multi_pw_aff> { isl_multi_pw_aff_free }
    fn (space: Take<isl_space>, list: Take<isl_pw_aff_list>) -> Give<isl_multi_pw_aff> {
        isl_multi_pw_aff_from_pw_aff_list
    }
    fn (mpa: Take<isl_multi_pw_aff>) -> Give<isl_map> { isl_map_from_multi_pw_aff }
    fn (pma: Keep<'_, isl_pw_multi_aff>) -> Give<isl_pw_multi_aff> { isl_pw_multi_aff_copy }
    fn (pma: Take<isl_pw_multi_aff>) -> Give<isl_pw_multi_aff> { isl_pw_multi_aff_free }
    fn (map: Take<isl_map>) -> Give<isl_pw_multi_aff> { isl_pw_multi_aff_from_map }
}

unsafe extern "C" {
    pub(crate) fn isl_pw_aff_foreach_piece(
        pa: Keep<'_, isl_pw_aff>,
        visit: unsafe extern "C" fn(Take<isl_set>, Take<isl_aff>, *mut c_void) -> Stat,
        user: *mut c_void,
    ) -> Stat;
    pub(crate) fn isl_pw_multi_aff_foreach_piece(
        pma: Keep<'_, isl_pw_multi_aff>,
        visit: unsafe extern "C" fn(Take<isl_set>, Take<isl_multi_aff>, *mut c_void) -> Stat,
        user: *mut c_void,
    ) -> Stat;
    pub(crate) fn isl_set_foreach_point(
        set: Keep<'_, isl_set>,
        visit: unsafe extern "C" fn(Take<isl_point>, *mut c_void) -> Stat,
        user: *mut c_void,
    ) -> Stat;
}
