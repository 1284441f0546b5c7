//! Columns of text.

use std::fmt::Write;

/// How a column is set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// Lines of cells as aligned columns, two blanks apart, each line after `indent`. Lines may be shorter than
/// others.
pub(super) fn columns(indent: &str, rows: &[Vec<String>], aligns: &[Align]) -> String {
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
}
