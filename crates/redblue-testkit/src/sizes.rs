//! Program sizes at which bounds tend to be wrong (T-4).

use redblue_pebble::program::ProgramGraphError;
use redblue_program::{Program, Sizes, StatementId};

use crate::arena::Arena;

/// Values of a size, coarse to fine.
const SCALES: [i64; 14] = [4, 1, 8, 2, 16, 3, 32, 6, 0, 12, 5, 64, 24, 10];

/// What one size is compared with the others.
#[derive(Clone, Copy)]
enum Pattern {
    /// All are equal.
    Equal,
    /// One is tiny, the others equal.
    Tiny(usize, i64),
    /// One is large, the others tiny.
    Large(usize, i64),
    /// One is larger by one: where M ≥ N is assumed, the border and beyond.
    Above(usize),
}

impl Pattern {
    fn all(sizes: usize) -> Vec<Pattern> {
        let mut all = vec![Pattern::Equal];
        for odd in 0..sizes {
            all.extend([1, 2].map(|tiny| Pattern::Tiny(odd, tiny)));
            all.extend([1, 2].map(|tiny| Pattern::Large(odd, tiny)));
            all.push(Pattern::Above(odd));
        }
        all
    }

    /// The value of size number `at`.
    fn value(self, at: usize, scale: i64) -> i64 {
        match self {
            Pattern::Equal => scale,
            Pattern::Tiny(odd, tiny) if at == odd => tiny,
            Pattern::Tiny(..) => scale,
            Pattern::Large(odd, _) if at == odd => scale * scale,
            Pattern::Large(_, tiny) => tiny,
            Pattern::Above(odd) => scale + i64::from(at == odd),
        }
    }
}

/// At most `most` arenas with at most `limit` vertices, at different sizes: all sizes equal, one of them tiny,
/// one of them large, one of them a little larger than the others. Sizes that the program does not allow are
/// left out; those that it does may be 0. Sums of the statements `free` may be reordered.
pub fn adversarial(
    program: &Program,
    free: &[StatementId],
    limit: usize,
    most: usize,
) -> Vec<(Sizes, Arena)> {
    let mut found: Vec<(Sizes, Arena)> = Vec::new();
    let patterns = Pattern::all(program.params.len());
    let mut too_large = vec![i64::MAX; patterns.len()];
    for scale in SCALES {
        for (pattern, too_large) in patterns.iter().zip(&mut too_large) {
            let params = program.params.iter().enumerate();
            let sizes = params.map(|(at, p)| (p.name.clone(), pattern.value(at, scale)));
            let sizes: Sizes = sizes.collect();
            let known = found.iter().any(|(known, _)| *known == sizes);
            if found.len() == most || scale >= *too_large || known {
                continue;
            }
            match Arena::of_program(program, &sizes, free, limit) {
                Ok(arena) => found.push((sizes, arena)),
                Err(ProgramGraphError::TooLarge { .. }) => *too_large = scale,
                Err(_) => {}
            }
        }
    }
    found
}
