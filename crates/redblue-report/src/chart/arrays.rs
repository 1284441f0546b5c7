//! Which array the traffic belongs to: loads and stores, of the original order and of the tiling.

use super::frame::text_width;
use super::{Canvas, Order};
use crate::number::{compact, grouped};
use crate::svg::{Anchor, Svg};

/// What an order moves of one array.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The order of the operations.
    pub order: Order,
    /// Where the numbers come from, as in `LRU, simulated`.
    pub how: String,
    /// Words loaded.
    pub loads: f64,
    /// Words stored.
    pub stores: f64,
}

/// The chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArrayChart {
    /// What the chart is about, for those who cannot see it.
    pub label: String,
    /// Arrays with their bars.
    pub arrays: Vec<(String, Vec<Bar>)>,
}

const BAR: f64 = 15.0;
const GAP: f64 = 12.0;

impl ArrayChart {
    /// The chart as SVG, as high as it needs to be.
    pub fn draw(&self, canvas: &Canvas) -> String {
        let mut svg = Svg::default();
        let names = self.arrays.iter().map(|(name, _)| text_width(name));
        let left = names.fold(30.0f64, f64::max).min(canvas.width / 3.0) + 14.0;
        // The value stands behind its bar.
        let right = canvas.width - 86.0;
        let bars = || self.arrays.iter().flat_map(|(_, bars)| bars);
        let most = bars().map(|bar| bar.loads + bar.stores).fold(1.0, f64::max);
        let scale = (right - left) / most;
        svg.text(
            "name",
            (4.0, 16.0),
            Anchor::Start,
            "words moved, by array (loads, then stores lighter)",
        );
        let mut y = 32.0;
        for (name, bars) in &self.arrays {
            let height = bars.len() as f64 * (BAR + 3.0);
            svg.text("", (left - 10.0, y + height / 2.0 + 3.0), Anchor::End, name);
            for bar in bars {
                let order = bar.order.name();
                let (loads, stores) = (bar.loads * scale, bar.stores * scale);
                let tip = format!(
                    "{name}, {order} order ({})\n{} words loaded, {} stored",
                    bar.how,
                    grouped(&format!("{:.0}", bar.loads)),
                    grouped(&format!("{:.0}", bar.stores))
                );
                svg.group("", &tip, |svg| {
                    svg.rect(&format!("bar {order}"), (left, y), (loads.max(1.0), BAR));
                    svg.rect(
                        &format!("bar stores {order}"),
                        (left + loads, y),
                        (stores, BAR),
                    );
                    let place = (left + loads.max(1.0) + stores + 6.0, y + BAR - 3.0);
                    svg.text(
                        "tick",
                        place,
                        Anchor::Start,
                        &compact(bar.loads + bar.stores),
                    );
                });
                y += BAR + 3.0;
            }
            y += GAP;
        }
        svg.line("axis", (left, 26.0), (left, y - GAP + 2.0));
        svg.finish((canvas.width, y), &self.label, canvas.standalone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_numbers() {
        let bar = |order, loads| Bar {
            order,
            how: "proven".into(),
            loads,
            stores: 0.0,
        };
        let chart = ArrayChart {
            label: "by array".into(),
            arrays: vec![(
                "A".into(),
                vec![bar(Order::Original, 4e6), bar(Order::Tiled, 1e6)],
            )],
        };
        let svg = chart.draw(&Canvas::WIDE);
        let width = |class: &str| -> f64 {
            let rest = svg.split(&format!("\"bar {class}\"")).nth(1).unwrap();
            rest.split("width=\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        };
        assert!((width("original") / width("tiled") - 4.0).abs() < 0.01);
        assert!(svg.contains(">4 M<") && svg.contains(">1 M<"));
    }
}
