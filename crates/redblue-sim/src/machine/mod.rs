//! The machine under the program: processors, caches and memory, by their hwloc names.
//!
//! ```text
//! /sys and /proc, as text ──► SystemFiles ──► read() ──► Machine ──► picture()
//! ```
//!
//! [`read`] is a pure function over an in-memory tree of files, so odd machines (no L3, processors that are
//! offline, two kinds of cores, no sysfs at all) are ordinary test inputs. What a kernel does not tell is
//! `None` and named in [`Machine::unknown`]; nothing is guessed.
//!
//! This module reads no files itself, times nothing, and knows nothing of caches that the operating system
//! does not list.

mod cpus;
mod files;
mod picture;
mod read;
#[cfg(test)]
mod tests;

pub use cpus::CpuSet;
pub use files::SystemFiles;
pub use picture::iec;
pub use read::{MachineError, read};

/// Processors, caches and memory of one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The processor's own name, such as `AMD EPYC 7763`.
    pub model: Option<String>,
    /// Vector instruction sets, narrowest first (`SSE2`, `AVX2`, `NEON`, …).
    pub simd: Vec<&'static str>,
    /// Width of the widest vector register, where the instruction sets fix it.
    pub vector_bits: Option<u32>,
    /// Online hardware threads (hwloc's PUs).
    pub pus: CpuSet,
    /// Hardware threads that exist but are switched off.
    pub offline: CpuSet,
    /// Packages (sockets).
    pub packages: Vec<Package>,
    /// Physical cores.
    pub cores: Vec<Core>,
    /// Every cache, outermost level first, then by first PU.
    pub caches: Vec<Cache>,
    /// NUMA nodes.
    pub numa: Vec<NumaNode>,
    /// Main memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Size of a page in bytes.
    pub page_bytes: Option<u64>,
    /// What the system did not tell, one short sentence each.
    pub unknown: Vec<String>,
}

/// A package: one socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its number.
    pub id: u32,
    /// Its online PUs.
    pub cpus: CpuSet,
}

/// A core: the PUs that share execution units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core {
    /// Its online PUs.
    pub cpus: CpuSet,
    /// Its kind on machines with different cores.
    pub kind: CoreKind,
}

/// Kinds of cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoreKind {
    /// All cores of the machine are alike, or the system does not tell.
    Uniform,
    /// A fast core of a hybrid machine.
    Performance,
    /// A frugal core of a hybrid machine.
    Efficiency,
}

/// One physical cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u32,
    /// What it holds.
    pub kind: CacheKind,
    /// Capacity in bytes.
    pub bytes: u64,
    /// Bytes per line.
    pub line_bytes: Option<u64>,
    /// Lines per set.
    pub ways: Option<u64>,
    /// Number of sets.
    pub sets: Option<u64>,
    /// The online PUs that share it.
    pub cpus: CpuSet,
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

/// A NUMA node: memory that some PUs reach faster than the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumaNode {
    /// Its number.
    pub id: u32,
    /// Its memory in bytes.
    pub bytes: Option<u64>,
    /// Its online PUs.
    pub cpus: CpuSet,
}

impl Cache {
    /// hwloc's name: `L1d`, `L1i`, `L2`, `L3`, …
    pub fn name(&self) -> String {
        let suffix = match self.kind {
            CacheKind::Data if self.level == 1 => "d",
            CacheKind::Instruction => "i",
            CacheKind::Data | CacheKind::Unified => "",
        };
        format!("L{}{suffix}", self.level)
    }
}

impl Machine {
    /// The cache that holds data at this level, seen from the first online PU: what `-S L2` means.
    ///
    /// On a hybrid machine the kinds of cores differ here; the first PU is a performance core on all
    /// systems known to us, and [`Machine::caches`] has the others.
    pub fn data_cache(&self, level: u32) -> Option<&Cache> {
        let first = self.pus.first()?;
        self.caches.iter().find(|cache| {
            cache.level == level
                && cache.kind != CacheKind::Instruction
                && cache.cpus.contains(first)
        })
    }
}
