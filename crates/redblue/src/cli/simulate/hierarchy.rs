//! Which memories a command line means: sizes, ways and lines, as given or as this machine has them.
//!
//! Under `--policy set` a level that is one of this machine's caches is simulated as it is built, with its own
//! ways and lines; without `-S`, all its data caches behind each other. `--ways` and `--line` override both.

use redblue::Refusal;
use redblue::codes::BAD_VALUE;
use redblue::memory::{Capacity, FastMemory};
use redblue::sim::machine::{Cache, Machine};
use redblue::simulate::{Level, Policy};

use crate::cli::request::Request;

/// The memories of a command line.
pub(super) struct Hierarchy {
    /// Each as its levels, nearest first.
    pub(super) memories: Vec<Vec<Level>>,
    /// Words per line, if lines move.
    pub(super) line: Option<u32>,
    /// What is to be said about it.
    pub(super) note: String,
}

impl Hierarchy {
    pub(super) fn new(
        request: &Request<'_>,
        policies: &[Policy],
        word_bytes: u64,
        machine: Option<&Machine>,
    ) -> Result<Hierarchy, Refusal> {
        let by_sets = policies.contains(&Policy::Set);
        let mut given = request.memories()?;
        let by_default = given.is_empty();
        if by_default {
            given = default_memories(by_sets, machine);
        }
        let cache_of = |capacity: &Capacity| match capacity {
            Capacity::Cache(level) => machine.and_then(|machine| machine.data_cache(*level)),
            Capacity::Words(_) | Capacity::Bytes(_) => None,
        };
        let ways = positive(request, "ways")?;
        let mut memories = Vec::new();
        for memory in &given {
            let words = memory.words(word_bytes, machine)?;
            let levels = words.into_iter().zip(&memory.0).map(|(words, capacity)| {
                let own = cache_of(capacity).map(own_ways);
                Level {
                    words,
                    ways: ways.or(own).unwrap_or(Level::USUAL_WAYS),
                }
            });
            memories.push(levels.collect());
        }
        let mut caches = given
            .iter()
            .flat_map(|memory| &memory.0)
            .filter_map(cache_of);
        let own_line = caches.find(|_| by_sets).and_then(|cache| cache.line_bytes);
        let own_line = own_line.and_then(|bytes| u32::try_from((bytes / word_bytes).max(1)).ok());
        let line = positive(request, "line")?.or(own_line);
        Ok(Hierarchy {
            note: match by_default {
                true => note(&given, word_bytes, line.filter(|_| by_sets)),
                false => String::new(),
            },
            memories,
            line,
        })
    }
}

/// All data caches behind each other for sets, else the first two each alone.
fn default_memories(by_sets: bool, machine: Option<&Machine>) -> Vec<FastMemory> {
    let known = |level: &u32| machine.is_some_and(|machine| machine.data_cache(*level).is_some());
    match by_sets {
        true => {
            let behind = (2..).take_while(known);
            let levels = [1].into_iter().chain(behind).map(Capacity::Cache);
            vec![FastMemory(levels.collect())]
        }
        false => [1, 2]
            .map(|level| FastMemory(vec![Capacity::Cache(level)]))
            .to_vec(),
    }
}

/// The ways of a cache; all of its lines where the system does not tell.
fn own_ways(cache: &Cache) -> u32 {
    let lines = cache.bytes / cache.line_bytes.unwrap_or(1).max(1);
    u32::try_from(cache.ways.unwrap_or(lines)).unwrap_or(u32::MAX)
}

/// Says which memories were taken because none were given.
fn note(memories: &[FastMemory], word_bytes: u64, line: Option<u32>) -> String {
    let levels = memories.iter().flat_map(|memory| &memory.0);
    let names: Vec<String> = levels
        .filter_map(|capacity| match capacity {
            Capacity::Cache(level) => Some(format!("L{level}")),
            Capacity::Words(_) | Capacity::Bytes(_) => None,
        })
        .collect();
    let lines = line.map_or(String::new(), |words| {
        let plural = if words == 1 { "" } else { "s" };
        format!(" and lines of {words} word{plural}")
    });
    let (names, verb) = match names.split_last() {
        Some((last, [])) => (last.clone(), "is"),
        Some((last, others)) => (format!("{} and {last}", others.join(", ")), "are"),
        None => return String::new(),
    };
    format!(
        "note: without -S, this machine's {names} {verb} taken, with words of {word_bytes} bytes{lines}\n"
    )
}

/// The value of an option that is a number above 0.
fn positive(request: &Request<'_>, option: &str) -> Result<Option<u32>, Refusal> {
    let read = |text: &str| {
        text.parse().ok().filter(|n| *n > 0).ok_or_else(|| {
            let message = format!("`{text}` is not possible for `--{option}`");
            Refusal::new(&BAD_VALUE, message).hint("give a whole number above 0")
        })
    };
    request.text(option).map(read).transpose()
}
