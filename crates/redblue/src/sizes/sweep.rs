//! Sweeps: `128..4096:log2`, `1..10`, `100..500:100`, or a single value.

use redblue_program::Diagnostic;
use redblue_program::diagnostic::Code;

use crate::codes::BAD_SWEEP;
use crate::sizes::MOST_POINTS;

/// What is wrong with a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SweepError {
    /// A value that is not a number of the expected kind.
    NotANumber(String),
    /// The first value is above the last.
    Empty(i64, i64),
    /// A step that is neither a positive number nor `log2`.
    Step(String),
    /// Doubling never leaves zero or a negative value.
    Stuck(i64),
    /// More than [`MOST_POINTS`] values.
    TooLong,
}

impl SweepError {
    /// As a diagnostic; `plain` is the code for a single value that is not a number.
    pub(crate) fn diagnostic(&self, plain: &Code, text: &str) -> Diagnostic {
        let code = if text.contains("..") {
            &BAD_SWEEP
        } else {
            plain
        };
        let message = match self {
            SweepError::NotANumber(text) => format!("`{text}` is not a whole number from 0 on"),
            SweepError::Empty(low, high) => format!("the sweep is empty: {low} is above {high}"),
            SweepError::Step(step) => format!("`{step}` is neither a positive step nor log2"),
            SweepError::Stuck(low) => format!("doubling cannot start at {low}"),
            SweepError::TooLong => format!("the sweep has more than {MOST_POINTS} points"),
        };
        Diagnostic::error(code, message).hint(
            "write a number as in 1000, or a sweep as in 1..10, 100..500:100 or 128..4096:log2",
        )
    }
}

/// The values of `VALUE`, `LOW..HIGH`, `LOW..HIGH:STEP` or `LOW..HIGH:log2`, both ends included; `number`
/// reads one value, so that memory sizes can have units.
pub fn parse(text: &str, number: &dyn Fn(&str) -> Option<i64>) -> Result<Vec<i64>, SweepError> {
    let value = |text: &str| {
        let text = text.trim();
        number(text).ok_or_else(|| SweepError::NotANumber(text.to_string()))
    };
    let Some((low, rest)) = text.split_once("..") else {
        return Ok(vec![value(text)?]);
    };
    let (high, step) = rest
        .split_once(':')
        .map_or((rest, "1"), |(high, step)| (high, step.trim()));
    let (low, high) = (value(low)?, value(high)?);
    if low > high {
        return Err(SweepError::Empty(low, high));
    }
    let next: Box<dyn Fn(i64) -> Option<i64>> = match (step, number(step)) {
        ("log2", _) if low <= 0 => return Err(SweepError::Stuck(low)),
        ("log2", _) => Box::new(|value| value.checked_mul(2)),
        (_, Some(step)) if step > 0 => Box::new(move |value| value.checked_add(step)),
        _ => return Err(SweepError::Step(step.to_string())),
    };
    let values =
        std::iter::successors(Some(low), |value| next(*value).filter(|next| *next <= high));
    let values: Vec<i64> = values.take(MOST_POINTS + 1).collect();
    if values.len() > MOST_POINTS {
        Err(SweepError::TooLong)
    } else {
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[i64], SweepError>) {
        let plain = |text: &str| text.parse().ok();
        assert_eq!(parse(text, &plain), expected.map(<[i64]>::to_vec), "{text}");
    }

    #[test]
    fn sweeps() {
        check("5", Ok(&[5]));
        check("2..4", Ok(&[2, 3, 4]));
        check("100..500:150", Ok(&[100, 250, 400]));
        check("3..24:log2", Ok(&[3, 6, 12, 24]));
        check("7..7:log2", Ok(&[7]));
        check(
            "9223372036854775806..9223372036854775807",
            Ok(&[i64::MAX - 1, i64::MAX]),
        );
    }

    #[test]
    fn problems() {
        check("", Err(SweepError::NotANumber("".into())));
        check("1..", Err(SweepError::NotANumber("".into())));
        check("4..2", Err(SweepError::Empty(4, 2)));
        check("1..9:0", Err(SweepError::Step("0".into())));
        check("1..9:log3", Err(SweepError::Step("log3".into())));
        check("0..9:log2", Err(SweepError::Stuck(0)));
        check("1..9000000000", Err(SweepError::TooLong));
    }
}
