//! Unions over several spaces, and dataflow.

use super::*;

functions! {
    fn (set: Keep<'_, isl_union_set>) -> Give<isl_union_set> { isl_union_set_copy }
    fn (set: Take<isl_union_set>) -> Give<isl_union_set> {
        isl_union_set_free isl_union_set_coalesce isl_union_set_lexmin isl_union_set_lexmax
    }
    fn (set: Keep<'_, isl_union_set>) -> *mut c_char { isl_union_set_to_str }
    fn (ctx: Keep<'_, isl_ctx>, text: Text<'_>) -> Give<isl_union_set> { isl_union_set_read_from_str }
    fn (space: Take<isl_space>) -> Give<isl_union_set> { isl_union_set_empty }
    fn (set: Take<isl_set>) -> Give<isl_union_set> { isl_union_set_from_set }
    fn (left: Take<isl_union_set>, right: Take<isl_union_set>) -> Give<isl_union_set> {
        isl_union_set_union isl_union_set_intersect isl_union_set_subtract
    }
    fn (set: Take<isl_union_set>, params: Take<isl_set>) -> Give<isl_union_set> {
        isl_union_set_intersect_params isl_union_set_gist_params
    }
    fn (set: Take<isl_union_set>, map: Take<isl_union_map>) -> Give<isl_union_set> { isl_union_set_apply }
    fn (set: Take<isl_union_set>) -> Give<isl_union_map> { isl_union_set_identity isl_union_set_unwrap }
    fn (left: Keep<'_, isl_union_set>, right: Keep<'_, isl_union_set>) -> Bool {
        isl_union_set_is_equal isl_union_set_is_subset isl_union_set_is_disjoint
    }
    fn (set: Keep<'_, isl_union_set>) -> Bool { isl_union_set_is_empty }
    fn (set: Keep<'_, isl_union_set>) -> Give<isl_set_list> { isl_union_set_get_set_list }
    fn (set: Keep<'_, isl_union_set>, space: Take<isl_space>) -> Give<isl_set> { isl_union_set_extract_set }

    fn (map: Keep<'_, isl_union_map>) -> Give<isl_union_map> { isl_union_map_copy }
    fn (map: Take<isl_union_map>) -> Give<isl_union_map> {
        isl_union_map_free isl_union_map_reverse isl_union_map_coalesce isl_union_map_lexmin
        isl_union_map_lexmax isl_union_map_domain_map isl_union_map_range_map
        isl_union_map_domain_factor_domain isl_union_map_domain_factor_range
        isl_union_map_range_factor_domain isl_union_map_range_factor_range
        isl_union_map_curry isl_union_map_uncurry
    }
    fn (map: Keep<'_, isl_union_map>) -> *mut c_char { isl_union_map_to_str }
    fn (ctx: Keep<'_, isl_ctx>, text: Text<'_>) -> Give<isl_union_map> { isl_union_map_read_from_str }
    fn (space: Take<isl_space>) -> Give<isl_union_map> { isl_union_map_empty }
    fn (map: Take<isl_map>) -> Give<isl_union_map> { isl_union_map_from_map }
    fn (left: Take<isl_union_map>, right: Take<isl_union_map>) -> Give<isl_union_map> {
        isl_union_map_union isl_union_map_intersect isl_union_map_subtract isl_union_map_apply_range
        isl_union_map_apply_domain isl_union_map_range_product isl_union_map_domain_product
        isl_union_map_flat_range_product
    }
    fn (map: Take<isl_union_map>, set: Take<isl_union_set>) -> Give<isl_union_map> {
        isl_union_map_intersect_domain isl_union_map_intersect_range isl_union_map_subtract_domain
        isl_union_map_subtract_range isl_union_map_gist_domain
    }
    fn (map: Take<isl_union_map>, params: Take<isl_set>) -> Give<isl_union_map> {
        isl_union_map_intersect_params isl_union_map_gist_params
    }
    fn (map: Take<isl_union_map>) -> Give<isl_union_set> {
        isl_union_map_domain isl_union_map_range isl_union_map_wrap isl_union_map_deltas
    }
    fn (left: Keep<'_, isl_union_map>, right: Keep<'_, isl_union_map>) -> Bool {
        isl_union_map_is_equal isl_union_map_is_subset isl_union_map_is_disjoint
    }
    fn (map: Keep<'_, isl_union_map>) -> Bool {
        isl_union_map_is_empty isl_union_map_is_single_valued isl_union_map_is_injective
    }
    fn (map: Keep<'_, isl_union_map>) -> Give<isl_map_list> { isl_union_map_get_map_list }
    fn (map: Keep<'_, isl_union_map>, space: Take<isl_space>) -> Give<isl_map> { isl_union_map_extract_map }

    fn (access: Keep<'_, isl_union_access_info>) -> Give<isl_union_access_info> { isl_union_access_info_copy }
    fn (access: Take<isl_union_access_info>) -> Give<isl_union_access_info> { isl_union_access_info_free }
    fn (sink: Take<isl_union_map>) -> Give<isl_union_access_info> { isl_union_access_info_from_sink }
    fn (access: Take<isl_union_access_info>, map: Take<isl_union_map>) -> Give<isl_union_access_info> {
        isl_union_access_info_set_must_source isl_union_access_info_set_schedule_map
    }
    fn (access: Take<isl_union_access_info>) -> Give<isl_union_flow> { isl_union_access_info_compute_flow }
    fn (flow: Keep<'_, isl_union_flow>) -> Give<isl_union_flow> { isl_union_flow_copy }
    fn (flow: Take<isl_union_flow>) -> Give<isl_union_flow> { isl_union_flow_free }
    fn (flow: Keep<'_, isl_union_flow>) -> Give<isl_union_map> {
        isl_union_flow_get_must_dependence isl_union_flow_get_full_must_dependence
        isl_union_flow_get_must_no_source
    }
}
