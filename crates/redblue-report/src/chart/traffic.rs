//! Words moved against the fast memory: what is impossible, what is proven, what was simulated.
//!
//! ```text
//! words │ □   □        original, LRU
//!       │  ●───●──●    original, OPT
//!       │    ┌────┐
//!       │▔▔▔▔     └─── a tiling: proven for its memory and any larger one
//!       │\\\\╲_______  lower bound; below it, nothing
//!       └──────────── S
//! ```

use super::frame::{Axes, Frame, text_width};
use super::{Canvas, Order, Policy};
use crate::number::{binary, compact, grouped};
use crate::scale::Log;
use crate::svg::{Anchor, Svg};

/// Simulated traffic of one order under one replacement.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The order of the operations.
    pub order: Order,
    /// What leaves a full memory.
    pub policy: Policy,
    /// Words of memory and words moved, by increasing memory.
    pub points: Vec<(u64, u64)>,
    /// Whether every memory in between was simulated too, so that the points may be joined.
    pub joined: bool,
}

/// What a vertical line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landmark {
    /// The words of an array.
    Array,
    /// A cache of this machine.
    Cache,
    /// The memory that was asked about.
    Given,
}

/// A vertical line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Words.
    pub at: u64,
    /// What it says.
    pub label: String,
    /// What it stands for.
    pub kind: Landmark,
}

/// The chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrafficChart {
    /// What the chart is about, for those who cannot see it.
    pub label: String,
    /// Words of memory, and the words that no schedule avoids with it; by increasing memory.
    pub lower: Vec<(u64, f64)>,
    /// Tilings: the words of memory each needs, and the words it provably moves at most.
    pub upper: Vec<(u64, f64)>,
    /// Simulations.
    pub series: Vec<Series>,
    /// Verticals.
    pub marks: Vec<Mark>,
}

/// Height of a row of labels.
const ROW: f64 = 15.0;

impl TrafficChart {
    /// The chart as SVG.
    pub fn draw(&self, canvas: &Canvas) -> String {
        let mut svg = Svg::default();
        let x_range = self.x_range();
        // The labels of the marks stand in as many rows as they need; rows depend on the width alone.
        let probe = Frame::new(canvas, 0.0);
        let x = Log::new(x_range, (probe.left, probe.right));
        let rows = self.label_rows(&x, &probe);
        let depth = rows.iter().map(|(_, row)| row + 1).max().unwrap_or(0);
        let frame = Frame::new(canvas, depth as f64 * ROW);
        let y = Log::new(self.y_range(), (frame.bottom, frame.top));
        let axes = Axes {
            x,
            y,
            x_ticks: x.binary(if canvas.is_narrow() { 40.0 } else { 52.0 }),
            x_label: &binary,
            y_label: &compact,
            x_name: "fast memory S (words)",
            y_name: "words moved",
        };
        frame.draw(&mut svg, &axes);
        self.draw_marks(&mut svg, &axes, &frame, &rows);
        self.draw_lower(&mut svg, &axes, &frame, canvas);
        self.draw_upper(&mut svg, &axes, &frame);
        for series in &self.series {
            self.draw_series(&mut svg, &axes, series);
        }
        svg.finish(
            (canvas.width, canvas.height),
            &self.label,
            canvas.standalone,
        )
    }

    fn x_range(&self) -> (f64, f64) {
        let all = self.lower.iter().chain(&self.upper).map(|(s, _)| *s);
        let simulated = self.series.iter().flat_map(|series| &series.points);
        let all = all.chain(simulated.map(|(s, _)| *s)).filter(|s| *s > 0);
        let (low, high) = ends(all.map(|s| s as f64));
        (low / 1.15, high * 1.15)
    }

    fn y_range(&self) -> (f64, f64) {
        let lines = self
            .lower
            .iter()
            .chain(&self.upper)
            .map(|(_, words)| *words);
        let simulated = self.series.iter().flat_map(|series| &series.points);
        let all = lines.chain(simulated.map(|(_, words)| *words as f64));
        let (low, high) = ends(all.filter(|words| *words > 0.0));
        // Room below the bound, or its region would have none.
        (low / 3.0, high * 1.6)
    }

    /// The marks within the chart by place, each with the row of its label.
    fn label_rows(&self, x: &Log, frame: &Frame) -> Vec<(&Mark, usize)> {
        let mut marks: Vec<&Mark> = self
            .marks
            .iter()
            .filter(|mark| x.contains(mark.at as f64))
            .collect();
        marks.sort_by_key(|mark| mark.at);
        let mut ends: Vec<f64> = Vec::new();
        let mut placed = Vec::new();
        for mark in marks {
            let (from, to) = label_place(mark, x, frame);
            let row = ends
                .iter()
                .position(|end| *end + 8.0 < from)
                .unwrap_or(ends.len());
            match ends.get_mut(row) {
                Some(end) => *end = to,
                None => ends.push(to),
            }
            placed.push((mark, row));
        }
        placed
    }

