//! The rows of `docs/bounds.md`, section by section.
//!
//! A row is a line of Markdown that depends on nothing but the catalogue and the data of `published`: the same on every
//! machine. Ratios are proved over published, rounded down.

use num_bigint::BigInt;
use redblue_bound::analysis::{Analysis, Options, analyse};
use redblue_cert::{Counted, LowerBound, Model};
use redblue_math::{Assignment, Expr, Regime};
use redblue_program::{Program, catalogue};

use crate::published::{ATTENTION, CONTRACTIONS, HOURGLASSES, LAYERS, POLYBENCH, PRODUCTS, Row};

type Failure = Box<dyn std::error::Error>;

/// A part of the table.
pub(crate) struct Section {
    /// What it shows, with the heads of its columns.
    pub(crate) head: &'static str,
    /// The kernels it needs.
    pub(crate) kernels: fn() -> Vec<&'static str>,
    /// The rows of one kernel.
    pub(crate) rows: fn(&'static str) -> Result<Vec<String>, Failure>,
}

/// All sections.
pub(crate) const SECTIONS: &[Section] = &[
    Section {
        head: "## PolyBench/C 4.2.1\n\nLoads, no recomputation, sums in the program's own order. Leading terms for 1 ≪ S ≪ every size.\n\n\
               | kernel | method | proved | published | ratio | note |\n|---|---|---|---|---|---|\n",
        kernels: || POLYBENCH.iter().map(|row| row.kernel).collect(),
        rows: polybench,
    },
    Section {
        head: "## Hourglass kernels\n\nThe same model, at given sizes. Published: the sound form of the theorem with K = 2S (theory H-11, H-13; R-6 for org2r).\n\n\
               | kernel | M, N | S | method | proved | published | ratio |\n|---|---|---|---|---|---|---|\n",
        kernels: || HOURGLASSES.iter().map(|row| row.0).collect(),
        rows: hourglass,
    },
    Section {
        head: "## Tensor contractions\n\nLoads and stores, at the sizes of the catalogue. The published value of abcd-dbea-ec at S = 2^10 is no lower bound: it counts loads, and keeping half of the matrix in memory loads 35 833 536 words (a test has this schedule judged, with fewer rows).\n\n\
               | contraction | S | method | proved | published | ratio |\n|---|---|---|---|---|---|\n",
        kernels: || CONTRACTIONS.iter().map(|row| row.0).collect(),
        rows: contraction,
    },
    Section {
        head: "## Convolutions\n\nLoads and stores, one image. Published: the largest of the arrays, 9/4·V/S and 2·V/√(H·W·S).\n\n\
               | F, C, X = Y, W = H | S | method | proved | published | ratio |\n|---|---|---|---|---|---|\n",
        kernels: || vec!["conv2d"],
        rows: convolution,
    },
    Section {
        head: "## Attention\n\nLoads and stores. A-4 allows recomputation, A-5 does not; FlashAttention-2 is what the online form needs (A-8). \
               The other two forms find the largest score of a row before they use any, so that scores wait; their bounds are not about the online form.\n\n\
               | kernel | N, d | S | method | proved | A-4, A-5 | ratio | FlashAttention-2 |\n|---|---|---|---|---|---|---|---|\n",
        kernels: || vec!["attention", "attention-fused", "attention-online"],
        rows: attention,
    },
    Section {
        head: "## Matrix products in all regimes\n\nLoads and stores. Published: the order of the traffic without constants (D-9); where everything fits it says S, which is no lower bound.\n\n\
               | M, N, K | S | method | proved | published | ratio |\n|---|---|---|---|---|---|\n",
        kernels: || vec!["matmul"],
        rows: product,
    },
];

/// Loads alone, as the published tables count them.
const LOADS: Model = Model {
    count: Counted::Loads,
    ..Model::DEFAULT
};

fn bounds(name: &str, model: Model) -> Result<(Program, Analysis), Failure> {
    let entry = catalogue::find(name).ok_or("no such kernel")?;
    let program = entry
        .read(&Default::default())
        .program
        .ok_or("no program")?;
    let options = Options {
        model,
        ..Options::default()
    };
    let analysis = analyse(&program, &options)?;
    Ok((program, analysis))
}

/// The best bound at some sizes, and its method.
fn best<'a>(
    analysis: &'a Analysis,
    model: Model,
    sizes: &Assignment,
) -> Result<(BigInt, &'a LowerBound), Failure> {
    let mut best: Option<(BigInt, &LowerBound)> = None;
    for bound in &analysis.bounds {
        let value = bound.value(model, sizes)?.unwrap_or_default();
        if best.as_ref().is_none_or(|(most, _)| value > *most) {
            best = Some((value, bound));
        }
    }
    best.ok_or_else(|| "no bound".into())
}

/// A ratio with three digits after the point, rounded down.
fn ratio(value: &BigInt, goal: &BigInt) -> String {
    let one = BigInt::from(1);
    let thousandths: BigInt = value * 1000 / goal.max(&one);
    let (whole, rest): (BigInt, BigInt) = (&thousandths / 1000, &thousandths % 1000);
    format!("{whole}.{:0>3}", rest.to_string())
}

fn sizes(named: &[(&str, i64)]) -> Assignment {
    named.iter().copied().collect()
}

