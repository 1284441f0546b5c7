//! What a product really allocates, seen by an allocator that counts: the predicted words, once, before the first round.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use redblue_dist::comm::{Comm, threads};
use redblue_dist::plan::{Plan, Problem, search};
use redblue_dist::{Matrix, Shape};
use redblue_kernels::Backend;
use redblue_kernels::matmul::scatter::own_words;
use redblue_kernels::matmul::{MatmulError, RankProgram, Words, multiply};

/// Smaller allocations are lists of messages, not words of matrices.
const LARGE: usize = 4096;

thread_local! {
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
        let (before, small) = (large(), SMALL_BYTES.get());
        multiply(comm, &program, 1.0, 0.0, words, &Backend::Reference)?;
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
