//! Independent work on all processors, with results in the order of the items.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Stack of a thread: as large as that of the first one, because isl calls itself deeply.
pub(crate) const STACK: usize = 8 << 20;

/// How many threads can run at a time.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The results of some work for each item, in their order, on at most so many threads. The calling one is among them, and
/// does alone what no other can be started for.
pub fn side_by_side<T: Send, R: Send>(
    threads: usize,
    items: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let threads = threads.min(items.len());
    if threads < 2 {
        return items.into_iter().map(work).collect();
    }
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|i| Mutex::new(Some(i))).collect();
    let next = AtomicUsize::new(0);
    let draw = || {
        let mut done: Vec<(usize, R)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return done;
            };
            // Every position is drawn once, so nobody else holds the item or has taken it.
            let item = item.lock().ok().and_then(|mut item| item.take());
            done.extend(item.map(|item| (at, work(item))));
        }
    };
    let mut done = thread::scope(|scope| {
        let start = |_| {
            let builder = thread::Builder::new().stack_size(STACK);
            builder.spawn_scoped(scope, draw).ok()
        };
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let mut done = draw();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for threads in [0, 1, 2, 3, 8] {
            for count in [0, 1, 2, 100] {
                let items: Vec<usize> = (0..count).collect();
                let squares = side_by_side(threads, items.clone(), |item| item * item);
                let expected: Vec<usize> = items.iter().map(|item| item * item).collect();
                assert_eq!(squares, expected, "{threads} threads, {count} items");
            }
        }
    }

    #[test]
    #[should_panic(expected = "seven")]
    fn a_panic_is_passed_on() {
        side_by_side(2, (0..20).collect(), |item: usize| {
            assert!(item != 7, "seven");
        });
    }
}
