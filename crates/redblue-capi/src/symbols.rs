//! Functions of the program that are looked up when it runs: BLACS, `pxerbla`, and the products of the library behind
//! this one.
//!
//! Nothing of them is needed to link or to load this library, so it can be preloaded before any program.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// A function that the program or one of its libraries exports, under the first of these names that exists.
pub(crate) fn find(names: &[&CStr]) -> Option<NonNull<c_void>> {
    let mut names = names.iter();
    names.find_map(|name| {
        // SAFETY: the name is a C string; the call only looks it up.
        NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
    })
}

/// The function with this name that would be called if this library were not there.
pub(crate) fn next(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name is a C string; the call only looks it up.
    NonNull::new(unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) })
}

/// All Fortran manglings of a routine, the most common one first.
macro_rules! manglings {
    ($lower:literal, $upper:literal) => {
        &[
            $crate::symbols::c_name(concat!($lower, "_\0")),
            $crate::symbols::c_name(concat!($lower, "\0")),
            $crate::symbols::c_name(concat!($lower, "__\0")),
            $crate::symbols::c_name(concat!($upper, "\0")),
            $crate::symbols::c_name(concat!($upper, "_\0")),
        ]
    };
}
pub(crate) use manglings;

/// A text that ends with zero as a C string; empty if it does not.
pub(crate) fn c_name(text: &'static str) -> &'static CStr {
    CStr::from_bytes_with_nul(text.as_bytes()).unwrap_or_default()
}
