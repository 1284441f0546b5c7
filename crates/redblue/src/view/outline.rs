//! Proofs in outline, as they would stand in a paper: what is cut into phases, what a phase can do, and why.
//!
//! Every sentence is about what the certificate has: targets, projections, exponents, lengths of phases. The theorems behind
//! them are in the documentation of `redblue_cert::certificate`.

use redblue_cert::Proof;
use redblue_cert::certificate::{
    Capacity, Family, Group, Hourglass, Phases, Sharing, Spills, Wavefront,
};
use redblue_math::{Expr, Rational};

/// The sentences of a proof, in LaTeX.
pub(super) fn latex(proof: &Proof) -> String {
    match proof {
        Proof::Compulsory => {
            "Every input that a result depends on is loaded at least once, and every result is stored.".into()
        }
        Proof::Phases(phases) => of_phases(phases),
        Proof::Wavefront(wavefront) => of_wavefront(wavefront),
        Proof::Spills(spills) => of_spills(spills),
        Proof::Crossing(_) => "Two recurrences run over the same positions in opposite directions. When each position has been met by one of them for the first time, \
             one word per position is still needed by the other; all but $S$ of these words are loaded later."
            .into(),
    }
}

fn of_phases(phases: &Phases) -> String {
    let lengths: Vec<String> = phases
        .lengths
        .iter()
        .map(|length| formula(length))
        .collect();
    let mut out = format!(
        "Cut a schedule into phases of $T = {}$ loads{}, the first one of $S + T$; a phase has $K = S + T$ words at hand.",
        lengths.join("$ or $T = "),
        if phases.groups.iter().any(has_terminals) {
            " and first computations of values at which paths end (they are subtracted)"
        } else {
            ""
        }
    );
    for group in &phases.groups {
        out.push(' ');
        out.push_str(&of_group(group));
    }
    if phases.groups.len() > 1 {
        out.push_str(
            " The groups need different words, so the shares of their capacities that a phase uses add up to at most one.",
        );
    }
    out
}

fn has_terminals(group: &Group) -> bool {
    group
        .families
        .iter()
        .any(|family| !family.terminals.is_empty())
}

fn of_group(group: &Group) -> String {
    let mut out = format!(
        "Let $E$ be the instances of {} computed in a phase, at points $x$.",
        names(&group.targets)
    );
    let projections: Vec<String> = group.families.iter().map(projection).collect();
    if !projections.is_empty() {
        out.push_str(&format!(
            " Following what they need back until it leaves the phase, $E$ needs a word for every value of {}.",
            projections.join(", of ")
        ));
    }
    out.push(' ');
    out.push_str(&capacity(group));
    out
}

/// Why a phase computes no more than it can.
fn capacity(group: &Group) -> String {
    match &group.capacity {
        Capacity::BrascampLieb { exponents, extents } => {
            let extra = match extents.len() {
                0 => String::new(),
                _ => format!(
                    " and {} loops of known length",
                    extents.len()
                ),
            };
            let most = power(&group.families, exponents)
                .filter(|_| extents.is_empty())
                .map(|volume| format!(" $= {volume}$"));
            format!(
                "By the Brascamp--Lieb inequality with exponents {}{extra}, $|E| \\le U(K)${}.",
                listed(exponents),
                most.unwrap_or_default()
            )
        }
        Capacity::Symmetric { pairs, .. } => format!(
            "Two of the accesses are exchanged by a symmetry: with $r$ running values and rows $R_k$ met in slice $k$, $|E_k| \\le \\min(r, |R_k|^2/2)$, so $|E| \\le U(K) = {}(K/3)^{{3/2}}$.",
            match pairs.len() {
                1 => "\\sqrt{2}\\,".to_owned(),
                many => format!("\\frac{{\\sqrt{{2}}}}{{{many}}}"),
            }
        ),
        Capacity::Hourglass(hourglass) => of_hourglass(hourglass),
        Capacity::Reduction(reduction) => {
            let words: Vec<String> = reduction.leaves.iter().map(|leaves| formula(&leaves.words)).collect();
            format!(
                "A reduction is finished in a phase only if a value of its tree or everything it reduces is at hand, $W = {}$ words of each operand; so at most $U(K) = \\max(K, K^2/(4 W_1 W_2))$ of them are.",
                words.join(", ")
            )
        }
        Capacity::Fused(_) => "Call a chain clean in a phase that computes all of it, from the reduction to its consumers. Any other chain has a value of its own that crosses into the phase; clean ones need the rows and the columns of all operands. So a phase completes at most $U(K) = \\max(K, K^2/(4 W_1 W_2))$ chains.".into(),
        Capacity::Merging(merging) => format!(
            "Sums may be taken in any order: a sum that a phase adds to leaves a partial sum that is at hand in a later phase, or the result. With exponents {} for what summands need and ${}$ for the sums, what a phase computes is at most $U(K)$ and its share of the results.",
            listed(&merging.exponents),
            merging.exponent
        ),
        Capacity::Mirror(mirror) => format!(
            "Two statements read one operand as mirror images of each other; counted together, $|E| \\le U(K) = {}(K/3)^{{3/2}}$.",
            if mirror.ordered { "" } else { "\\sqrt{2}\\," }
        ),
    }
}

