//! Descriptions of odd machines, each a handful of files.

use super::*;
use proptest::prelude::*;

const CPU: &str = "/sys/devices/system/cpu";

/// A machine under construction: files by path.
#[derive(Default)]
struct Fixture(Vec<(String, String)>);

impl Fixture {
    fn online(cpus: &str) -> Fixture {
        Fixture::default().file(&format!("{CPU}/online"), cpus)
    }

    fn file(mut self, path: &str, text: &str) -> Fixture {
        self.0.push((path.into(), format!("{text}\n")));
        self
    }

    /// Cache number `index` of each of these PUs: `kind` is `1 Data`, `3 Unified`, …
    fn cache(mut self, cpus: &str, index: u32, kind: &str, size: &str, share: usize) -> Fixture {
        let cpus = CpuSet::from_list(cpus).unwrap();
        let (level, kind) = kind.split_once(' ').unwrap();
        let all: Vec<u32> = cpus.iter().collect();
        for group in all.chunks(share) {
            let shared: CpuSet = group.iter().copied().collect();
            for cpu in group {
                let folder = format!("{CPU}/cpu{cpu}/cache/index{index}");
                for (name, text) in [
                    ("level", level),
                    ("type", kind),
                    ("size", size),
                    ("coherency_line_size", "64"),
                    ("shared_cpu_list", &shared.to_string()),
                ] {
                    self = self.file(&format!("{folder}/{name}"), text);
                }
            }
        }
        self
    }

    fn read(self) -> Machine {
        read(&self.0.into_iter().collect()).unwrap()
    }
}

fn check_picture(fixture: Fixture, expected: &str) {
    assert_eq!(fixture.read().picture().trim_end(), expected.trim());
}

#[test]
fn two_sockets_with_hyperthreads() {
    let mut fixture = Fixture::online("0-7")
        .cache("0-3", 3, "3 Unified", "32768K", 4)
        .cache("4-7", 3, "3 Unified", "32768K", 4)
        .cache("0-7", 2, "2 Unified", "1M", 2)
        .cache("0-7", 0, "1 Data", "48K", 2)
        .cache("0-7", 1, "1 Instruction", "32K", 2)
        .file(
            "/proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Some  CPU\nflags\t\t: fpu sse2 avx2",
        )
        .file(
            "/proc/meminfo",
            "MemTotal:       65536000 kB\nMemFree: 1 kB",
        )
        .file(
            "/proc/self/smaps",
            "5500-5600 r--p\nSize: 8 kB\nKernelPageSize:        4 kB",
        )
        .file("/sys/devices/system/node/node0/cpulist", "0-3")
        .file(
            "/sys/devices/system/node/node0/meminfo",
            "Node 0 MemTotal:  32768 kB",
        )
        .file("/sys/devices/system/node/node1/cpulist", "4-7");
    for cpu in 0..8u32 {
        let topology = format!("{CPU}/cpu{cpu}/topology");
        let pair = format!("{}-{}", cpu / 2 * 2, cpu / 2 * 2 + 1);
        fixture = fixture
            .file(
                &format!("{topology}/physical_package_id"),
                &(cpu / 4).to_string(),
            )
            .file(&format!("{topology}/core_cpus_list"), &pair);
    }
    let machine = Fixture(fixture.0.clone()).read();
    assert_eq!(machine.model.as_deref(), Some("Some CPU"));
    assert_eq!(
        (machine.simd.clone(), machine.vector_bits),
        (vec!["SSE2", "AVX2"], Some(256))
    );
    assert_eq!(
        (
            machine.packages.len(),
            machine.cores.len(),
            machine.numa.len()
        ),
        (2, 4, 2)
    );
    assert_eq!(machine.numa[0].bytes, Some(32 << 20));
    assert_eq!(machine.numa[1].bytes, None);
    assert_eq!(machine.caches.len(), 2 + 4 + 4 + 4);
    assert_eq!(machine.unknown, Vec::<String>::new());
    check_picture(
        fixture,
        "
Machine (62.5 GiB memory, 4 KiB pages)
└─ 2 × Package: Some CPU  [PU 0-7]
   └─ L3 32 MiB  [PU 0-7]
      └─ 2 × L2 1 MiB  [PU 0-7]
         └─ L1d 48 KiB  [PU 0-7]
            └─ Core with 2 PUs  [PU 0-7]",
    );
}

