//! The header of a kernel file.
//!
//! ```c
//! // redblue: name = gemm
//! // redblue: summary = General matrix product, C = alpha*A*B + beta*C
//! // redblue: group = blas
//! // redblue: reference = Dongarra et al., …
//! // redblue: sizes = NI=1000, NJ=1100, NK=1200
//! // redblue: small = NI=6, NJ=7, NK=8; NI=4, NJ=3, NK=5
//! ```
//!
//! All six keys are required. Conditions on sizes are not metadata: they stand in the code as
//! `#pragma redblue assume`, where they also hold for a copy of the file.

use std::collections::BTreeMap;

use thiserror::Error;

use super::{Entry, Group, Source};
use crate::program::Sizes;

/// Why the facts about a kernel cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HeaderError {
    /// A required key is not there.
    #[error("the header has no `{0}`")]
    Missing(&'static str),
    /// No group has this name.
    #[error("unknown group `{0}`")]
    Group(String),
    /// Not of the form `N=5, M=6`.
    #[error("cannot read the sizes `{0}`")]
    Sizes(String),
}

/// The entry that the text of a C file describes.
pub(super) fn entry(text: &'static str) -> Result<Entry, HeaderError> {
    let facts: BTreeMap<&'static str, &'static str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("// redblue:"))
        .filter_map(|fact| fact.split_once('='))
        .map(|(key, value)| (key.trim(), value.trim()))
        .collect();
    let fact = |key: &'static str| facts.get(key).copied().ok_or(HeaderError::Missing(key));
    Ok(Entry {
        name: fact("name")?,
        summary: fact("summary")?,
        group: group(fact("group")?)?,
        reference: fact("reference")?,
        source: Source::C(text),
        sizes: sizes(fact("sizes")?)?,
        small: fact("small")?
            .split(';')
            .map(sizes)
            .collect::<Result<_, _>>()?,
    })
}

fn group(name: &str) -> Result<Group, HeaderError> {
    Group::ALL
        .into_iter()
        .find(|group| group.name() == name)
        .ok_or_else(|| HeaderError::Group(name.to_string()))
}

/// `N=5, M=6` as a map.
pub(super) fn sizes(text: &str) -> Result<Sizes, HeaderError> {
    let bad = || HeaderError::Sizes(text.to_string());
    text.split(',')
        .map(|size| {
            let (name, value) = size.split_once('=').ok_or_else(bad)?;
            Ok((
                name.trim().to_string(),
                value.trim().parse().map_err(|_| bad())?,
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header() {
        let entry = entry(
            "// redblue: name = one\n// redblue: summary = y = x\n// redblue: group = basic\n\
             // redblue: reference = none\n// redblue: sizes = N=10\n// redblue: small = N=2, M=3; N = 4,M=1\n\
             void f() {}\n",
        )
        .expect("entry");
        assert_eq!((entry.name, entry.summary), ("one", "y = x"));
        assert_eq!(
            entry.small[1],
            BTreeMap::from([("N".into(), 4), ("M".into(), 1)])
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        assert_eq!(entry("void f() {}"), Err(HeaderError::Missing("name")));
        assert_eq!(
            group("nonsense"),
            Err(HeaderError::Group("nonsense".into()))
        );
        for text in ["", "N", "N=", "N=2;", "N=2,"] {
            assert_eq!(sizes(text), Err(HeaderError::Sizes(text.into())), "{text}");
        }
    }
}
