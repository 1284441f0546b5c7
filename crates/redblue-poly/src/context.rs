//! Contexts: the arena all isl objects of one computation live in.
//!
//! A [`Context`] is a cheap clonable value; isl's own context is freed when the last object that uses it
//! is gone. Contexts and everything in them stay on one thread (isl is not thread-safe), which the `Rc`
//! enforces. Errors never abort and never print: they come back as [`PolyError`].

use std::cell::Cell;
use std::ffi::{CStr, CString, c_char, c_ulong};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Instant;

use crate::error::{PolyError, Result};
use crate::handle::{Handle, Object};
use crate::sys::{self, Bool, Give, Keep, Size, Stat, Take, isl_ctx};

/// An isl context with a budget of operations.
#[derive(Clone)]
pub struct Context(Rc<Inner>);

struct Inner {
    raw: NonNull<isl_ctx>,
    budget: u64,
    /// Whether operations share a budget at the moment, see [`Context::limited`].
    shared: Cell<bool>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Every object holds a clone of the context, so none is left here.
        sys::isl_ctx_free(Take(self.raw.as_ptr()));
    }
}

/// Steps of isl that one operation may take unless the caller says otherwise: about a minute.
const DEFAULT_BUDGET: u64 = 10_000_000;

impl Context {
    /// A context with a generous budget. Fails only if memory runs out.
    pub fn new() -> Result<Context> {
        Context::with_budget(DEFAULT_BUDGET)
    }

    /// A context in which every single operation ends with [`PolyError::Budget`] after about
    /// `operations` elementary steps of isl. Zero means no limit.
    pub fn with_budget(operations: u64) -> Result<Context> {
        let raw = NonNull::new(sys::isl_ctx_alloc()).ok_or_else(out_of_memory)?;
        let context = Context(Rc::new(Inner {
            raw,
            budget: operations,
            shared: Cell::new(false),
        }));
        let Stat(set) = sys::isl_options_set_on_error(context.keep(), sys::ON_ERROR_CONTINUE);
        sys::isl_ctx_set_max_operations(context.keep(), operations as c_ulong);
        if set < 0 {
            Err(context.last_error())
        } else {
            Ok(context)
        }
    }

    /// Steps every single operation may take.
    pub fn budget(&self) -> u64 {
        self.0.budget
    }

