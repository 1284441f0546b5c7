//! The exported functions: arguments by reference as Fortran passes them, under all its manglings, and by value for C.

use std::ffi::{c_char, c_int, c_void};

use num_complex::Complex;
use redblue_dist::comm::Comm;
use redblue_dist::layout::{Dense, Layout, Patch};
use redblue_kernels::matmul::Words;

use crate::arguments::{Arguments, Info, Sub};
use crate::blacs;
use crate::context::Context;
use crate::element::Element;
use crate::pgemm::{Failure, Task, layouts, prepare, settle, within};
use crate::report;
use crate::settings::Settings;
use crate::symbols;

/// A Fortran call: all arguments by reference. Lengths of character arguments, which some compilers add at the end, are
/// not needed: the first character decides.
type Fortran<T> = unsafe extern "C" fn(
    *const c_char,
    *const c_char,
    *const c_int,
    *const c_int,
    *const c_int,
    *const T,
    *const T,
    *const c_int,
    *const c_int,
    *const c_int,
    *const T,
    *const c_int,
    *const c_int,
    *const c_int,
    *const T,
    *mut T,
    *const c_int,
    *const c_int,
    *const c_int,
);

/// A matrix of a call: words, corner and descriptor.
struct Given<T> {
    words: T,
    row: *const c_int,
    col: *const c_int,
    descriptor: *const c_int,
}

/// The arguments of a call.
struct Call<T> {
    transpose: [*const c_char; 2],
    sizes: [*const c_int; 3],
    alpha: *const T,
    beta: *const T,
    a: Given<*const T>,
    b: Given<*const T>,
    c: Given<*mut T>,
}

impl<T> Given<T> {
    /// # Safety
    /// Corner and descriptor must be valid.
    unsafe fn sub(&self) -> Sub {
        let mut descriptor = [0; 9];
        // SAFETY: the caller vouches for the pointers. Descriptors of any type begin with at least nine integers.
        unsafe {
            for (place, entry) in descriptor.iter_mut().enumerate() {
                *entry = self.descriptor.add(place).read();
            }
            Sub {
                row: *self.row,
                col: *self.col,
                descriptor,
            }
        }
    }
}

/// How a call ends, other than well.
enum End {
    /// An argument is illegal on some rank; reported.
    Illegal { context: c_int, info: Info },
    /// The product could not be computed; reported.
    Failed { context: c_int },
}

impl<T: Element> Call<T> {
    /// # Safety
    /// All pointers must be as ScaLAPACK asks for.
    unsafe fn run(&self) -> Result<(), End> {
        // SAFETY: the caller vouches for the pointers.
        let (arguments, alpha, beta) = unsafe {
            let arguments = Arguments {
                transpose: self.transpose.map(|letter| *letter as u8),
                sizes: self.sizes.map(|size| *size),
                subs: [self.a.sub(), self.b.sub(), self.c.sub()],
            };
            (arguments, *self.alpha, *self.beta)
        };
        let context = arguments.context();
        if !blacs::exists() {
            report::failed(
                T::ROUTINE,
                "the program has no BLACS, or does not export it",
            );
            return Err(End::Failed { context });
        }
        // SAFETY: as above.
        let outcome = unsafe { self.multiply(&arguments, alpha, beta) };
        outcome.map_err(|failure| match failure {
            Failure::Illegal { info, note } => {
                report::illegal(context, T::ROUTINE, info, &note);
                End::Illegal { context, info }
            }
            failure @ (Failure::Run(_) | Failure::Memory { .. }) => {
                report::failed(T::ROUTINE, &failure.to_string());
                End::Failed { context }
            }
        })
    }

