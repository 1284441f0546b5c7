//! Twins: arrays that share the range of their subscripts, but no subscripts.
//!
//! ```text
//! low[i][j] for j < i,  high[i][j] for j >= i        a tile of both has no more cells than a tile of one
//! ```
//!
//! **Theorem (room).** Let the cells of some arrays have different subscripts, array by array. Then classes of these arrays at
//! one depth ([`crate::residency`]) need no more words together than one class with all their references: in every
//! subtree different cells have different subscripts, whichever array they are of, and at any time all these classes have the
//! same subtree open. ∎

use redblue_program::ArrayId;

use crate::error::Result;
use crate::residency::Class;
use crate::site::{Site, ranges};

/// The pairs of twins of a program at its sizes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Twins(Vec<[ArrayId; 2]>);

impl Twins {
    /// Finds all pairs.
    pub(crate) fn of(site: &Site<'_>) -> Result<Twins> {
        let mut known = Vec::new();
        for (array, cells) in site.cells_by_array()? {
            let cells = cells.drop_tuple_name()?;
            known.push((array, ranges(&cells)?, cells));
        }
        let mut twins = Vec::new();
        for (at, (one, theirs, cells)) in known.iter().enumerate() {
            for (other, own, more) in &known[at + 1..] {
                let meet = |((low, high), (from, to)): (&(i64, i64), &(i64, i64))| {
                    low.max(from) <= high.min(to)
                };
                let near = !own.is_empty()
                    && own.len() == theirs.len()
                    && own.iter().zip(theirs).all(meet);
                if near && cells.intersect(more)?.is_empty()? {
                    twins.push([*one, *other]);
                }
            }
        }
        Ok(Twins(twins))
    }

    /// Whether two arrays are twins.
    pub(crate) fn are(&self, one: ArrayId, other: ArrayId) -> bool {
        self.0.contains(&[one.min(other), one.max(other)])
    }

    /// Classes in bundles: those of one depth whose arrays are twins, each with each.
    pub(crate) fn bundles<'c>(&self, classes: &'c [Class]) -> Vec<Vec<&'c Class>> {
        let mut bundles: Vec<Vec<&Class>> = Vec::new();
        for class in classes {
            let fits = |bundle: &&mut Vec<&Class>| {
                let mut members = bundle.iter();
                members.all(|one| one.depth == class.depth && self.are(one.array, class.array))
            };
            match bundles.iter_mut().find(fits) {
                Some(bundle) => bundle.push(class),
                None => bundles.push(vec![class]),
            }
        }
        bundles
    }
}

/// One class with the references of all.
pub(crate) fn joint(bundle: &[&Class]) -> Option<Class> {
    let (first, others) = bundle.split_first()?;
    let mut joint = (*first).clone();
    for class in others {
        joint.references.extend(&class.references);
        joint.parts.extend(class.parts.iter().cloned());
    }
    Some(joint)
}

#[cfg(test)]
mod tests {
    use redblue_program::c::{self, CInput};

    use super::*;
    use crate::storage::Stored;

    /// Whether the two local arrays of a program with these bounds of `j` and subscripts are twins.
    #[track_caller]
    fn check(low: &str, high: &str, expected: bool) {
        let text = format!(
            "void f(int N, double A[N][N], double B[N][N]) {{
    double low[2*N][N], high[2*N][N];
#pragma scop
    for (int i = 0; i < N; i++) for (int j = 0; j < i; j++) low{low} = A[i][j];
    for (int i = 0; i < N; i++) for (int j = 0; j < i; j++) B[i][j] = low{low};
    for (int i = 0; i < N; i++) for (int j = i; j < N; j++) high{high} = A[i][j];
    for (int i = 0; i < N; i++) for (int j = i; j < N; j++) B[i][j] = high{high};
#pragma endscop
}}"
        );
        let input = CInput {
            name: "halves.c",
            text: &text,
        };
        let reading = c::read(&input, &Default::default(), &|_| None);
        let stored = Stored::new(reading.program.unwrap()).unwrap();
        let sizes = [("N".to_owned(), 9)].into();
        let site = Site::new(&stored.program, &stored.flow, &sizes, false).unwrap();
        let twins = Twins::of(&site).unwrap();
        let [one, other] = ["low", "high"].map(|name| stored.program.array_named(name).unwrap());
        assert_eq!(twins.are(one, other), expected);
        assert_eq!(twins.are(other, one), expected);
    }

    #[test]
    fn halves_of_one_square_are_twins() {
        check("[i][j]", "[i][j]", true);
        check("[2*i][j]", "[2*j + 1][i]", true);
    }

    #[test]
    fn common_subscripts_and_far_cells_make_none() {
        check("[i][j]", "[j][i]", false);
        check("[i][j]", "[i + N][j]", false);
    }
}
