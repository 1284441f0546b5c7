//! The page of a gap: one self-contained HTML document.

use redblue_program::Program;
use redblue_report::chart::Policy as Shown;
use redblue_report::number::grouped;
use redblue_report::page::{Block, Fact, Key, Page, Section, Sign};

use super::charts::{order, shown};
use super::{Charts, Machine, at, lines, memory, ratio, table, timings};
use crate::bound::Bounds;
use crate::gap::{Curve, Gap, Schedule};
use crate::simulate::Policy;
use crate::view::model::Model;
use crate::view::nest::{nest, used};

/// What the page is about, besides its numbers.
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its bounds.
    pub bounds: &'a Bounds,
    /// Its source as written.
    pub source: &'a str,
    /// One line about it; may be empty.
    pub summary: &'a str,
    /// The command line that made the page.
    pub command: &'a str,
}

/// The page of gaps that differ in their memories only.
pub fn page(subject: &Subject<'_>, gaps: &[Gap], curve: &Curve, machine: &Machine) -> String {
    let charts = Charts::of(&subject.program.name, gaps, curve, machine);
    let mut sections = vec![numbers(gaps)];
    if let Some(charts) = &charts {
        sections.extend(pictures(gaps, charts, machine));
    }
    sections.push(loops(subject, gaps));
    sections.push(proof(subject.bounds, gaps));
    let page = Page {
        title: subject.program.name.clone(),
        subtitle: match subject.summary {
            "" => "data movement: the limit, a schedule, and the distance between them".into(),
            summary => summary.to_owned(),
        },
        lead: lead(subject.program, gaps),
        sections,
        footer: vec![
            format!("Made by redblue {} with: {}", env!("CARGO_PKG_VERSION"), subject.command),
            "Lower bounds are proofs, verified by an independent checker. Proven words are those of the tiling itself, ragged \
             edges included. Simulated words are counted access by access, or exactly by the repetition of loops."
                .into(),
        ],
    };
    page.html()
}

/// The answer in sentences.
fn lead(program: &Program, gaps: &[Gap]) -> String {
    let Some(gap) = gaps.first() else {
        return String::new();
    };
    let words = |words: &num_bigint::BigInt| grouped(&words.to_string());
    let mut lead = format!(
        "{}{}: with {} of fast memory, no schedule moves fewer than {} words.",
        program.name,
        at(&gap.sizes),
        memory(gap).trim_start_matches("S = "),
        words(&gap.lower)
    );
    if let (Ok(upper), Some(moved)) = (&gap.upper, gap.upper_words()) {
        let times =
            ratio(gap, &moved).map_or(String::new(), |ratio| format!(", {ratio} times the limit"));
        let what = if upper.is_original {
            "The program's own order"
        } else {
            "The tiling below"
        };
        lead.push_str(&format!(" {what} moves {}{times}.", words(&moved)));
    }
    let lru = gap.runs.traffic(Schedule::Original, Policy::Lru);
    if let Some((loads, stores)) = lru {
        let moved = gap.counted(&loads.into(), &stores.into());
        let times =
            ratio(gap, &moved).map_or(String::new(), |ratio| format!(", {ratio} times the limit"));
        lead.push_str(&format!(
            " As written, through an LRU memory, it moves {}{times}.",
            words(&moved)
        ));
    }
    lead
}

fn numbers(gaps: &[Gap]) -> Section {
    let mut blocks = Vec::new();
    for gap in gaps {
        if gaps.len() > 1 {
            blocks.push(Block::Text(format!("With {}:", memory(gap))));
        }
        blocks.push(Block::Facts(facts(gap)));
        let mut numbers = table(gap);
        for row in &mut numbers.rows {
            for cell in &mut row[2..] {
                *cell = grouped(cell);
            }
        }
        blocks.push(Block::Table(numbers));
        for line in lines(gap) {
            if let Err(reason) = line.words {
                let how = line.how.replace(", simulated", "");
                blocks.push(Block::Text(format!(
                    "{} order, {how}: {reason}.",
                    line.schedule
                )));
            }
        }
        blocks.extend(timings(gap).map(|timings| Block::Text(format!("{timings}."))));
    }
    if let Some(gap) = gaps.first() {
        blocks.push(Block::Text(format!(
            "All numbers are words between fast and slow memory in one model: {}. Ratios are rounded up.",
            Model::proved(gap.model).in_words()
        )));
    }
    Section {
        id: "numbers",
        title: "The gap".into(),
        blocks,
    }
}

