//! Numbers as people read them.

/// A whole number in groups of three digits: `31 245 904`. The blanks are narrow and do not break.
pub fn grouped(digits: &str) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    if digits.len() <= 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return format!("{sign}{digits}");
    }
    let mut out = String::from(sign);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// Three digits and a unit of thousands: `31.2 M`.
pub fn compact(value: f64) -> String {
    const UNITS: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    let mut scaled = value.abs();
    let mut unit = 0;
    // What would be rounded to 1000 is one of the next unit.
    while scaled >= 999.5 && unit + 1 < UNITS.len() {
        scaled /= 1000.0;
        unit += 1;
    }
    let digits = match scaled {
        s if s >= 99.95 || s == s.trunc() => 0,
        s if s >= 9.995 => 1,
        _ => 2,
    };
    let mut text = format!("{scaled:.digits$}");
    if text.contains('.') {
        text = text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let sign = if value < 0.0 { "-" } else { "" };
    match UNITS[unit] {
        "" => format!("{sign}{text}"),
        unit => format!("{sign}{text} {unit}"),
    }
}

/// A number of words in binary units where these are round: `4 Ki`, else [`compact`].
pub fn binary(value: f64) -> String {
    const UNITS: [&str; 5] = ["", "Ki", "Mi", "Gi", "Ti"];
    let mut scaled = value;
    let mut unit = 0;
    while scaled >= 1024.0 && scaled % 1024.0 == 0.0 && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    match UNITS[unit] {
        "" => compact(value),
        unit => format!("{scaled} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(grouped("1234"), "1234");
        assert_eq!(grouped("31245904"), "31\u{202f}245\u{202f}904");
        assert_eq!(grouped("-12345"), "-12\u{202f}345");
        for (value, expected) in [
            (0.0, "0"),
            (0.25, "0.25"),
            (7.0, "7"),
            (999.4, "999"),
            (999.6, "1 k"),
            (31_245_904.0, "31.2 M"),
            (2e9, "2 G"),
            (-1500.0, "-1.5 k"),
        ] {
            assert_eq!(compact(value), expected, "{value}");
        }
        assert_eq!(binary(4096.0), "4 Ki");
        assert_eq!(binary(6144.0), "6 Ki");
        assert_eq!(binary(512.0), "512");
        assert_eq!(binary(1_048_576.0), "1 Mi");
        assert_eq!(binary(1500.0), "1.5 k");
    }
}
