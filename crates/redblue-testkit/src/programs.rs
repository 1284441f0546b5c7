//! Programs for attacks: random loop nests, and kernels with something changed.
//!
//! ```text
//! seed         ──► random ──► C text        loops, sums, stencils and copies that collide in many ways
//! kernel, seed ──► mutant ──► C text        another array, iterator, bound or operator here and there
//! ```
//!
//! A proof goes wrong where its premises almost hold, so most programs are near to kernels that have interesting
//! proofs. The text may be refused by the front end (an iterator out of scope); callers then take the next seed. Cells are
//! only compared, never allocated, so extents are generous and subscripts may leave them.

use redblue_math::random::Random;

/// C text of a random program in the sizes `N` and `M`.
pub fn random(seed: u64) -> String {
    let mut writer = Writer {
        random: Random::new(seed),
        text: String::new(),
        statements: 0,
    };
    for _ in 0..1 + writer.random.below(3) {
        writer.nest(&mut Vec::new());
    }
    format!("{HEAD}{}{TAIL}", writer.text)
}

const HEAD: &str = "#include <math.h>
void f(int N, int M, double A[N+M+4][N+M+4], double B[N+M+4][N+M+4], double C[N+M+4][N+M+4],
       double D[N+M+4][N+M+4], double x[N+M+4], double y[N+M+4], double z[N+M+4]) {
double T[N+M+4][N+M+4];
double t[N+M+4];
double s;
#pragma scop
";
const TAIL: &str = "#pragma endscop
}
";

/// Most statements of a random program.
const STATEMENTS: usize = 5;
const ITERATORS: [&str; 3] = ["i", "j", "k"];

struct Writer {
    random: Random,
    text: String,
    statements: usize,
}

impl Writer {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.below(from.len())]
    }

    /// A loop around statements and further loops.
    fn nest(&mut self, outer: &mut Vec<&'static str>) {
        let own = ITERATORS[outer.len()];
        let around = outer.last().copied();
        let lower = match (self.random.below(10), around) {
            (0..=1, Some(around)) => format!("{around} + 1"),
            (2, Some(around)) => around.to_owned(),
            (3, _) => "1".to_owned(),
            _ => "0".to_owned(),
        };
        let upper = match (self.random.below(12), around) {
            (0..=1, Some(around)) => around.to_owned(),
            (2, Some(around)) => format!("{around} + 1"),
            (3, _) => "2".to_owned(),
            (4, _) => "N - 1".to_owned(),
            (5..=7, _) => "M".to_owned(),
            _ => "N".to_owned(),
        };
        let header = match self.random.below(8) {
            0 => format!("for (int {own} = {upper} - 1; {own} >= {lower}; {own}--) {{\n"),
            _ => format!("for (int {own} = {lower}; {own} < {upper}; {own}++) {{\n"),
        };
        self.text.push_str(&header);
        outer.push(own);
        let before = self.statements;
        for _ in 0..1 + self.random.below(3) {
            if outer.len() < ITERATORS.len() && self.random.chance(55) {
                self.nest(outer);
            } else {
                self.statement(outer);
            }
        }
        if self.statements == before {
            self.statement(outer);
        }
        outer.pop();
        self.text.push_str("}\n");
    }

    fn statement(&mut self, iterators: &[&str]) {
        if self.statements == STATEMENTS {
            return;
        }
        self.statements += 1;
        let write = self.cell(iterators, &["C", "D", "T", "A"], &["y", "z", "t"], false);
        let (a, b) = (self.read(iterators), self.read(iterators));
        let line = match self.random.below(100) {
            0..=34 => format!("{write} += {a} * {b};"),
            35..=44 => format!("{write} = {write} - {a} * {b};"),
            45..=49 => format!("{write} = {a} * {b};"),
            50..=59 => {
                let c = self.read(iterators);
                format!("{write} = {a} + {b} + {c};")
            }
            60..=67 => format!("{write} = sqrt({a});"),
            68..=75 => format!("{write} = 0.0;"),
            76..=81 => format!("{write} = {a};"),
            82..=86 => format!("{write} = {write} / {a};"),
            87..=91 => format!("{write} = fmax({write}, {a});"),
            _ => format!("{write} += {a};"),
        };
        self.text.push_str(&line);
        self.text.push('\n');
    }

    fn read(&mut self, iterators: &[&str]) -> String {
        match self.random.chance(60) {
            true => self.cell(iterators, &["A", "B"], &["x", "y"], true),
            false => self.cell(
                iterators,
                &["A", "C", "D", "T"],
                &["x", "y", "z", "t"],
                true,
            ),
        }
    }

    /// A cell whose subscripts are mostly different iterators.
    fn cell(&mut self, iterators: &[&str], two: &[&str], one: &[&str], shifted: bool) -> String {
        let rank = match self.random.below(10) {
            0 => return "s".to_owned(),
            1..=3 => 1,
            _ => 2.min(iterators.len()),
        };
        let array = self.pick(if rank == 2 { two } else { one }).to_owned();
        let start = self.random.below(iterators.len());
        let mut cell = array;
        for at in 0..rank {
            let other = 1 + self.random.below(iterators.len().max(2) - 1);
            let iterator = iterators[(start + at * other) % iterators.len()];
            let shift = match self.random.below(12) {
                0 if shifted => " + 1",
                1 if shifted => " + 2",
                _ => "",
            };
            cell.push_str(&format!("[{iterator}{shift}]"));
        }
        cell
    }
}

