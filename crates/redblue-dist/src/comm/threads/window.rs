//! Windows between threads: shared memory behind locks.
//!
//! An access is carried out by the rank that makes it, at once; accesses to the same rank's memory take turns.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::window::check_accesses;
use super::super::{Access, Comm, CommError, OneSided, Window, Word};
use super::ThreadComm;

/// Memory of all ranks of a [`ThreadComm`].
#[derive(Debug)]
pub struct ThreadWindow<T> {
    comm: ThreadComm,
    memories: Vec<Arc<Mutex<Vec<T>>>>,
    lengths: Vec<usize>,
}

impl OneSided for ThreadComm {
    type Window<T: Word> = ThreadWindow<T>;

    fn expose<T: Word>(&self, memory: Vec<T>) -> Result<ThreadWindow<T>, CommError> {
        // A communicator of its own, so that the window's barriers stay apart from its parent's messages.
        let comm = self.duplicate()?;
        let rank = self.rank();
        let mine: Arc<Mutex<Vec<T>>> = Arc::new(Mutex::new(memory));
        self.world.lock().windows.insert((comm.context, rank), mine);
        comm.barrier()?;
        let memories = (0..self.size()).map(|rank| {
            let shared = self
                .world
                .lock()
                .windows
                .get(&(comm.context, rank))
                .cloned();
            shared
                .and_then(|shared| shared.downcast().ok())
                .ok_or_else(lost)
        });
        let memories: Vec<Arc<Mutex<Vec<T>>>> = memories.collect::<Result<_, _>>()?;
        let lengths = memories.iter().map(|memory| lock(memory).len()).collect();
        comm.barrier()?;
        self.world.lock().windows.remove(&(comm.context, rank));
        Ok(ThreadWindow {
            comm,
            memories,
            lengths,
        })
    }
}

impl<T: Word> Window<T> for ThreadWindow<T> {
    fn exchange<R>(
        &self,
        accesses: &mut [Access<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
    ) -> Result<R, CommError> {
        check_accesses(accesses, &self.lengths)?;
        for access in accesses {
            let memory = &self.memories[access.peer()];
            access.carry_out(&mut lock(memory));
        }
        Ok(work(&mut || {}))
    }

    fn close(self) -> Result<Vec<T>, CommError> {
        let ThreadWindow {
            comm, mut memories, ..
        } = self;
        comm.barrier()?;
        let mine = memories.swap_remove(comm.rank());
        drop(memories);
        comm.barrier()?;
        // All others have dropped their share before the second barrier.
        let mine = Arc::try_unwrap(mine).map_err(|_| lost())?;
        Ok(mine.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

fn lock<T>(memory: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The members did not all expose the same type of words.
fn lost() -> CommError {
    let message = "the ranks expose different types of words".to_owned();
    CommError::Library {
        operation: "expose",
        message,
    }
}
