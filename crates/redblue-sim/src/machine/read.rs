//! From the text of system files to a [`Machine`].

use thiserror::Error;

use super::{Cache, CacheKind, Core, CoreKind, CpuSet, Machine, NumaNode, Package, SystemFiles};

const CPU: &str = "/sys/devices/system/cpu/";
const NODE: &str = "/sys/devices/system/node/";

/// Vector instruction sets: flag in `/proc/cpuinfo`, common name, register width where it is fixed.
const SIMD: &[(&str, &str, Option<u32>)] = &[
    ("sse2", "SSE2", Some(128)),
    ("sse4_2", "SSE4.2", Some(128)),
    ("avx", "AVX", Some(256)),
    ("fma", "FMA", None),
    ("avx2", "AVX2", Some(256)),
    ("avx512f", "AVX-512", Some(512)),
    ("amx_tile", "AMX", None),
    ("asimd", "NEON", Some(128)),
    ("neon", "NEON", Some(128)),
    ("sve", "SVE", None),
    ("sve2", "SVE2", None),
    ("sme", "SME", None),
];

/// Why no machine could be described.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MachineError {
    /// Neither sysfs nor procfs lists a processor: not Linux, or a sandbox that hides both.
    #[error("the system lists no processors (neither /sys/devices/system/cpu nor /proc/cpuinfo)")]
    NoProcessors,
}

/// Describes the machine whose system files are given.
///
/// # Errors
/// Only when not even one processor is listed; everything else that is missing becomes `None` and a line
/// of [`Machine::unknown`].
///
/// # Example
/// ```
/// use redblue_sim::machine::{SystemFiles, read};
///
/// let cache = "/sys/devices/system/cpu/cpu0/cache/index0";
/// let files: SystemFiles = [
///     ("/sys/devices/system/cpu/online".to_string(), "0"),
///     (format!("{cache}/level"), "1"),
///     (format!("{cache}/type"), "Data"),
///     (format!("{cache}/size"), "32K"),
/// ]
/// .into_iter()
/// .collect();
/// let machine = read(&files)?;
/// assert_eq!(machine.data_cache(1).map(|l1| l1.bytes), Some(32 * 1024));
/// # Ok::<(), redblue_sim::machine::MachineError>(())
/// ```
pub fn read(files: &SystemFiles) -> Result<Machine, MachineError> {
    let cpuinfo = files.text("/proc/cpuinfo").unwrap_or_default();
    let pus = online(files, cpuinfo);
    if pus.is_empty() {
        return Err(MachineError::NoProcessors);
    }
    let (simd, vector_bits) = simd(cpuinfo);
    let caches = caches(files, &pus);
    let memory_bytes = files
        .text("/proc/meminfo")
        .and_then(|text| kilobytes(text, "MemTotal"));
    let mut unknown = Vec::new();
    if caches.is_empty() {
        unknown.push(
            "the kernel lists no caches (usual in containers and some virtual machines)".into(),
        );
    }
    if memory_bytes.is_none() {
        unknown.push("the size of main memory is not listed".into());
    }
    Ok(Machine {
        model: model(cpuinfo),
        simd,
        vector_bits,
        offline: files
            .text(&format!("{CPU}offline"))
            .and_then(CpuSet::from_list)
            .unwrap_or_default()
            .difference(&pus),
        packages: packages(files, &pus),
        cores: cores(files, &pus),
        caches,
        numa: numa(files, &pus),
        memory_bytes,
        page_bytes: files
            .text("/proc/self/smaps")
            .and_then(|text| kilobytes(text, "KernelPageSize")),
        pus,
        unknown,
    })
}

/// Online PUs: sysfs's list, else the folders of sysfs, else the entries of `/proc/cpuinfo`.
fn online(files: &SystemFiles, cpuinfo: &str) -> CpuSet {
    let listed = files
        .text(&format!("{CPU}online"))
        .and_then(CpuSet::from_list);
    listed.filter(|cpus| !cpus.is_empty()).unwrap_or_else(|| {
        let folders: CpuSet = files.numbered(&format!("{CPU}cpu")).into_iter().collect();
        if folders.is_empty() {
            values(cpuinfo, "processor")
                .filter_map(|number| number.parse().ok())
                .collect()
        } else {
            folders
        }
    })
}

