//! Errors, reported as ScaLAPACK does: through the program's `pxerbla`, or in its words.

use std::ffi::{c_char, c_int};
use std::io::Write;

use crate::arguments::Info;
use crate::blacs::{self, Place};
use crate::settings::Settings;
use crate::symbols::{find, manglings};

/// `pxerbla(ICTXT, SRNAME, INFO)`, with the length of the name last as Fortran compilers pass it.
type Pxerbla = unsafe extern "C" fn(*const c_int, *const c_char, *const c_int, usize);

/// Reports an illegal argument of a routine.
pub(crate) fn illegal(context: c_int, routine: &str, info: Info, note: &str) {
    let place = blacs::place(context);
    if !note.is_empty() && place.is_some_and(|place| (place.row, place.col) == (0, 0)) {
        eprintln!("redblue: {routine}: {note}");
    }
    let number: c_int = info.saturating_neg();
    match find(manglings!("pxerbla", "PXERBLA")).filter(|_| place.is_some()) {
        Some(function) => {
            // SAFETY: the function has this signature wherever ScaLAPACK's tools are; the pointers are valid.
            unsafe {
                let pxerbla: Pxerbla = std::mem::transmute(function);
                pxerbla(&context, routine.as_ptr().cast(), &number, routine.len());
            }
        }
        None => eprintln!("{}", message(place, routine, number)),
    }
}

/// The words of `pxerbla`.
fn message(place: Option<Place>, routine: &str, number: c_int) -> String {
    let (row, col) = place.map_or((-1, -1), |place| (place.row as i64, place.col as i64));
    format!(
        "{{{row:5},{col:5}}}:  On entry to {routine} parameter number{number:5} had an illegal value"
    )
}

/// What `p?gemm_` does after a report.
pub(crate) fn after_illegal(context: c_int, info: Info) {
    if !Settings::get().return_on_error {
        let _ = std::io::stderr().flush();
        blacs::abort(context, info);
    }
}

/// Reports that a product could not be computed.
pub(crate) fn failed(routine: &str, reason: &str) {
    eprintln!("redblue: {routine}: {reason}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_that_of_pxerbla() {
        let place = Place {
            rows: 2,
            cols: 3,
            row: 1,
            col: 2,
        };
        assert_eq!(
            message(Some(place), "PDGEMM", 1402),
            "{    1,    2}:  On entry to PDGEMM parameter number 1402 had an illegal value"
        );
    }
}
