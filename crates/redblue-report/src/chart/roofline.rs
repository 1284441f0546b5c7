//! The roofline: how fast a machine can be at an intensity, and the best intensity any schedule has.
//!
//! ```text
//! op/s │        ┌────────┃\\\\   peak
//!      │      ╱          ┃\\\\   right of the vertical: no schedule
//!      │    ╱ ●     ◆    ┃\\\\
//!      └───────────────────── operations per word moved
//! ```
//!
//! A machine is two numbers, its peak and its bandwidth; who gives them says where they come from.

use super::frame::{Axes, Frame};
use super::traffic::ends;
use super::{Canvas, Order, Policy};
use crate::number::compact;
use crate::scale::Log;
use crate::svg::{Anchor, Svg};

/// A schedule with its operations per word moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The order of the operations.
    pub order: Order,
    /// The replacement it was simulated with; `None` for proven traffic.
    pub policy: Option<Policy>,
    /// Operations per word.
    pub intensity: f64,
}

/// The chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roofline {
    /// What the chart is about, for those who cannot see it.
    pub label: String,
    /// Operations per second at most.
    pub peak: f64,
    /// Words per second at most.
    pub bandwidth: f64,
    /// Operations per word that no schedule exceeds.
    pub best: Option<f64>,
    /// Schedules.
    pub points: Vec<Point>,
}

impl Roofline {
    /// What the machine does at most at an intensity.
    pub fn attainable(&self, intensity: f64) -> f64 {
        self.peak.min(intensity * self.bandwidth)
    }

    /// The chart as SVG.
    pub fn draw(&self, canvas: &Canvas) -> String {
        let mut svg = Svg::default();
        let frame = Frame::new(canvas, 16.0);
        let ridge = self.peak / self.bandwidth;
        let all = self.points.iter().map(|point| point.intensity);
        let all = all.chain(self.best).chain([ridge]);
        let (low, high) = ends(all.filter(|value| value.is_finite() && *value > 0.0));
        let x = Log::new((low / 2.0, high * 3.0), (frame.left, frame.right));
        let floor = self.attainable(x.low()) / 2.0;
        let y = Log::new((floor, self.peak * 2.0), (frame.bottom, frame.top));
        let axes = Axes {
            x,
            y,
            x_ticks: x.decimal(44.0),
            x_label: &compact,
            y_label: &compact,
            x_name: "intensity (operations per word moved)",
            y_name: "operations per second, at most",
        };
        frame.draw(&mut svg, &axes);
        let place = |intensity: f64| (x.at(intensity), y.at(self.attainable(intensity)));
        let mut roof = vec![place(x.low())];
        if x.contains(ridge) {
            roof.push(place(ridge));
        }
        roof.push(place(x.high()));
        let mut under = roof.clone();
        under.extend([(frame.right, frame.bottom), (frame.left, frame.bottom)]);
        svg.polygon("under-roof", &under, "");
        self.draw_best(&mut svg, &axes, &frame, canvas);
        svg.polyline("roof", &roof);
        let text = (frame.right - 4.0, y.at(self.peak) - 8.0);
        svg.text("note halo", text, Anchor::End, "peak");
        for point in &self.points {
            self.draw_point(&mut svg, &axes, &frame, point);
        }
        svg.finish(
            (canvas.width, canvas.height),
            &self.label,
            canvas.standalone,
        )
    }

    fn draw_best(&self, svg: &mut Svg, axes: &Axes<'_>, frame: &Frame, canvas: &Canvas) {
        let Some(best) = self.best.filter(|best| axes.x.contains(*best)) else {
            return;
        };
        let at = axes.x.at(best);
        let id = format!("hatch-roofline-{}", canvas.id);
        svg.hatch(&id, "hatch");
        let region = [
            (at, frame.top),
            (frame.right, frame.top),
            (frame.right, frame.bottom),
            (at, frame.bottom),
        ];
        let tip = format!("no schedule does more than {best:.1} operations per word");
        svg.group("lower", &tip, |svg| {
            svg.polygon("impossible", &region, &format!("url(#{id})"));
            svg.line("bound", (at, frame.top), (at, frame.bottom));
            let text = format!("best possible: {best:.1}");
            svg.text(
                "bound-label halo",
                (at - 6.0, frame.top - 8.0),
                Anchor::Middle,
                &text,
            );
        });
    }

    fn draw_point(&self, svg: &mut Svg, axes: &Axes<'_>, frame: &Frame, point: &Point) {
        if !axes.x.contains(point.intensity) {
            return;
        }
        let order = point.order.name();
        let (x, y) = (
            axes.x.at(point.intensity),
            axes.y.at(self.attainable(point.intensity)),
        );
        let how = point.policy.map_or("proven".to_owned(), |policy| {
            format!("{}, simulated", policy.name())
        });
        let tip = format!(
            "{order} order ({how})\n{:.2} operations per word",
            point.intensity
        );
        let series = match point.policy {
            Some(policy) => format!("{order}-{}", policy.name()),
            None => "upper".to_owned(),
        };
        svg.group(&series, &tip, |svg| {
            svg.line(&format!("leader {order}"), (x, y), (x, frame.bottom));
            match point.policy {
                Some(policy) => super::traffic::dot(svg, policy, order, (x, y), 5.0),
                None => {
                    let diamond = [(x - 6.5, y), (x, y - 6.5), (x + 6.5, y), (x, y + 6.5)];
                    svg.polygon("dot tiled", &diamond, "");
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Roofline {
        Roofline {
            label: "roofline".into(),
            peak: 16e9,
            bandwidth: 2e9,
            best: Some(30.0),
            points: vec![
                Point {
                    order: Order::Original,
                    policy: Some(Policy::Lru),
                    intensity: 0.9,
                },
                Point {
                    order: Order::Tiled,
                    policy: None,
                    intensity: 28.0,
                },
            ],
        }
    }

    #[test]
    fn the_roof_bends_at_the_ridge() {
        assert_eq!(chart().attainable(4.0), 8e9);
        assert_eq!(chart().attainable(8.0), 16e9);
        assert_eq!(chart().attainable(100.0), 16e9);
    }

    #[test]
    fn the_best_intensity_is_a_vertical() {
        let svg = chart().draw(&Canvas::WIDE);
        assert!(svg.contains("best possible: 30.0"));
        assert_eq!(svg.matches("class=\"leader").count(), 2);
        let without = Roofline {
            best: None,
            ..chart()
        }
        .draw(&Canvas::WIDE);
        assert!(!without.contains("impossible"));
    }
}
