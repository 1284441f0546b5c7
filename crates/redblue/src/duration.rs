//! Time limits from the command line: `10s`, `0.5s`, `500ms`, `2m`, `1h`.

use std::time::Duration;

use redblue_program::Diagnostic;

use crate::Refusal;
use crate::codes::BAD_VALUE;

/// Reads a duration; a plain number is seconds.
///
/// # Errors
/// `RB0904` if it is none, or zero.
///
/// # Example
/// ```
/// assert_eq!(redblue::duration::parse("500ms")?.as_millis(), 500);
/// # Ok::<(), redblue::Refusal>(())
/// ```
pub fn parse(text: &str) -> Result<Duration, Refusal> {
    milliseconds(text.trim())
        .filter(|ms| *ms > 0)
        .map(Duration::from_millis)
        .ok_or_else(|| {
            let problem = Diagnostic::error(&BAD_VALUE, format!("`{text}` is not a time"))
                .hint("write a number and a unit, as in 500ms, 1.5s, 2m or 1h");
            Refusal::in_argument("--time-limit", text, 0..text.len(), problem)
        })
}

fn milliseconds(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let places = u32::try_from(part.len()).ok()?;
    let part = part.parse::<u64>().ok()?.checked_mul(unit)? / 10u64.checked_pow(places)?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(unit)?
        .checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let ms = |text: &str| parse(text).ok().map(|limit| limit.as_millis());
        assert_eq!(ms("10s"), Some(10_000));
        assert_eq!(ms("3"), Some(3_000));
        assert_eq!(ms("2m"), Some(120_000));
        assert_eq!(ms("0.1s"), Some(100));
        assert_eq!(ms("1.25m"), Some(75_000));
        for bad in [
            "",
            "s",
            "0s",
            "1.s",
            ".5s",
            "0.0001s",
            "1.5.2s",
            "-1s",
            "10 parsecs",
            "99999999999999999999h",
        ] {
            assert_eq!(ms(bad), None, "{bad}");
        }
    }
}
