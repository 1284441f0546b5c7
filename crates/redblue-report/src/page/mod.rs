//! One self-contained page: facts, charts, tables, code and formulas, without any network.
//!
//! The style and a small script are inside. Without the script everything is still there: it only adds what
//! pointing at a mark shows, switches for the series of a chart, and buttons that copy code.

use std::fmt::Write;

use crate::chart::{Canvas, STYLE, traffic::TrafficChart};
use crate::svg::escaped;
use crate::table::Table;

const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// One of the few numbers that the page is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// The number, as text.
    pub value: String,
    /// What it means.
    pub note: String,
    /// `bound`, `tiled` or `original`: its colour. Empty for none.
    pub kind: &'static str,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// Numbers in large letters, next to each other.
    Facts(Vec<Fact>),
    /// A chart, drawn for wide and for narrow screens, with a sentence below it.
    Chart {
        /// For screens.
        wide: String,
        /// For phones.
        narrow: String,
        /// What is to be seen.
        caption: String,
    },
    /// Switches for the series of the charts in this section.
    Legend(Vec<Key>),
    /// A table.
    Table(Table),
    /// Code or a loop nest, with a heading.
    Code {
        /// The heading.
        title: String,
        /// The text.
        text: String,
    },
    /// Blocks next to each other where there is room.
    Columns(Vec<Block>),
    /// Formulas: name, MathML, and what to say about each.
    Formulas(Vec<(String, String, String)>),
    /// Points in an order, each as a heading, text, and a formula in MathML.
    Steps(Vec<(String, String, String)>),
}

/// A switch of a legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The series that it hides and shows, as named in the chart.
    pub series: String,
    /// What it says.
    pub label: String,
    /// The sign in front of it.
    pub sign: Sign,
    /// `bound`, `tiled` or `original`.
    pub kind: &'static str,
}

/// The sign of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A hatched region.
    Hatch,
    /// Proven traffic.
    Diamond,
    /// OPT.
    Circle,
    /// LRU.
    Square,
    /// Set-associative.
    Triangle,
}

/// A section with a heading.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// For links.
    pub id: &'static str,
    /// The heading.
    pub title: String,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// The page.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// One line below the title.
    pub subtitle: String,
    /// The answer in a sentence or two.
    pub lead: String,
    /// The parts, in order.
    pub sections: Vec<Section>,
    /// Small print.
    pub footer: Vec<String>,
}

impl Page {
    /// The page as HTML.
    pub fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – redblue</title>\n\
             <style>\n{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n\
             <p class=\"subtitle\">{}</p>\n<p class=\"lead\">{}</p>\n</header>\n",
            escaped(&self.subtitle),
            escaped(&self.lead)
        );
        for section in &self.sections {
            let _ = writeln!(
                out,
                "<section id=\"{}\">\n<h2>{}</h2>",
                section.id,
                escaped(&section.title)
            );
            for block in &section.blocks {
                block.write(&mut out);
            }
            out.push_str("</section>\n");
        }
        out.push_str("<footer>\n");
        for line in &self.footer {
            let _ = writeln!(out, "<p>{}</p>", escaped(line));
        }
        let _ = write!(
            out,
            "</footer>\n</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        );
        out
    }
}

impl Block {
    /// A chart of traffic for both kinds of screens.
    pub fn traffic(chart: &TrafficChart, caption: impl Into<String>) -> Block {
        Block::chart(|canvas| chart.draw(canvas), caption)
    }

    /// A chart for both kinds of screens.
    pub fn chart(draw: impl Fn(&Canvas) -> String, caption: impl Into<String>) -> Block {
        Block::Chart {
            wide: draw(&Canvas::WIDE),
            narrow: draw(&Canvas::NARROW),
            caption: caption.into(),
        }
    }

