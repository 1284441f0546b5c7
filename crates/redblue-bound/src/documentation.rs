//! What each method assumes and proves: the headers of their files, as `redblue explain` prints them.

/// Name of a method and the file whose header describes it.
const SOURCES: &[(&str, &str)] = &[
    ("compulsory", include_str!("compulsory.rs")),
    ("projections", include_str!("projections.rs")),
    ("symmetry", include_str!("symmetric.rs")),
    ("mirror", include_str!("mirror.rs")),
    ("complete-reduction", include_str!("reduction.rs")),
    ("fused", include_str!("fused.rs")),
    ("any-order", include_str!("merging.rs")),
    ("hourglass", include_str!("hourglass.rs")),
    ("wavefront", include_str!("wavefront.rs")),
    ("spills", include_str!("spills.rs")),
    ("crossing", include_str!("crossing.rs")),
];

/// The documentation of a method.
pub fn documentation(method: &str) -> Option<String> {
    let (_, source) = SOURCES.iter().find(|(name, _)| *name == method)?;
    let header = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = header
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let mut text = lines.join("\n");
    text.push('\n');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::METHODS;

    #[test]
    fn every_method_says_what_it_proves() {
        for method in METHODS {
            let text = documentation(method.name).unwrap_or_default();
            for section in [
                "# Statement",
                "# Assumptions",
                "# Certificate",
                "# Fails when",
                "# Example",
                "# References",
            ] {
                assert!(text.contains(section), "{}: no {section}", method.name);
            }
        }
    }
}
