//! The two axes of a chart with their grid, ticks and names.

use super::Canvas;
use crate::scale::Log;
use crate::svg::{Anchor, Svg};

/// Where a chart draws.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// Both axes of a chart.
pub(super) struct Axes<'a> {
    pub(super) x: Log,
    pub(super) y: Log,
    pub(super) x_ticks: Vec<f64>,
    pub(super) x_label: &'a dyn Fn(f64) -> String,
    pub(super) y_label: &'a dyn Fn(f64) -> String,
    pub(super) x_name: &'a str,
    pub(super) y_name: &'a str,
}

impl Frame {
    /// Room for labels around a canvas, `above` for what stands over the chart.
    pub(super) fn new(canvas: &Canvas, above: f64) -> Frame {
        Frame {
            left: if canvas.is_narrow() { 52.0 } else { 62.0 },
            right: canvas.width - 22.0,
            top: 30.0 + above,
            bottom: canvas.height - 46.0,
        }
    }

    pub(super) fn draw(&self, svg: &mut Svg, axes: &Axes<'_>) {
        for &tick in &axes.x_ticks {
            let x = axes.x.at(tick);
            svg.line("grid", (x, self.top), (x, self.bottom));
            svg.line("axis", (x, self.bottom), (x, self.bottom + 4.0));
            let label = (axes.x_label)(tick);
            svg.text("tick", (x, self.bottom + 18.0), Anchor::Middle, &label);
        }
        for tick in axes.y.decimal(26.0) {
            let y = axes.y.at(tick);
            svg.line("grid", (self.left, y), (self.right, y));
            let label = (axes.y_label)(tick);
            svg.text("tick", (self.left - 7.0, y + 4.0), Anchor::End, &label);
        }
        svg.line("axis", (self.left, self.bottom), (self.right, self.bottom));
        let middle = (self.left + self.right) / 2.0;
        svg.text(
            "name",
            (middle, self.bottom + 38.0),
            Anchor::Middle,
            axes.x_name,
        );
        svg.text("name", (4.0, 16.0), Anchor::Start, axes.y_name);
    }
}

/// Widths of text are not known without its font; this is what letters of 12 pixels need on average.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * 6.6
}
