//! The fast memory from the command line: `-S 4096`, `-S 32KiB`, `-S L1,L2`, `-S 1024..65536:log2`.
//!
//! ```text
//! "32KiB" ──► FastMemory ── word size, Machine ──► words per level, innermost first
//! ```
//!
//! A capacity in bytes becomes words only when the size of an element is known, and a cache only on a known
//! machine, so both stay as they were written until [`FastMemory::words`].

use redblue_program::Diagnostic;
use redblue_sim::machine::Machine;

use crate::Refusal;
use crate::codes::{BAD_MEMORY, NO_SUCH_CACHE};
use crate::sizes::sweep;

/// One level of fast memory as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// A number of elements.
    Words(u64),
    /// A number of bytes.
    Bytes(u64),
    /// This machine's data cache of this level.
    Cache(u32),
}

/// The levels of one fast memory, innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FastMemory(pub Vec<Capacity>);

/// Reads the arguments of all `-S` options: one memory each, and for a sweep one per value.
///
/// # Errors
/// `RB0413` with a caret under the part that is wrong.
///
/// # Example
/// ```
/// use redblue::memory::{Capacity, FastMemory, parse};
///
/// assert_eq!(parse(&["32KiB"])?, [FastMemory(vec![Capacity::Bytes(32 * 1024)])]);
/// assert_eq!(parse(&["256..1024:log2"])?.len(), 3);
/// # Ok::<(), redblue::Refusal>(())
/// ```
pub fn parse<T: AsRef<str>>(arguments: &[T]) -> Result<Vec<FastMemory>, Refusal> {
    parse_option("-S", arguments)
}

/// [`parse`] for an option with another name, which diagnostics point to.
///
/// # Errors
/// As for [`parse`].
pub fn parse_option<T: AsRef<str>>(
    option: &str,
    arguments: &[T],
) -> Result<Vec<FastMemory>, Refusal> {
    let mut memories = Vec::new();
    for argument in arguments.iter().map(AsRef::as_ref) {
        if argument.contains("..") {
            memories.extend(swept(option, argument)?);
        } else {
            memories.push(nested(option, argument)?);
        }
    }
    Ok(memories)
}

/// `A,B`: nested levels.
fn nested(option: &str, argument: &str) -> Result<FastMemory, Refusal> {
    let mut levels = Vec::new();
    let mut start = 0;
    for part in argument.split(',') {
        let capacity = capacity(part.trim()).ok_or_else(|| {
            let message = match part.trim() {
                "0" => "a fast memory of 0 words cannot hold a single operand".to_string(),
                part => format!("`{part}` is not a memory size"),
            };
            let problem = Diagnostic::error(&BAD_MEMORY, message)
                .hint("write words (4096), bytes (32KiB, 2MiB) or a cache (L1, L2, L3)");
            Refusal::in_argument(option, argument, start..start + part.len(), problem)
        })?;
        levels.push(capacity);
        start += part.len() + 1;
    }
    Ok(FastMemory(levels))
}

/// `LOW..HIGH:…`: several memories of one level. Both ends have the same kind of unit.
fn swept(option: &str, argument: &str) -> Result<Vec<FastMemory>, Refusal> {
    let refuse = |problem| {
        Err(Refusal::in_argument(
            option,
            argument,
            0..argument.len(),
            problem,
        ))
    };
    let in_bytes = argument.contains('B');
    let number = |text: &str| match capacity(text)? {
        Capacity::Bytes(bytes) if in_bytes => i64::try_from(bytes).ok(),
        Capacity::Words(words) if !in_bytes => i64::try_from(words).ok(),
        _ => None,
    };
    let values = match sweep::parse(argument, &number) {
        Ok(values) => values,
        Err(problem) => return refuse(problem.diagnostic(&BAD_MEMORY, argument)),
    };
    let unit = if in_bytes {
        Capacity::Bytes
    } else {
        Capacity::Words
    };
    Ok(values
        .into_iter()
        .map(|value| FastMemory(vec![unit(value.unsigned_abs())]))
        .collect())
}

