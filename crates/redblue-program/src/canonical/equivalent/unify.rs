//! Matching the operands of two values up to commutativity.

use crate::expression::Expression;
use crate::interpret::function::extremum;

/// A partial assignment of operands of one value to operands of another.
type Assignment = Vec<Option<usize>>;

/// All one-to-one assignments of operands under which the two values are the same.
pub(super) fn operand_matchings(
    a: &Expression,
    b: &Expression,
    operands: usize,
) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = unify(a, b, vec![None; operands])
        .into_iter()
        .filter_map(|assignment| assignment.into_iter().collect())
        .collect();
    found.sort();
    found.dedup();
    found
}

fn unify(a: &Expression, b: &Expression, known: Assignment) -> Vec<Assignment> {
    let swappable = match (a, b) {
        (Expression::Read(from), Expression::Read(to)) => return assign(*from, *to, known),
        (Expression::Binary(p, ..), Expression::Binary(q, ..)) if p == q => p.is_commutative(),
        (Expression::Unary(p, _), Expression::Unary(q, _)) if p == q => false,
        (Expression::Cast(p, _), Expression::Cast(q, _)) if p == q => false,
        (Expression::Call(p, _), Expression::Call(q, _)) if p == q => extremum(p).is_some(),
        (Expression::Select(..), Expression::Select(..)) => false,
        _ if a == b => return vec![known],
        _ => return Vec::new(),
    };
    let (left, right) = (a.children(), b.children());
    if left.len() != right.len() {
        return Vec::new();
    }
    let mut found = unify_all(&left, &right, known.clone());
    if let ([_, _], [first, second], true) = (left.as_slice(), right.as_slice(), swappable) {
        found.extend(unify_all(&left, &[second, first], known));
    }
    found
}

fn unify_all(a: &[&Expression], b: &[&Expression], known: Assignment) -> Vec<Assignment> {
    let mut found = vec![known];
    for (a, b) in a.iter().zip(b) {
        found = found
            .into_iter()
            .flat_map(|known| unify(a, b, known))
            .collect();
    }
    found
}

fn assign(from: usize, to: usize, mut known: Assignment) -> Vec<Assignment> {
    match known.get(from) {
        Some(Some(already)) if *already == to => vec![known],
        Some(None) if !known.contains(&Some(to)) => {
            known[from] = Some(to);
            vec![known]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Expression as E;

    #[test]
    fn finds_all_matchings() {
        let fma = E::Read(0) + E::Read(1) * E::Read(2);
        let other = E::Read(2) * E::Read(0) + E::Read(1);
        assert_eq!(operand_matchings(&fma, &other, 3), [[1, 0, 2], [1, 2, 0]]);
        assert!(operand_matchings(&fma, &(E::Read(0) - E::Read(1) * E::Read(2)), 3).is_empty());
        // An operand that occurs twice must stay one operand.
        let square = E::Read(0) * E::Read(0);
        assert!(operand_matchings(&square, &(E::Read(0) * E::Read(1)), 1).is_empty());
        assert_eq!(operand_matchings(&square, &square, 1), [[0]]);
    }
}