    pub(crate) fn keep(&self) -> Keep<'_, isl_ctx> {
        Keep(self.0.raw.as_ptr(), PhantomData)
    }

    /// Opens a new budget for the next operation, unless operations share one.
    pub(crate) fn reset_operations(&self) {
        if !self.0.shared.get() {
            sys::isl_ctx_reset_operations(self.keep());
        }
    }

    /// Runs operations that together may take so many steps; `None` if they need more.
    pub fn limited<T>(
        &self,
        operations: u64,
        run: impl FnOnce() -> Result<T>,
    ) -> Result<Option<T>> {
        if self.0.shared.get() {
            // The outer limit holds for all that is inside.
            return run().map(Some);
        }
        self.reset_operations();
        let outer = self.0.shared.replace(true);
        sys::isl_ctx_set_max_operations(self.keep(), operations as c_ulong);
        let result = run();
        sys::isl_ctx_set_max_operations(self.keep(), self.budget() as c_ulong);
        self.0.shared.set(outer);
        self.reset_operations();
        match result {
            Err(PolyError::Budget { .. }) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Runs something in which operations end with [`PolyError::Interrupted`] once the deadline has passed.
    ///
    /// A second thread waits for the deadline and tells isl, which looks for that at every elementary step. What was under
    /// way then is an error in any case, so that nothing rests on how isl takes it.
    pub fn until<T, E: From<PolyError>>(
        &self,
        deadline: Option<Instant>,
        run: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let Some(deadline) = deadline else {
            return run();
        };
        let alarm = Alarm(self.0.raw);
        let (result, rang) = std::thread::scope(|scope| {
            let (running, ended) = channel::<()>();
            let waiting = scope.spawn(move || {
                let left = deadline.saturating_duration_since(Instant::now());
                let rings = ended.recv_timeout(left) == Err(RecvTimeoutError::Timeout);
                if rings {
                    alarm.ring();
                }
                rings
            });
            let result = run();
            drop(running);
            (result, waiting.join().unwrap_or(true))
        });
        sys::isl_ctx_resume(self.keep());
        // Some parts of isl report another error then.
        if rang {
            return Err(PolyError::Interrupted.into());
        }
        result
    }

    /// Two objects may meet in one call only if this holds.
    pub(crate) fn same(&self, other: &Context) -> Result<()> {
        if Rc::ptr_eq(&self.0, &other.0) {
            Ok(())
        } else {
            Err(PolyError::ForeignContext)
        }
    }

    /// Turns the result of a call into a handle, and opens the next call's budget.
    pub(crate) fn receive<T: Object>(&self, given: Give<T>) -> Result<Handle<T>> {
        match NonNull::new(given.0) {
            Some(raw) => {
                self.reset_operations();
                Ok(Handle::new(raw, self.clone()))
            }
            None => Err(self.last_error()),
        }
    }

    pub(crate) fn truth(&self, answer: Bool) -> Result<bool> {
        self.reset_operations();
        if answer.0 < 0 {
            Err(self.last_error())
        } else {
            Ok(answer.0 > 0)
        }
    }

    pub(crate) fn size(&self, answer: Size) -> Result<usize> {
        usize::try_from(answer.0).map_err(|_| self.last_error())
    }

    pub(crate) fn done(&self, answer: Stat) -> Result<()> {
        self.reset_operations();
        if answer.0 < 0 {
            Err(self.last_error())
        } else {
            Ok(())
        }
    }

    /// The error isl recorded last; forgets it, and opens the next call's budget.
    pub(crate) fn last_error(&self) -> PolyError {
        let code = sys::isl_ctx_last_error(self.keep());
        let message = borrowed_text(sys::isl_ctx_last_error_msg(self.keep()));
        sys::isl_ctx_reset_error(self.keep());
        self.reset_operations();
        if code == sys::ERROR_ABORT {
            PolyError::Interrupted
        } else if code == sys::ERROR_QUOTA {
            PolyError::Budget {
                operations: self.budget(),
            }
        } else {
            PolyError::Isl {
                message: message.unwrap_or_else(|| "unknown error".to_owned()),
            }
        }
    }
}

/// A context that another thread may interrupt, and nothing else.
struct Alarm(NonNull<isl_ctx>);

// SAFETY: the only thing done with the pointer is `isl_ctx_abort`, which sets a flag and is made for being called
// while the context is at work; `Context::until` waits for the thread, so the context is still there.
unsafe impl Send for Alarm {}

impl Alarm {
    fn ring(&self) {
        sys::isl_ctx_abort(Keep(self.0.as_ptr(), PhantomData));
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context(budget {})", self.budget())
    }
}

fn out_of_memory() -> PolyError {
    PolyError::Isl {
        message: "out of memory".to_owned(),
    }
}

/// Copies a string that isl owns; null is `None`.
pub(crate) fn borrowed_text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: isl returns a zero-terminated string that lives as long as its object, which the caller
    // still borrows.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_string_lossy().into_owned())
}

/// Takes over a string that isl allocated for us.
pub(crate) fn owned_text(text: *mut c_char) -> Option<String> {
    let copy = borrowed_text(text);
    // SAFETY: isl allocates results of `*_to_str` with malloc and gives them away; free accepts null.
    unsafe { libc::free(text.cast()) };
    copy
}

/// A name for isl, which cannot contain a zero byte.
pub(crate) fn c_name(name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| PolyError::UnknownName {
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Set;

    #[test]
    fn a_deadline_ends_operations_and_nothing_after_them() {
        let context = Context::new().unwrap();
        let work = || {
            let set = Set::parse(&context, "[N] -> { [i, j] : 0 <= i <= 2j < N }")?;
            set.project_out(0, 1)?.is_empty()
        };
        let deadline = Instant::now() + Duration::from_millis(20);
        let end: Result<()> = context.until(Some(deadline), || {
            loop {
                work()?;
            }
        });
        assert_eq!(end, Err(PolyError::Interrupted));
        assert!(Instant::now() >= deadline);
        assert_eq!(work(), Ok(false));
        // A result that comes too late is none, even if isl did not notice.
        let late = context.until(Some(deadline), || {
            std::thread::sleep(Duration::from_millis(20));
            Ok(())
        });
        assert_eq!(late, Err(PolyError::Interrupted));
        assert_eq!(context.until(None, work), Ok(false));
        let later = Instant::now() + Duration::from_secs(3600);
        assert_eq!(context.until(Some(later), work), Ok(false));
    }
}