    fn draw_marks(&self, svg: &mut Svg, axes: &Axes<'_>, frame: &Frame, rows: &[(&Mark, usize)]) {
        for (mark, row) in rows {
            let x = axes.x.at(mark.at as f64);
            let kind = match mark.kind {
                Landmark::Array => "array",
                Landmark::Cache => "cache",
                Landmark::Given => "given",
            };
            let label_y = 34.0 + *row as f64 * ROW;
            let tip = format!("{}: {} words", mark.label, grouped(&mark.at.to_string()));
            svg.group("", &tip, |svg| {
                svg.line(
                    &format!("mark {kind}"),
                    (x, label_y + 4.0),
                    (x, frame.bottom),
                );
                let (from, _) = label_place(mark, &axes.x, frame);
                svg.text(
                    &format!("mark-label halo {kind}"),
                    (from, label_y),
                    Anchor::Start,
                    &mark.label,
                );
            });
        }
    }

    fn draw_lower(&self, svg: &mut Svg, axes: &Axes<'_>, frame: &Frame, canvas: &Canvas) {
        let line: Vec<(f64, f64)> = positive(&self.lower)
            .map(|(s, words)| (axes.x.at(s as f64), axes.y.at(words)))
            .collect();
        let (Some(first), Some(last)) = (line.first().copied(), line.last().copied()) else {
            return;
        };
        let id = format!("hatch-traffic-{}", canvas.id);
        svg.hatch(&id, "hatch");
        let mut region = line.clone();
        region.extend([(last.0, frame.bottom), (first.0, frame.bottom)]);
        svg.group("lower", "", |svg| {
            svg.polygon("impossible", &region, &format!("url(#{id})"));
            svg.polyline("bound", &line);
            for (at, (s, words)) in positive(&self.lower).enumerate() {
                let tip = format!(
                    "no schedule moves fewer than {} words\nwith S = {} words",
                    grouped(&format!("{words:.0}")),
                    grouped(&s.to_string())
                );
                let half = |other: Option<&(f64, f64)>| {
                    other.map_or(0.0, |other| (other.0 - line[at].0).abs() / 2.0)
                };
                let before = half(at.checked_sub(1).and_then(|at| line.get(at)));
                let after = half(line.get(at + 1));
                svg.group("", &tip, |svg| {
                    svg.rect(
                        "hit",
                        (line[at].0 - before, line[at].1),
                        (before + after, frame.bottom - line[at].1),
                    );
                });
            }
            let place = (first.0 + 10.0, frame.bottom - 10.0);
            svg.text(
                "bound-label halo",
                place,
                Anchor::Start,
                "impossible: no schedule is here",
            );
        });
    }

    fn draw_series(&self, svg: &mut Svg, axes: &Axes<'_>, series: &Series) {
        let order = series.order.name();
        let name = format!("{order}-{}", series.policy.name());
        let is_asked = |s: u64| {
            let mut marks = self.marks.iter();
            marks.any(|mark| mark.kind == Landmark::Given && mark.at == s)
        };
        let drawn = |(s, words): (u64, u64)| (axes.x.at(s as f64), axes.y.at(words as f64));
        let points = series.points.iter().copied();
        let points: Vec<(u64, u64)> = points.filter(|(s, words)| *s > 0 && *words > 0).collect();
        svg.group(&name, "", |svg| {
            if series.joined {
                let policy = if series.policy == Policy::Lru {
                    " lru"
                } else {
                    ""
                };
                let line: Vec<(f64, f64)> = points.iter().copied().map(drawn).collect();
                svg.polyline(&format!("curve {order}{policy}"), &line);
            }
            for &(s, words) in &points {
                let tip = format!(
                    "{order} order, {}, simulated\n{} words with S = {}",
                    series.policy.name(),
                    grouped(&words.to_string()),
                    grouped(&s.to_string())
                );
                let (x, y) = drawn((s, words));
                svg.group("", &tip, |svg| match series.joined && !is_asked(s) {
                    // On a curve, a point that nobody asked about shows itself only when pointed at.
                    true => svg.rect("hit", (x - 5.0, y - 7.0), (10.0, 14.0)),
                    false => dot(svg, series.policy, order, (x, y), 5.0),
                });
            }
        });
    }

