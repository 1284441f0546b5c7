//! Enumerating what isl only hands out through callbacks: pieces of functions, and points.

use std::ffi::c_void;

use crate::context::Context;
use crate::error::Result;
use crate::handle::{Handle, Object};
use crate::set::Set;
use crate::sys::{self, Give, Stat, Take, isl_aff, isl_multi_aff, isl_point, isl_pw_aff, isl_set};

/// What a callback collects.
struct Collected<T> {
    context: Context,
    items: Vec<T>,
    /// Most items; with one more the enumeration ends.
    most: usize,
}

/// The pieces of a piecewise function.
pub(crate) fn of_function(function: &Handle<isl_pw_aff>) -> Result<Vec<(Set, Handle<isl_aff>)>> {
    collect(function.context(), |user| {
        // SAFETY: `visit_piece` matches the callback type, and `user` points to what it expects.
        unsafe { sys::isl_pw_aff_foreach_piece(function.keep(), visit_piece, user) }
    })
}

/// The pieces of a single-valued map.
pub(crate) fn of_map(
    function: &Handle<sys::isl_pw_multi_aff>,
) -> Result<Vec<(Set, Handle<isl_multi_aff>)>> {
    collect(function.context(), |user| {
        // SAFETY: `visit_piece` matches the callback type, and `user` points to what it expects.
        unsafe { sys::isl_pw_multi_aff_foreach_piece(function.keep(), visit_piece, user) }
    })
}

/// The points of a bounded set without parameters, unless there are more than `most`.
pub(crate) fn points(set: &Set, most: usize) -> Result<Option<Vec<Handle<isl_point>>>> {
    collect_within(set.context(), most, |user| {
        // SAFETY: `visit_point` matches the callback type, and `user` points to what it expects.
        unsafe { sys::isl_set_foreach_point(set.0.keep(), visit_point, user) }
    })
}

fn collect<T>(context: &Context, enumerate: impl FnOnce(*mut c_void) -> Stat) -> Result<Vec<T>> {
    Ok(collect_within(context, usize::MAX, enumerate)?.unwrap_or_default())
}

fn collect_within<T>(
    context: &Context,
    most: usize,
    enumerate: impl FnOnce(*mut c_void) -> Stat,
) -> Result<Option<Vec<T>>> {
    let mut collected = Collected {
        context: context.clone(),
        items: Vec::new(),
        most,
    };
    let done = context.done(enumerate((&raw mut collected).cast()));
    if collected.items.len() > most {
        return Ok(None);
    }
    done?;
    Ok(Some(collected.items))
}

unsafe extern "C" fn visit_piece<A: Object>(
    set: Take<isl_set>,
    function: Take<A>,
    user: *mut c_void,
) -> Stat {
    // SAFETY: isl calls this only during `of_function` or `of_map`, with the collector of that call.
    let collected = unsafe { &mut *user.cast::<Collected<(Set, Handle<A>)>>() };
    let set = collected.context.receive(Give(set.0)).ok();
    let function = collected.context.receive(Give(function.0)).ok();
    let pair = set.zip(function);
    push(collected, pair.map(|(set, function)| (Set(set), function)))
}

unsafe extern "C" fn visit_point(point: Take<isl_point>, user: *mut c_void) -> Stat {
    // SAFETY: isl calls this only during `points`, with the collector of that call.
    let collected = unsafe { &mut *user.cast::<Collected<Handle<isl_point>>>() };
    let point = collected.context.receive(Give(point.0)).ok();
    push(collected, point)
}

fn push<T>(collected: &mut Collected<T>, item: Option<T>) -> Stat {
    let found = item.is_some();
    collected.items.extend(item);
    Stat(if found && collected.items.len() <= collected.most {
        0
    } else {
        -1
    })
}