    fn write(&self, out: &mut String) {
        let _ = match self {
            Block::Text(text) => writeln!(out, "<p>{}</p>", escaped(text)),
            Block::Facts(facts) => {
                let facts: String = facts.iter().map(fact).collect();
                writeln!(out, "<div class=\"facts\">\n{facts}</div>")
            }
            Block::Chart {
                wide,
                narrow,
                caption,
            } => writeln!(
                out,
                "<figure>\n<div class=\"wide\">{wide}</div>\n<div class=\"narrow\">{narrow}</div>\n<figcaption>{}</figcaption>\n</figure>",
                escaped(caption)
            ),
            Block::Legend(keys) => {
                let keys: String = keys.iter().map(key).collect();
                writeln!(
                    out,
                    "<div class=\"legend\" role=\"group\" aria-label=\"what is shown\">\n{keys}</div>"
                )
            }
            Block::Table(table) => write!(out, "{}", table.html()),
            Block::Code { title, text } => writeln!(
                out,
                "<div class=\"code\"><h3>{}</h3><pre tabindex=\"0\"><code>{}</code></pre></div>",
                escaped(title),
                escaped(text.trim_end())
            ),
            Block::Columns(blocks) => {
                out.push_str("<div class=\"columns\">\n");
                for block in blocks {
                    block.write(out);
                }
                writeln!(out, "</div>")
            }
            Block::Formulas(formulas) => {
                let rows = formulas.iter().map(|(name, formula, note)| {
                    format!("<dt>{}</dt><dd><span class=\"formula\">{formula}</span><small>{}</small></dd>\n", escaped(name), escaped(note))
                });
                writeln!(
                    out,
                    "<dl class=\"formulas\">\n{}</dl>",
                    rows.collect::<String>()
                )
            }
            Block::Steps(steps) => {
                let items = steps.iter().map(|(name, text, formula)| {
                    let formula = match formula.as_str() {
                        "" => String::new(),
                        formula => format!("<span class=\"formula\">{formula}</span>"),
                    };
                    format!(
                        "<li><strong>{}</strong> {}{formula}</li>\n",
                        escaped(name),
                        escaped(text)
                    )
                });
                writeln!(
                    out,
                    "<ol class=\"steps\">\n{}</ol>",
                    items.collect::<String>()
                )
            }
        };
    }
}

fn fact(fact: &Fact) -> String {
    format!(
        "<div class=\"fact {}\"><span class=\"fact-name\">{}</span><span class=\"fact-value\">{}</span><span class=\"fact-note\">{}</span></div>\n",
        fact.kind,
        escaped(&fact.name),
        escaped(&fact.value),
        escaped(&fact.note)
    )
}

fn key(key: &Key) -> String {
    let shape = match key.sign {
        Sign::Hatch => {
            "<path d=\"M1 13 13 1M1 7 7 1M7 13 13 7\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"/>"
        }
        Sign::Diamond => "<path d=\"M7 .5 13.5 7 7 13.5.5 7z\" fill=\"currentColor\"/>",
        Sign::Circle => "<circle cx=\"7\" cy=\"7\" r=\"5.5\" fill=\"currentColor\"/>",
        Sign::Square => "<rect x=\"2\" y=\"2\" width=\"10\" height=\"10\" fill=\"currentColor\"/>",
        Sign::Triangle => "<path d=\"M7 1.5 13 12H1z\" fill=\"currentColor\"/>",
    };
    format!(
        "<button type=\"button\" class=\"key {}\" data-toggle=\"{}\" aria-pressed=\"true\"><svg viewBox=\"0 0 14 14\" aria-hidden=\"true\">{shape}</svg>{}</button>\n",
        key.kind,
        escaped(&key.series),
        escaped(&key.label)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_whole_and_needs_no_network() {
        let page = Page {
            title: "a<b".into(),
            subtitle: "sizes".into(),
            lead: "lead & more".into(),
            sections: vec![Section {
                id: "one",
                title: "One".into(),
                blocks: vec![
                    Block::Text("5 < 6".into()),
                    Block::Code {
                        title: "code".into(),
                        text: "for (i = 0; i < n; i++)".into(),
                    },
                    Block::traffic(&TrafficChart::default(), "nothing"),
                ],
            }],
            footer: vec!["end".into()],
        };
        let html = page.html();
        assert!(
            html.contains("<h1>a&lt;b</h1>")
                && html.contains("5 &lt; 6")
                && html.contains("i &lt; n")
        );
        for remote in ["http:", "https:", "src=", "@import", "url(//"] {
            assert!(!html.contains(remote), "{remote}");
        }
        for (open, close) in [
            ("<section", "</section>"),
            ("<figure", "</figure>"),
            ("<div", "</div>"),
        ] {
            assert_eq!(
                html.matches(open).count(),
                html.matches(close).count(),
                "{open}"
            );
        }
    }
}