/// Packages by `physical_package_id`, which is -1 or absent where the firmware does not tell.
fn packages(files: &SystemFiles, pus: &CpuSet) -> Vec<Package> {
    let id_of = |cpu: u32| {
        let id = files.number::<i64>(&format!("{CPU}cpu{cpu}/topology/physical_package_id"));
        id.and_then(|id| u32::try_from(id).ok()).unwrap_or(0)
    };
    let mut packages: Vec<Package> = Vec::new();
    for cpu in pus.iter() {
        let (id, cpu) = (id_of(cpu), CpuSet::from_iter([cpu]));
        match packages.iter_mut().find(|package| package.id == id) {
            Some(package) => package.cpus = package.cpus.union(&cpu),
            None => packages.push(Package { id, cpus: cpu }),
        }
    }
    packages.sort_by_key(|package| package.id);
    packages
}

fn cores(files: &SystemFiles, pus: &CpuSet) -> Vec<Core> {
    let kinds = CoreKinds::read(files, pus);
    let mut cores: Vec<Core> = Vec::new();
    for cpu in pus.iter() {
        if cores.iter().any(|core| core.cpus.contains(cpu)) {
            continue;
        }
        let topology = format!("{CPU}cpu{cpu}/topology");
        let siblings = ["core_cpus_list", "thread_siblings_list"]
            .iter()
            .find_map(|name| CpuSet::from_list(files.text(&format!("{topology}/{name}"))?));
        cores.push(Core {
            cpus: shared_online(siblings, cpu, pus),
            kind: kinds.of(cpu),
        });
    }
    cores
}

/// The online part of a sharing list; the PU alone if the list is missing or does not even have it.
fn shared_online(listed: Option<CpuSet>, cpu: u32, pus: &CpuSet) -> CpuSet {
    listed
        .map(|cpus| cpus.intersection(pus))
        .filter(|cpus| cpus.contains(cpu))
        .unwrap_or_else(|| CpuSet::from_iter([cpu]))
}

/// Kinds of cores: Intel has one event source per kind, Arm a relative capacity per PU.
struct CoreKinds {
    performance: CpuSet,
    efficiency: CpuSet,
}

impl CoreKinds {
    fn read(files: &SystemFiles, pus: &CpuSet) -> CoreKinds {
        let list = |kind| files.text(&format!("/sys/devices/cpu_{kind}/cpus"));
        let (fast, frugal) = (list("core"), list("atom"));
        if let (Some(fast), Some(frugal)) = (fast, frugal) {
            return CoreKinds {
                performance: CpuSet::from_list(fast).unwrap_or_default(),
                efficiency: CpuSet::from_list(frugal).unwrap_or_default(),
            };
        }
        let capacity = |cpu: u32| files.number::<u64>(&format!("{CPU}cpu{cpu}/cpu_capacity"));
        let highest = pus.iter().filter_map(capacity).max();
        let (performance, efficiency): (Vec<u32>, Vec<u32>) = pus
            .iter()
            .filter(|cpu| capacity(*cpu).is_some())
            .partition(|cpu| capacity(*cpu) == highest);
        CoreKinds {
            performance: performance.into_iter().collect(),
            efficiency: efficiency.into_iter().collect(),
        }
    }

    fn of(&self, cpu: u32) -> CoreKind {
        if self.efficiency.is_empty() || self.performance.is_empty() {
            CoreKind::Uniform
        } else if self.performance.contains(cpu) {
            CoreKind::Performance
        } else if self.efficiency.contains(cpu) {
            CoreKind::Efficiency
        } else {
            CoreKind::Uniform
        }
    }
}

