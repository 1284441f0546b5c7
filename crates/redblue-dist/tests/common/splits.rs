//! Splitting: the members, their order, and that messages of different communicators never meet.

use redblue_dist::comm::collective::{Path, all_gather};
use redblue_dist::comm::{Comm, CommError, Counted, Phase};

/// Splits in several ways and lets every new communicator gather the old ranks of its members.
pub fn check<C: Comm>(comm: &C) -> Result<(), CommError> {
    let (rank, size) = (comm.rank(), comm.size());
    let colourings: [fn(usize) -> Option<u64>; 4] = [
        |rank| Some(rank as u64 % 3),
        |rank| Some(u64::MAX - rank as u64 / 2),
        |rank| (rank != 1).then_some(5),
        |_| None,
    ];
    for colour in colourings {
        // Keys reverse the order.
        let part = comm.split(colour(rank), (size - rank) as u64)?;
        let mut members: Vec<u64> = (0..size)
            .filter(|&r| colour(r) == colour(rank))
            .map(|r| r as u64)
            .collect();
        members.reverse();
        let Some(part) = part else {
            assert_eq!(colour(rank), None);
            continue;
        };
        assert_eq!(members[part.rank()], rank as u64);
        let mut gathered = vec![0_u64; part.size()];
        gathered[part.rank()] = rank as u64;
        let parts = vec![1; part.size()];
        all_gather(
            &part,
            &parts,
            &mut gathered,
            Path::Ring,
            Phase::Control.into(),
        )?;
        assert_eq!(gathered, members);
        // A split of a split, counted together with its parent.
        let counted = Counted::new(part);
        if let Some(half) = counted.split(Some(counted.rank() as u64 % 2), 0)? {
            half.barrier()?;
            let rounds = half.size().next_power_of_two().trailing_zeros().into();
            assert_eq!(counted.tally()[Phase::Control].sent, rounds);
        }
    }
    comm.barrier()
}
