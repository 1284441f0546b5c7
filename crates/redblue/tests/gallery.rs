//! The gallery, `docs/gallery/*.md`: one page per kernel of the catalogue, made here and compared with what is there.
//!
//! `make gallery` (UPDATE_GALLERY=all) writes all pages, UPDATE_GALLERY=1 those of every run. A few are made anew in every run of the tests, all of them in
//! the soak.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use redblue::bound::Bounds;
use redblue::bounds::analysis::Options;
use redblue::catalogue::{Entry, Source, catalogue};
use redblue::cert::Model;
use redblue::gap::{self, Curve, Memory, Question};
use redblue::input::{self, load};
use redblue::program::reading::ReadOptions;
use redblue::report::chart::Canvas;
use redblue::report::chart::tightness::Tightness;
use redblue::view::gap::{Charts, Machine, text};

/// Pages that every run makes anew: quick ones.
const SAMPLE: [&str; 8] = [
    "axpy",
    "dot",
    "matvec",
    "outer",
    "transpose",
    "gemm",
    "gesummv",
    "jacobi-1d",
];

/// The fast memory of all pages: an L1 cache of 32 KiB with words of 8 bytes.
const WORDS: u64 = 4096;

struct Made {
    page: String,
    chart: String,
    ratio: Option<f64>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery")
}

fn make(entry: &'static Entry) -> Made {
    let options = ReadOptions {
        defines: entry.sizes.clone(),
        ..ReadOptions::default()
    };
    let program = load(&input::Source::Kernel(entry), &options)
        .program
        .expect(entry.name);
    let model = Model::default();
    let asked = Options {
        model,
        methods: Vec::new(),
        time_limit: None,
    };
    let prove = || Bounds::of(&program, &asked, &entry.sizes);
    let question = Question {
        model,
        memories: vec![vec![Memory {
            name: None,
            words: WORDS,
        }]],
        time_limit: None,
        memory_bytes: None,
    };
    let answer = gap::at(&program, &entry.sizes, &question, prove);
    let (gaps, bounds) = answer.expect(entry.name);
    let curve = Curve::around(&program, &bounds, &gaps, None).expect(entry.name);
    // No machine: the pictures are the same everywhere.
    let machine = Machine {
        peak: 16e9,
        bandwidth: 2e9,
        assumed: true,
        caches: Vec::new(),
    };
    let charts = Charts::of(entry.name, &gaps, &curve, &machine).expect(entry.name);
    let (language, source) = match entry.source {
        Source::C(source) => ("c", source),
        Source::Einsum(source) => ("text", source),
    };
    let code: Vec<&str> = source
        .lines()
        .filter(|line| !line.starts_with("// redblue:"))
        .collect();
    let sizes: Vec<String> = entry
        .sizes
        .iter()
        .map(|(name, size)| format!("{name}={size}"))
        .collect();
    let mut page = format!(
        "# {}\n\n{}.\n\nReference: {}.\n",
        entry.name, entry.summary, entry.reference
    );
    let _ = write!(page, "\n```{language}\n{}\n```\n", code.join("\n").trim());
    let _ = write!(
        page,
        "\n```text\n$ redblue gap {} -D {} -S {WORDS}\n{}```\n",
        entry.name,
        sizes.join(","),
        text(&program, &bounds, &gaps)
    );
    let _ = write!(
        page,
        "\n![Words moved against fast memory]({}.svg)\n",
        entry.name
    );
    let ratio = gaps.first().and_then(|gap| {
        let thousandths = gap.thousandths(&gap.upper_words()?)?;
        Some(thousandths.to_string().parse::<f64>().ok()? / 1000.0)
    });
    Made {
        page,
        chart: charts.traffic.draw(&Canvas::FILE),
        ratio,
    }
}

/// The list of all pages, with how tight each is.
fn index(ratios: &[(String, f64)]) -> (String, String) {
    let mut sorted = ratios.to_vec();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    let mut page = String::from(
        "# Gallery\n\nEvery kernel of the catalogue at its own sizes with 4096 words of fast memory: the source, what no schedule avoids, \
         a tiling, and the gap.\nMade by `make gallery`; the tests make the pages anew and compare.\n\n",
    );
    if !sorted.is_empty() {
        page.push_str("![Tightness of all kernels](tightness.svg)\n\n");
    }
    for entry in catalogue() {
        let _ = writeln!(
            page,
            "- [{}]({}.md): {}",
            entry.name, entry.name, entry.summary
        );
    }
    let chart = Tightness {
        label: "tightness of all kernels".into(),
        ratios: sorted,
    };
    (page, chart.draw(&Canvas::FILE))
}

#[test]
fn pages_are_what_redblue_says() {
    let update = std::env::var_os("UPDATE_GALLERY");
    let all = update.as_ref().is_some_and(|which| which == "all")
        || std::env::var_os("REDBLUE_SOAK").is_some();
    let update = update.is_some();
    if update {
        fs::create_dir_all(folder()).expect("a folder");
    }
    let mut ratios = Vec::new();
    for entry in catalogue()
        .iter()
        .filter(|entry| all || SAMPLE.contains(&entry.name))
    {
        let made = make(entry);
        ratios.extend(made.ratio.map(|ratio| (entry.name.to_owned(), ratio)));
        check(&format!("{}.md", entry.name), &made.page, update);
        check(&format!("{}.svg", entry.name), &made.chart, update);
    }
    if all {
        let (page, chart) = index(&ratios);
        check("README.md", &page, update);
        check("tightness.svg", &chart, update);
    }
}

fn check(name: &str, made: &str, update: bool) {
    let file = folder().join(name);
    if update {
        fs::write(&file, made).expect("a page");
        eprintln!("{name}");
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        there == made,
        "docs/gallery/{name} is out of date; `make gallery` writes it:\n{made}"
    );
}
