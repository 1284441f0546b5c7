//! What the library keeps for a BLACS context: a duplicate of its communicator, the grid, prepared
//! products, and the buffers of the last one.
//!
//! It hangs on the communicator of the context as an MPI attribute, so that it ends with the context, whatever number
//! the context had and whoever gets that number next. MPI calls come from one thread, as `MPI_THREAD_FUNNELED` wants.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::rc::Rc;
use std::sync::OnceLock;

use mpi::ffi;
use redblue_dist::comm::collective::{Path, all_gather};
use redblue_dist::comm::mpi::MpiComm;
use redblue_dist::comm::{Comm, CommError, Phase};
use redblue_dist::layout::block_cyclic::ProcessGrid;
use redblue_kernels::callers::{Multiplication, Spare};

use crate::arguments::Arguments;
use crate::blacs::Place;
use crate::pgemm::{Attempt, Failure};
use crate::settings::Settings;

/// Prepared products that are kept for each context.
const KEPT: usize = 16;

/// What makes a prepared product fit a call: the arguments, which operands were copied, and the way asked for.
pub(crate) type Key = (Arguments, [bool; 2], Attempt);

/// A context.
pub(crate) struct Context {
    pub(crate) comm: MpiComm,
    pub(crate) grid: ProcessGrid,
    /// The buffers of the last product.
    pub(crate) spare: RefCell<Spare>,
    /// The most recent ones last.
    products: RefCell<Vec<(Key, Rc<Multiplication>)>>,
}

impl Context {
    /// What is kept for the communicator with this Fortran handle; made at the first call, which is collective.
    ///
    /// # Safety
    /// MPI must be initialised, the handle valid, and the communicator must outlive the reference.
    pub(crate) unsafe fn of<'a>(handle: c_int, place: Place) -> Result<&'a Context, Failure> {
        let key = key().ok_or_else(|| library("MPI_Comm_create_keyval"))?;
        // SAFETY: the caller vouches for the handle; the attribute is ours, a boxed context, and stays until MPI
        // deletes it with the communicator.
        unsafe {
            let comm = ffi::RSMPI_Comm_f2c(handle);
            let (mut kept, mut found) = (std::ptr::null_mut::<c_void>(), 0);
            ffi::MPI_Comm_get_attr(comm, key, (&raw mut kept).cast(), &mut found);
            if found == 0 {
                let context = Box::into_raw(Box::new(Context::new(handle, place)?));
                kept = context.cast();
                if ffi::MPI_Comm_set_attr(comm, key, kept) != ffi::MPI_SUCCESS as c_int {
                    drop(Box::from_raw(context));
                    return Err(library("MPI_Comm_set_attr"));
                }
            }
            Ok(&*kept.cast::<Context>())
        }
    }

    /// # Safety
    /// As for [`Context::of`].
    unsafe fn new(handle: c_int, place: Place) -> Result<Context, Failure> {
        // SAFETY: the caller vouches for the handle.
        let comm = unsafe { MpiComm::from_fortran(handle)? }.patience(Settings::get().patience);
        let (rank, size) = (comm.rank(), comm.size());
        // Where everybody is in the grid; BLACS may have numbered processes in any order.
        let mut table = vec![0_u64; 2 * size];
        table[2 * rank..2 * rank + 2].copy_from_slice(&[place.row as u64, place.col as u64]);
        let parts = vec![2; size];
        all_gather(&comm, &parts, &mut table, Path::Ring, Phase::Control.into())?;
        let mut places = vec![usize::MAX; place.rows * place.cols];
        for (rank, at) in table.chunks_exact(2).enumerate() {
            let (row, col) = (at[0] as usize, at[1] as usize);
            if let Some(entry) = places.get_mut(row * place.cols + col) {
                *entry = rank;
            }
        }
        let grid = ProcessGrid::with_places(place.rows, place.cols, places, size)?;
        Ok(Context {
            comm,
            grid,
            spare: RefCell::default(),
            products: RefCell::default(),
        })
    }

    /// The product for a call, prepared now unless it was before.
    pub(crate) fn product(
        &self,
        key: &Key,
        prepare: impl FnOnce() -> Result<Multiplication, Failure>,
    ) -> Result<Rc<Multiplication>, Failure> {
        let mut products = self.products.borrow_mut();
        let found = products.iter().position(|(other, _)| other == key);
        let entry = match found {
            Some(at) => products.remove(at),
            None => {
                if products.len() == KEPT {
                    products.remove(0);
                }
                (*key, Rc::new(prepare()?))
            }
        };
        let product = Rc::clone(&entry.1);
        products.push(entry);
        Ok(product)
    }
}

fn library(operation: &'static str) -> Failure {
    let message = "the library refused".to_owned();
    CommError::Library { operation, message }.into()
}

/// MPI's name for our attribute.
fn key() -> Option<c_int> {
    static KEY: OnceLock<Option<c_int>> = OnceLock::new();
    *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the callbacks live as long as the library, which nothing unloads.
        let code = unsafe {
            let nothing = std::ptr::null_mut();
            ffi::MPI_Comm_create_keyval(Some(copy), Some(delete), &mut key, nothing)
        };
        (code == ffi::MPI_SUCCESS as c_int).then_some(key)
    })
}

/// A duplicate of the caller's communicator gets a context of its own when it needs one.
unsafe extern "C" fn copy(
    _: ffi::MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    copied: *mut c_int,
) -> c_int {
    // SAFETY: MPI passes a valid pointer.
    unsafe { *copied = 0 };
    ffi::MPI_SUCCESS as c_int
}

/// The communicator ends, and with it what we kept for it.
unsafe extern "C" fn delete(
    _: ffi::MPI_Comm,
    _: c_int,
    kept: *mut c_void,
    _: *mut c_void,
) -> c_int {
    // SAFETY: the attribute was made by `Context::of` and is deleted once.
    drop(unsafe { Box::from_raw(kept.cast::<Context>()) });
    ffi::MPI_SUCCESS as c_int
}