/// A kernel in C with one to three changes.
///
/// Changes are made to tokens between `#pragma scop` and `#pragma endscop`, or in the whole text without these.
pub fn mutant(kernel: &str, seed: u64) -> String {
    let mut random = Random::new(seed);
    let start = kernel.find("#pragma scop").map_or(0, |at| at + 12);
    let end = kernel.find("#pragma endscop").unwrap_or(kernel.len());
    let mut body = kernel[start..end].to_owned();
    for _ in 0..1 + random.below(3) {
        body = change(&body, &mut random);
    }
    format!("{}{body}{}", &kernel[..start], &kernel[end..])
}

/// One change at a random place.
fn change(body: &str, random: &mut Random) -> String {
    let tokens = tokens(body);
    let name = |at: usize| tokens.get(at).filter(|token| is_name(token)).copied();
    let arrays: Vec<usize> = (0..tokens.len())
        .filter(|&at| name(at).is_some() && tokens.get(at + 1) == Some(&"["))
        .collect();
    let inside: Vec<usize> = (1..tokens.len())
        .filter(|&at| name(at).is_some() && tokens[at - 1] == "[")
        .collect();
    let operators: Vec<usize> = (0..tokens.len())
        .filter(|&at| matches!(tokens[at], "+=" | "-=" | "*" | "<" | "0" | "1" | "="))
        .collect();
    let lines: Vec<&str> = body.lines().collect();
    let simple = |line: &&str| line.trim_end().ends_with(';') && !line.contains("for");
    let replace = |at: usize, by: &str| {
        let mut changed: Vec<&str> = tokens.clone();
        changed[at] = by;
        changed.concat()
    };
    match random.below(10) {
        0..=2 if !arrays.is_empty() => {
            let (at, by) = (random.below(arrays.len()), random.below(arrays.len()));
            replace(arrays[at], tokens[arrays[by]])
        }
        3..=5 if !inside.is_empty() => {
            let (at, by) = (random.below(inside.len()), random.below(inside.len()));
            replace(inside[at], tokens[inside[by]])
        }
        6..=7 if !operators.is_empty() => {
            let at = operators[random.below(operators.len())];
            let by = match tokens[at] {
                "+=" => "=",
                "-=" => "+=",
                "*" => "+",
                "<" => "<=",
                "0" => "1",
                "1" => "0",
                _ => "+=",
            };
            replace(at, by)
        }
        // A statement goes away, or comes twice.
        choice => {
            let at = random.below(lines.len().max(1));
            let copies = if choice % 2 == 0 { 0 } else { 2 };
            let kept = lines.iter().enumerate().flat_map(|(position, line)| {
                let times = if position == at && simple(line) {
                    copies
                } else {
                    1
                };
                std::iter::repeat_n(*line, times)
            });
            kept.flat_map(|line| [line, "\n"]).collect()
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Names, numbers, operators of C and everything else, character by character; together they are the text.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let length = match first {
            _ if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            _ if ["+=", "-=", "*=", "/=", "<=", ">=", "==", "++", "--"]
                .iter()
                .any(|op| rest.starts_with(op)) =>
            {
                2
            }
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_program::c::{self, CInput};

    fn accepted(text: &str) -> bool {
        let input = CInput {
            name: "random.c",
            text,
        };
        !c::read(&input, &Default::default(), &|_| None).has_errors()
    }

    #[test]
    fn most_random_programs_are_understood() {
        let accepted = (0..60).filter(|&seed| accepted(&random(seed))).count();
        assert!(accepted >= 50, "{accepted} of 60");
    }

    #[test]
    fn many_mutants_are_understood_and_differ() {
        let kernel = redblue_program::catalogue::find("gramschmidt").expect("known");
        let redblue_program::catalogue::Source::C(text) = kernel.source else {
            panic!("in C");
        };
        let mutants: Vec<String> = (0..60).map(|seed| mutant(text, seed)).collect();
        assert_eq!(mutants[3], mutant(text, 3));
        let different = mutants.iter().filter(|mutant| *mutant != text).count();
        let accepted = mutants.iter().filter(|mutant| accepted(mutant)).count();
        assert!(different >= 45 && accepted >= 30, "{different} {accepted}");
    }
}