/// One capacity; zero and overflow are none.
fn capacity(text: &str) -> Option<Capacity> {
    if let Some(level) = text.strip_prefix(['L', 'l']) {
        let level: u32 = level.parse().ok()?;
        return (1..=9).contains(&level).then_some(Capacity::Cache(level));
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.trim_end().parse().ok().filter(|n| *n > 0)?;
    let shift = match &text[digits.len()..] {
        "" => return Some(Capacity::Words(number)),
        "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return None,
    };
    number.checked_mul(1 << shift).map(Capacity::Bytes)
}

impl FastMemory {
    /// Words per level, for elements of `word_bytes` bytes.
    ///
    /// # Errors
    /// `RB0414` for a cache that the machine does not list, `RB0413` for a level below one word or not above
    /// the level inside it.
    pub fn words(&self, word_bytes: u64, machine: Option<&Machine>) -> Result<Vec<u64>, Refusal> {
        let words = |capacity: &Capacity| match *capacity {
            Capacity::Words(words) => Ok(words),
            Capacity::Bytes(bytes) => Ok(bytes / word_bytes.max(1)),
            Capacity::Cache(level) => machine
                .and_then(|machine| machine.data_cache(level))
                .map(|cache| cache.bytes / word_bytes.max(1))
                .ok_or_else(|| {
                    Refusal::new(
                        &NO_SUCH_CACHE,
                        format!("this machine's L{level} is not known"),
                    )
                    .hint("`redblue machine` lists the caches; give the size itself, as in 32KiB")
                }),
        };
        let levels = self
            .0
            .iter()
            .map(words)
            .collect::<Result<Vec<u64>, Refusal>>()?;
        if levels.first().is_some_and(|words| *words == 0) {
            return Err(Refusal::new(&BAD_MEMORY, "the fast memory holds no word"));
        }
        match levels.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => Err(Refusal::new(
                &BAD_MEMORY,
                format!(
                    "nested levels must grow, but {} words come before {}",
                    pair[0], pair[1]
                ),
            )),
            None => Ok(levels),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(argument: &str, expected: &[&[Capacity]]) {
        let expected: Vec<FastMemory> = expected
            .iter()
            .map(|levels| FastMemory(levels.to_vec()))
            .collect();
        assert_eq!(parse(&[argument]).unwrap(), expected, "{argument}");
    }

    #[test]
    fn words_bytes_caches_levels_and_sweeps() {
        use Capacity::{Bytes, Cache, Words};
        check("4096", &[&[Words(4096)]]);
        check("32KiB", &[&[Bytes(32 << 10)]]);
        check("2 MiB", &[&[Bytes(2 << 20)]]);
        check("L1,L2", &[&[Cache(1), Cache(2)]]);
        check("512,32KiB", &[&[Words(512), Bytes(32 << 10)]]);
        check("4..16:log2", &[&[Words(4)], &[Words(8)], &[Words(16)]]);
        check("1KiB..2KiB:1KiB", &[&[Bytes(1 << 10)], &[Bytes(2 << 10)]]);
    }

    #[test]
    fn refused() {
        for bad in [
            "",
            "0",
            "-3",
            "32KB",
            "L0",
            "Lx",
            "1,,2",
            "1..2KiB",
            "L1..L3",
            "99999999999TiB",
            "é",
        ] {
            assert!(parse(&[bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn words_of_levels() {
        let words = |argument: &str| parse(&[argument]).unwrap()[0].words(8, None);
        assert_eq!(words("32KiB").unwrap(), [4096]);
        assert_eq!(words("512,32KiB").unwrap(), [512, 4096]);
        assert!(words("4B").is_err());
        assert!(words("512,512").is_err());
        assert!(words("L1").unwrap_err().to_string().contains("RB0414"));
    }
}
