//! Loop nests against their own execution: random headers, conditions and subscripts are run directly, and
//! the program read from their C text must execute the same instances, in the same order, on the same cells.

use std::fmt;

use proptest::prelude::*;
use redblue_program::Sizes;
use redblue_program::c::{self, CInput};
use redblue_program::interpret::Walk;
use redblue_program::reading::ReadOptions;

/// An integer expression of C.
#[derive(Clone, Debug)]
enum Int {
    Number(i64),
    Size,
    /// The loop variable at this depth, if there is one; else the size.
    Variable(usize),
    Add(Box<Int>, Box<Int>),
    Subtract(Box<Int>, Box<Int>),
    Times(i64, Box<Int>),
    Divide(Box<Int>, i64),
    Remainder(Box<Int>, i64),
    Min(Box<Int>, Box<Int>),
    Max(Box<Int>, Box<Int>),
    Mask(Box<Int>),
}

const NAMES: [&str; 3] = ["i", "j", "k"];

impl Int {
    fn at(&self, n: i64, point: &[i64]) -> i64 {
        match self {
            Int::Number(number) => *number,
            Int::Size => n,
            Int::Variable(depth) => point.get(*depth).copied().unwrap_or(n),
            Int::Add(a, b) => a.at(n, point) + b.at(n, point),
            Int::Subtract(a, b) => a.at(n, point) - b.at(n, point),
            Int::Times(factor, a) => factor * a.at(n, point),
            Int::Divide(a, divisor) => a.at(n, point) / divisor,
            Int::Remainder(a, divisor) => a.at(n, point) % divisor,
            Int::Min(a, b) => a.at(n, point).min(b.at(n, point)),
            Int::Max(a, b) => a.at(n, point).max(b.at(n, point)),
            Int::Mask(a) => a.at(n, point) & 3,
        }
    }

    /// The expression with variables that are in scope at this depth.
    fn text(&self, depth: usize) -> String {
        let t = |inner: &Int| inner.text(depth);
        match self {
            Int::Number(number) => format!("({number})"),
            Int::Size => "n".into(),
            Int::Variable(at) if *at < depth => NAMES[*at].into(),
            Int::Variable(_) => "n".into(),
            Int::Add(a, b) => format!("({} + {})", t(a), t(b)),
            Int::Subtract(a, b) => format!("({} - {})", t(a), t(b)),
            Int::Times(factor, a) => format!("(({factor}) * ({}))", t(a)),
            Int::Divide(a, divisor) => format!("(({}) / ({divisor}))", t(a)),
            Int::Remainder(a, divisor) => format!("(({}) % ({divisor}))", t(a)),
            Int::Min(a, b) => format!("min({}, {})", t(a), t(b)),
            Int::Max(a, b) => format!("({0} < {1} ? {1} : {0})", t(a), t(b)),
            Int::Mask(a) => format!("({} & 3)", t(a)),
        }
    }
}

#[derive(Clone, Debug)]
struct Loop {
    first: Int,
    compare: &'static str,
    last: Int,
    step: i64,
}

#[derive(Clone, Debug)]
struct Nest {
    loops: Vec<Loop>,
    test: Option<(Int, &'static str, Int)>,
    subscript: Int,
}

fn holds(a: i64, compare: &str, b: i64) -> bool {
    match compare {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        _ => a != b,
    }
}

impl fmt::Display for Nest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "void f(int n, double *A) {{")?;
        for (
            depth,
            Loop {
                first,
                compare,
                last,
                step,
            },
        ) in self.loops.iter().enumerate()
        {
            let (v, first, last) = (NAMES[depth], first.text(depth), last.text(depth));
            writeln!(
                f,
                "for (int {v} = {first}; {v} {compare} {last}; {v} += {step})"
            )?;
        }
        let depth = self.loops.len();
        if let Some((a, compare, b)) = &self.test {
            writeln!(f, "if (!({} {compare} {}))", a.text(depth), b.text(depth))?;
        }
        writeln!(f, "A[{}] = 1; }}", self.subscript.text(depth))
    }
}

/// Runs the nest; `None` if it takes too long to be meant.
fn run(nest: &Nest, n: i64, point: &mut Vec<i64>, trace: &mut Vec<(Vec<i64>, i64)>) -> Option<()> {
    let Some(Loop {
        first,
        compare,
        last,
        step,
    }) = nest.loops.get(point.len())
    else {
        let skipped = nest
            .test
            .as_ref()
            .is_some_and(|(a, compare, b)| holds(a.at(n, point), compare, b.at(n, point)));
        if !skipped {
            trace.push((point.clone(), nest.subscript.at(n, point)));
        }
        return Some(());
    };
    let mut value = first.at(n, point);
    let bound = last.at(n, point);
    let mut turns = 0;
    while holds(value, compare, bound) {
        point.push(value);
        run(nest, n, point, trace)?;
        point.pop();
        value += step;
        turns += 1;
        if turns > 100 {
            return None;
        }
    }
    Some(())
}

