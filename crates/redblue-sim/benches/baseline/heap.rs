//! OPT for one size with a lazy binary heap of next uses: the textbook simulation.
//!
//! The next uses are found by a pass backwards, which is not part of the timed run. The heap holds an
//! entry per access; entries whose cell has been used since are skipped when they come to the top.

use std::collections::BinaryHeap;

use redblue_sim::Access;

const NEVER: u32 = u32::MAX;

/// For every access, the position of the next access to the same cell.
pub(crate) fn next_uses(accesses: &[Access], cells: u32) -> Vec<u32> {
    let mut seen = vec![NEVER; cells as usize];
    let mut next = vec![NEVER; accesses.len()];
    for (now, access) in accesses.iter().enumerate().rev() {
        next[now] = std::mem::replace(&mut seen[access.cell as usize], now as u32);
    }
    next
}

/// The misses of a memory of `size` cells.
pub(crate) fn misses(accesses: &[Access], next: &[u32], cells: u32, size: usize) -> u64 {
    let mut heap: BinaryHeap<(u32, u32)> = BinaryHeap::new();
    // The next use of a resident cell; 0 for a cell that is not resident.
    let mut resident = vec![0u32; cells as usize];
    let (mut count, mut misses) = (0, 0);
    for (access, &next) in accesses.iter().zip(next) {
        let cell = access.cell as usize;
        if resident[cell] == 0 {
            misses += 1;
            if count < size {
                count += 1;
            } else {
                while let Some((use_at, victim)) = heap.pop() {
                    if resident[victim as usize] == use_at {
                        resident[victim as usize] = 0;
                        break;
                    }
                }
            }
        }
        resident[cell] = next;
        heap.push((next, access.cell));
        // Stale entries must not pile up without bound on traces that hit all the time.
        if heap.len() > 4 * size + 4096 {
            heap.retain(|&(use_at, c)| resident[c as usize] == use_at);
        }
    }
    misses
}
