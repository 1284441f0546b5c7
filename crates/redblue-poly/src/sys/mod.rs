//! The part of isl's C interface that redblue uses, with ownership in the types.
//!
//! isl annotates every pointer: `__isl_take` (the call consumes one reference), `__isl_keep` (the call
//! borrows) and `__isl_give` (the result is one reference, or null on failure). Here these are the types
//! [`Take`], [`Keep`] and [`Give`]; they are made only from a live [`crate::handle::Handle`], and isl
//! accepts null wherever it accepts a pointer. A call whose arguments are of these types therefore cannot
//! misuse memory, which is why the functions below are declared `safe`: the burden of proof is this file.
//!
//! Functions are grouped by signature. Deliberately absent: everything that approximates, above all the
//! transitive closure, so that no inexact result can slip into a proof. (The one hull below serves where it
//! turns out to equal its set, and where any superset will do.)

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
/// `isl_error_abort`: somebody called `isl_ctx_abort`.
pub(crate) const ERROR_ABORT: c_int = 1;
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

mod affine;
mod loops;
mod sets;
mod unions;
mod values;

pub(crate) use affine::*;
pub(crate) use loops::*;
pub(crate) use sets::*;
pub(crate) use unions::*;
pub(crate) use values::*;
