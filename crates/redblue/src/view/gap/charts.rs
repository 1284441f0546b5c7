//! The charts of a gap, from its numbers.

use num_bigint::BigInt;
use redblue_report::chart::arrays::{ArrayChart, Bar};
use redblue_report::chart::roofline::{Point, Roofline};
use redblue_report::chart::traffic::{Landmark, Mark, Series, TrafficChart};
use redblue_report::chart::{Order, Policy as Shown};

use crate::gap::{Curve, Gap, Schedule};
use crate::simulate::Policy;

/// What a roofline needs to know of a machine, and its caches.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Operations per second.
    pub peak: f64,
    /// Words per second.
    pub bandwidth: f64,
    /// Whether nobody gave these two.
    pub assumed: bool,
    /// Names and words of caches.
    pub caches: Vec<(String, u64)>,
}

/// The charts of all gaps of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Charts {
    /// Words against memory.
    pub traffic: TrafficChart,
    /// Intensity, at the first memory.
    pub roofline: Roofline,
    /// Words by array, at the first memory.
    pub arrays: ArrayChart,
}

impl Charts {
    /// The charts of gaps that differ in their memories only; `None` without any.
    pub fn of(name: &str, gaps: &[Gap], curve: &Curve, machine: &Machine) -> Option<Charts> {
        let first = gaps.first()?;
        Some(Charts {
            traffic: traffic(name, gaps, curve, machine),
            roofline: roofline(name, first, machine),
            arrays: arrays(name, first),
        })
    }
}

/// Only for drawing: a pixel needs no more digits.
pub(super) fn drawn(words: &BigInt) -> f64 {
    words.to_string().parse().unwrap_or(f64::MAX)
}

pub(super) fn shown(policy: Policy) -> Shown {
    match policy {
        Policy::Opt => Shown::Opt,
        Policy::Lru => Shown::Lru,
        Policy::Set => Shown::Set,
    }
}

pub(super) fn order(schedule: Schedule) -> Order {
    match schedule {
        Schedule::Original => Order::Original,
        Schedule::Tiled => Order::Tiled,
    }
}

fn traffic(name: &str, gaps: &[Gap], curve: &Curve, machine: &Machine) -> TrafficChart {
    let given = gaps.iter().map(|gap| Mark {
        at: gap.memory.words,
        label: gap
            .memory
            .name
            .clone()
            .unwrap_or_else(|| format!("S = {}", gap.memory.words)),
        kind: Landmark::Given,
    });
    let is_given = |words: u64| gaps.iter().any(|gap| gap.memory.words == words);
    let caches = machine.caches.iter().filter(|(_, words)| !is_given(*words));
    let caches = caches.map(|(name, words)| Mark {
        at: *words,
        label: name.clone(),
        kind: Landmark::Cache,
    });
    let arrays = curve.arrays.iter().map(|(name, words)| Mark {
        at: *words,
        label: name.clone(),
        kind: Landmark::Array,
    });
    let uppers = gaps.iter().filter_map(|gap| {
        Some((
            gap.upper.as_ref().ok()?.fast_words,
            drawn(&gap.upper_words()?),
        ))
    });
    TrafficChart {
        label: format!("words that {name} moves against its fast memory"),
        lower: curve
            .lower
            .iter()
            .map(|(s, words)| (*s, drawn(words)))
            .collect(),
        upper: uppers.collect(),
        series: series(gaps, curve),
        marks: merged(given.chain(caches).chain(arrays).collect()),
    }
}

/// Marks at one place share a line.
fn merged(marks: Vec<Mark>) -> Vec<Mark> {
    let mut merged: Vec<Mark> = Vec::new();
    for mark in marks {
        match merged.iter_mut().find(|other| other.at == mark.at) {
            Some(other) => other.label = format!("{}, {}", other.label, mark.label),
            None => merged.push(mark),
        }
    }
    merged
}

fn series(gaps: &[Gap], curve: &Curve) -> Vec<Series> {
    let mut all = Vec::new();
    for schedule in [Schedule::Original, Schedule::Tiled] {
        for policy in [Policy::Opt, Policy::Lru, Policy::Set] {
            let curve = curve
                .original
                .iter()
                .filter(|(found, ..)| schedule == Schedule::Original && *found == policy);
            let joined: Vec<(u64, u64)> = curve
                .map(|(_, s, loads, stores)| (*s, counted(gaps, *loads, *stores)))
                .collect();
            let is_joined = !joined.is_empty();
            let single = gaps.iter().filter_map(|gap| {
                let (loads, stores) = gap.runs.traffic(schedule, policy)?;
                Some((gap.memory.words, counted(gaps, loads, stores)))
            });
            let mut points: Vec<(u64, u64)> = if is_joined { joined } else { single.collect() };
            points.sort_unstable();
            points.dedup();
            if !points.is_empty() {
                all.push(Series {
                    order: order(schedule),
                    policy: shown(policy),
                    points,
                    joined: is_joined,
                });
            }
        }
    }
    all
}

