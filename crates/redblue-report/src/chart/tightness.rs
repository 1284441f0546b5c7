//! How far schedules are from their bounds, over many kernels: one bar each, from 1 on.

use super::Canvas;
use super::frame::text_width;
use crate::scale::Log;
use crate::svg::{Anchor, Svg};

/// The chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tightness {
    /// What the chart is about, for those who cannot see it.
    pub label: String,
    /// Kernels with proven traffic divided by lower bound, at least 1 each.
    pub ratios: Vec<(String, f64)>,
}

const ROW: f64 = 19.0;

impl Tightness {
    /// The chart as SVG, as high as it needs to be.
    pub fn draw(&self, canvas: &Canvas) -> String {
        let mut svg = Svg::default();
        let names = self.ratios.iter().map(|(name, _)| text_width(name));
        let left = names.fold(30.0f64, f64::max).min(canvas.width / 2.5) + 14.0;
        let most = self
            .ratios
            .iter()
            .map(|(_, ratio)| *ratio)
            .fold(2.0, f64::max);
        let x = Log::new((1.0, most * 1.1), (left, canvas.width - 56.0));
        let bottom = 40.0 + self.ratios.len() as f64 * ROW;
        svg.text(
            "name",
            (4.0, 16.0),
            Anchor::Start,
            "words moved by the tiling / words no schedule avoids (1 is perfect)",
        );
        for tick in x.decimal(36.0) {
            svg.line("grid", (x.at(tick), 36.0), (x.at(tick), bottom));
            svg.text(
                "tick",
                (x.at(tick), 32.0),
                Anchor::Middle,
                &format!("{tick}"),
            );
        }
        for (at, (name, ratio)) in self.ratios.iter().enumerate() {
            let y = 40.0 + at as f64 * ROW;
            let (from, to) = (x.at(1.0), x.at(*ratio));
            svg.group("", &format!("{name}: {ratio:.2} times its bound"), |svg| {
                svg.text("", (left - 10.0, y + 13.0), Anchor::End, name);
                svg.rect(
                    "bar tiled",
                    (from, y + 3.0),
                    ((to - from).max(2.0), ROW - 6.0),
                );
                svg.text(
                    "tick",
                    (to + 7.0, y + 13.0),
                    Anchor::Start,
                    &format!("{ratio:.2}"),
                );
            });
        }
        svg.line("axis", (left, 36.0), (left, bottom));
        svg.finish((canvas.width, bottom + 8.0), &self.label, canvas.standalone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bar_per_kernel() {
        let ratios = vec![("gemm".to_owned(), 1.05), ("lu".to_owned(), 1.9)];
        let svg = Tightness {
            label: "tightness".into(),
            ratios,
        }
        .draw(&Canvas::NARROW);
        assert_eq!(svg.matches("class=\"bar ").count(), 2);
        assert!(svg.contains(">1.05<") && svg.contains(">lu<"));
    }
}
