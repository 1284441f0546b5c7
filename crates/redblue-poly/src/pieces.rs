//! Enumerating what isl only hands out through callbacks: pieces of functions, and points.

use std::ffi::c_void;

use crate::context::Context;
use crate::error::Result;
use crate::handle::Handle;
use crate::set::Set;
use crate::sys::{self, Give, Stat, Take, isl_aff, isl_multi_aff, isl_point, isl_pw_aff};

/// What a callback collects.
struct Collected<T> {
    context: Context,
    items: Vec<T>,
}

/// The pieces of a piecewise function.
pub(crate) fn of_function(function: &Handle<isl_pw_aff>) -> Result<Vec<(Set, Handle<isl_aff>)>> {
    collect(function.context(), |user| {
        // SAFETY: `visit_aff` matches the callback type, and `user` points to what it expects.
        unsafe { sys::isl_pw_aff_foreach_piece(function.keep(), visit_aff, user) }
    })
}

/// The pieces of a single-valued map.
pub(crate) fn of_map(
    function: &Handle<sys::isl_pw_multi_aff>,
) -> Result<Vec<(Set, Handle<isl_multi_aff>)>> {
    collect(function.context(), |user| {
        // SAFETY: `visit_multi_aff` matches the callback type, and `user` points to what it expects.
        unsafe { sys::isl_pw_multi_aff_foreach_piece(function.keep(), visit_multi_aff, user) }
    })
}

/// The points of a bounded set without parameters.
pub(crate) fn points(set: &Set) -> Result<Vec<Handle<isl_point>>> {
    collect(set.context(), |user| {
        // SAFETY: `visit_point` matches the callback type, and `user` points to what it expects.
        unsafe { sys::isl_set_foreach_point(set.0.keep(), visit_point, user) }
    })
}

fn collect<T>(context: &Context, enumerate: impl FnOnce(*mut c_void) -> Stat) -> Result<Vec<T>> {
    let mut collected = Collected {
        context: context.clone(),
        items: Vec::new(),
    };
    let stat = enumerate((&raw mut collected).cast());
    context.done(stat)?;
    Ok(collected.items)
}

unsafe extern "C" fn visit_aff(
    set: Take<sys::isl_set>,
    aff: Take<isl_aff>,
    user: *mut c_void,
) -> Stat {
    // SAFETY: called by isl only during `of_function`, with its collector.
    let collected = unsafe { &mut *user.cast::<Collected<(Set, Handle<isl_aff>)>>() };
    let piece = collected.context.receive(Give(set.0)).ok();
    let piece = piece.zip(collected.context.receive(Give(aff.0)).ok());
    push(
        &mut collected.items,
        piece.map(|(set, aff)| (Set(set), aff)),
    )
}

unsafe extern "C" fn visit_multi_aff(
    set: Take<sys::isl_set>,
    aff: Take<isl_multi_aff>,
    user: *mut c_void,
) -> Stat {
    // SAFETY: called by isl only during `of_map`, with its collector.
    let collected = unsafe { &mut *user.cast::<Collected<(Set, Handle<isl_multi_aff>)>>() };
    let piece = collected.context.receive(Give(set.0)).ok();
    let piece = piece.zip(collected.context.receive(Give(aff.0)).ok());
    push(
        &mut collected.items,
        piece.map(|(set, aff)| (Set(set), aff)),
    )
}

unsafe extern "C" fn visit_point(point: Take<isl_point>, user: *mut c_void) -> Stat {
    // SAFETY: called by isl only during `points`, with its collector.
    let collected = unsafe { &mut *user.cast::<Collected<Handle<isl_point>>>() };
    let point = collected.context.receive(Give(point.0)).ok();
    push(&mut collected.items, point)
}

fn push<T>(items: &mut Vec<T>, item: Option<T>) -> Stat {
    let found = item.is_some();
    items.extend(item);
    Stat(if found { 0 } else { -1 })
}