fn counted(gaps: &[Gap], loads: u64, stores: u64) -> u64 {
    match gaps.first().map(|gap| gap.model.count) {
        Some(redblue_cert::Counted::Loads) => loads,
        _ => loads + stores,
    }
}

fn roofline(name: &str, gap: &Gap, machine: &Machine) -> Roofline {
    let operations = gap.operations.as_ref().map_or(0.0, drawn);
    let per = |words: f64| (words > 0.0).then_some(operations / words);
    let mut points = Vec::new();
    for (schedule, policy) in super::runs(gap) {
        let words = gap.runs.traffic(schedule, policy);
        let intensity = words.and_then(|(loads, stores)| {
            per(counted(std::slice::from_ref(gap), loads, stores) as f64)
        });
        points.extend(intensity.map(|intensity| Point {
            order: order(schedule),
            policy: Some(shown(policy)),
            intensity,
        }));
    }
    let proven = gap.upper_words().and_then(|words| per(drawn(&words)));
    points.extend(proven.map(|intensity| Point {
        order: Order::Tiled,
        policy: None,
        intensity,
    }));
    Roofline {
        label: format!("roofline of {name}"),
        peak: machine.peak,
        bandwidth: machine.bandwidth,
        best: per(drawn(&gap.lower)),
        points,
    }
}

/// An array with its loads and stores.
type ArrayWords = (String, u64, u64);

/// The replacement that stands for the original order in the chart by array: the one closest to real caches.
fn stand_in(gap: &Gap) -> Option<(Policy, Vec<ArrayWords>)> {
    [Policy::Lru, Policy::Opt].into_iter().find_map(|policy| {
        let mut done = gap.runs.done.iter();
        let (.., simulation) = done.find(|(schedule, question, _)| {
            *schedule == Schedule::Original && question.policies == [policy]
        })?;
        let traffic = simulation.runs.first()?.traffic.by_array(&simulation.shape);
        let arrays = simulation.shape.arrays().iter().zip(traffic);
        let arrays =
            arrays.map(|(array, traffic)| (array.name.clone(), traffic.loads, traffic.stores()));
        Some((policy, arrays.collect()))
    })
}

fn arrays(name: &str, gap: &Gap) -> ArrayChart {
    let original = stand_in(gap);
    let tiled: Vec<(String, f64, f64)> = gap
        .upper
        .iter()
        .flat_map(|tiling| {
            let arrays = tiling.traffic.per_array.iter();
            arrays.map(|(array, loads, stores)| {
                let name = tiling.program.array(*array).name.clone();
                (name, drawn(loads), drawn(stores))
            })
        })
        .collect();
    let mut names: Vec<&String> = original
        .iter()
        .flat_map(|(_, arrays)| arrays.iter().map(|(name, ..)| name))
        .collect();
    for (name, ..) in &tiled {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let bars = |name: &String| {
        let mut bars = Vec::new();
        if let Some((policy, arrays)) = &original {
            let found = arrays.iter().find(|(other, ..)| other == name);
            bars.extend(found.map(|(_, loads, stores)| Bar {
                order: Order::Original,
                how: format!("{}, simulated", shown(*policy).name()),
                loads: *loads as f64,
                stores: *stores as f64,
            }));
        }
        let found = tiled.iter().find(|(other, ..)| other == name);
        bars.extend(found.map(|(_, loads, stores)| Bar {
            order: Order::Tiled,
            how: "proven".into(),
            loads: *loads,
            stores: *stores,
        }));
        (name.clone(), bars)
    };
    let arrays: Vec<(String, Vec<Bar>)> = names.into_iter().map(bars).collect();
    // What moves hardly at all, a scalar for instance, is no bar that anybody could see.
    let most = |bars: &[Bar]| {
        bars.iter()
            .map(|bar| bar.loads + bar.stores)
            .fold(0.0, f64::max)
    };
    let largest = arrays
        .iter()
        .map(|(_, bars)| most(bars))
        .fold(0.0, f64::max);
    let arrays: Vec<_> = arrays
        .into_iter()
        .filter(|(_, bars)| most(bars) * 500.0 > largest)
        .collect();
    ArrayChart {
        label: format!("words that {name} moves, by array"),
        arrays,
    }
}