/// The row of a kernel: its best bound at sizes so large that only leading terms are left.
fn polybench(name: &'static str) -> Result<Vec<String>, Failure> {
    let row: &Row = POLYBENCH
        .iter()
        .find(|row| row.kernel == name)
        .ok_or("no such row")?;
    let (program, analysis) = bounds(name, LOADS)?;
    let mut large = Assignment::new().with("S", 1i64 << 16);
    for param in &program.params {
        large.set(param.name.as_str(), 1i64 << 40);
    }
    let mut best: Option<(BigInt, &LowerBound)> = None;
    for bound in &analysis.bounds {
        let value = bound.loads().eval_floor(&large)?;
        if best.as_ref().is_none_or(|(most, _)| value > *most) {
            best = Some((value, bound));
        }
    }
    let (value, bound) = best.ok_or("no bound")?;
    let published: Expr = row.published.parse()?;
    // A ten-thousandth makes up for what lower terms take away.
    let goal = published.eval_floor(&large)?;
    let value = value + &goal / 10_000;
    if value < row.proved.parse::<Expr>()?.eval_floor(&large)? {
        return Err(format!("{name} falls below {}", row.proved).into());
    }
    Ok(vec![format!(
        "| {name} | {} | `{}` | `{}` | {} | {} |",
        bound.method(),
        bound.loads().leading(&Regime::large_sizes())?,
        row.published,
        ratio(&value, &goal),
        row.note,
    )])
}

fn hourglass(name: &'static str) -> Result<Vec<String>, Failure> {
    let (_, formula, points) = HOURGLASSES
        .iter()
        .find(|row| row.0 == name)
        .ok_or("no such row")?;
    let (_, analysis) = bounds(name, LOADS)?;
    let published: Expr = formula.parse()?;
    let mut rows = Vec::new();
    for &(m, n, s) in *points {
        let point = sizes(&[("M", m), ("N", n), ("S", s)]);
        let (value, bound) = best(&analysis, LOADS, &point)?;
        let goal = published.eval_floor(&point)?;
        rows.push(format!(
            "| {name} | {m}, {n} | {s} | {} | {value} | {goal} | {} |",
            bound.method(),
            ratio(&value, &goal)
        ));
    }
    Ok(rows)
}

fn contraction(name: &'static str) -> Result<Vec<String>, Failure> {
    let (_, formula) = CONTRACTIONS
        .iter()
        .find(|row| row.0 == name)
        .ok_or("no such row")?;
    let (_, analysis) = bounds(name, Model::DEFAULT)?;
    let entry = catalogue::find(name).ok_or("no such kernel")?;
    let named: Vec<(&str, i64)> = entry.sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
    let published: Expr = formula.parse()?;
    let mut rows = Vec::new();
    for power in [10, 15, 20] {
        let point = sizes(&named).with("S", 1i64 << power);
        let (value, bound) = best(&analysis, Model::DEFAULT, &point)?;
        let goal = published.eval_floor(&point)?;
        rows.push(format!(
            "| {name} | 2^{power} | {} | {value} | {goal} | {} |",
            bound.method(),
            ratio(&value, &goal)
        ));
    }
    Ok(rows)
}

fn convolution(name: &'static str) -> Result<Vec<String>, Failure> {
    let (_, analysis) = bounds(name, Model::DEFAULT)?;
    let regimes: Vec<Expr> = [
        "B*F*X*Y + B*C*(X+W-1)*(Y+H-1) + F*C*W*H",
        "9*B*C*F*X*Y*H*W/(4*S)",
        "2*B*C*F*X*Y*H*W/sqrt(H*W*S)",
    ]
    .iter()
    .map(|text| text.parse())
    .collect::<Result<_, _>>()?;
    let mut rows = Vec::new();
    for &(f, c, x, w) in LAYERS {
        for power in [11, 15, 19] {
            let named = [
                ("B", 1),
                ("F", f),
                ("C", c),
                ("X", x),
                ("Y", x),
                ("W", w),
                ("H", w),
            ];
            let point = sizes(&named).with("S", 1i64 << power);
            let (value, bound) = best(&analysis, Model::DEFAULT, &point)?;
            let mut goal = BigInt::from(0);
            for regime in &regimes {
                goal = goal.max(regime.eval_floor(&point)?);
            }
            rows.push(format!(
                "| {f}, {c}, {x}, {w} | 2^{power} | {} | {value} | {goal} | {} |",
                bound.method(),
                ratio(&value, &goal)
            ));
        }
    }
    Ok(rows)
}

fn attention(name: &'static str) -> Result<Vec<String>, Failure> {
    let (_, analysis) = bounds(name, Model::DEFAULT)?;
    let mut rows = Vec::new();
    for &(n, d, s, four, five) in ATTENTION {
        let point = sizes(&[("N", n), ("M", n), ("D", d), ("S", s)]);
        let (value, bound) = best(&analysis, Model::DEFAULT, &point)?;
        let goal = BigInt::from(four.max(five));
        // Rows of Q and O with their scores in memory, a column of K and V at a time.
        let block = (s - 2 * d) / (2 * d + 3);
        let flash = match block {
            ..=0 => "does not fit".to_owned(),
            _ => (2 * n * d + (n + block - 1) / block * 2 * n * d).to_string(),
        };
        rows.push(format!(
            "| {name} | {n}, {d} | {s} | {} | {value} | {goal} | {} | {flash} |",
            bound.method(),
            ratio(&value, &goal)
        ));
    }
    Ok(rows)
}

fn product(name: &'static str) -> Result<Vec<String>, Failure> {
    let (_, analysis) = bounds(name, Model::DEFAULT)?;
    let mut rows = Vec::new();
    for &(s, m, n, k, traffic) in PRODUCTS {
        let point = sizes(&[("M", m), ("N", n), ("K", k), ("S", s)]);
        let (value, bound) = best(&analysis, Model::DEFAULT, &point)?;
        rows.push(format!(
            "| {m}, {n}, {k} | {s} | {} | {value} | {traffic} | {} |",
            bound.method(),
            ratio(&value, &BigInt::from(traffic))
        ));
    }
    Ok(rows)
}
