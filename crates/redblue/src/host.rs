//! The machine this process runs on: the one place that reads `/sys` and `/proc`.

use std::fs;
use std::io::Read;
use std::path::Path;

use redblue_sim::machine::{self, Machine, MachineError, SystemFiles};

/// Longer files than this describe no machine; `smaps` is cut, its first entry is all that is needed.
const MOST_BYTES: u64 = 1 << 20;

/// Describes this machine.
///
/// # Errors
/// When the system lists no processor at all.
pub fn machine() -> Result<Machine, MachineError> {
    machine::read(&system_files(Path::new("/")))
}

/// Bytes of memory that programs can still have without swapping, if the system tells.
pub fn available_memory() -> Option<u128> {
    let info = text(Path::new("/proc/meminfo"))?;
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u128 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Reads the files that describe a machine from a system mounted at `root`; what is missing is left out.
pub fn system_files(root: &Path) -> SystemFiles {
    let mut files = Vec::new();
    for pattern in SystemFiles::PATTERNS {
        expand(root, "", pattern, &mut files);
    }
    files.into_iter().collect()
}

/// Follows a pattern from the folder `done`, trying every numbered entry for each `#`.
fn expand(root: &Path, done: &str, pattern: &str, files: &mut Vec<(String, String)>) {
    let Some((stem, rest)) = pattern.split_once('#') else {
        let path = format!("{done}{pattern}");
        if let Some(text) = text(&root.join(path.trim_start_matches('/'))) {
            files.push((path, text));
        }
        return;
    };
    let (folder, prefix) = stem.rsplit_once('/').unwrap_or(("", stem));
    let folder = format!("{done}{folder}");
    let Ok(entries) = fs::read_dir(root.join(folder.trim_start_matches('/'))) else {
        return;
    };
    let numbered = entries.flatten().filter_map(|entry| {
        let number: u32 = entry
            .file_name()
            .to_str()?
            .strip_prefix(prefix)?
            .parse()
            .ok()?;
        Some(number)
    });
    for number in numbered {
        expand(root, &format!("{folder}/{prefix}{number}"), rest, files);
    }
}

fn text(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)
        .ok()?
        .take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mounted_tree_is_found_by_its_patterns() {
        let root = tempfile::tempdir().unwrap();
        let cache = root.path().join("sys/devices/system/cpu/cpu3/cache/index1");
        fs::create_dir_all(&cache).unwrap();
        fs::create_dir_all(root.path().join("sys/devices/system/cpu/cpufreq")).unwrap();
        for (name, text) in [("level", "2"), ("type", "Unified"), ("size", "512K")] {
            fs::write(cache.join(name), text).unwrap();
        }
        let machine = machine::read(&system_files(root.path())).unwrap();
        assert_eq!(machine.pus.to_string(), "3");
        assert_eq!(
            machine.data_cache(2).map(|cache| cache.bytes),
            Some(512 << 10)
        );
    }
}
