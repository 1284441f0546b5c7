//! Owned references to isl objects, and the few shapes in which isl functions are called.
//!
//! isl counts references: a [`Handle`] is one reference together with its context. Calls go through the
//! methods below, which copy what a function consumes and turn null into an error, so that the modules
//! on top read like the mathematics: `self.0.pair(&other.0, sys::isl_set_union)`.

use std::ffi::c_char;
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::context::{Context, borrowed_text};
use crate::error::Result;
use crate::sys::{Bool, Give, Keep, Size, Take};

/// A reference-counted isl type.
pub(crate) trait Object: Sized {
    fn copy(object: Keep<'_, Self>) -> Give<Self>;
    fn free(object: Take<Self>) -> Give<Self>;
}

/// One reference to an isl object.
pub(crate) struct Handle<T: Object> {
    raw: NonNull<T>,
    // Declared after the reference it must outlive: fields drop in order.
    context: Context,
}

impl<T: Object> Handle<T> {
    pub(crate) fn new(raw: NonNull<T>, context: Context) -> Handle<T> {
        Handle { raw, context }
    }

    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn keep(&self) -> Keep<'_, T> {
        Keep(self.raw.as_ptr(), PhantomData)
    }

    /// A fresh reference for a function that consumes its argument.
    pub(crate) fn take(&self) -> Take<T> {
        Take(T::copy(self.keep()).0)
    }

    /// A function of this object alone.
    pub(crate) fn map<R: Object>(&self, f: impl FnOnce(Take<T>) -> Give<R>) -> Result<Handle<R>> {
        self.context.receive(f(self.take()))
    }

