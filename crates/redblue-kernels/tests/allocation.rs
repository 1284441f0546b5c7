//! What a product really allocates, seen by an allocator that counts: the predicted words, once, before the first round,
//! and nothing at all in rounds, two-sided and one-sided, by a plan and in the caller's layout. What the transport between
//! threads allocates for a message is not the product's.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use std::time::Instant;

use redblue_dist::comm::{Access, Comm, CommError, OneSided, Transfer, Window, Word, threads};
use redblue_dist::layout::block_cyclic::{Descriptor, ProcessGrid};
use redblue_dist::layout::{Op, Order};
use redblue_dist::plan::stay::Sizes;
use redblue_dist::plan::{Plan, Problem, search};
use redblue_dist::{Matrix, Shape};
use redblue_kernels::Backend;
use redblue_kernels::callers::{CallerError, Choice, Given, Multiplication};
use redblue_kernels::matmul::one_sided::{self, Remote};
use redblue_kernels::matmul::scatter::own_words;
use redblue_kernels::matmul::{MatmulError, RankProgram, Words, multiply};

/// Smaller allocations are lists of messages, not words of matrices.
const LARGE: usize = 4096;

thread_local! {
    /// Whether rounds have begun, and whether the transport is at work.
    static IN_ROUNDS: Cell<bool> = const { Cell::new(false) };
    static IN_TRANSPORT: Cell<bool> = const { Cell::new(false) };
    /// Allocations in rounds, of any size.
    static ROUNDS: Cell<usize> = const { Cell::new(0) };
    static LARGE_BYTES: Cell<usize> = const { Cell::new(0) };
    static LARGE_COUNT: Cell<usize> = const { Cell::new(0) };
    static SMALL_BYTES: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: everything is passed on to the system's allocator; counters are plain thread-local numbers.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn note(bytes: usize) {
    let add = |counter: &Cell<usize>, more: usize| counter.set(counter.get() + more);
    let is = |state: &Cell<bool>| state.get();
    if IN_TRANSPORT.try_with(is) == Ok(true) {
        return;
    }
    if IN_ROUNDS.try_with(is) == Ok(true) {
        let _ = ROUNDS.try_with(|counter| add(counter, 1));
    }
    if bytes < LARGE {
        let _ = SMALL_BYTES.try_with(|counter| add(counter, bytes));
        return;
    }
    let _ = LARGE_BYTES.try_with(|counter| add(counter, bytes));
    let _ = LARGE_COUNT.try_with(|counter| add(counter, 1));
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes and number of the large allocations of this thread so far.
fn large() -> (usize, usize) {
    (LARGE_BYTES.get(), LARGE_COUNT.get())
}

/// A communicator that tells when rounds have begun and when the transport is at work. Windows that are opened or closed
/// are not part of rounds.
struct Watched<C>(C);

struct WatchedWindow<W>(W);

/// Runs the transport; `work` in it is the product's again.
fn transport<R>(act: impl FnOnce() -> R) -> R {
    let before = IN_TRANSPORT.replace(true);
    let answer = act();
    IN_TRANSPORT.set(before);
    answer
}

fn product<R>(work: impl FnOnce() -> R) -> R {
    let before = IN_TRANSPORT.replace(false);
    let answer = work();
    IN_TRANSPORT.set(before);
    answer
}

impl<C: Comm> Comm for Watched<C> {
    fn rank(&self) -> usize {
        self.0.rank()
    }

    fn size(&self) -> usize {
        self.0.size()
    }

    fn exchange_seen<T: Word, R>(
        &self,
        transfers: &mut [Transfer<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
        seen: &mut dyn FnMut(usize, Instant),
    ) -> Result<R, CommError> {
        IN_ROUNDS.set(true);
        let work = |progress: &mut dyn FnMut()| product(|| work(progress));
        transport(|| self.0.exchange_seen(transfers, work, seen))
    }

    fn split(&self, colour: Option<u64>, key: u64) -> Result<Option<Self>, CommError> {
        Ok(self.0.split(colour, key)?.map(Watched))
    }

    fn fail(&self, message: &str) {
        self.0.fail(message);
    }
}

impl<C: OneSided> OneSided for Watched<C> {
    type Window<T: Word> = WatchedWindow<C::Window<T>>;

    fn expose<T: Word>(&self, memory: Vec<T>) -> Result<Self::Window<T>, CommError> {
        IN_ROUNDS.set(false);
        transport(|| self.0.expose(memory)).map(WatchedWindow)
    }
}

impl<T: Word, W: Window<T>> Window<T> for WatchedWindow<W> {
    fn exchange<R>(
        &self,
        accesses: &mut [Access<'_, T>],
        work: impl FnOnce(&mut dyn FnMut()) -> R,
    ) -> Result<R, CommError> {
        IN_ROUNDS.set(true);
        let work = |progress: &mut dyn FnMut()| product(|| work(progress));
        transport(|| self.0.exchange(accesses, work))
    }

    fn close(self) -> Result<Vec<T>, CommError> {
        IN_ROUNDS.set(false);
        transport(|| self.0.close())
    }
}

/// Allocations in the rounds of what `run` does.
fn in_rounds<R, E>(run: impl FnOnce() -> Result<R, E>) -> Result<(R, usize), E> {
    let before = ROUNDS.get();
    let answer = run();
    IN_ROUNDS.set(false);
    Ok((answer?, ROUNDS.get() - before))
}

/// Executes a plan and compares the large allocations of every rank, which are never given back before the end, with the
/// buffers predicted.
fn check(plan: &Plan) {
    let outcome = threads::run(plan.ranks() as usize, |comm| {
        let rank = comm.rank() as u64;
        let (part, program) = (plan.rank(rank), RankProgram::of(plan, rank)?);
        let [a, b, mut c] = Matrix::ALL.map(|matrix| own_words(&part, matrix, |_, _| 1.0_f64));
        let words = Words {
            a: &a,
            b: &b,
            c: &mut c,
        };
        let watched = Watched(comm.duplicate()?);
        let (before, small) = (large(), SMALL_BYTES.get());
        let backend = &Backend::Reference;
        let ((), inside) = in_rounds(|| multiply(&watched, &program, 1.0, 0.0, words, backend))?;
        let (after, small) = (large(), SMALL_BYTES.get() - small);
        let memory = part.memory();
        let buffers = 8 * (memory.total() - memory.own) as usize;
        let (bytes, count) = (after.0 - before.0, after.1 - before.1);
        let context = format!("{plan} for {} rank {rank}: {memory:?}", plan.shape());
        let traffic = part.traffic();
        let messages = traffic.messages_sent + traffic.messages_received;
        // A buffer may be too small to be seen as one; nothing else is large but the list of messages, sometimes.
        let list = Some(64 * messages as usize).filter(|&bytes| bytes >= LARGE);
        assert!(
            bytes <= buffers + list.unwrap_or(0) && buffers <= bytes + 11 * LARGE,
            "{bytes} of {buffers} in {context}"
        );
        // Two panels of A and of B and a joined one, three kinds of relayed words, partial sums, the message received, and the list of
        // messages: however many rounds there are.
        assert!(
            count <= 11 + usize::from(list.is_some()),
            "{count} allocations in {context}"
        );
        // Lists of messages, a few words for each.
        let lists = 1024 * (messages + part.round_count() + 4) as usize;
        assert!(small <= lists, "{small} bytes of lists in {context}");
        assert_eq!(inside, 0, "allocations in rounds of {context}");
        let remote = Remote::of(plan, rank)?;
        let words = [a, b, c];
        let one_sided = || {
            let given = (&program, &remote);
            one_sided::multiply(&watched, given, [1.0, 0.0], words, backend)
        };
        let (_, inside) = in_rounds(one_sided)?;
        assert_eq!(inside, 0, "allocations in one-sided rounds of {context}");
        Ok::<_, MatmulError>(())
    });
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[test]
fn buffers_are_allocated_once_and_as_predicted() {
    for (m, n, k) in [(120, 90, 200), (30, 40, 900), (257, 64, 65)] {
        let shape = Shape::new(m, n, k);
        for ranks in [1, 2, 3, 5, 6, 8, 13] {
            for tenths in [None, Some(13), Some(16), Some(30)] {
                let memory = tenths.map(|tenths| shape.words() * tenths / 10 / u128::from(ranks));
                let problem = Problem {
                    shape,
                    ranks,
                    memory,
                };
                match search(&problem) {
                    Ok((plan, summary)) => {
                        assert!(memory.is_none_or(|limit| summary.memory.total() <= limit));
                        check(&plan);
                    }
                    // The smallest limits leave these small matrices no room for a row and a column.
                    Err(error) => assert_eq!(tenths, Some(13), "{problem:?}: {error}"),
                }
            }
        }
        for text in [
            "m2(n2)/tiles=3x2,steps=9",
            "k3/steps=40,chunks=3",
            "n2(k2)/steps=2",
        ] {
            check(&Plan::parse(text, shape, 4).expect("a plan"));
        }
    }
}

/// Products in the caller's layout: the buffers that limits of memory are compared with, and nothing in rounds.
#[test]
fn products_in_the_callers_layout_allocate_their_buffers() {
    let grid = ProcessGrid::new(2, 3, 6, Order::RowMajor).expect("a grid");
    let layout = |m, n| {
        let descriptor = Descriptor {
            m,
            n,
            mb: 16,
            nb: 16,
            rsrc: 0,
            csrc: 0,
        };
        descriptor.layout(&grid, |_| None).expect("a layout")
    };
    let pieces = [(256, 1 << 19), (48, 2000), (16, 300)];
    for [m, n, k] in [[400, 300, 500], [90, 1000, 70], [2000, 50, 60]] {
        let (a, b, c) = (layout(m, k), layout(k, n), layout(m, n));
        for (slab, panel) in pieces {
            let outcome = threads::run(6, |comm| {
                let rank = comm.rank();
                let given = Given {
                    layouts: [&a, &b, &c],
                    ops: [Op::Plain; 2],
                };
                let sizes = Sizes { slab, panel };
                let product = Multiplication::with_pieces(&given, Choice::Stay, sizes, rank)?;
                let [left, right, mut sum] =
                    [&a, &b, &c].map(|layout| vec![1.0_f64; layout.memory(rank) as usize]);
                let words = Words {
                    a: &left,
                    b: &right,
                    c: &mut sum,
                };
                let watched = Watched(comm.duplicate().map_err(MatmulError::from)?);
                let before = large();
                let run = || product.multiply(&watched, 1.0, 0.0, words, &Backend::Reference);
                let ((), inside) = in_rounds(run)?;
                let after = large();
                let (bytes, count) = (after.0 - before.0, after.1 - before.1);
                let buffers = 8 * product.buffer_words();
                {
                    assert_eq!(inside, 0, "allocations in rounds of {m}x{n}x{k}");
                    assert!(bytes <= buffers, "{bytes} of {buffers} for {m}x{n}x{k}");
                    let small = (24 - count.min(24)) * LARGE;
                    assert!(
                        buffers <= bytes + small,
                        "{bytes} of {buffers} for {m}x{n}x{k}"
                    );
                }
                Ok::<_, CallerError>(())
            });
            assert!(outcome.is_ok(), "{outcome:?}");
        }
    }
}