    /// # Safety
    /// As for [`Call::run`].
    unsafe fn multiply(&self, arguments: &Arguments, alpha: T, beta: T) -> Result<(), Failure> {
        let illegal = |info| Failure::Illegal {
            info,
            note: String::new(),
        };
        let number = arguments.context();
        let place = blacs::place(number).ok_or(illegal(-1002))?;
        let handle = blacs::communicator(number).ok_or(illegal(-1002))?;
        // SAFETY: the context exists, so its communicator does and MPI is initialised; both outlive this call.
        let context = unsafe { Context::of(handle, place)? };
        let settings = Settings::get();
        let (comm, grid) = (&context.comm, &context.grid);
        let meaning = arguments.check(grid, [place.row, place.col]);
        let factors = [alpha.bits(), beta.bits()];
        let choice = match settle(
            comm,
            arguments,
            meaning,
            factors,
            (settings.way, settings.memory),
        )? {
            Task::Multiply(choice) => choice,
            // SAFETY: as for this function.
            Task::Next(info) => return unsafe { self.pass_on() }.ok_or(illegal(info)),
        };
        let [m, n, _] = arguments.sizes;
        if m == 0 || n == 0 {
            return Ok(());
        }
        comm.guard(|comm| {
            let rank = comm.rank();
            let stored = layouts(arguments, grid, (rank, place.row))?;
            // With ALPHA zero the operands are not looked at: they need not exist.
            let reads = alpha != T::ZERO && arguments.sizes[2] > 0;
            let length = |layout: &Layout| layout.memory(rank) as usize;
            let lengths =
                [&stored[0], &stored[1]].map(|layout| if reads { length(layout) } else { 0 });
            let c_length = length(&stored[2]);
            let pointers = [self.a.words, self.b.words];
            let apart = |at: usize| apart((pointers[at], lengths[at]), (self.c.words, c_length));
            // Operands that lie between the columns of C, as in factorisations in place, are copied: a slice of them
            // would contain words of C.
            let copied = [!apart(0), !apart(1)];
            let mut copies = [Vec::new(), Vec::new()];
            let mut used = stored.clone();
            for at in (0..2).filter(|&at| copied[at]) {
                // SAFETY: the caller vouches for all elements of the sub-matrix, and no reference to them exists.
                copies[at] = unsafe { copy(pointers[at], stored[at].patches(rank)) };
                used[at] = stored[at].packed(rank);
            }
            let copies_bytes = (copies[0].len() + copies[1].len()) * size_of::<T>();
            let product = within(comm, choice, settings.memory, |attempt| {
                let product = context.product(&(*arguments, copied, attempt), || {
                    prepare(arguments, [&used[0], &used[1], &used[2]], attempt, rank)
                })?;
                let bytes = product.buffer_words().saturating_mul(size_of::<T>());
                Ok((product, bytes.saturating_add(copies_bytes) as u64))
            })?;
            if settings.verbose && rank == 0 {
                let [m, n, k] = arguments.sizes;
                let (way, words) = (product.description(), product.volume());
                let ranks = comm.size();
                let routine = T::ROUTINE;
                eprintln!("redblue: {routine} {m}x{n}x{k} on {ranks} ranks: {way}, {words} words");
            }
            // SAFETY: the caller vouches for this many words from each pointer on; those of C are in no other slice.
            let words = unsafe {
                let operand = |at: usize| match copied[at] {
                    true => &copies[at][..],
                    false => slice(pointers[at], lengths[at]),
                };
                Words {
                    a: operand(0),
                    b: operand(1),
                    c: slice_mut(self.c.words, c_length),
                }
            };
            let (backend, spare) = (&settings.backend, &mut context.spare.borrow_mut());
            product.multiply_with(comm, alpha, beta, words, backend, spare)?;
            // The next product may copy operands before it looks at buffers: within a limit none are kept.
            if settings.memory.is_some() {
                spare.clear();
            }
            Ok(())
        })
    }

    /// Calls the library behind this one; none if there is none.
    ///
    /// # Safety
    /// As for [`Call::run`].
    unsafe fn pass_on(&self) -> Option<()> {
        let function = symbols::next(T::SYMBOL)?;
        let (a, b, c) = (&self.a, &self.b, &self.c);
        // SAFETY: a function with this name has this signature; the caller vouches for the pointers.
        unsafe {
            let function: Fortran<T> = std::mem::transmute(function);
            function(
                self.transpose[0],
                self.transpose[1],
                self.sizes[0],
                self.sizes[1],
                self.sizes[2],
                self.alpha,
                a.words,
                a.row,
                a.col,
                a.descriptor,
                b.words,
                b.row,
                b.col,
                b.descriptor,
                self.beta,
                c.words,
                c.row,
                c.col,
                c.descriptor,
            );
        }
        Some(())
    }
}

/// Whether two pieces of memory have no word in common.
fn apart<T>((a, a_length): (*const T, usize), (c, c_length): (*mut T, usize)) -> bool {
    let size = size_of::<T>();
    let (a, c) = (a.addr(), c.addr());
    let (a_end, c_end) = (
        a.saturating_add(a_length.saturating_mul(size)),
        c.saturating_add(c_length.saturating_mul(size)),
    );
    a_length == 0 || c_length == 0 || a_end <= c || c_end <= a
}

/// # Safety
/// There must be so many words, initialised, that nothing changes meanwhile.
unsafe fn slice<'a, T>(words: *const T, length: usize) -> &'a [T] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for it.
    unsafe { std::slice::from_raw_parts(words, length) }
}

/// # Safety
/// There must be so many words, initialised, that nothing else uses meanwhile.
unsafe fn slice_mut<'a, T>(words: *mut T, length: usize) -> &'a mut [T] {
    if length == 0 {
        return &mut [];
    }
    // SAFETY: the caller vouches for it.
    unsafe { std::slice::from_raw_parts_mut(words, length) }
}

/// The elements of parts of a matrix, densely by columns.
///
/// # Safety
/// All elements of the parts must exist and be initialised.
unsafe fn copy<T: Copy>(words: *const T, parts: &[Patch]) -> Vec<T> {
    let mut copied = Vec::new();
    for Dense {
        offset,
        rows,
        cols,
        row_step,
        col_step,
    } in parts.iter().map(Patch::dense)
    {
        for col in 0..cols {
            for row in 0..rows {
                // SAFETY: the element is one of the part.
                copied.push(unsafe { *words.add(offset + row * row_step + col * col_step) });
            }
        }
    }
    copied
}

