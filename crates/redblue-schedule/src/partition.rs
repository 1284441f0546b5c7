//! How the statements of a program may be parted: components run one after the other.
//!
//! **Why it is legal.** The number of the component is a function on the statements. If it grows along every
//! dependence between different components, it is a forward family (see [`crate::order`]), and an order may start
//! with it, whatever loops the statements shared before.
//!
//! The finest partition is that into strongly connected components of the dependences between statements. Coarser
//! ones join components, together with all that must run between them.

use redblue_program::StatementId;

use crate::dependence::Dependences;

/// Statements of components, in the order they run.
pub(crate) type Partition = Vec<Vec<StatementId>>;

/// Which statements must follow which.
pub(crate) struct Reach {
    /// Whether a chain of dependences leads from the first to the second; every statement reaches itself.
    reaches: Vec<Vec<bool>>,
}

impl Reach {
    /// All chains of dependences between the first `count` statements.
    pub(crate) fn of(count: usize, dependences: &Dependences) -> Reach {
        let mut reaches = vec![vec![false; count]; count];
        for (from, row) in reaches.iter_mut().enumerate() {
            for (to, known) in row.iter_mut().enumerate() {
                *known = from == to || dependences.between(StatementId(from), StatementId(to));
            }
        }
        for middle in 0..count {
            let through = reaches[middle].clone();
            for row in &mut reaches {
                if row[middle] {
                    for (known, more) in row.iter_mut().zip(&through) {
                        *known |= more;
                    }
                }
            }
        }
        Reach { reaches }
    }

    fn between(&self, from: &[StatementId], to: &[StatementId]) -> bool {
        from.iter()
            .any(|from| to.iter().any(|to| self.reaches[from.0][to.0]))
    }

    /// The strongly connected components, each in textual order.
    pub(crate) fn strands(&self) -> Partition {
        let mut strands: Partition = Vec::new();
        for at in 0..self.reaches.len() {
            let id = StatementId(at);
            let own = strands
                .iter_mut()
                .find(|strand| self.between(strand, &[id]) && self.between(&[id], strand));
            match own {
                Some(strand) => strand.push(id),
                None => strands.push(vec![id]),
            }
        }
        self.sorted(strands)
    }

    /// Components in an order that dependences allow; where they leave a choice, in textual order.
    fn sorted(&self, mut left: Partition) -> Partition {
        left.sort();
        let mut sorted = Vec::new();
        while !left.is_empty() {
            let waits = |at: usize| {
                let others = left.iter().enumerate().filter(|(other, _)| *other != at);
                others
                    .into_iter()
                    .any(|(_, one)| self.between(one, &left[at]))
            };
            let next = (0..left.len()).find(|at| !waits(*at)).unwrap_or(0);
            sorted.push(left.remove(next));
        }
        sorted
    }

    /// A partition with two components joined, and with them all that must run between them.
    pub(crate) fn joined(
        &self,
        partition: &Partition,
        one: usize,
        other: usize,
    ) -> (Vec<StatementId>, Partition) {
        let (first, last) = (&partition[one], &partition[other]);
        let inside = |at: usize| {
            let this = &partition[at];
            at == one
                || at == other
                || (self.between(first, this) && self.between(this, last))
                || (self.between(last, this) && self.between(this, first))
        };
        let (within, outside): (Vec<usize>, Vec<usize>) =
            (0..partition.len()).partition(|at| inside(*at));
        let mut joint: Vec<StatementId> = within
            .iter()
            .flat_map(|at| partition[*at].clone())
            .collect();
        joint.sort();
        let mut parts: Partition = outside.iter().map(|at| partition[*at].clone()).collect();
        parts.push(joint.clone());
        (joint, self.sorted(parts))
    }
}