fn facts(gap: &Gap) -> Vec<Fact> {
    let compact =
        |words: &num_bigint::BigInt| redblue_report::number::compact(super::charts::drawn(words));
    let mut facts = vec![Fact {
        name: "no schedule moves less".into(),
        value: compact(&gap.lower),
        note: "words, proven".into(),
        kind: "bound",
    }];
    if let Some(moved) = gap.upper_words() {
        facts.push(Fact {
            name: "this tiling".into(),
            value: compact(&moved),
            note: "words, proven".into(),
            kind: "tiled",
        });
        facts.extend(ratio(gap, &moved).map(|ratio| Fact {
            name: "tiling / limit".into(),
            value: format!("{ratio}×"),
            note: "1 cannot be beaten".into(),
            kind: "tiled",
        }));
    }
    let lru = gap.runs.traffic(Schedule::Original, Policy::Lru);
    if let Some((loads, stores)) = lru {
        let moved = gap.counted(&loads.into(), &stores.into());
        facts.extend(ratio(gap, &moved).map(|ratio| Fact {
            name: "as written / limit".into(),
            value: format!("{ratio}×"),
            note: format!("{} words, LRU", compact(&moved)),
            kind: "original",
        }));
    }
    facts
}

fn pictures(gaps: &[Gap], charts: &Charts, machine: &Machine) -> Vec<Section> {
    let keys = legend(gaps);
    let caption = "Both axes are logarithmic. Below the line nothing is possible, for any order of the operations. A tiling holds from \
                   the memory it needs on. Verticals: memories that were asked about (solid), caches of this machine (dashed), words of arrays (dotted).";
    let assumed = match machine.assumed {
        true => {
            " This machine's numbers were not given: those of an assumed core are drawn (--peak and --bandwidth give yours)."
        }
        false => "",
    };
    let mut sections = vec![
        Section {
            id: "traffic",
            title: "Traffic against fast memory".into(),
            blocks: vec![
                Block::Legend(keys),
                Block::traffic(&charts.traffic, caption),
            ],
        },
        Section {
            id: "roofline",
            title: "Roofline".into(),
            blocks: vec![Block::chart(
                |canvas| charts.roofline.draw(canvas),
                format!(
                    "Operations are instances of statements. Peak {:.1} G operations/s, bandwidth {:.2} G words/s.{assumed} No schedule is \
                     right of the vertical, with {}.",
                    machine.peak / 1e9,
                    machine.bandwidth / 1e9,
                    gaps.first().map(memory).unwrap_or_default()
                ),
            )],
        },
    ];
    if !charts.arrays.arrays.is_empty() {
        sections.push(Section {
            id: "arrays",
            title: "Which array moves".into(),
            blocks: vec![Block::chart(
                |canvas| charts.arrays.draw(canvas),
                format!(
                    "With {}. Arrays that move a few words only are left out.",
                    gaps.first().map(memory).unwrap_or_default()
                ),
            )],
        });
    }
    sections
}