/// A call under a name of ScaLAPACK: there is no way to return an error but to end the program, as PBLAS does.
///
/// # Safety
/// As for [`Call::run`].
unsafe fn fortran<T: Element>(call: &Call<T>) {
    // SAFETY: the caller vouches for the pointers.
    match unsafe { call.run() } {
        Ok(()) => {}
        Err(End::Illegal { context, info }) => report::after_illegal(context, info),
        Err(End::Failed { context }) => blacs::abort(context, 1),
    }
}

/// A call under a name of redblue: zero, the negative number of an illegal argument, or 1 if the product failed.
///
/// # Safety
/// As for [`Call::run`].
unsafe fn number<T: Element>(call: &Call<T>) -> c_int {
    // SAFETY: the caller vouches for the pointers.
    match unsafe { call.run() } {
        Ok(()) => 0,
        Err(End::Illegal { info, .. }) => info,
        Err(End::Failed { .. }) => 1,
    }
}

/// One function with the arguments of Fortran.
macro_rules! by_reference {
    ($type:ty, $name:ident) => {
        /// # Safety
        /// All pointers must be as ScaLAPACK asks for.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            transa: *const c_char,
            transb: *const c_char,
            m: *const c_int,
            n: *const c_int,
            k: *const c_int,
            alpha: *const $type,
            a: *const $type,
            ia: *const c_int,
            ja: *const c_int,
            desca: *const c_int,
            b: *const $type,
            ib: *const c_int,
            jb: *const c_int,
            descb: *const c_int,
            beta: *const $type,
            c: *mut $type,
            ic: *const c_int,
            jc: *const c_int,
            descc: *const c_int,
        ) {
            let call = Call {
                transpose: [transa, transb],
                sizes: [m, n, k],
                alpha,
                beta,
                a: Given {
                    words: a,
                    row: ia,
                    col: ja,
                    descriptor: desca,
                },
                b: Given {
                    words: b,
                    row: ib,
                    col: jb,
                    descriptor: descb,
                },
                c: Given {
                    words: c,
                    row: ic,
                    col: jc,
                    descriptor: descc,
                },
            };
            // SAFETY: the caller vouches for the pointers.
            unsafe { fortran(&call) }
        }
    };
}

/// One function with the arguments of C.
macro_rules! by_value {
    ($type:ty, $name:ident) => {
        /// # Safety
        /// All pointers must be as ScaLAPACK asks for.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            transa: c_char,
            transb: c_char,
            m: c_int,
            n: c_int,
            k: c_int,
            alpha: *const c_void,
            a: *const c_void,
            ia: c_int,
            ja: c_int,
            desca: *const c_int,
            b: *const c_void,
            ib: c_int,
            jb: c_int,
            descb: *const c_int,
            beta: *const c_void,
            c: *mut c_void,
            ic: c_int,
            jc: c_int,
            descc: *const c_int,
        ) -> c_int {
            let call = Call::<$type> {
                transpose: [&transa, &transb],
                sizes: [&m, &n, &k],
                alpha: alpha.cast(),
                beta: beta.cast(),
                a: Given {
                    words: a.cast(),
                    row: &ia,
                    col: &ja,
                    descriptor: desca,
                },
                b: Given {
                    words: b.cast(),
                    row: &ib,
                    col: &jb,
                    descriptor: descb,
                },
                c: Given {
                    words: c.cast(),
                    row: &ic,
                    col: &jc,
                    descriptor: descc,
                },
            };
            // SAFETY: the caller vouches for the pointers.
            unsafe { number(&call) }
        }
    };
}

macro_rules! products {
    ($type:ty, $c:ident, [$($fortran:ident)*]) => {
        by_value!($type, $c);
        $(by_reference!($type, $fortran);)*
    };
}

products!(f32, redblue_psgemm, [
    psgemm psgemm_ psgemm__ PSGEMM PSGEMM_
    redblue_psgemm_ redblue_psgemm__ REDBLUE_PSGEMM REDBLUE_PSGEMM_
]);
products!(f64, redblue_pdgemm, [
    pdgemm pdgemm_ pdgemm__ PDGEMM PDGEMM_
    redblue_pdgemm_ redblue_pdgemm__ REDBLUE_PDGEMM REDBLUE_PDGEMM_
]);
products!(Complex<f32>, redblue_pcgemm, [
    pcgemm pcgemm_ pcgemm__ PCGEMM PCGEMM_
    redblue_pcgemm_ redblue_pcgemm__ REDBLUE_PCGEMM REDBLUE_PCGEMM_
]);
products!(Complex<f64>, redblue_pzgemm, [
    pzgemm pzgemm_ pzgemm__ PZGEMM PZGEMM_
    redblue_pzgemm_ redblue_pzgemm__ REDBLUE_PZGEMM REDBLUE_PZGEMM_
]);