#[test]
fn hybrid_cores_differ() {
    let fixture = Fixture::online("0-3")
        .file("/sys/devices/cpu_core/cpus", "0-1")
        .file("/sys/devices/cpu_atom/cpus", "2-3")
        .cache("0-1", 0, "1 Data", "48K", 2)
        .cache("2-3", 0, "1 Data", "32K", 1)
        .cache("0-1", 2, "2 Unified", "2048K", 2)
        .cache("2-3", 2, "2 Unified", "4096K", 2)
        .file(&format!("{CPU}/cpu0/topology/thread_siblings_list"), "0-1");
    check_picture(
        fixture,
        "
Machine
└─ Package  [PU 0-3]
   ├─ L2 2 MiB  [PU 0-1]
   │  └─ L1d 48 KiB  [PU 0-1]
   │     └─ P-core with 2 PUs  [PU 0-1]
   └─ L2 4 MiB  [PU 2-3]
      └─ 2 × L1d 32 KiB  [PU 2-3]
         └─ E-core  [PU 2-3]",
    );
}

#[test]
fn arm_capacities_tell_kinds_of_cores() {
    let fixture = Fixture::online("0-1")
        .file(&format!("{CPU}/cpu0/cpu_capacity"), "446")
        .file(&format!("{CPU}/cpu1/cpu_capacity"), "1024");
    let kinds: Vec<CoreKind> = fixture.read().cores.iter().map(|core| core.kind).collect();
    assert_eq!(kinds, [CoreKind::Efficiency, CoreKind::Performance]);
}

#[test]
fn no_l3_and_offline_processors() {
    let machine = Fixture::online("0,2")
        .file(&format!("{CPU}/offline"), "1,3")
        .cache("0-3", 0, "1 Data", "32K", 1)
        .cache("0-3", 1, "2 Unified", "256K", 4)
        .read();
    assert_eq!(machine.offline.to_string(), "1,3");
    assert_eq!(
        machine
            .data_cache(2)
            .map(|l2| (l2.bytes, l2.cpus.to_string())),
        Some((256 << 10, "0,2".into()))
    );
    assert_eq!(machine.data_cache(3), None);
    assert_eq!(machine.caches.len(), 3);
}

#[test]
fn a_container_that_hides_caches() {
    let machine = Fixture::default()
        .file(
            "/proc/cpuinfo",
            "processor : 0\nprocessor : 1\nModel : Board Rev 1.4",
        )
        .read();
    assert_eq!(
        (machine.pus.len(), machine.model.as_deref()),
        (2, Some("Board Rev 1.4"))
    );
    assert_eq!(machine.unknown.len(), 2);
    assert_eq!(
        machine.picture(),
        "Machine\n└─ Package: Board Rev 1.4  [PU 0-1]\n   └─ 2 × Core  [PU 0-1]\n"
    );
}

#[test]
fn no_processors_is_an_error() {
    assert_eq!(
        read(&SystemFiles::default()),
        Err(MachineError::NoProcessors)
    );
}

#[test]
fn geometry_stands_in_for_a_missing_size_and_masks_for_lists() {
    let folder = format!("{CPU}/cpu1/cache/index0");
    let machine = Fixture::online("0-1")
        .file(&format!("{folder}/level"), "2")
        .file(&format!("{folder}/type"), "Unified")
        .file(&format!("{folder}/coherency_line_size"), "128")
        .file(&format!("{folder}/ways_of_associativity"), "8")
        .file(&format!("{folder}/number_of_sets"), "1024")
        .file(&format!("{folder}/shared_cpu_map"), "00000003")
        .read();
    assert_eq!(machine.data_cache(2).map(|l2| l2.bytes), Some(1 << 20));
}

#[test]
fn sizes_in_iec_units() {
    let shown = [0, 1023, 1024, 1536, 48 << 10, 65_536_000 << 10, u64::MAX].map(iec);
    assert_eq!(
        shown,
        [
            "0 B",
            "1023 B",
            "1 KiB",
            "1.5 KiB",
            "48 KiB",
            "62.5 GiB",
            "16777215.9 TiB"
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Damaged files never make the reader panic.
    #[test]
    fn any_text_in_any_file(texts in proptest::collection::vec("[0-9KMkB:, a-f-]{0,12}|.{0,12}", SystemFiles::PATTERNS.len())) {
        let paths = SystemFiles::PATTERNS.iter().map(|pattern| pattern.replace('#', "0"));
        if let Ok(machine) = read(&paths.zip(texts).collect()) {
            let _ = (machine.picture(), machine.data_cache(1));
        }
    }
}