/// Every PU lists the caches above it; one that is shared is listed by each of its PUs.
fn caches(files: &SystemFiles, pus: &CpuSet) -> Vec<Cache> {
    let mut caches: Vec<Cache> = Vec::new();
    for cpu in pus.iter() {
        let folder = format!("{CPU}cpu{cpu}/cache/index");
        for index in files.numbered(&folder) {
            let Some(cache) = cache(files, &format!("{folder}{index}"), cpu, pus) else {
                continue;
            };
            let known = caches.iter().any(|other| {
                (other.level, other.kind) == (cache.level, cache.kind) && other.cpus.contains(cpu)
            });
            if !known {
                caches.push(cache);
            }
        }
    }
    caches.sort_by_key(|cache| {
        (
            std::cmp::Reverse(cache.level),
            cache.kind,
            cache.cpus.first(),
        )
    });
    caches
}

/// One cache; `None` if its level, kind or size is not told, since it then says nothing.
fn cache(files: &SystemFiles, folder: &str, cpu: u32, pus: &CpuSet) -> Option<Cache> {
    let kind = match files.text(&format!("{folder}/type"))? {
        "Data" => CacheKind::Data,
        "Instruction" => CacheKind::Instruction,
        "Unified" => CacheKind::Unified,
        _ => return None,
    };
    // Zero means "unknown" in all three files.
    let positive = |name: &str| {
        files
            .number(&format!("{folder}/{name}"))
            .filter(|n: &u64| *n > 0)
    };
    let (line_bytes, ways, sets) = (
        positive("coherency_line_size"),
        positive("ways_of_associativity"),
        positive("number_of_sets"),
    );
    let bytes = files
        .text(&format!("{folder}/size"))
        .and_then(size)
        .filter(|bytes| *bytes > 0)
        .or_else(|| line_bytes?.checked_mul(ways?)?.checked_mul(sets?))?;
    let shared = files
        .text(&format!("{folder}/shared_cpu_list"))
        .and_then(CpuSet::from_list)
        .or_else(|| CpuSet::from_mask(files.text(&format!("{folder}/shared_cpu_map"))?));
    Some(Cache {
        level: files
            .number(&format!("{folder}/level"))
            .filter(|level| (1..=9).contains(level))?,
        kind,
        bytes,
        line_bytes,
        ways,
        sets,
        cpus: shared_online(shared, cpu, pus),
    })
}

fn numa(files: &SystemFiles, pus: &CpuSet) -> Vec<NumaNode> {
    let node = |id: u32| NumaNode {
        id,
        bytes: files
            .text(&format!("{NODE}node{id}/meminfo"))
            .and_then(|text| kilobytes(text, "MemTotal")),
        cpus: files
            .text(&format!("{NODE}node{id}/cpulist"))
            .and_then(CpuSet::from_list)
            .unwrap_or_default()
            .intersection(pus),
    };
    files
        .numbered(&format!("{NODE}node"))
        .into_iter()
        .map(node)
        .collect()
}

fn model(cpuinfo: &str) -> Option<String> {
    ["model name", "Model", "Processor", "cpu model"]
        .iter()
        .find_map(|key| values(cpuinfo, key).find(|name| !name.is_empty()))
        .map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn simd(cpuinfo: &str) -> (Vec<&'static str>, Option<u32>) {
    let flags: Vec<&str> = ["flags", "Features"]
        .iter()
        .find_map(|key| values(cpuinfo, key).next())
        .map(|line| line.split_whitespace().collect())
        .unwrap_or_default();
    let has = |flag: &str| flags.contains(&flag);
    let found = || SIMD.iter().filter(|(flag, ..)| has(flag));
    (
        found().map(|(_, name, _)| *name).collect(),
        found().filter_map(|(.., bits)| *bits).max(),
    )
}

/// The values of all lines `key : value`.
fn values<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .filter(move |(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim())
}

/// `32K`, `8192K`, `1M`: sysfs's cache sizes.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) => (digits, text.as_bytes().last()),
        None => (text, None),
    };
    let shift = match unit {
        Some(b'K') => 10,
        Some(b'M') => 20,
        Some(b'G') => 30,
        _ => 0,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// The bytes of the first line `… key: 1234 kB`; NUMA nodes put their own number before the key.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.split_whitespace().next_back() == Some(key)).then_some(value)
    })?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}