fn legend(gaps: &[Gap]) -> Vec<Key> {
    let mut keys = vec![Key {
        series: "lower".into(),
        label: "impossible".into(),
        sign: Sign::Hatch,
        kind: "bound",
    }];
    if gaps.iter().any(|gap| gap.upper.is_ok()) {
        keys.push(Key {
            series: "upper".into(),
            label: "tiling, proven".into(),
            sign: Sign::Diamond,
            kind: "tiled",
        });
    }
    for schedule in [Schedule::Tiled, Schedule::Original] {
        for policy in [Policy::Opt, Policy::Lru, Policy::Set] {
            if gaps
                .iter()
                .any(|gap| gap.runs.traffic(schedule, policy).is_some())
            {
                let (order, policy) = (order(schedule).name(), shown(policy));
                keys.push(Key {
                    series: format!("{order}-{}", policy.name()),
                    label: format!("{order}, {}", policy.name()),
                    sign: match policy {
                        Shown::Opt => Sign::Circle,
                        Shown::Lru => Sign::Square,
                        Shown::Set => Sign::Triangle,
                    },
                    kind: order,
                });
            }
        }
    }
    keys
}

fn loops(subject: &Subject<'_>, gaps: &[Gap]) -> Section {
    let before = Block::Code {
        title: "As written".into(),
        text: subject.source.to_owned(),
    };
    let after = gaps.iter().filter_map(|gap| {
        let upper = gap.upper.as_ref().ok()?;
        let title = match upper.is_original {
            true => format!("Nothing better was found for {}", memory(gap)),
            false => format!("Tiled for {}", memory(gap)),
        };
        Some(Block::Code {
            title,
            text: format!("{}{}", used(upper), nest(&[upper])),
        })
    });
    let columns = std::iter::once(before).chain(after).collect();
    let mut blocks = vec![Block::Columns(columns)];
    let forms: Vec<_> = gaps.iter().filter_map(moved_everywhere).collect();
    if !forms.is_empty() {
        blocks.push(Block::Formulas(forms));
    }
    Section {
        id: "loops",
        title: "The loops, before and after".into(),
        blocks,
    }
}

/// What a tiling moves at all sizes.
fn moved_everywhere(gap: &Gap) -> Option<(String, String, String)> {
    let tiling = gap.upper.as_ref().ok()?;
    (tiling.scope == redblue_schedule::Scope::AllSizes).then(|| {
        (
            "moved at most".to_owned(),
            tiling.formula.mathml(),
            format!(
                "words at all sizes, in the order for {}, as long as what stays fits",
                memory(gap)
            ),
        )
    })
}

fn proof(bounds: &Bounds, gaps: &[Gap]) -> Section {
    let formula = |name: &str, expr: &redblue_math::Expr, note: &str| {
        (name.to_owned(), expr.mathml(), note.to_owned())
    };
    let forms = vec![
        formula(
            "for all sizes",
            &bounds.full,
            "words that no schedule avoids, S words of fast memory",
        ),
        formula("leading term", &bounds.leading, "for 1 ≪ S ≪ every size"),
        formula("sizes = N", &bounds.simplified, ""),
        formula(
            "inputs",
            &bounds.inputs,
            "traffic that no memory avoids, however large",
        ),
    ];
    let steps = bounds.best.iter().map(|at| {
        let bound = &bounds.analysis.bounds[*at];
        let text = crate::view::methods::summary(bound.method());
        let formula = bounds.formulas[*at]
            .as_ref()
            .map(redblue_math::Expr::mathml);
        (bound.method().to_owned(), text, formula.unwrap_or_default())
    });
    let mut blocks = vec![Block::Formulas(forms)];
    if let Some(gap) = gaps.first() {
        let best = gap
            .operations
            .as_ref()
            .filter(|_| gap.lower > num_bigint::BigInt::ZERO)
            .map(|operations| {
                format!(
                    "At these sizes and {}, no schedule does more than {:.1} operations per word.",
                    memory(gap),
                    super::charts::drawn(operations) / super::charts::drawn(&gap.lower)
                )
            });
        blocks.extend(best.map(Block::Text));
    }
    blocks.push(Block::Text(format!(
        "The bound is the largest of what these methods prove; all {} steps were verified by a checker that shares no code with them.",
        bounds.analysis.certificate.steps()
    )));
    blocks.push(Block::Steps(steps.collect()));
    Section {
        id: "proof",
        title: "The lower bound and its proof".into(),
        blocks,
    }
}
