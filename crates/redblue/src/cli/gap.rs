//! `gap`: the limit, a schedule, what programs move, and the distance between them.

use std::borrow::Cow;
use std::time::Instant;

use num_bigint::BigInt;
use redblue::bound::Bounds;
use redblue::bounds::analysis::Options;
use redblue::codes::BAD_VALUE;
use redblue::gap::{self, Curve, Gap, Memory, Question};
use redblue::input::Source;
use redblue::memory::{Capacity, FastMemory};
use redblue::program::Program;
use redblue::report::chart::Canvas;
use redblue::schedule::emit::Timed;
use redblue::schedule::order_for_speed;
use redblue::sim::machine::{Machine, iec};
use redblue::sizes::Point;
use redblue::view::gap::{self as view, Charts, GapDocument, Subject};
use redblue::{Refusal, host, timing};

use super::answer::{Answer, write};
use super::program::{Loaded, load_catalogued};
use super::request::{Format, Request};
use super::{bound, simulate, tile_code};

/// `redblue gap INPUT -D … -S …`.
pub(super) fn run(request: &Request<'_>) -> Result<Answer, Refusal> {
    let started = Instant::now();
    let mut options = bound::options(request)?;
    let limit = options.time_limit;
    // Schedules and simulations need most of the time.
    options.time_limit = limit.map(|limit| limit / 4);
    let most = request.text("max-gap").map(decimal).transpose()?;
    let machine = host::machine().ok();
    let (loaded, note) = load_catalogued(request)?;
    let mut talk = format!("{}{note}", loaded.reading.render());
    let mut question = question(request, &loaded, &options, machine.as_ref(), &mut talk)?;
    let mut all: Vec<Gap> = Vec::new();
    let mut shown: Option<(Cow<'_, Program>, Bounds)> = None;
    let points: Vec<Point> = loaded.sizes.points().collect();
    for (at, point) in points.iter().enumerate() {
        let program = loaded.at(point)?;
        // Bounds hold for all sizes; only a program that was read anew needs new ones.
        let known = shown.take().map(|(_, bounds)| bounds);
        let known = known.filter(|_| matches!(program, Cow::Borrowed(_)));
        let prove = || match known {
            Some(bounds) => Ok(bounds),
            None => Bounds::of(&program, &options, &loaded.sizes.fixed()),
        };
        // What is left is for the sizes that are left.
        let sizes = u32::try_from(points.len() - at).unwrap_or(u32::MAX);
        question.time_limit = limit.map(|limit| limit.saturating_sub(started.elapsed()) / sizes);
        let (mut gaps, bounds) = gap::at(&program, point, &question, prove)?;
        if request.has("time") {
            let runs = super::bench::count(request, "runs", 5, 1)?;
            time(&program, &mut gaps, runs)?;
        }
        if all.is_empty() {
            let about = About {
                request,
                loaded: &loaded,
                program: &program,
                bounds: &bounds,
                gaps: &gaps,
                question: &question,
            };
            about.draw(machine.as_ref())?;
        }
        all.extend(gaps);
        shown = Some((program, bounds));
    }
    let Some((program, bounds)) = shown else {
        return Ok(Answer::plain(""));
    };
    let answer = match request.format {
        Format::Json => Answer::json(&GapDocument::of(&program, &bounds, &all))?,
        Format::Csv => Answer::plain(view::rows(&all).csv()),
        Format::Markdown => Answer::plain(view::rows(&all).markdown()),
        Format::Latex => Answer::plain(view::rows(&all).latex()),
        Format::Text => Answer::plain(view::text(&program, &bounds, &all)),
    };
    let far = |most: &(BigInt, BigInt)| all.iter().filter(|gap| !gap.is_within(most)).count();
    let far = most.as_ref().map_or(0, far);
    let no = far > 0;
    if let Some(most) = request.text("max-gap").filter(|_| no) {
        talk.push_str(&match all.len() {
            1 => format!("error: more than {most} times the lower bound\n"),
            results => format!(
                "error: {far} of {results} results are more than {most} times the lower bound\n"
            ),
        });
    }
    Ok(answer.meaning_no(no).with_talk(talk))
}

/// The memories and the model; without `-S`, this machine's L1 and L2.
fn question(
    request: &Request<'_>,
    loaded: &Loaded,
    options: &Options,
    machine: Option<&Machine>,
    talk: &mut String,
) -> Result<Question, Refusal> {
    let word_bytes = simulate::word_bytes(&loaded.program);
    let mut given = request.memories()?;
    if given.is_empty() {
        given = [1, 2]
            .map(|level| FastMemory(vec![Capacity::Cache(level)]))
            .to_vec();
        talk.push_str(&format!(
            "note: without -S, this machine's L1 and L2 are taken, with words of {word_bytes} bytes\n"
        ));
    }
    let mut memories = Vec::new();
    for memory in &given {
        let words = memory.words(word_bytes, machine)?;
        let levels = words.into_iter().zip(&memory.0).map(|(words, capacity)| {
            let name = match capacity {
                Capacity::Words(_) => None,
                Capacity::Bytes(bytes) => Some(iec(*bytes)),
                Capacity::Cache(level) => Some(format!("L{level}")),
            };
            Memory { name, words }
        });
        memories.push(levels.collect());
    }
    Ok(Question {
        model: options.model,
        memories,
        time_limit: options.time_limit,
        memory_bytes: machine.and_then(|machine| machine.memory_bytes),
    })
}

/// Compiles and times the orders of every gap, and one for speed.
fn time(program: &Program, gaps: &mut [Gap], runs: usize) -> Result<(), Refusal> {
    let fast = order_for_speed(program, tile_code::hardware(program));
    let fast = fast.map_err(|error| Refusal::gave_up("no order for speed", &error))?;
    let fast = fast.as_ref().unwrap_or(program);
    for gap in gaps {
        let order = |name, program, speed| Timed {
            name,
            program,
            speed,
        };
        let mut orders = vec![order("original", program, false)];
        orders.extend(gap.tiled().map(|t| order("tiled", &t.program, false)));
        orders.push(order("speed", fast, true));
        gap.timed = timing::time(&orders, &gap.sizes, runs)?;
    }
    Ok(())
}

/// What the page and the charts are about: the first size, with all its memories.
struct About<'a> {
    request: &'a Request<'a>,
    loaded: &'a Loaded,
    program: &'a Program,
    bounds: &'a Bounds,
    gaps: &'a [Gap],
    question: &'a Question,
}