    fn draw_upper(&self, svg: &mut Svg, axes: &Axes<'_>, frame: &Frame) {
        // A tiling for less memory serves more memory as well: only what improves on it is drawn.
        let mut best: Vec<(u64, f64)> = Vec::new();
        let mut sorted: Vec<(u64, f64)> = positive(&self.upper).collect();
        sorted.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for (s, words) in sorted {
            if best.last().is_none_or(|(_, least)| words < *least) {
                best.push((s, words));
            }
        }
        if best.is_empty() {
            return;
        }
        let mut line = Vec::new();
        for (at, (s, words)) in best.iter().enumerate() {
            let (x, y) = (axes.x.at(*s as f64), axes.y.at(*words));
            line.push((x, y));
            let until = best
                .get(at + 1)
                .map_or(frame.right, |(s, _)| axes.x.at(*s as f64));
            line.push((until, y));
        }
        svg.group("upper", "", |svg| {
            svg.polyline("upper", &line);
            for (s, words) in &best {
                let (x, y) = (axes.x.at(*s as f64), axes.y.at(*words));
                let tip = format!(
                    "tiling that needs {} words of memory\nmoves at most {} words, proven",
                    grouped(&s.to_string()),
                    grouped(&format!("{words:.0}"))
                );
                svg.group("", &tip, |svg| {
                    let diamond = [(x - 6.5, y), (x, y - 6.5), (x + 6.5, y), (x, y + 6.5)];
                    svg.polygon("dot tiled", &diamond, "");
                });
            }
        });
    }
}

/// Replacements differ in shape: a circle, a square, a triangle.
pub(super) fn dot(svg: &mut Svg, policy: Policy, order: &str, (x, y): (f64, f64), r: f64) {
    let class = format!("dot {order}");
    match policy {
        Policy::Opt => {
            let corners: Vec<(f64, f64)> = (0..16)
                .map(|at| {
                    let angle = f64::from(at) * std::f64::consts::PI / 8.0;
                    (x + r * 1.1 * angle.cos(), y + r * 1.1 * angle.sin())
                })
                .collect();
            svg.polygon(&class, &corners, "");
        }
        Policy::Lru => svg.rect(&class, (x - r, y - r), (2.0 * r, 2.0 * r)),
        Policy::Set => {
            let corners = [
                (x, y - 1.25 * r),
                (x + 1.2 * r, y + 0.9 * r),
                (x - 1.2 * r, y + 0.9 * r),
            ];
            svg.polygon(&class, &corners, "");
        }
    }
}

/// Where the label of a mark begins and ends: to the right of its line, if the chart goes on long enough.
fn label_place(mark: &Mark, x: &Log, frame: &Frame) -> (f64, f64) {
    let width = text_width(&mark.label);
    let from = (x.at(mark.at as f64) - width / 2.0)
        .clamp(frame.left, (frame.right - width).max(frame.left));
    (from, from + width)
}

fn positive(points: &[(u64, f64)]) -> impl Iterator<Item = (u64, f64)> {
    points
        .iter()
        .copied()
        .filter(|(s, words)| *s > 0 && *words > 0.0)
}

/// The smallest and the largest value; an empty chart still has axes.
pub(super) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let found = values.fold(None, |ends: Option<(f64, f64)>, value| match ends {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    });
    found.unwrap_or((1.0, 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> TrafficChart {
        TrafficChart {
            label: "traffic of <a>".into(),
            lower: vec![(64, 1e6), (1024, 2.5e5), (16384, 1e5)],
            upper: vec![(1000, 3e5), (60, 2e6), (2000, 4e5)],
            series: vec![Series {
                order: Order::Original,
                policy: Policy::Lru,
                points: vec![(64, 9_000_000), (1024, 8_000_000)],
                joined: false,
            }],
            marks: vec![
                Mark {
                    at: 4096,
                    label: "L1".into(),
                    kind: Landmark::Cache,
                },
                Mark {
                    at: 4100,
                    label: "A".into(),
                    kind: Landmark::Array,
                },
                Mark {
                    at: 1 << 40,
                    label: "far".into(),
                    kind: Landmark::Array,
                },
            ],
        }
    }

    #[test]
    fn everything_is_drawn_once() {
        let svg = chart().draw(&Canvas::WIDE);
        assert_eq!(svg.matches("class=\"impossible\"").count(), 1);
        // The tiling for 2000 words moves more than the one for 1000: it is no step down.
        assert_eq!(svg.matches("proven\"").count(), 2);
        assert_eq!(svg.matches("dot original").count(), 2);
        assert!(svg.contains("aria-label=\"traffic of &lt;a&gt;\""));
        assert!(svg.contains(">L1<") && !svg.contains(">far<"));
        assert!(
            !svg.contains("<style>")
                && chart().draw(&Canvas::FILE).contains("prefers-color-scheme")
        );
    }

    #[test]
    fn labels_that_would_touch_stand_in_rows() {
        let chart = chart();
        let frame = Frame::new(&Canvas::NARROW, 0.0);
        let x = Log::new((50.0, 20000.0), (frame.left, frame.right));
        let rows: Vec<usize> = chart
            .label_rows(&x, &frame)
            .iter()
            .map(|(_, row)| *row)
            .collect();
        assert_eq!(rows, [0, 1]);
    }

    #[test]
    fn an_empty_chart_is_a_picture() {
        let svg = TrafficChart::default().draw(&Canvas::NARROW);
        assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}
