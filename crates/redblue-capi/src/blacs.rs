//! The program's BLACS: what a context is, by its Fortran interface.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use redblue_dist::comm::LAST_WORDS;

use crate::symbols::{find, manglings};

/// The process grid of a context, and where this process is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) row: usize,
    pub(crate) col: usize,
}

/// `blacs_get(CONTEXT, 10, …)`: the communicator of a context.
const COMMUNICATOR: c_int = 10;

type GridInfo = unsafe extern "C" fn(*const c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int);
type Get = unsafe extern "C" fn(*const c_int, *const c_int, *mut c_int);
type Abort = unsafe extern "C" fn(*const c_int, *const c_int);

/// Whether the program has a BLACS at all.
pub(crate) fn exists() -> bool {
    grid_info().is_some() && find(manglings!("blacs_get", "BLACS_GET")).is_some()
}

fn grid_info() -> Option<NonNull<c_void>> {
    find(manglings!("blacs_gridinfo", "BLACS_GRIDINFO"))
}

/// The grid of a context; none if the context does not exist or this process is not in it.
pub(crate) fn place(context: c_int) -> Option<Place> {
    let function = grid_info()?;
    let (mut rows, mut cols, mut row, mut col) = (-1, -1, -1, -1);
    // SAFETY: the function has this signature in every BLACS, and all pointers are valid.
    unsafe {
        let grid_info: GridInfo = std::mem::transmute(function);
        grid_info(&context, &mut rows, &mut cols, &mut row, &mut col);
    }
    let whole = |value: c_int| usize::try_from(value).ok();
    Some(Place {
        rows: whole(rows)?,
        cols: whole(cols)?,
        row: whole(row)?,
        col: whole(col)?,
    })
}

/// The Fortran handle of the communicator of a context that exists.
pub(crate) fn communicator(context: c_int) -> Option<c_int> {
    let function = find(manglings!("blacs_get", "BLACS_GET"))?;
    let mut handle = 0;
    // SAFETY: as above; the Fortran interface answers with a Fortran handle.
    unsafe {
        let get: Get = std::mem::transmute(function);
        get(&context, &COMMUNICATOR, &mut handle);
    }
    Some(handle)
}

/// Ends the program as PBLAS does, when launchers have had time to read what was reported.
pub(crate) fn abort(context: c_int, code: c_int) -> ! {
    std::thread::sleep(LAST_WORDS);
    if let Some(function) = find(manglings!("blacs_abort", "BLACS_ABORT")) {
        // SAFETY: as above.
        unsafe {
            let abort: Abort = std::mem::transmute(function);
            abort(&context, &code);
        }
    }
    // A process that dies by a signal makes launchers end the others, too.
    std::process::abort()
}
