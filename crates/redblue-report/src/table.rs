//! Tables in every format: one value, written as text, CSV, Markdown, LaTeX or HTML.

use std::fmt::Write;

use crate::svg::escaped;

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Names.
    Left,
    /// Numbers.
    Right,
}

/// A head and rows, all of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns.
    pub head: Vec<String>,
    /// How they are set; columns without a word on it are set to the left.
    pub aligns: Vec<Align>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: &[(&str, Align)]) -> Table {
        Table {
            head: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
            aligns: columns.iter().map(|(_, align)| *align).collect(),
            rows: Vec::new(),
        }
    }

    /// Aligned columns, each line after `indent`.
    pub fn text(&self, indent: &str) -> String {
        columns(
            indent,
            &self.lines().cloned().collect::<Vec<_>>(),
            &self.aligns,
        )
    }

    /// Comma-separated values after RFC 4180; cells with commas or quotes are quoted.
    pub fn csv(&self) -> String {
        let cell = |cell: &String| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.clone(),
        };
        self.written(|row| row.iter().map(cell).collect::<Vec<_>>().join(","))
    }

    /// A Markdown table.
    pub fn markdown(&self) -> String {
        let line = |row: &[String]| {
            format!(
                "| {} |",
                row.iter()
                    .map(|cell| cell.replace('|', "\\|"))
                    .collect::<Vec<_>>()
                    .join(" | ")
            )
        };
        let rule: Vec<&str> = (0..self.head.len())
            .map(|at| {
                if self.align(at) == Align::Right {
                    "---:"
                } else {
                    "---"
                }
            })
            .collect();
        let mut out = format!("{}\n| {} |\n", line(&self.head), rule.join(" | "));
        for row in &self.rows {
            let _ = writeln!(out, "{}", line(row));
        }
        out
    }

    /// A LaTeX `tabular`.
    pub fn latex(&self) -> String {
        let aligns: String = (0..self.head.len())
            .map(|at| {
                if self.align(at) == Align::Right {
                    'r'
                } else {
                    'l'
                }
            })
            .collect();
        let line = |row: &[String]| {
            format!(
                "{} \\\\",
                row.iter()
                    .map(|cell| latex_escaped(cell))
                    .collect::<Vec<_>>()
                    .join(" & ")
            )
        };
        let mut out = format!(
            "\\begin{{tabular}}{{{aligns}}}\n\\hline\n{}\n\\hline\n",
            line(&self.head)
        );
        for row in &self.rows {
            let _ = writeln!(out, "{}", line(row));
        }
        out.push_str("\\hline\n\\end{tabular}\n");
        out
    }

    /// An HTML table.
    pub fn html(&self) -> String {
        let line = |row: &[String], tag: &str| {
            let cells = row.iter().enumerate().map(|(at, cell)| {
                let class = if self.align(at) == Align::Right {
                    " class=\"num\""
                } else {
                    ""
                };
                format!("<{tag}{class}>{}</{tag}>", escaped(cell))
            });
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let rows: String = self.rows.iter().map(|row| line(row, "td")).collect();
        format!(
            "<div class=\"scroll\"><table>\n<thead>{}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
            line(&self.head, "th")
        )
    }

    fn align(&self, column: usize) -> Align {
        self.aligns.get(column).copied().unwrap_or(Align::Left)
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.head).chain(&self.rows)
    }

    fn written(&self, line: impl Fn(&[String]) -> String) -> String {
        self.lines().map(|row| line(row) + "\n").collect()
    }
}

/// Text for LaTeX outside its math mode.
pub fn latex_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\^{}"),
            '~' => out.push_str("\\~{}"),
            '×' => out.push_str("$\\times$"),
            '≥' => out.push_str("$\\ge$"),
            '≤' => out.push_str("$\\le$"),
            '–' => out.push_str("--"),
            c => out.push(c),
        }
    }
    out
}

/// Lines of cells as aligned columns, two blanks apart, each line after `indent`. Lines may be shorter than
/// others.
pub fn columns(indent: &str, rows: &[Vec<String>], aligns: &[Align]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut out = String::new();
    for row in rows {
        let mut line = String::from(indent);
        for (column, cell) in row.iter().enumerate() {
            let width = width(column);
            let _ = match aligns.get(column) {
                Some(Align::Right) => write!(line, "{cell:>width$}  "),
                _ => write!(line, "{cell:<width$}  "),
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "1", "x"], ["bbb", "22", ""]].map(|row| row.map(String::from).to_vec());
        assert_eq!(
            columns("> ", &rows, &[Align::Left, Align::Right]),
            "> a     1  x\n> bbb  22\n"
        );
    }

    #[test]
    fn every_format_escapes_its_own() {
        let mut table = Table::new(&[("name", Align::Left), ("S", Align::Right)]);
        table.rows.push(vec!["a,\"b\"|<c>_1".into(), "7".into()]);
        assert_eq!(table.csv(), "name,S\n\"a,\"\"b\"\"|<c>_1\",7\n");
        assert_eq!(
            table.markdown(),
            "| name | S |\n| --- | ---: |\n| a,\"b\"\\|<c>_1 | 7 |\n"
        );
        assert!(
            table.latex().contains("\\begin{tabular}{lr}")
                && table.latex().contains("<c>\\_1 & 7 \\\\")
        );
        assert!(
            table
                .html()
                .contains("&lt;c&gt;_1</td><td class=\"num\">7<")
        );
        assert_eq!(table.text(""), "name         S\na,\"b\"|<c>_1  7\n");
    }
}