impl About<'_> {
    /// Writes the page and the charts that were asked for.
    fn draw(&self, machine: Option<&Machine>) -> Result<(), Refusal> {
        let (html, svg) = (self.request.text("html"), self.request.text("svg"));
        if html.is_none() && svg.is_none() {
            return Ok(());
        }
        let machine = self.machine(machine)?;
        let memory_bytes = self.question.memory_bytes;
        let curve = Curve::around(self.program, self.bounds, self.gaps, memory_bytes)?;
        if let Some(folder) = svg
            && let Some(charts) = Charts::of(&self.program.name, self.gaps, &curve, &machine)
        {
            for (name, chart) in [
                ("traffic", charts.traffic.draw(&Canvas::FILE)),
                ("roofline", charts.roofline.draw(&Canvas::FILE)),
                ("arrays", charts.arrays.draw(&Canvas::FILE)),
            ] {
                write(
                    &format!("{}/{name}.svg", folder.trim_end_matches('/')),
                    &chart,
                )?;
            }
        }
        if let Some(file) = html {
            let source = self.loaded.source_text();
            let summary = match &self.loaded.source {
                Source::Kernel(entry) => entry.summary,
                _ => "",
            };
            let command: Vec<String> = std::env::args().skip(1).collect();
            let subject = Subject {
                program: self.program,
                bounds: self.bounds,
                source: &source,
                summary,
                command: &format!("redblue {}", command.join(" ")),
            };
            write(file, &view::page(&subject, self.gaps, &curve, &machine))?;
        }
        Ok(())
    }

    /// Peak and bandwidth as given, else of an ordinary core, which is then said; and the caches of this machine.
    fn machine(&self, machine: Option<&Machine>) -> Result<view::Machine, Refusal> {
        const PEAK: f64 = 16.0;
        const BANDWIDTH: f64 = 16.0;
        let word_bytes = simulate::word_bytes(&self.loaded.program);
        let number = |option: &str| {
            let text = self.request.text(option);
            text.map(|text| positive(option, text)).transpose()
        };
        let (peak, bandwidth) = (number("peak")?, number("bandwidth")?);
        let caches = (1..=4).filter_map(|level| {
            let cache = machine?.data_cache(level)?;
            let words = cache.bytes / word_bytes.max(1);
            Some((format!("L{level} ({})", iec(cache.bytes)), words))
        });
        Ok(view::Machine {
            peak: peak.unwrap_or(PEAK) * 1e9,
            bandwidth: bandwidth.unwrap_or(BANDWIDTH) * 1e9 / word_bytes as f64,
            assumed: peak.is_none() || bandwidth.is_none(),
            caches: caches.collect(),
        })
    }
}

fn positive(option: &str, text: &str) -> Result<f64, Refusal> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|number| number.is_finite() && *number > 0.0)
        .ok_or_else(|| {
            Refusal::new(
                &BAD_VALUE,
                format!("`{text}` is not possible for `--{option}`"),
            )
            .hint("give a number above 0, in units of 10^9 per second")
        })
}

/// A decimal number as a fraction: ratios are compared exactly.
fn decimal(text: &str) -> Result<(BigInt, BigInt), Refusal> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{part}");
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let number = digits
        .parse()
        .ok()
        .filter(|_| is_number && digits.len() <= 30);
    let number = number.ok_or_else(|| {
        Refusal::new(
            &BAD_VALUE,
            format!("`{text}` is not possible for `--max-gap`"),
        )
        .hint("give a ratio such as 1.5")
    })?;
    let power = u32::try_from(part.len()).unwrap_or(0);
    Ok((number, BigInt::from(10).pow(power)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_exact() {
        let fraction = |a: i64, b: i64| Some((BigInt::from(a), BigInt::from(b)));
        assert_eq!(decimal("1.05").ok(), fraction(105, 100));
        assert_eq!(decimal("3").ok(), fraction(3, 1));
        for bad in ["", ".", "-1", "1e3", "x", "1.2.3"] {
            assert!(decimal(bad).is_err(), "{bad}");
        }
    }
}
