//! The catalogue: kernels that can be asked for by name.
//!
//! ```text
//! kernels/gemm.c      ─┐ header, include_str!
//!                      ├──► catalogue() ──► find("gemm") ──► Entry::read ──► Reading
//! contractions.rs     ─┘ einsum strings
//! ```
//!
//! A kernel is a C file with a header of `// redblue: key = value` lines (see `kernels/README.md`), or an einsum
//! with the same facts in a table. Both are read by the ordinary front ends: an entry has no privileges,
//! and `redblue bound gemm` gives what the user's own copy of `gemm.c` would give.

mod contractions;
mod header;
mod sources;

use std::fmt;
use std::sync::OnceLock;

use crate::program::Sizes;
use crate::reading::{ReadOptions, Reading};
use crate::{c, einsum, suggest};

pub use header::HeaderError;

/// A kernel of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it computes, in one sentence.
    pub summary: &'static str,
    /// The part of the catalogue it is listed in.
    pub group: Group,
    /// Where the algorithm is described.
    pub reference: &'static str,
    /// The kernel itself.
    pub source: Source,
    /// Sizes of practical interest (PolyBench's large data set, a layer of a network).
    pub sizes: Sizes,
    /// Two or more sizes small enough to enumerate every instance.
    pub small: Vec<Sizes>,
}

/// What a kernel is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The text of a C file.
    C(&'static str),
    /// An einsum.
    Einsum(&'static str),
}

/// The parts of the catalogue, in the order of listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Small kernels that explain themselves.
    Basic,
    /// BLAS routines.
    Blas,
    /// Compositions of products.
    LinearAlgebra,
    /// Factorisations and solves.
    Solver,
    /// Orthogonal factorisations and reductions, unblocked.
    Qr,
    /// Tensor contractions.
    Contraction,
    /// Layers of neural networks.
    Ml,
    /// Stencils.
    Stencil,
    /// Statistics.
    Datamining,
    /// Dynamic programming and filters.
    Medley,
}

impl Group {
    /// All groups, in the order of listing.
    pub const ALL: [Group; 10] = [
        Group::Basic,
        Group::Blas,
        Group::LinearAlgebra,
        Group::Solver,
        Group::Qr,
        Group::Contraction,
        Group::Ml,
        Group::Stencil,
        Group::Datamining,
        Group::Medley,
    ];

    /// The name used in headers and listings.
    pub fn name(self) -> &'static str {
        match self {
            Group::Basic => "basic",
            Group::Blas => "blas",
            Group::LinearAlgebra => "linear-algebra",
            Group::Solver => "solver",
            Group::Qr => "qr",
            Group::Contraction => "contraction",
            Group::Ml => "ml",
            Group::Stencil => "stencil",
            Group::Datamining => "datamining",
            Group::Medley => "medley",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// All kernels, sorted by group and name.
pub fn catalogue() -> &'static [Entry] {
    static CATALOGUE: OnceLock<Vec<Entry>> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        // A header that does not parse is a defect of this crate, which `every_header_parses` excludes.
        let mut entries: Vec<Entry> = entries().filter_map(Result::ok).collect();
        entries.sort_by_key(|entry| (entry.group, entry.name));
        entries
    })
}

fn entries() -> impl Iterator<Item = Result<Entry, HeaderError>> {
    sources::C_FILES
        .iter()
        .map(|text| header::entry(text))
        .chain(contractions::CONTRACTIONS.iter().map(|c| c.entry()))
}

/// The kernel with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    catalogue().iter().find(|entry| entry.name == name)
}

/// The name of a kernel that a misspelt name is close to.
pub fn closest(name: &str) -> Option<&'static str> {
    suggest::closest(name, catalogue().iter().map(|entry| entry.name))
}

impl Entry {
    /// Reads the kernel by the front end of its language.
    pub fn read(&self, options: &ReadOptions) -> Reading {
        match self.source {
            Source::C(text) => {
                let name = format!("{}.c", self.name);
                let input = c::CInput { name: &name, text };
                // Kernels are self-contained.
                c::read(&input, options, &|_| None)
            }
            Source::Einsum(text) => {
                let mut reading = einsum::read(text, options);
                if let Some(program) = &mut reading.program {
                    program.name = self.name.to_string();
                }
                reading
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_header_parses() {
        for entry in entries() {
            let entry = entry.expect("header");
            assert!(!entry.summary.ends_with('.'), "{}", entry.name);
            assert!(entry.small.len() >= 2, "{}", entry.name);
            for small in &entry.small {
                assert_eq!(
                    small.keys().collect::<Vec<_>>(),
                    entry.sizes.keys().collect::<Vec<_>>(),
                    "{}",
                    entry.name
                );
            }
        }
    }

    #[test]
    fn names_are_unique_and_found() {
        let names: BTreeSet<&str> = catalogue().iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), entries().count());
        for entry in catalogue() {
            assert_eq!(find(entry.name), Some(entry));
        }
        assert_eq!(find("gem"), None);
        assert_eq!(closest("gem"), Some("gemm"));
        assert_eq!(closest("jacobi2d"), Some("jacobi-2d"));
    }

    #[test]
    fn every_kernel_file_is_in_the_catalogue() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels");
        let mut files = BTreeSet::new();
        for file in std::fs::read_dir(folder).expect("kernels folder") {
            let path = file.expect("entry").path();
            if path.extension().is_some_and(|extension| extension == "c") {
                let stem = path.file_stem().expect("stem").to_string_lossy();
                files.insert(stem.into_owned());
            }
        }
        let listed: BTreeSet<String> = catalogue()
            .iter()
            .filter(|entry| matches!(entry.source, Source::C(_)))
            .map(|entry| entry.name.to_string())
            .collect();
        assert_eq!(files, listed);
    }

    #[test]
    fn the_polybench_algorithms_are_complete() {
        let names = "2mm 3mm adi atax bicg cholesky correlation covariance deriche doitgen durbin fdtd-2d \
                     floyd-warshall gemm gemver gesummv gramschmidt heat-3d jacobi-1d jacobi-2d lu ludcmp mvt \
                     nussinov seidel-2d symm syr2k syrk trisolv trmm";
        assert_eq!(names.split_whitespace().count(), 30);
        for name in names.split_whitespace() {
            assert!(find(name).is_some(), "{name}");
        }
    }
}
