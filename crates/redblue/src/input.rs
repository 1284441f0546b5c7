//! What INPUT means: a C file, `-`, an einsum or the name of a catalogue kernel.
//!
//! ```text
//! argument ── resolve ──► Source (kind and text) ── load, ReadOptions ──► Reading (program, diagnostics)
//! ```
//!
//! [`resolve`] and the includes of [`load`] are the only places of redblue that read sources from the disk.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use redblue_program::catalogue::{self, Entry};
use redblue_program::reading::{ReadOptions, Reading};
use redblue_program::{Diagnostic, SourceMap, Span, c, einsum};

use crate::Refusal;
use crate::codes::{NOT_TEXT, UNKNOWN_INPUT, UNREADABLE};

/// No source is larger; a device such as `/dev/zero` must not fill the memory.
const MOST_BYTES: u64 = 16 << 20;

/// An input whose text is at hand.
#[derive(Clone, Debug)]
pub enum Source {
    /// C code.
    C {
        /// Its path, or `<stdin>`.
        name: String,
        /// The code.
        text: String,
        /// The byte at which it was not UTF-8 and had to be mended.
        mended: Option<usize>,
    },
    /// An einsum.
    Einsum(String),
    /// A kernel of the catalogue.
    Kernel(&'static Entry),
}

/// Finds out what an argument means and reads its text.
///
/// In this order: `-` is C on standard input; text with `->` (or any, if `force_einsum`) is an einsum; the
/// name of a catalogue kernel is that kernel; anything else is the path of a C file. A file that is called
/// like a kernel is `./gemm`.
///
/// # Errors
/// `RB0907`, `RB0908` or `RB0909` if there is no such input or it cannot be read.
pub fn resolve(argument: &str, force_einsum: bool) -> Result<Source, Refusal> {
    if force_einsum || argument.contains("->") {
        return Ok(Source::Einsum(argument.to_string()));
    }
    if argument == "-" {
        return c_source("<stdin>", read_bytes(io::stdin().lock()));
    }
    if let Some(entry) = catalogue::find(argument) {
        return Ok(Source::Kernel(entry));
    }
    let path = Path::new(argument);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(Refusal::new(
            &UNREADABLE,
            format!("`{argument}` is a directory"),
        )
        .hint("name one C file in it")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(not_found(argument)),
        _ => c_source(argument, fs::File::open(path).and_then(read_bytes)),
    }
}

/// Reads a program.
///
/// # Example
/// ```
/// use redblue::input::{load, resolve};
/// use redblue::program::reading::ReadOptions;
///
/// let reading = load(&resolve("ik,kj->ij", false)?, &ReadOptions::default());
/// assert!(reading.diagnostics.is_empty());
/// # Ok::<(), redblue::Refusal>(())
/// ```
pub fn load(source: &Source, options: &ReadOptions) -> Reading {
    match source {
        Source::C { name, text, mended } => {
            let mut reading = read_c(name, text, options);
            if let Some(at) = *mended {
                let warning = mended_warning(name, text, at, &mut reading.sources);
                reading.diagnostics.insert(0, warning);
            }
            reading
        }
        Source::Einsum(text) => einsum::read(text, options),
        Source::Kernel(entry) => {
            let mut reading = entry.read(options);
            if let Some(program) = &mut reading.program {
                program.name = entry.name.to_string();
            }
            reading
        }
    }
}

fn read_c(name: &str, text: &str, options: &ReadOptions) -> Reading {
    let include = |path: &str| {
        let bytes = fs::File::open(path).and_then(read_bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    c::read(&c::CInput { name, text }, options, &include)
}

fn c_source(name: &str, bytes: io::Result<Vec<u8>>) -> Result<Source, Refusal> {
    let bytes = bytes.map_err(|error| {
        Refusal::new(&UNREADABLE, format!("cannot read {}: {error}", shown(name)))
    })?;
    if bytes.contains(&0) {
        return Err(
            Refusal::new(&NOT_TEXT, format!("{} is a binary file", shown(name)))
                .hint("give the C source it was made from"),
        );
    }
    let mended = std::str::from_utf8(&bytes)
        .err()
        .map(|error| error.valid_up_to());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Source::C {
        name: name.to_string(),
        text,
        mended,
    })
}

/// All bytes, or an error above the limit.
fn read_bytes(mut from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.by_ref().take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::other(
            "it has more than 16 MiB, which no source has",
        ));
    }
    Ok(bytes)
}

fn not_found(argument: &str) -> Refusal {
    let looks_like_path = argument.contains(['/', '.', '\\']);
    if looks_like_path {
        return Refusal::new(&UNKNOWN_INPUT, format!("there is no file `{argument}`"))
            .hint("`redblue kernels` lists kernels that need no file");
    }
    let hint = match catalogue::closest(argument) {
        Some(name) => format!("did you mean the kernel `{name}`?"),
        None => {
            "`redblue kernels` lists the catalogue; an implicit einsum needs --einsum".to_string()
        }
    };
    Refusal::new(
        &UNKNOWN_INPUT,
        format!("`{argument}` is neither a file nor a kernel"),
    )
    .hint(hint)
}

fn mended_warning(name: &str, text: &str, at: usize, sources: &mut SourceMap) -> Diagnostic {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let span = Span {
        file: sources.add(name, text),
        start: offset(at),
        end: offset(at + char::REPLACEMENT_CHARACTER.len_utf8()),
    };
    Diagnostic::warning(&NOT_TEXT, "bytes that are not UTF-8 were replaced").at(span)
}

fn shown(name: &str) -> String {
    if name.starts_with('<') {
        "standard input".to_string()
    } else {
        format!("`{name}`")
    }
}
