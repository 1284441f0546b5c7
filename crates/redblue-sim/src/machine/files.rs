//! The few files of `/sys` and `/proc` that describe a machine, as an in-memory tree of (path, text).

use std::collections::BTreeMap;

/// Files by absolute path.
#[derive(Clone, Debug, Default)]
pub struct SystemFiles(BTreeMap<String, String>);

impl SystemFiles {
    /// Paths that [`read`](super::read) looks at, where `#` stands for any number. A caller that fills a
    /// tree from the disk reads exactly these.
    pub const PATTERNS: &'static [&'static str] = &[
        "/proc/cpuinfo",
        "/proc/meminfo",
        "/proc/self/smaps",
        "/sys/devices/cpu_core/cpus",
        "/sys/devices/cpu_atom/cpus",
        "/sys/devices/system/cpu/online",
        "/sys/devices/system/cpu/offline",
        "/sys/devices/system/cpu/cpu#/cpu_capacity",
        "/sys/devices/system/cpu/cpu#/topology/physical_package_id",
        "/sys/devices/system/cpu/cpu#/topology/core_cpus_list",
        "/sys/devices/system/cpu/cpu#/topology/thread_siblings_list",
        "/sys/devices/system/cpu/cpu#/cache/index#/level",
        "/sys/devices/system/cpu/cpu#/cache/index#/type",
        "/sys/devices/system/cpu/cpu#/cache/index#/size",
        "/sys/devices/system/cpu/cpu#/cache/index#/coherency_line_size",
        "/sys/devices/system/cpu/cpu#/cache/index#/ways_of_associativity",
        "/sys/devices/system/cpu/cpu#/cache/index#/number_of_sets",
        "/sys/devices/system/cpu/cpu#/cache/index#/shared_cpu_list",
        "/sys/devices/system/cpu/cpu#/cache/index#/shared_cpu_map",
        "/sys/devices/system/node/node#/cpulist",
        "/sys/devices/system/node/node#/meminfo",
    ];

    /// The text of a file without the white space around it; empty files count as absent, as sysfs uses
    /// both to say "not known".
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.0
            .get(path)
            .map(|text| text.trim())
            .filter(|text| !text.is_empty())
    }

    /// The file as a number.
    pub(super) fn number<T: std::str::FromStr>(&self, path: &str) -> Option<T> {
        self.text(path)?.parse().ok()
    }

    /// The numbers `n` such that the tree has entries below `{prefix}{n}/`, ascending.
    pub(super) fn numbered(&self, prefix: &str) -> Vec<u32> {
        let mut numbers: Vec<u32> = self
            .0
            .range(prefix.to_string()..)
            .take_while(|(path, _)| path.starts_with(prefix))
            .filter_map(|(path, _)| path[prefix.len()..].split_once('/')?.0.parse().ok())
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

impl<P: Into<String>, T: Into<String>> FromIterator<(P, T)> for SystemFiles {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(files: I) -> SystemFiles {
        SystemFiles(
            files
                .into_iter()
                .map(|(path, text)| (path.into(), text.into()))
                .collect(),
        )
    }
}
