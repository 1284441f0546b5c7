//! SVG as text: a list of elements with escaped contents.

use std::fmt::Write;

/// Text for the inside of an element or attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// Which end of a text is at its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A growing picture.
#[derive(Default)]
pub(crate) struct Svg {
    body: String,
}

impl Svg {
    pub(crate) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
    }

    pub(crate) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        let _ = writeln!(
            self.body,
            "<polyline class=\"{class}\" points=\"{}\"/>",
            listed(points)
        );
    }

    /// A filled outline; `fill` is a paint such as `url(#id)`, or empty for what the class says.
    pub(crate) fn polygon(&mut self, class: &str, points: &[(f64, f64)], fill: &str) {
        let fill = match fill {
            "" => String::new(),
            fill => format!(" fill=\"{fill}\""),
        };
        let _ = writeln!(
            self.body,
            "<polygon class=\"{class}\"{fill} points=\"{}\"/>",
            listed(points)
        );
    }

    pub(crate) fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        );
    }

    pub(crate) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\"{anchor}>{}</text>",
            escaped(text)
        );
    }

    /// Elements that belong together: pointing at any of them shows `tip`. The script hides and shows groups by
    /// the name of their series.
    pub(crate) fn group(&mut self, series: &str, tip: &str, draw: impl FnOnce(&mut Svg)) {
        let series = match series {
            "" => String::new(),
            series => format!(" data-series=\"{}\"", escaped(series)),
        };
        match tip {
            "" => {
                let _ = writeln!(self.body, "<g{series}>");
            }
            tip => {
                let tip = escaped(tip);
                let _ = writeln!(
                    self.body,
                    "<g{series} class=\"tip\" data-tip=\"{tip}\"><title>{tip}</title>"
                );
            }
        }
        draw(self);
        self.body.push_str("</g>\n");
    }

    /// Diagonal lines with the given id, in the colour of a class.
    pub(crate) fn hatch(&mut self, id: &str, class: &str) {
        let _ = writeln!(
            self.body,
            "<defs><pattern id=\"{id}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
             <rect class=\"{class}-back\" width=\"7\" height=\"7\"/><line class=\"{class}\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\"/></pattern></defs>"
        );
    }

    /// The finished picture. One for a file carries its style along.
    pub(crate) fn finish(
        self,
        (width, height): (f64, f64),
        label: &str,
        standalone: bool,
    ) -> String {
        let label = escaped(label);
        let style = match standalone {
            true => format!(
                " xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\"><style>\n{}</style\n><rect class=\"paper\" width=\"100%\" height=\"100%\"/",
                crate::chart::STYLE
            ),
            false => String::new(),
        };
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{label}\"{style}>\n{}</svg>\n",
            self.body
        )
    }
}

fn listed(points: &[(f64, f64)]) -> String {
    let points: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    points.join(" ")
}
