//! The part of isl's C interface that redblue uses, with ownership in the types.
//!
//! isl annotates every pointer: `__isl_take` (the call consumes one reference), `__isl_keep` (the call
//! borrows) and `__isl_give` (the result is one reference, or null on failure). Here these are the types
//! [`Take`], [`Keep`] and [`Give`]; they are made only from a live [`crate::handle::Handle`], and isl
//! accepts null wherever it accepts a pointer. A call whose arguments are of these types therefore cannot
//! misuse memory, which is why the functions below are declared `safe`: the burden of proof is this file.
//!
//! Functions are grouped by signature. Deliberately absent: everything that approximates, above all the
//! transitive closure, so that no inexact result can slip into a proof. (The one hull below is used only
//! where it turns out to equal its set.)

#![allow(non_camel_case_types)]

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::marker::PhantomData;

/// `__isl_keep`: a borrowed object.
#[repr(transparent)]
pub(crate) struct Keep<'a, T>(pub(crate) *mut T, pub(crate) PhantomData<&'a T>);

/// `__isl_take`: one reference that the callee consumes.
#[repr(transparent)]
pub(crate) struct Take<T>(pub(crate) *mut T);

/// `__isl_give`: one reference that the caller receives, or null.
#[repr(transparent)]
#[must_use]
pub(crate) struct Give<T>(pub(crate) *mut T);

/// A string argument; isl copies what it keeps.
#[repr(transparent)]
pub(crate) struct Text<'a>(*const c_char, PhantomData<&'a CStr>);

impl<'a> From<&'a CStr> for Text<'a> {
    fn from(text: &'a CStr) -> Text<'a> {
        Text(text.as_ptr(), PhantomData)
    }
}

/// `isl_bool`: -1 is failure.
#[repr(transparent)]
#[must_use]
pub(crate) struct Bool(pub(crate) c_int);

/// `isl_size`: -1 is failure.
#[repr(transparent)]
#[must_use]
pub(crate) struct Size(pub(crate) c_int);

/// `isl_stat`: -1 is failure.
#[repr(transparent)]
#[must_use]
pub(crate) struct Stat(pub(crate) c_int);

/// `enum isl_dim_type`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Dim(c_uint);

impl Dim {
    pub(crate) const CONSTANT: Dim = Dim(0);
    pub(crate) const PARAM: Dim = Dim(1);
    pub(crate) const IN: Dim = Dim(2);
    pub(crate) const OUT: Dim = Dim(3);
    pub(crate) const SET: Dim = Dim(3);
    pub(crate) const DIV: Dim = Dim(4);
}

/// `isl_error_quota`: the operation budget is used up.
pub(crate) const ERROR_QUOTA: c_int = 6;
/// `ISL_ON_ERROR_CONTINUE`: report errors through null results only.
pub(crate) const ON_ERROR_CONTINUE: c_int = 1;

macro_rules! opaque {
    ($($name:ident)*) => { $( #[repr(C)] pub(crate) struct $name { _opaque: [u8; 0] } )* };
}

opaque! {
    isl_ctx isl_space isl_local_space isl_id isl_val isl_mat isl_point
    isl_aff isl_pw_aff isl_pw_aff_list isl_multi_aff isl_multi_pw_aff isl_pw_multi_aff
    isl_basic_set isl_basic_set_list isl_set isl_set_list isl_map isl_map_list
    isl_union_set isl_union_map isl_union_access_info isl_union_flow
    isl_ast_build isl_ast_node isl_ast_node_list isl_ast_expr
}

/// Declares isl functions group by group: one signature, many names. Each becomes a Rust function, because
/// a foreign one cannot be passed where a closure is expected.
macro_rules! functions {
    ($( fn $args:tt $(-> $ret:ty)? { $($name:ident)* } )*) => {
        $( functions!(@group $args [$($ret)?] $($name)*); )*
    };
    (@group $args:tt $ret:tt $($name:ident)*) => {
        $( functions!(@one $name $args $ret); )*
    };
    (@one $name:ident ($($arg:ident: $type:ty),*) [$($ret:ty)?]) => {
        pub(crate) fn $name($($arg: $type),*) $(-> $ret)? {
            unsafe extern "C" { safe fn $name($($arg: $type),*) $(-> $ret)?; }
            $name($($arg),*)
        }
    };
}

// Contexts, identifiers, values, points, matrices.
functions! {
    fn () -> *mut isl_ctx { isl_ctx_alloc }
    fn (ctx: Take<isl_ctx>) { isl_ctx_free }
    fn (ctx: Keep<'_, isl_ctx>) { isl_ctx_reset_operations isl_ctx_reset_error }
    fn (ctx: Keep<'_, isl_ctx>, operations: c_ulong) { isl_ctx_set_max_operations }
    fn (ctx: Keep<'_, isl_ctx>, value: c_int) -> Stat { isl_options_set_on_error }
    fn (ctx: Keep<'_, isl_ctx>) -> c_int { isl_ctx_last_error }
    fn (ctx: Keep<'_, isl_ctx>) -> *const c_char { isl_ctx_last_error_msg }

    fn (id: Keep<'_, isl_id>) -> Give<isl_id> { isl_id_copy }
    fn (id: Take<isl_id>) -> Give<isl_id> { isl_id_free }

    fn (value: Keep<'_, isl_val>) -> Give<isl_val> { isl_val_copy isl_val_get_den_val }
    fn (value: Take<isl_val>) -> Give<isl_val> { isl_val_free isl_val_neg }
    fn (ctx: Keep<'_, isl_ctx>, value: c_long) -> Give<isl_val> { isl_val_int_from_si }
    fn (value: Keep<'_, isl_val>) -> Bool { isl_val_is_rat isl_val_is_neg }
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

// Quasi-affine functions.
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
        isl_pw_aff_free isl_pw_aff_neg isl_pw_aff_floor isl_pw_aff_ceil isl_pw_aff_coalesce
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

// Sets.
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
        isl_set_remove_redundancies isl_set_reset_tuple_id isl_set_flatten isl_set_drop_unused_params
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

// Unions over several spaces, and dataflow.
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
