//! Agreement on arguments: what must be equal on all ranks is compared before any word of a matrix moves.
//!
//! Every rank learns the least and the greatest value of each argument and the first rank that has it, so all
//! ranks report the same error; none is left behind in a collective the others never enter.

use super::{Comm, CommError, Phase, collective};

/// Words per argument in the comparison: the least value and its rank, the complement of the greatest value
/// and its rank. With the complement both are minima.
const ENTRY: usize = 4;

/// Checks that every rank passes the same values. Collective; all ranks get the same answer.
pub fn agree<C: Comm>(comm: &C, arguments: &[(&str, u64)]) -> Result<(), CommError> {
    let rank = comm.rank() as u64;
    // The number of arguments goes first and alone, for the comparison itself needs equal lengths.
    compare(comm, &[("count", arguments.len() as u64)], rank)?;
    compare(comm, arguments, rank)
}

fn compare<C: Comm>(comm: &C, arguments: &[(&str, u64)], rank: u64) -> Result<(), CommError> {
    let entry = |&(_, value): &(&str, u64)| [value, rank, !value, rank];
    let mut table: Vec<u64> = arguments.iter().flat_map(entry).collect();
    collective::all_reduce(comm, &mut table, least, Phase::Control.into())?;
    for ((name, _), entry) in arguments.iter().zip(table.chunks_exact(ENTRY)) {
        let (low, high) = (entry[0], !entry[2]);
        if low != high {
            return Err(CommError::Inconsistent {
                name: (*name).to_owned(),
                low,
                low_rank: entry[1] as usize,
                high,
                high_rank: entry[3] as usize,
            });
        }
    }
    Ok(())
}

/// Keeps the smaller of each pair (value, rank).
fn least(table: &mut [u64], other: &[u64]) {
    for (mine, theirs) in table.chunks_exact_mut(2).zip(other.chunks_exact(2)) {
        if (theirs[0], theirs[1]) < (mine[0], mine[1]) {
            mine.copy_from_slice(theirs);
        }
    }
}
