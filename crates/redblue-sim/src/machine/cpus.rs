//! Sets of processors, in the two notations of Linux: lists (`0-3,8`) and hexadecimal masks (`f,0000000f`).

use std::collections::BTreeSet;
use std::fmt;

/// No Linux has more processors; a larger number in a file is damage, not a machine.
const MOST_CPUS: u32 = 1 << 16;

/// A set of processor numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CpuSet(BTreeSet<u32>);

impl CpuSet {
    /// Reads `0-3,8,10-11`; `None` if the text is no such list. The empty text is the empty set.
    pub fn from_list(text: &str) -> Option<CpuSet> {
        let mut cpus = BTreeSet::new();
        for part in text
            .trim()
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
            if first > last || last >= MOST_CPUS {
                return None;
            }
            cpus.extend(first..=last);
        }
        Some(CpuSet(cpus))
    }

    /// Reads `ff,00000003`: groups of 32 bits, the most significant first.
    pub fn from_mask(text: &str) -> Option<CpuSet> {
        let mut cpus = BTreeSet::new();
        for (group, digits) in (0u32..).zip(text.trim().rsplit(',')) {
            let bits = u32::from_str_radix(digits.trim(), 16).ok()?;
            if group >= MOST_CPUS / 32 {
                return None;
            }
            cpus.extend(
                (0..32)
                    .filter(|bit| bits >> bit & 1 == 1)
                    .map(|bit| group * 32 + bit),
            );
        }
        Some(CpuSet(cpus))
    }

    /// The lowest number.
    pub fn first(&self) -> Option<u32> {
        self.0.first().copied()
    }

    /// How many processors.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this processor is in the set.
    pub fn contains(&self, cpu: u32) -> bool {
        self.0.contains(&cpu)
    }

    /// The numbers in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    /// Processors in both sets.
    pub fn intersection(&self, other: &CpuSet) -> CpuSet {
        CpuSet(self.0.intersection(&other.0).copied().collect())
    }

    /// Processors in this set and not in the other.
    pub fn difference(&self, other: &CpuSet) -> CpuSet {
        CpuSet(self.0.difference(&other.0).copied().collect())
    }

    /// Processors in either set.
    pub fn union(&self, other: &CpuSet) -> CpuSet {
        CpuSet(self.0.union(&other.0).copied().collect())
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> CpuSet {
        CpuSet(cpus.into_iter().collect())
    }
}

/// Linux's list notation.
impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.iter().copied().peekable();
        let mut separator = "";
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(next) = rest.next_if(|next| *next == last + 1) {
                last = next;
            }
            if first == last {
                write!(f, "{separator}{first}")?;
            } else {
                write!(f, "{separator}{first}-{last}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_notations() {
        let list = |text| CpuSet::from_list(text).map(|cpus| cpus.to_string());
        assert_eq!(list("0-3,8,10-11\n"), Some("0-3,8,10-11".into()));
        assert_eq!(list("\n"), Some(String::new()));
        assert_eq!(list("3-1"), None);
        assert_eq!(list("0-4294967295"), None);
        assert_eq!(list("cpu0"), None);
        let mask = |text| CpuSet::from_mask(text).map(|cpus| cpus.to_string());
        assert_eq!(mask("00000000,00000003\n"), Some("0-1".into()));
        assert_eq!(mask("1,00000000"), Some("32".into()));
        assert_eq!(mask("100000000"), None);
    }

    proptest! {
        #[test]
        fn print_then_read_is_the_identity(cpus in proptest::collection::btree_set(0u32..300, 0..40)) {
            let set: CpuSet = cpus.into_iter().collect();
            prop_assert_eq!(CpuSet::from_list(&set.to_string()), Some(set));
        }

        #[test]
        fn any_text_is_a_set_or_nothing(text in ".{0,40}") {
            let _ = (CpuSet::from_list(&text), CpuSet::from_mask(&text));
        }
    }
}