fn int() -> impl Strategy<Value = Int> {
    let leaf = prop_oneof![
        (-4i64..9).prop_map(Int::Number),
        Just(Int::Size),
        (0usize..3).prop_map(Int::Variable),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        let divisor = prop::sample::select(vec![-3i64, -2, 2, 3, 4]);
        prop_oneof![
            pair.clone().prop_map(|(a, b)| Int::Add(a, b)),
            pair.clone().prop_map(|(a, b)| Int::Subtract(a, b)),
            pair.clone().prop_map(|(a, b)| Int::Min(a, b)),
            pair.prop_map(|(a, b)| Int::Max(a, b)),
            (-3i64..4, inner.clone()).prop_map(|(f, a)| Int::Times(f, Box::new(a))),
            (inner.clone(), divisor.clone()).prop_map(|(a, d)| Int::Divide(Box::new(a), d)),
            (inner.clone(), divisor).prop_map(|(a, d)| Int::Remainder(Box::new(a), d)),
            inner.prop_map(|a| Int::Mask(Box::new(a))),
        ]
    })
}

fn nest() -> impl Strategy<Value = Nest> {
    let up = (int(), prop::sample::select(vec!["<", "<="]), int(), 1i64..4);
    let down = (
        int(),
        prop::sample::select(vec![">", ">="]),
        int(),
        -3i64..0,
    );
    let any_loop = prop_oneof![3 => up, 1 => down].prop_map(|(first, compare, last, step)| Loop {
        first,
        compare,
        last,
        step,
    });
    let compare = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let test = prop::option::of((int(), compare, int()));
    (prop::collection::vec(any_loop, 1..4), test, int()).prop_map(|(loops, test, subscript)| Nest {
        loops,
        test,
        subscript,
    })
}

fn check(nest: &Nest) -> Result<(), TestCaseError> {
    let text = nest.to_string();
    let input = CInput {
        name: "nest.c",
        text: &text,
    };
    let reading = c::read(&input, &ReadOptions::default(), &|_| None);
    // The only excuse is that the exact form has too many cases.
    if reading.diagnostics.iter().any(|d| d.code == "RB0211") {
        return Err(TestCaseError::reject("too complicated"));
    }
    prop_assert!(
        reading.diagnostics.is_empty(),
        "{text}\n{}",
        reading.render()
    );
    let program = reading.program.expect("a program");
    for n in [-3, 0, 1, 6] {
        let mut expected = Vec::new();
        if run(nest, n, &mut Vec::new(), &mut expected).is_none() {
            continue;
        }
        let sizes = Sizes::from([("n".to_string(), n)]);
        let mut found = Vec::new();
        if !program.statements.is_empty() {
            let walk = Walk::new(&program, &sizes).expect("bounded");
            walk.run(|step| {
                found.push((step.point.to_vec(), walk.layout().subscripts(step.write)[0]));
                Ok(())
            })
            .expect("runs");
        }
        prop_assert_eq!(&found, &expected, "n = {}\n{}", n, text);
    }
    Ok(())
}

/// A moderate number of cases; `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(48),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// `a·i + b·j + c·n + d`, as text and as a value.
fn linear([a, b, c, d]: [i64; 4]) -> (String, impl Fn(i64, i64, i64) -> i64) {
    let text = format!("({a}) * i + ({b}) * j + ({c}) * n + ({d})");
    (text, move |n, i, j| a * i + b * j + c * n + d)
}

/// A flat index is split into subscripts of the same cell, or refused.
fn check_flat(row: [i64; 4], column: [i64; 4]) -> Result<(), TestCaseError> {
    let ((row_text, row), (column_text, column)) = (linear(row), linear(column));
    let text = format!(
        "void f(int n, double *A) {{ for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++)
         A[({row_text}) * n + ({column_text})] = 1; }}"
    );
    let input = CInput {
        name: "flat.c",
        text: &text,
    };
    let reading = c::read(&input, &ReadOptions::default(), &|_| None);
    if reading.has_errors() {
        return Err(TestCaseError::reject("not a flat index"));
    }
    let program = reading.program.expect("a program");
    for n in 1..6 {
        let sizes = Sizes::from([("n".to_string(), n)]);
        let walk = Walk::new(&program, &sizes).expect("bounded");
        let mut outcome = Ok(());
        walk.run(|step| {
            let (i, j) = (step.point[0], step.point[1]);
            let flat = row(n, i, j) * n + column(n, i, j);
            // Any row length will do, as long as the split is the one of its cell.
            let ranges = walk.layout().ranges(step.write.array);
            let same = match walk.layout().subscripts(step.write)[..] {
                [whole] => whole == flat,
                [row, column] => {
                    let length = ranges[1].extent;
                    row * length + column == flat && (0..length).contains(&column)
                }
                _ => false,
            };
            if !same {
                outcome = Err(TestCaseError::fail(format!(
                    "n = {n}, i = {i}, j = {j}: {text}"
                )));
            }
            Ok(())
        })
        .expect("runs");
        outcome?;
    }
    Ok(())
}

fn row() -> impl Strategy<Value = [i64; 4]> {
    (0i64..3, -1i64..2, Just(0i64), -1i64..3).prop_map(|(a, b, c, d)| [a, b, c, d])
}

fn column() -> impl Strategy<Value = [i64; 4]> {
    (-1i64..2, -1i64..2, 0i64..2, -1i64..2).prop_map(|(a, b, c, d)| [a, b, c, d])
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn flat_indices_keep_their_cell(row in row(), column in column()) {
        check_flat(row, column)?;
    }

    #[test]
    fn nests_run_as_written(nest in nest()) {
        check(&nest)?;
    }
}
