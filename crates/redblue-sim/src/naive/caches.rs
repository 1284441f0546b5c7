//! Cache hierarchies from time stamps: every line knows when it came and when it was used last.

use redblue_math::random::Random;

use crate::hierarchy::{Level, Replacement};
use crate::trace::{Grain, Recorded, Trace};

/// Loads and stores of every level, nearest first: `(loads, stores)` summed over all references.
pub fn caches(trace: &Recorded, levels: &[Level]) -> Vec<(u64, u64)> {
    let shape = trace.shape();
    let mut machine = Machine {
        now: 0,
        levels: levels.iter().map(NaiveCache::new).collect(),
    };
    for access in trace.accesses() {
        let write = shape.references()[access.reference as usize].write;
        let whole = write && shape.grain() == Grain::Word;
        machine.request(0, access.cell, write, whole);
    }
    let must_reach_memory: Vec<bool> = shape.must_reach_memory().collect();
    machine.flush(&must_reach_memory);
    machine.levels.iter().map(|l| (l.loads, l.stores)).collect()
}

struct NaiveCache {
    level: Level,
    lines: Vec<NaiveLine>,
    random: Random,
    loads: u64,
    stores: u64,
}

#[derive(Clone)]
struct NaiveLine {
    cell: u32,
    came: u64,
    used: u64,
    dirty: bool,
}

impl NaiveCache {
    fn new(level: &Level) -> NaiveCache {
        let seed = match level.replacement {
            Replacement::Random { seed } => seed,
            _ => 0,
        };
        NaiveCache {
            level: level.clone(),
            lines: Vec::new(),
            random: Random::new(seed),
            loads: 0,
            stores: 0,
        }
    }

    fn line(&mut self, cell: u32) -> Option<&mut NaiveLine> {
        self.lines.iter_mut().find(|line| line.cell == cell)
    }

    fn take(&mut self, cell: u32) -> Option<NaiveLine> {
        let index = self.lines.iter().position(|line| line.cell == cell)?;
        Some(self.lines.remove(index))
    }

    /// The cell that has to go if another one of the same set comes.
    fn victim(&mut self, cell: u32) -> Option<u32> {
        let sets = self.level.sets;
        let same_set = |line: &&NaiveLine| line.cell % sets == cell % sets;
        let mut set: Vec<&NaiveLine> = self.lines.iter().filter(same_set).collect();
        if set.len() < self.level.ways as usize {
            return None;
        }
        // Newest first, so that a random number means the same place as in the fast simulator.
        set.sort_by_key(|line| match self.level.replacement {
            Replacement::Lru => std::cmp::Reverse(line.used),
            _ => std::cmp::Reverse(line.came),
        });
        let place = match self.level.replacement {
            Replacement::Random { .. } => self.random.below(self.level.ways as usize),
            _ => set.len() - 1,
        };
        set.get(place).map(|line| line.cell)
    }
}

struct Machine {
    now: u64,
    levels: Vec<NaiveCache>,
}

impl Machine {
    fn request(&mut self, depth: usize, cell: u32, write: bool, whole: bool) {
        if depth == self.levels.len() {
            return;
        }
        self.now += 1;
        let now = self.now;
        let policy = self.levels[depth].level.write;
        if let Some(line) = self.levels[depth].line(cell) {
            line.used = now;
            line.dirty |= write && policy.back;
            if write && !policy.back {
                self.levels[depth].stores += 1;
                self.request(depth + 1, cell, true, whole);
            }
            return;
        }
        if write && !policy.allocate {
            self.levels[depth].stores += 1;
            self.request(depth + 1, cell, true, whole);
            return;
        }
        if !whole {
            self.levels[depth].loads += 1;
            self.request(depth + 1, cell, false, false);
        } else {
            self.claim(depth + 1, cell);
        }
        self.bring(depth, cell, write && policy.back);
        if write && !policy.back {
            self.levels[depth].stores += 1;
            self.request(depth + 1, cell, true, whole);
        }
    }

    /// Makes sure that inclusive levels from here on hold a line that comes without being fetched.
    fn claim(&mut self, depth: usize, cell: u32) {
        if !self.levels[depth.min(self.levels.len())..]
            .iter()
            .any(|l| l.level.inclusive)
        {
            return;
        }
        self.now += 1;
        let now = self.now;
        match self.levels[depth].line(cell) {
            Some(line) => line.used = now,
            None => {
                self.claim(depth + 1, cell);
                self.bring(depth, cell, false);
            }
        }
    }

    fn bring(&mut self, depth: usize, cell: u32, dirty: bool) {
        self.now += 1;
        let now = self.now;
        if let Some(victim) = self.levels[depth].victim(cell) {
            self.evict(depth, victim);
        }
        let line = NaiveLine {
            cell,
            came: now,
            used: now,
            dirty,
        };
        self.levels[depth].lines.push(line);
    }

    fn evict(&mut self, depth: usize, cell: u32) {
        let mut dirty = self.levels[depth].take(cell).is_some_and(|l| l.dirty);
        if self.levels[depth].level.inclusive {
            for nearer in &mut self.levels[..depth] {
                if nearer.take(cell).is_some_and(|l| l.dirty) {
                    nearer.stores += 1;
                    dirty = true;
                }
            }
        }
        if dirty {
            self.levels[depth].stores += 1;
            self.request(depth + 1, cell, true, true);
        }
    }

    fn flush(&mut self, must_reach_memory: &[bool]) {
        for depth in 0..self.levels.len() {
            for line in self.levels[depth].lines.clone() {
                if !line.dirty || !must_reach_memory[line.cell as usize] {
                    continue;
                }
                self.levels[depth].stores += 1;
                for outer in &mut self.levels[depth + 1..] {
                    let back = outer.level.write.back;
                    match outer.line(line.cell) {
                        Some(copy) if back => {
                            copy.dirty = true;
                            break;
                        }
                        _ => outer.stores += 1,
                    }
                }
            }
        }
    }
}
