//! Running a trace through the levels of a hierarchy.
//!
//! Work travels outwards as *requests*: an access of the processor, a fetch for the level before, or a write
//! that leaves the level before. Each level answers a request from its own lines and sends at most a fetch,
//! the write-back of its victim and a passed-on write to the next level.

use crate::error::SimError;
use crate::hierarchy::cache::{Cache, Line};
use crate::hierarchy::{Level, LevelTraffic};
use crate::lru::{Met, Recency};
use crate::trace::{Access, Shape, Simulator};
use crate::traffic::{ReferenceTraffic, Traffic};

/// The simulator of a cache hierarchy, nearest level first.
pub struct Caches {
    shape: Shape,
    stages: Vec<Stage>,
    miss_loads: Vec<bool>,
    writes: Vec<bool>,
}

/// One level at work.
struct Stage {
    level: Level,
    cache: Cache,
    /// A fully associative LRU memory of the same size, which tells conflicts from capacity misses.
    shadow: Recency,
    references: Vec<ReferenceTraffic>,
}

/// What reaches a level.
#[derive(Clone, Copy)]
struct Request {
    cell: u32,
    reference: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Wants the line.
    Read,
    /// Changes a part of the line, so the rest must be there or fetched.
    Write,
    /// Brings the whole line: a write-back, or a written word.
    WholeLine,
    /// Wants a place for the line but not its content, so that an inclusive level stays one.
    Claim,
}

impl Caches {
    /// Ready for a trace of this shape. Fails for a hierarchy without levels or a level without room.
    pub fn new(shape: &Shape, levels: &[Level]) -> Result<Caches, SimError> {
        if levels.is_empty() {
            return Err(SimError::NoRoom);
        }
        levels.iter().try_for_each(Level::check)?;
        let stages = levels.iter().map(|level| Stage {
            cache: Cache::new(level, shape.cells()),
            shadow: Recency::new(shape.cells(), level.lines()),
            references: vec![ReferenceTraffic::default(); shape.references().len()],
            level: level.clone(),
        });
        Ok(Caches {
            stages: stages.collect(),
            miss_loads: shape.miss_loads(),
            writes: shape.references().iter().map(|r| r.write).collect(),
            shape: shape.clone(),
        })
    }

    fn access(&mut self, access: Access) {
        let reference = access.reference as usize;
        let kind = match (self.writes[reference], self.miss_loads[reference]) {
            (false, _) => Kind::Read,
            (true, true) => Kind::Write,
            (true, false) => Kind::WholeLine,
        };
        let request = Request {
            cell: access.cell,
            reference: access.reference,
            kind,
        };
        self.serve(0, request);
    }

    /// Lets a level answer a request; beyond the last level is memory, which answers everything.
    fn serve(&mut self, depth: usize, request: Request) {
        let Some(stage) = self.stages.get_mut(depth) else {
            return;
        };
        let Request {
            cell,
            reference,
            kind,
        } = request;
        let met = stage.shadow.touch(cell, |_| {});
        let policy = stage.level.write;
        let counts = &mut stage.references[reference as usize];
        counts.accesses += u64::from(kind != Kind::Claim);
        let writes = matches!(kind, Kind::Write | Kind::WholeLine);
        let keeps_write = writes && policy.back;
        let hit = stage.cache.hit(cell, keeps_write.then_some(reference));
        let brings_in = !hit && (!writes || policy.allocate);
        let fetches = brings_in && matches!(kind, Kind::Read | Kind::Write);
        if fetches {
            counts.loads += 1;
            counts.compulsory += u64::from(met == Met::New);
            counts.conflict += u64::from(met == Met::Hit);
        }
        let passes_on = writes && !(policy.back && (hit || brings_in));
        if passes_on {
            counts.write_backs += 1;
        }
        if brings_in {
            let kind = if fetches { Kind::Read } else { Kind::Claim };
            if fetches || self.stages[depth + 1..].iter().any(|s| s.level.inclusive) {
                self.serve(depth + 1, Request { kind, ..request });
            }
            let writer = if keeps_write { reference + 1 } else { 0 };
            self.bring_in(depth, Line { cell, writer });
        }
        if passes_on {
            self.serve(depth + 1, request);
        }
    }

    /// Puts a line into a level and sends the victim on its way.
    fn bring_in(&mut self, depth: usize, line: Line) {
        let Some(mut victim) = self.stages[depth].cache.fill(line) else {
            return;
        };
        if self.stages[depth].level.inclusive {
            // The nearest copy is the newest one.
            for nearer in self.stages[..depth].iter_mut().rev() {
                if let Some(copy) = nearer.cache.remove(victim.cell)
                    && copy.writer != 0
                {
                    victim.writer = copy.writer;
                    nearer.references[copy.writer as usize - 1].write_backs += 1;
                }
            }
        }
        if victim.writer != 0 {
            let reference = victim.writer - 1;
            self.stages[depth].references[reference as usize].write_backs += 1;
            self.serve(
                depth + 1,
                Request {
                    cell: victim.cell,
                    reference,
                    kind: Kind::WholeLine,
                },
            );
        }
    }

    /// Sends all dirty lines to memory, nearest level first, without bringing anything in on the way.
    fn flush(&mut self) {
        let must_reach_memory: Vec<bool> = self.shape.must_reach_memory().collect();
        for depth in 0..self.stages.len() {
            for (cell, writer) in self.stages[depth].cache.clean() {
                if !must_reach_memory[cell as usize] {
                    continue;
                }
                self.flush_line(depth, cell, writer);
            }
        }
    }

    /// Sends one line from a level outwards until a level holds it, which then sends its own.
    fn flush_line(&mut self, from: usize, cell: u32, writer: u32) {
        self.stages[from].references[writer as usize].flushes += 1;
        for stage in &mut self.stages[from + 1..] {
            if stage.level.write.back && stage.cache.mark(cell, writer) {
                return;
            }
            stage.references[writer as usize].flushes += 1;
        }
    }
}

impl Simulator for Caches {
    type Outcome = Vec<LevelTraffic>;

    fn feed(&mut self, block: &[Access]) {
        for &access in block {
            self.access(access);
        }
    }

    fn finish(mut self) -> Vec<LevelTraffic> {
        self.flush();
        let grain = self.shape.grain();
        let report = |stage: Stage| LevelTraffic {
            traffic: Traffic {
                grain,
                size: stage.level.lines(),
                references: stage.references,
            },
            level: stage.level,
        };
        self.stages.into_iter().map(report).collect()
    }
}
