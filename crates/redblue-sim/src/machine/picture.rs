//! The machine as text: a tree of packages, caches and cores in which equal siblings are drawn once.

use std::fmt::Write;

use super::{Cache, CacheKind, CoreKind, CpuSet, Machine};

/// One line of the tree and what hangs below it.
#[derive(Clone, PartialEq, Eq)]
struct Node {
    label: String,
    cpus: CpuSet,
    children: Vec<Node>,
}

impl Machine {
    /// The tree of packages, caches and cores.
    pub fn picture(&self) -> String {
        let mut out = String::from("Machine");
        let facts: Vec<String> = [
            self.memory_bytes
                .map(|bytes| format!("{} memory", iec(bytes))),
            self.page_bytes.map(|bytes| format!("{} pages", iec(bytes))),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !facts.is_empty() {
            let _ = write!(out, " ({})", facts.join(", "));
        }
        out.push('\n');
        draw(&merge(self.tree()), "", &mut out);
        out
    }

    fn tree(&self) -> Vec<Node> {
        let mut levels: Vec<Vec<(String, CpuSet)>> = vec![
            self.packages
                .iter()
                .map(|package| {
                    let model = self
                        .model
                        .as_deref()
                        .map_or(String::new(), |m| format!(": {m}"));
                    (format!("Package{model}"), package.cpus.clone())
                })
                .collect(),
        ];
        let mut data: Vec<&Cache> = self
            .caches
            .iter()
            .filter(|cache| cache.kind != CacheKind::Instruction)
            .collect();
        data.dedup_by_key(|cache| cache.level);
        for level in data.iter().map(|cache| cache.level) {
            let at_level =
                |cache: &&Cache| cache.level == level && cache.kind != CacheKind::Instruction;
            levels.push(
                self.caches
                    .iter()
                    .filter(at_level)
                    .map(|c| (cache_label(c), c.cpus.clone()))
                    .collect(),
            );
        }
        levels.push(
            self.cores
                .iter()
                .map(|core| {
                    let kind = match core.kind {
                        CoreKind::Uniform => "Core",
                        CoreKind::Performance => "P-core",
                        CoreKind::Efficiency => "E-core",
                    };
                    let threads = match core.cpus.len() {
                        1 => String::new(),
                        n => format!(" with {n} PUs"),
                    };
                    (format!("{kind}{threads}"), core.cpus.clone())
                })
                .collect(),
        );
        nest(&self.pus, &levels)
    }
}

/// Hangs the objects of the first level that meet `cpus` side by side, the next levels below each. PUs
/// that no object of a level has skip that level, so cores without an L2 still appear.
fn nest(cpus: &CpuSet, levels: &[Vec<(String, CpuSet)>]) -> Vec<Node> {
    let Some((level, below)) = levels.split_first() else {
        return Vec::new();
    };
    let mut nodes = Vec::new();
    let mut rest = cpus.clone();
    for (label, members) in level {
        let inside = members.intersection(&rest);
        if !inside.is_empty() {
            rest = rest.difference(&inside);
            nodes.push(Node {
                label: label.clone(),
                children: nest(&inside, below),
                cpus: inside,
            });
        }
    }
    if !rest.is_empty() {
        nodes.extend(nest(&rest, below));
    }
    nodes
}

/// Merges neighbours that look alike into one node with a count.
fn merge(nodes: Vec<Node>) -> Vec<Node> {
    let mut merged: Vec<(Node, usize)> = Vec::new();
    for node in nodes {
        let node = Node {
            children: merge(node.children),
            ..node
        };
        match merged.last_mut() {
            Some((last, count)) if shape(last) == shape(&node) => {
                *count += 1;
                absorb(last, &node);
            }
            _ => merged.push((node, 1)),
        }
    }
    let counted = |(node, count): (Node, usize)| match count {
        1 => node,
        _ => Node {
            label: format!("{count} × {}", node.label),
            ..node
        },
    };
    merged.into_iter().map(counted).collect()
}

/// What must be equal for two subtrees to be drawn once: all labels, not the numbers of their PUs.
fn shape(node: &Node) -> Vec<&str> {
    let mut labels = vec![node.label.as_str(), "("];
    labels.extend(node.children.iter().flat_map(shape));
    labels.push(")");
    labels
}

/// Adds the PUs of an equal subtree.
fn absorb(into: &mut Node, other: &Node) {
    into.cpus = into.cpus.union(&other.cpus);
    for (child, twin) in into.children.iter_mut().zip(&other.children) {
        absorb(child, twin);
    }
}

fn draw(nodes: &[Node], indent: &str, out: &mut String) {
    for (index, node) in nodes.iter().enumerate() {
        let last = index + 1 == nodes.len();
        let (elbow, bar) = if last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        let _ = writeln!(out, "{indent}{elbow}{}  [PU {}]", node.label, node.cpus);
        draw(&node.children, &format!("{indent}{bar}"), out);
    }
}

fn cache_label(cache: &Cache) -> String {
    format!("{} {}", cache.name(), iec(cache.bytes))
}

/// Bytes in IEC units: exact where they are whole, else with one digit, rounded down.
pub fn iec(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    while unit + 1 < UNITS.len() && bytes >> (10 * (unit + 1)) > 0 {
        unit += 1;
    }
    let tenths = (u128::from(bytes) * 10) >> (10 * unit);
    match tenths % 10 {
        0 => format!("{} {}", tenths / 10, UNITS[unit]),
        tenth => format!("{}.{tenth} {}", tenths / 10, UNITS[unit]),
    }
}
