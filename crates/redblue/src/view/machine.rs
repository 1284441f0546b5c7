//! The machine.

use redblue_sim::machine::{Cache, CacheKind, CoreKind, Machine, iec};
use schemars::JsonSchema;
use serde::Serialize;

use super::SCHEMA_VERSION;
use super::table::{Align, columns};

/// The machine as a document. Sets of PUs are lists in Linux's notation (`0-3,8`).
#[derive(Debug, Serialize, JsonSchema)]
pub struct MachineDocument {
    schema: &'static str,
    schema_version: u32,
    model: Option<String>,
    simd: Vec<&'static str>,
    vector_bits: Option<u32>,
    pus: String,
    offline: String,
    packages: Vec<PackageView>,
    cores: Vec<CoreView>,
    caches: Vec<CacheView>,
    numa: Vec<NumaView>,
    memory_bytes: Option<u64>,
    page_bytes: Option<u64>,
    unknown: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PackageView {
    id: u32,
    pus: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CoreView {
    kind: &'static str,
    pus: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CacheView {
    name: String,
    level: u32,
    kind: &'static str,
    bytes: u64,
    line_bytes: Option<u64>,
    ways: Option<u64>,
    sets: Option<u64>,
    pus: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct NumaView {
    id: u32,
    bytes: Option<u64>,
    pus: String,
}

impl MachineDocument {
    /// The document of a machine.
    pub fn of(machine: &Machine) -> MachineDocument {
        let core_kind = |kind| match kind {
            CoreKind::Uniform => "uniform",
            CoreKind::Performance => "performance",
            CoreKind::Efficiency => "efficiency",
        };
        let cache_kind = |kind| match kind {
            CacheKind::Data => "data",
            CacheKind::Instruction => "instruction",
            CacheKind::Unified => "unified",
        };
        let cache = |cache: &Cache| CacheView {
            name: cache.name(),
            level: cache.level,
            kind: cache_kind(cache.kind),
            bytes: cache.bytes,
            line_bytes: cache.line_bytes,
            ways: cache.ways,
            sets: cache.sets,
            pus: cache.cpus.to_string(),
        };
        let packages = machine.packages.iter();
        let cores = machine.cores.iter();
        let numa = machine.numa.iter();
        MachineDocument {
            schema: "redblue.machine",
            schema_version: SCHEMA_VERSION,
            model: machine.model.clone(),
            simd: machine.simd.clone(),
            vector_bits: machine.vector_bits,
            pus: machine.pus.to_string(),
            offline: machine.offline.to_string(),
            packages: packages
                .map(|p| PackageView {
                    id: p.id,
                    pus: p.cpus.to_string(),
                })
                .collect(),
            cores: cores
                .map(|core| CoreView {
                    kind: core_kind(core.kind),
                    pus: core.cpus.to_string(),
                })
                .collect(),
            caches: machine.caches.iter().map(cache).collect(),
            numa: numa
                .map(|node| NumaView {
                    id: node.id,
                    bytes: node.bytes,
                    pus: node.cpus.to_string(),
                })
                .collect(),
            memory_bytes: machine.memory_bytes,
            page_bytes: machine.page_bytes,
            unknown: machine.unknown.clone(),
        }
    }
}

/// The machine as a picture with a table of its caches.
pub fn text(machine: &Machine) -> String {
    let mut out = machine.picture();
    if !machine.caches.is_empty() {
        out.push_str(&format!("\nCaches\n{}", cache_table(machine)));
    }
    if machine.numa.len() > 1 {
        out.push_str("\nMemory\n");
        for node in &machine.numa {
            let bytes = node.bytes.map_or("unknown size".into(), iec);
            out.push_str(&format!(
                "  NUMANode {}  {bytes}  [PU {}]\n",
                node.id, node.cpus
            ));
        }
    }
    if !machine.simd.is_empty() {
        let width = machine
            .vector_bits
            .map_or(String::new(), |bits| format!(" ({bits}-bit vectors)"));
        out.push_str(&format!("\nSIMD  {}{width}\n", machine.simd.join(" ")));
    }
    if !machine.offline.is_empty() {
        out.push_str(&format!("\nOffline PUs  {}\n", machine.offline));
    }
    for fact in &machine.unknown {
        out.push_str(&format!("\nUnknown: {fact}\n"));
    }
    out
}

/// One line for each kind of cache, nearest first. `-S L2` is the column of words for doubles.
fn cache_table(machine: &Machine) -> String {
    let geometry = |c: &Cache| {
        (
            c.level,
            c.kind,
            c.bytes,
            c.line_bytes,
            c.ways,
            c.sets,
            c.cpus.len(),
        )
    };
    let mut groups: Vec<(&Cache, usize)> = Vec::new();
    for cache in &machine.caches {
        match groups
            .iter_mut()
            .find(|(other, _)| geometry(other) == geometry(cache))
        {
            Some((_, count)) => *count += 1,
            None => groups.push((cache, 1)),
        }
    }
    groups.sort_by_key(|(cache, _)| (cache.level, cache.kind, std::cmp::Reverse(cache.bytes)));
    let known = |value: Option<u64>| value.map_or("?".to_string(), |n| n.to_string());
    let titles = [
        "",
        "size",
        "f64 words",
        "line",
        "ways",
        "sets",
        "count",
        "PUs each",
    ];
    let mut rows = vec![titles.map(String::from).to_vec()];
    rows.extend(groups.into_iter().map(|(cache, count)| {
        vec![
            cache.name(),
            iec(cache.bytes),
            (cache.bytes / 8).to_string(),
            known(cache.line_bytes),
            known(cache.ways),
            known(cache.sets),
            count.to_string(),
            cache.cpus.len().to_string(),
        ]
    }));
    let aligns: Vec<Align> = (0..8)
        .map(|column| {
            if column == 0 {
                Align::Left
            } else {
                Align::Right
            }
        })
        .collect();
    columns("  ", &rows, &aligns)
}
