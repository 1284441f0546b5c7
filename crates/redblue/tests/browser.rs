//! The page of `gap` in a real browser. `make test-browser` names it in REDBLUE_CHROMIUM; without, nothing is asked.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{redblue_in, root};

/// What the page tells about itself once it is drawn: put into a copy, it answers to the page around it.
const PROBE: &str = r#"<script>
addEventListener("load", () => {
  const root = document.documentElement, shown = (e) => e !== null && getComputedStyle(e).display !== "none";
  const series = document.querySelector('[data-series="lower"]');
  const before = shown(series);
  document.querySelector('[data-toggle="lower"]').click();
  const mark = document.querySelector("[data-tip]");
  mark.dispatchEvent(new PointerEvent("pointermove", { clientX: 40, clientY: 40 }));
  parent.postMessage([
    "ready " + root.dataset.ready, "fits " + (root.scrollWidth <= innerWidth),
    "wide " + shown(document.querySelector(".wide")), "narrow " + shown(document.querySelector(".narrow")),
    "toggled " + (before && !shown(series)), "tip " + (!document.getElementById("tip").hidden && document.getElementById("tip").textContent === mark.dataset.tip),
    "formulas " + document.querySelectorAll("math").length, "titles " + document.querySelectorAll("[data-tip] > title").length,
    "dark " + (getComputedStyle(document.body).backgroundColor === "rgb(13, 16, 20)"),
  ].join("; "), "*");
});
</script>"#;

/// The answer of the page in a frame of this width.
fn ask(chromium: &str, folder: &Path, width: u32, dark: bool) -> String {
    let frame = folder.join("frame.html");
    let around = format!(
        "<body><iframe src=\"probed.html\" width=\"{width}\" height=\"900\"></iframe>\
         <script>onmessage = (event) => {{ document.body.dataset.answer = event.data; }};</script>"
    );
    fs::write(&frame, around).unwrap();
    let scheme = if dark { 0 } else { 1 };
    let output = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--virtual-time-budget=4000",
            "--window-size=1300,1000",
            "--dump-dom",
        ])
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(format!("file://{}", frame.display()))
        .output()
        .expect("the browser starts");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let answer = dom
        .split("data-answer=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    answer
        .unwrap_or_else(|| panic!("the page did not answer: {dom}"))
        .to_owned()
}

#[test]
fn the_page_works_at_every_width_and_in_the_dark() {
    let Ok(chromium) = std::env::var("REDBLUE_CHROMIUM") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gap.html");
    let file = file.to_str().unwrap();
    let sizes = "NI=60,NJ=50,NK=40";
    let run = redblue_in(
        &root(),
        &[
            "gap", "gemm", "-D", sizes, "-S", "256", "-S", "1024", "--html", file,
        ],
        b"",
    );
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let page = fs::read_to_string(file).unwrap();
    fs::write(
        folder.path().join("probed.html"),
        page.replace("</body>", &format!("{PROBE}</body>")),
    )
    .unwrap();
    for (width, dark) in [(1200, false), (360, false), (1200, true), (360, true)] {
        let answer = ask(&chromium, folder.path(), width, dark);
        let has = |fact: String| {
            assert!(
                answer.contains(&fact),
                "{width}, dark {dark}: {fact} is not in {answer}"
            )
        };
        has("ready yes".into());
        has("fits true".into());
        has(format!("wide {}", width > 640));
        has(format!("narrow {}", width <= 640));
        has("toggled true".into());
        has("tip true".into());
        has("titles 0".into());
        has(format!("dark {dark}"));
        assert!(!answer.contains("formulas 0"), "{answer}");
    }
}
