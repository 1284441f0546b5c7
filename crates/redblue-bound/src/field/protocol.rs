//! Messages from which entries of Q·Kᵀ follow: the upper bounds of matrix compression.
//!
//! Alice either names the entries one by one (B words), or sends the rows of Q and of K that they lie in (2d√B
//! words for a square block). [`compress`] takes the shorter message; [`entries`] is Bob's side.

use std::collections::BTreeMap;

use super::compression::Entries;
use super::vandermonde::PrimeField;

/// What Alice sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The entries themselves, in the order of their positions.
    Values(Vec<u64>),
    /// The rows of both factors that the entries lie in.
    Factors {
        /// Rows of Q by position.
        query: BTreeMap<usize, Vec<u64>>,
        /// Rows of K by position.
        key: BTreeMap<usize, Vec<u64>>,
    },
}

impl Message {
    /// Its length; positions are known to both and cost nothing.
    pub fn words(&self) -> usize {
        match self {
            Message::Values(values) => values.len(),
            Message::Factors { query, key } => {
                query.values().chain(key.values()).map(Vec::len).sum()
            }
        }
    }
}

/// Alice's message for the entries at the given positions; none if a position is outside the matrices.
pub fn compress(
    field: PrimeField,
    query: &[Vec<u64>],
    key: &[Vec<u64>],
    wanted: &Entries,
) -> Option<Message> {
    let rows_of = |matrix: &[Vec<u64>], rows: &mut dyn Iterator<Item = usize>| {
        rows.map(|row| Some((row, matrix.get(row)?.clone())))
            .collect::<Option<BTreeMap<_, _>>>()
    };
    let factors = Message::Factors {
        query: rows_of(query, &mut wanted.rows().into_iter())?,
        key: rows_of(key, &mut wanted.columns().into_iter())?,
    };
    let values = Message::Values(entries(field, &factors, wanted)?);
    Some(if values.words() <= factors.words() {
        values
    } else {
        factors
    })
}

/// The entries Bob reads out of a message, in the order of their positions; none if it does not contain them.
pub fn entries(field: PrimeField, message: &Message, wanted: &Entries) -> Option<Vec<u64>> {
    match message {
        Message::Values(values) => (values.len() == wanted.iter().len()).then(|| values.clone()),
        Message::Factors { query, key } => wanted
            .iter()
            .map(|(row, column)| Some(field.dot(query.get(&row)?, key.get(&column)?)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redblue_math::random::Random;

    #[test]
    fn bob_reads_what_alice_sent() {
        let field = PrimeField::new(13).unwrap();
        let mut random = Random::new(1);
        for _ in 0..200 {
            let (n, d) = (2 + random.below(9), 1 + random.below(4));
            let mut matrix = || -> Vec<Vec<u64>> {
                (0..n)
                    .map(|_| (0..d).map(|_| random.below(13) as u64).collect())
                    .collect()
            };
            let (query, key) = (matrix(), matrix());
            let side = 1 + random.below(n);
            let wanted: Entries = (0..side)
                .flat_map(|i| (0..side).map(move |j| (i, n - 1 - j)))
                .collect();
            let message = compress(field, &query, &key, &wanted).unwrap();
            assert_eq!(message.words(), (side * side).min(2 * d * side));
            assert!(message.words() >= wanted.least_message(d));
            let expected: Vec<u64> = wanted
                .iter()
                .map(|(i, j)| field.dot(&query[i], &key[j]))
                .collect();
            assert_eq!(entries(field, &message, &wanted), Some(expected));
        }
    }

    #[test]
    fn missing_rows_are_noticed() {
        let field = PrimeField::new(5).unwrap();
        let matrix = vec![vec![1, 2]; 3];
        assert_eq!(
            compress(field, &matrix, &matrix, &[(3, 0)].into_iter().collect()),
            None
        );
        let message = compress(field, &matrix, &matrix, &[(0, 0)].into_iter().collect()).unwrap();
        assert_eq!(
            entries(field, &message, &[(0, 0), (1, 1)].into_iter().collect()),
            None
        );
    }
}
