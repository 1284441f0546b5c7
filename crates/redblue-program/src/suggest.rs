//! "Did you mean …?": the known name that a misspelt one is closest to.
//!
//! Closeness is the number of inserted, dropped, replaced or swapped neighbouring characters
//! (Damerau's edit distance in its restricted form), ignoring case. Nothing is suggested when the
//! names have little in common.

/// The candidate closest to `name`, if one is close; the first of several equally close ones.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = letters(name);
    let limit = tolerance(name.len());
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let other = letters(candidate);
        // The difference in length is a lower bound, which keeps absurdly long names cheap.
        if name.len().abs_diff(other.len()) > limit {
            continue;
        }
        let distance = edit_distance(&name, &other);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The hint ``did you mean `gemm`?``, if a candidate is close to `name`.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    closest(name, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// How many slips a name of this length may have: a third of it, at most three, none in a single letter.
fn tolerance(length: usize) -> usize {
    ((length + 1) / 3).min(3)
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// Three rows of the usual table are enough: a swap looks two rows back.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut two_back: Vec<usize> = Vec::new();
    let mut back: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = back[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(back[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(two_back[j - 2] + 1);
            }
            row.push(least);
        }
        two_back = std::mem::replace(&mut back, row);
    }
    back[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("gemm", "gemm", 0),
            ("gmem", "gemm", 1),
            ("gem", "gemm", 1),
            ("jacobi2d", "jacobi-2d", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edit_distance(&letters(a), &letters(b)), expected, "{a} {b}");
            assert_eq!(edit_distance(&letters(b), &letters(a)), expected, "{b} {a}");
        }
    }

    #[test]
    fn close_names_are_suggested_and_others_are_not() {
        let known = ["gemm", "gemver", "jacobi-2d", "N"];
        for (name, expected) in [
            ("GEMM", Some("gemm")),
            ("gmem", Some("gemm")),
            ("jacobi_2d", Some("jacobi-2d")),
            ("n", Some("N")),
            ("convolution", None),
            ("M", None),
            ("", None),
        ] {
            assert_eq!(closest(name, known), expected, "{name}");
        }
        assert_eq!(closest(&"x".repeat(100_000), known), None);
        assert_eq!(
            did_you_mean("gem", known).as_deref(),
            Some("did you mean `gemm`?")
        );
    }
}