fn of_hourglass(hourglass: &Hourglass) -> String {
    let volume = match hourglass.sharing {
        Sharing::Any => "K^2/W + 2K",
        Sharing::Disjoint | Sharing::FarColumns => "\\max(2K, K^2/(4W) + 9W/4)",
        Sharing::Columns => "\\max(2K, K^2/(2W) + 9W/8)",
    };
    format!(
        "Between two ticks of the outer loop everything in a column passes through one value, so a phase that spans three ticks of a column computes the whole slice between, at least $W = {}$ instances. Hence $|E| \\le U(K) = {volume}$.",
        formula(&hourglass.least_width)
    )
}

fn of_wavefront(wavefront: &Wavefront) -> String {
    let why = match &wavefront.next {
        Some(_) => "they all come before the next such moment",
        None => "paths of different moments have nothing in common",
    };
    format!(
        "When an instance of {} has just been computed, every path from what it needed to what needs it has a value that is still to be used: it is in fast memory, or loaded later. All but $S$ of the paths of each such moment make a load, and no load is counted twice, because {why}.",
        names(&wavefront.hubs)
    )
}

fn of_spills(spills: &Spills) -> String {
    let mut out = String::from(
        "Cut a schedule after every $w$ hubs. A value that waits for its hub crosses a cut, and is resident there, stored and loaded again, or it is made (or used up) between two cuts.",
    );
    for kind in &spills.kinds {
        let words: Vec<String> = kind.needs.iter().map(|need| formula(&need.words)).collect();
        out.push_str(&format!(
            " Values {} wait for {}; between two cuts one of them takes $W = {}$ words, which at most $w$ of them share.",
            names(&kind.centres),
            names(&kind.hubs),
            words.join(" + ")
        ));
    }
    out.push_str(" Take $w = W$ for loads, and $w = \\lceil W/2 \\rceil$ for loads and stores.");
    out
}

/// `φ(x_1, x_2, x_3) = (x_1, x_3)`.
fn projection(family: &Family) -> String {
    let rows: Vec<String> = family.projection.iter().map(|row| linear(row)).collect();
    format!("$({})$", rows.join(", "))
}

/// A linear form in the coordinates x_1, x_2, …
fn linear(row: &[i64]) -> String {
    let mut out = String::new();
    for (at, &factor) in row.iter().enumerate().filter(|(_, factor)| **factor != 0) {
        match (out.is_empty(), factor < 0) {
            (_, true) => out.push('-'),
            (false, false) => out.push('+'),
            (true, false) => {}
        }
        if factor.unsigned_abs() != 1 {
            out.push_str(&factor.unsigned_abs().to_string());
        }
        out.push_str(&format!("x_{{{}}}", at + 1));
    }
    out
}

/// `(K/σ)^σ · Π (s_j/w_j)^{s_j}`.
fn power(families: &[Family], exponents: &[String]) -> Option<String> {
    let mut sigma = Rational::default();
    let mut factor = Expr::one();
    for (family, exponent) in families.iter().zip(exponents) {
        let share: Rational = exponent.parse().ok()?;
        let weight: Rational = family.weight.parse().ok()?;
        if share > Rational::default() {
            factor = factor * Expr::constant(&share / weight).pow(&share).ok()?;
        }
        sigma += share;
    }
    let words = Expr::symbol("K").div(&Expr::constant(sigma.clone())).ok()?;
    Some((factor * words.pow(&sigma).ok()?).factored_latex())
}

fn listed(exponents: &[String]) -> String {
    let exponents: Vec<String> = exponents.iter().map(|text| format!("${text}$")).collect();
    exponents.join(", ")
}

/// A formula of a certificate, which is text.
fn formula(text: &str) -> String {
    match text.parse::<Expr>() {
        Ok(expr) => expr.factored_latex(),
        Err(_) => text.to_owned(),
    }
}

/// The statements of some maps.
fn names(texts: &[String]) -> String {
    let names: Vec<String> = texts.iter().filter_map(|text| name(text)).collect();
    names.join(", ")
}

/// `\texttt{S1}` of `[N] -> { S1[i, j] -> [i, j] : … }`.
fn name(text: &str) -> Option<String> {
    let (_, inside) = text.split_once('{')?;
    let (name, _) = inside.split_once('[')?;
    Some(format!("\\texttt{{{}}}", name.trim().replace('_', "\\_")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_forms() {
        assert_eq!(linear(&[1, 0, -1]), "x_{1}-x_{3}");
        assert_eq!(linear(&[0, 2, 1]), "2x_{2}+x_{3}");
    }

    #[test]
    fn volumes_of_products() {
        let family = Family {
            projection: Vec::new(),
            weight: "1".into(),
            members: Vec::new(),
            inputs: Vec::new(),
            edges: Vec::new(),
            terminals: Vec::new(),
        };
        let exponents = ["1/2", "1/2", "1/2"].map(str::to_owned);
        let volume = power(&[family.clone(), family.clone(), family], &exponents);
        assert_eq!(volume.as_deref(), Some("\\frac{K^{3/2}}{3 \\, \\sqrt{3}}"));
    }
}