    /// A function of this object alone that only looks at it.
    pub(crate) fn get<R: Object>(
        &self,
        f: impl FnOnce(Keep<'_, T>) -> Give<R>,
    ) -> Result<Handle<R>> {
        self.context.receive(f(self.keep()))
    }

    /// A function of two objects.
    pub(crate) fn pair<U: Object, R: Object>(
        &self,
        other: &Handle<U>,
        f: impl FnOnce(Take<T>, Take<U>) -> Give<R>,
    ) -> Result<Handle<R>> {
        self.context.same(&other.context)?;
        self.context.receive(f(self.take(), other.take()))
    }

    /// A question about this object.
    pub(crate) fn ask(&self, f: impl FnOnce(Keep<'_, T>) -> Bool) -> Result<bool> {
        self.context.truth(f(self.keep()))
    }

    /// A question about two objects.
    pub(crate) fn ask_pair<U: Object>(
        &self,
        other: &Handle<U>,
        f: impl FnOnce(Keep<'_, T>, Keep<'_, U>) -> Bool,
    ) -> Result<bool> {
        self.context.same(&other.context)?;
        self.context.truth(f(self.keep(), other.keep()))
    }

    /// A number of things in this object. Only null makes isl fail here, and a handle is never null.
    pub(crate) fn number(&self, f: impl FnOnce(Keep<'_, T>) -> Size) -> usize {
        self.context.size(f(self.keep())).unwrap_or(0)
    }

    /// A name in this object, if there is one.
    pub(crate) fn name(&self, f: impl FnOnce(Keep<'_, T>) -> *const c_char) -> Option<String> {
        borrowed_text(f(self.keep()))
    }
}

impl<T: Object> Clone for Handle<T> {
    fn clone(&self) -> Handle<T> {
        let Take(raw) = self.take();
        // isl's copy counts up and returns its argument, so falling back to that is the same pointer.
        Handle::new(NonNull::new(raw).unwrap_or(self.raw), self.context.clone())
    }
}

impl<T: Object> Drop for Handle<T> {
    fn drop(&mut self) {
        let Give(_null) = T::free(Take(self.raw.as_ptr()));
    }
}

/// Implements [`Object`] for isl types by their copy and free functions.
macro_rules! objects {
    ($( $type:ident: $copy:ident, $free:ident; )*) => { $(
        impl $crate::handle::Object for $crate::sys::$type {
            fn copy(object: $crate::sys::Keep<'_, Self>) -> $crate::sys::Give<Self> {
                $crate::sys::$copy(object)
            }
            fn free(object: $crate::sys::Take<Self>) -> $crate::sys::Give<Self> {
                $crate::sys::$free(object)
            }
        }
    )* };
}

/// Declares a public type that wraps a handle, with isl's text as `Display` and `Debug`.
macro_rules! public_object {
    ($(#[$doc:meta])* $name:ident($type:ident), $to_str:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name(pub(crate) $crate::handle::Handle<$crate::sys::$type>);

        impl $name {
            /// The context this object lives in.
            pub fn context(&self) -> &$crate::Context {
                self.0.context()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let text = $crate::context::owned_text($crate::sys::$to_str(self.0.keep()));
                self.context().reset_operations();
                // Printing fails only without memory or budget; a panic in `to_string` would be worse.
                f.write_str(text.as_deref().unwrap_or("(not printable)"))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// Defines methods that are one isl call each, group by group.
macro_rules! calls {
    (map $ret:ident { $( $(#[$doc:meta])* $name:ident = $f:ident; )* }) => { $(
        $(#[$doc])*
        pub fn $name(&self) -> $crate::Result<$ret> {
            Ok($ret(self.0.map($crate::sys::$f)?))
        }
    )* };
    (pair $other:ident -> $ret:ident { $( $(#[$doc:meta])* $name:ident = $f:ident; )* }) => { $(
        $(#[$doc])*
        pub fn $name(&self, other: &$other) -> $crate::Result<$ret> {
            Ok($ret(self.0.pair(&other.0, $crate::sys::$f)?))
        }
    )* };
    (ask { $( $(#[$doc:meta])* $name:ident = $f:ident; )* }) => { $(
        $(#[$doc])*
        pub fn $name(&self) -> $crate::Result<bool> {
            self.0.ask($crate::sys::$f)
        }
    )* };
    (ask $other:ident { $( $(#[$doc:meta])* $name:ident = $f:ident; )* }) => { $(
        $(#[$doc])*
        pub fn $name(&self, other: &$other) -> $crate::Result<bool> {
            self.0.ask_pair(&other.0, $crate::sys::$f)
        }
    )* };
}

pub(crate) use {calls, public_object};

objects! {
    isl_id: isl_id_copy, isl_id_free;
    isl_val: isl_val_copy, isl_val_free;
    isl_point: isl_point_copy, isl_point_free;
    isl_mat: isl_mat_copy, isl_mat_free;
    isl_space: isl_space_copy, isl_space_free;
    isl_local_space: isl_local_space_copy, isl_local_space_free;
    isl_aff: isl_aff_copy, isl_aff_free;
    isl_pw_aff: isl_pw_aff_copy, isl_pw_aff_free;
    isl_pw_aff_list: isl_pw_aff_list_copy, isl_pw_aff_list_free;
    isl_multi_aff: isl_multi_aff_copy, isl_multi_aff_free;
    isl_multi_pw_aff: isl_multi_pw_aff_copy, isl_multi_pw_aff_free;
    isl_pw_multi_aff: isl_pw_multi_aff_copy, isl_pw_multi_aff_free;
    isl_basic_set: isl_basic_set_copy, isl_basic_set_free;
    isl_basic_set_list: isl_basic_set_list_copy, isl_basic_set_list_free;
    isl_set: isl_set_copy, isl_set_free;
    isl_set_list: isl_set_list_copy, isl_set_list_free;
    isl_map: isl_map_copy, isl_map_free;
    isl_map_list: isl_map_list_copy, isl_map_list_free;
    isl_union_set: isl_union_set_copy, isl_union_set_free;
    isl_union_map: isl_union_map_copy, isl_union_map_free;
    isl_union_access_info: isl_union_access_info_copy, isl_union_access_info_free;
    isl_union_flow: isl_union_flow_copy, isl_union_flow_free;
    isl_ast_build: isl_ast_build_copy, isl_ast_build_free;
    isl_ast_node: isl_ast_node_copy, isl_ast_node_free;
    isl_ast_node_list: isl_ast_node_list_copy, isl_ast_node_list_free;
    isl_ast_expr: isl_ast_expr_copy, isl_ast_expr_free;
}
