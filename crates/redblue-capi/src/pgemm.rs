//! A product of ScaLAPACK matrices on any communicator: agreement, layouts, the way that moves least.
//!
//! What all ranks must say alike is compared before any word moves, so that an illegal or inconsistent argument on one
//! rank is reported by all, with the same number.

use redblue_dist::comm::agree::agree;
use redblue_dist::comm::collective::{Path, all_gather};
use redblue_dist::comm::{Comm, CommError, Phase};
use redblue_dist::layout::block_cyclic::{Descriptor, ProcessGrid};
use redblue_dist::layout::{Layout, LayoutError};
use redblue_dist::plan::stay::Sizes;
use redblue_kernels::callers::{CallerError, Choice, Given, Multiplication};
use thiserror::Error;

use crate::arguments::{Arguments, Info, Meaning};
use crate::settings::Way;

/// Why a product was not computed.
#[derive(Clone, Debug, Error)]
pub enum Failure {
    /// An argument is illegal on some rank, or differs between ranks.
    #[error("{note}")]
    Illegal {
        /// Which argument.
        info: Info,
        /// What is wrong, where more is known than the number.
        note: String,
    },
    /// No way of computing the product keeps within `REDBLUE_MEMORY`.
    #[error(
        "buffers need {needed} bytes on some rank, {} bytes more than REDBLUE_MEMORY={limit} allows",
        needed - limit
    )]
    Memory {
        /// What the way with the smallest buffers needs.
        needed: u64,
        /// What is allowed.
        limit: u64,
    },
    /// Something went wrong on the way.
    #[error(transparent)]
    Run(#[from] CallerError),
}

impl From<CommError> for Failure {
    fn from(error: CommError) -> Failure {
        Failure::Run(LayoutError::from(error).into())
    }
}

impl From<LayoutError> for Failure {
    fn from(error: LayoutError) -> Failure {
        Failure::Run(error.into())
    }
}

/// What all ranks agree to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The product, this way.
    Multiply(Choice),
    /// The next library's turn; if there is none, the argument with this number is to blame.
    Next(Info),
}

/// Illegal arguments are numbered above foreign ones, so that the greatest number is the one to report.
const ILLEGAL: u64 = 1 << 32;

/// Compares everything that must be equal on all ranks. `meaning` is what this rank makes of its own arguments,
/// `factors` are the bits of ALPHA and BETA; the last are settings. Collective; all ranks get the same answer.
///
/// # Errors
/// When an argument is illegal or differs, or ranks cannot communicate.
pub fn settle<C: Comm>(
    comm: &C,
    arguments: &Arguments,
    meaning: Meaning,
    factors: [[u64; 2]; 2],
    (way, memory): (Way, Option<u64>),
) -> Result<Task, Failure> {
    let code = match meaning {
        Meaning::Ours => 0,
        Meaning::Foreign(info) => u64::from(info.unsigned_abs()),
        Meaning::Illegal(info) => ILLEGAL + u64::from(info.unsigned_abs()),
    };
    let way_code = match way {
        Way::Ours(choice) => choice as u64,
        Way::Next => u64::MAX,
    };
    let mut common = arguments.common();
    for (name, info, bits) in [("ALPHA", -6, factors[0]), ("BETA", -15, factors[1])] {
        common.extend(bits.map(|bits| (name.to_owned(), info, bits)));
    }
    common.push(("REDBLUE_WAY".to_owned(), -1, way_code));
    let memory_code = memory.unwrap_or(u64::MAX);
    common.push(("REDBLUE_MEMORY".to_owned(), -1, memory_code));
    let mut list = vec![("INFO", code)];
    list.extend(
        common
            .iter()
            .map(|(name, _, value)| (name.as_str(), *value)),
    );
    let code = match agree(comm, &list) {
        Ok(()) => code,
        // What makes a matrix foreign must be equal on all ranks, so a difference is illegal, too.
        Err(CommError::Inconsistent { name, high, .. }) if name == "INFO" => {
            ILLEGAL + high % ILLEGAL
        }
        Err(error) => {
            let blamed = |name: &str| common.iter().find(|(other, _, _)| other == name);
            return Err(match &error {
                CommError::Inconsistent { name, .. } => Failure::Illegal {
                    info: blamed(name).map_or(-1, |&(_, info, _)| info),
                    note: error.to_string(),
                },
                _ => error.into(),
            });
        }
    };
    // Numbers of arguments fit in an int.
    let info = -((code % ILLEGAL) as Info);
    match (code, way) {
        (ILLEGAL.., _) => Err(Failure::Illegal {
            info,
            note: String::new(),
        }),
        (0, Way::Ours(choice)) => Ok(Task::Multiply(choice)),
        (0, Way::Next) => Ok(Task::Next(-1)),
        (_, _) => Ok(Task::Next(info)),
    }
}

/// The layouts of the three sub-matrices as they are stored, with the leading dimensions of this rank, which is in row
/// `x` of the grid.
///
/// # Errors
/// When a descriptor is illegal; arguments that were checked are not.
pub fn layouts(
    arguments: &Arguments,
    grid: &ProcessGrid,
    (rank, x): (usize, usize),
) -> Result<[Layout; 3], LayoutError> {
    let shapes = arguments.shapes();
    let layout = |at: usize| {
        let sub = &arguments.subs[at];
        let [rows, cols] = shapes[at].map(|(length, _)| u64::try_from(length).unwrap_or(0));
        let (descriptor, lead) = Descriptor::read(&sub.descriptor, grid)?;
        // A rank without columns may name any leading dimension.
        let lead = lead.max(descriptor.local_rows(grid, x));
        let whole = descriptor.layout(grid, |other| (other == rank).then_some(lead))?;
        let corner = |first: i32| u64::try_from(first).unwrap_or(0);
        Descriptor::sub_matrix(&whole, corner(sub.row), corner(sub.col), rows, cols)
    };
    Ok([layout(0)?, layout(1)?, layout(2)?])
}

/// The product of matrices in these layouts, prepared for one rank.
///
/// # Errors
/// When the wanted way is not possible.
pub fn prepare(
    arguments: &Arguments,
    layouts: [&Layout; 3],
    (choice, sizes): Attempt,
    rank: usize,
) -> Result<Multiplication, Failure> {
    let ops = arguments.ops().ok_or(Failure::Illegal {
        info: -1,
        note: String::new(),
    })?;
    let given = Given { layouts, ops };
    Ok(Multiplication::with_pieces(&given, choice, sizes, rank)?)
}

/// A way of computing a product.
pub type Attempt = (Choice, Sizes);

/// The ways of computing a product, the first one first, and those with ever smaller buffers.
fn attempts(choice: Choice) -> impl Iterator<Item = Attempt> {
    let smaller = (0..SMALLER)
        .map(|times| Sizes {
            slab: 128 >> times,
            panel: (1 << 17) >> (2 * times),
        })
        .map(|sizes| (Choice::Stay, sizes));
    let wanted = [(choice, Sizes::default())].into_iter();
    wanted.chain(smaller.filter(move |_| choice != Choice::Native))
}

/// How often pieces are made smaller: until a slab has one index.
const SMALLER: u32 = 8;

/// The first way of computing a product whose buffers fit in so many bytes on every rank. `prepare` gives a product and
/// the bytes that this rank needs for it. Collective if there is a limit.
///
/// # Errors
/// When none fits, with the bytes that are missing, on all ranks; and what `prepare` says.
pub fn within<C: Comm, P>(
    comm: &C,
    choice: Choice,
    limit: Option<u64>,
    mut prepare: impl FnMut(Attempt) -> Result<(P, u64), Failure>,
) -> Result<P, Failure> {
    let mut least = u64::MAX;
    for attempt in attempts(choice) {
        let (product, needed) = prepare(attempt)?;
        let Some(limit) = limit else {
            return Ok(product);
        };
        let mut all = vec![0; comm.size()];
        all[comm.rank()] = needed;
        let parts = vec![1; comm.size()];
        all_gather(comm, &parts, &mut all, Path::Ring, Phase::Control.into())?;
        let most = all.into_iter().max().unwrap_or(0);
        if most <= limit {
            return Ok(product);
        }
        least = least.min(most);
    }
    Err(Failure::Memory {
        needed: least,
        limit: limit.unwrap_or(u64::MAX),
    })
}

#[cfg(test)]
mod tests {
    use redblue_dist::comm::threads;
    use redblue_dist::layout::Order;

    use super::*;
    use crate::arguments::Sub;

    const RANKS: usize = 3;

    fn good() -> Arguments {
        let sub = Sub {
            row: 1,
            col: 1,
            descriptor: [1, 0, 8, 8, 2, 2, 0, 0, 8],
        };
        Arguments {
            transpose: *b"NN",
            sizes: [8, 8, 8],
            subs: [sub; 3],
        }
    }

    /// What three ranks agree on when the last one has other arguments, another factor or another setting.
    fn last(change: impl Fn(&mut Arguments, &mut [u64; 2], &mut Way) + Sync) -> Result<Task, Info> {
        limited(change, [None; 2])
    }

    /// The same with limits of memory, on the last rank and on the others.
    fn limited(
        change: impl Fn(&mut Arguments, &mut [u64; 2], &mut Way) + Sync,
        limits: [Option<u64>; 2],
    ) -> Result<Task, Info> {
        let answers = threads::run(RANKS, |comm| {
            let grid = ProcessGrid::new(1, RANKS, RANKS, Order::RowMajor)?;
            let rank = comm.rank();
            let (mut arguments, mut alpha) = (good(), [1, 0]);
            let mut way = Way::Ours(Choice::Least);
            if rank == RANKS - 1 {
                change(&mut arguments, &mut alpha, &mut way);
            }
            let meaning = arguments.check(&grid, [0, rank]);
            let memory = limits[usize::from(rank != RANKS - 1)];
            let factors = [alpha, [0, 0]];
            match settle(comm, &arguments, meaning, factors, (way, memory)) {
                Ok(task) => Ok(Ok(task)),
                Err(Failure::Illegal { info, .. }) => Ok(Err(info)),
                Err(Failure::Run(error)) => Err(error),
                Err(error @ Failure::Memory { .. }) => panic!("{error}"),
            }
        })
        .expect("ranks communicate");
        assert!(answers.iter().all(|answer| *answer == answers[0]));
        answers[0]
    }

    #[test]
    fn one_rank_speaks_for_all() {
        assert_eq!(last(|_, _, _| ()), Ok(Task::Multiply(Choice::Least)));
        assert_eq!(last(|a, _, _| a.transpose[1] = b'X'), Err(-2));
        assert_eq!(last(|a, _, _| a.sizes[2] = 7), Err(-5));
        assert_eq!(last(|a, _, _| a.subs[1].descriptor[8] = 3), Err(-1409));
        assert_eq!(last(|a, _, _| a.subs[2].descriptor[4] = 4), Err(-1905));
        assert_eq!(last(|_, alpha, _| alpha[1] = 5), Err(-6));
        assert_eq!(last(|_, _, way| *way = Way::Next), Err(-1));
        assert_eq!(limited(|_, _, _| (), [Some(9), None]), Err(-1));
        // Leading dimensions and the numbers of contexts may differ.
        let other = |a: &mut Arguments, _: &mut [u64; 2], _: &mut Way| {
            a.subs.iter_mut().for_each(|sub| sub.descriptor[1] = 4);
            a.subs[0].descriptor[8] = 11;
        };
        assert_eq!(last(other), Ok(Task::Multiply(Choice::Least)));
        // A kind of matrix that only PBLAS knows must be one on all ranks.
        assert_eq!(last(|a, _, _| a.subs[1].descriptor[0] = 2), Err(-1401));
    }

    #[test]
    fn layouts_are_those_of_the_descriptors() {
        let grid = ProcessGrid::new(1, RANKS, RANKS, Order::RowMajor).unwrap();
        let mut arguments = good();
        arguments.transpose = *b"TN";
        arguments.sizes = [2, 3, 4];
        arguments.subs[0].col = 4;
        let [a, b, c] = layouts(&arguments, &grid, (1, 0)).unwrap();
        assert_eq!((a.rows(), a.cols()), (4, 2));
        assert_eq!((b.rows(), b.cols()), (4, 3));
        assert_eq!((c.rows(), c.cols()), (2, 3));
        // Columns 4 and 5 of the matrix are in blocks 1 and 2.
        assert_eq!(a.locate(0, 0), Some((1, 8)));
        assert_eq!(a.locate(3, 1).map(|(rank, _)| rank), Some(2));
        let product = prepare(
            &arguments,
            [&a, &b, &c],
            (Choice::Stay, Sizes::default()),
            1,
        )
        .unwrap();
        assert!(product.description().ends_with("stays"));
    }

    /// What a rank of a grid of 2 by 3 needs for a product, and which way it takes, if there is a limit.
    fn needed(limit: Option<u64>) -> Result<Vec<u64>, (u64, u64)> {
        let sub = Sub {
            row: 1,
            col: 1,
            descriptor: [1, 0, 90, 90, 7, 7, 0, 0, 90],
        };
        let arguments = Arguments {
            transpose: *b"NT",
            sizes: [90, 80, 70],
            subs: [sub; 3],
        };
        let answers = threads::run(6, |comm| {
            let grid = ProcessGrid::new(2, 3, 6, Order::RowMajor)?;
            let rank = comm.rank();
            let [a, b, c] = layouts(&arguments, &grid, (rank, rank / 3))?;
            let found = within(comm, Choice::Least, limit, |attempt| {
                let product = prepare(&arguments, [&a, &b, &c], attempt, rank)?;
                let bytes = 8 * product.buffer_words() as u64;
                Ok((bytes, bytes))
            });
            match found {
                Ok(bytes) => Ok(Ok(bytes)),
                Err(Failure::Memory { needed, limit }) => Ok(Err((needed, limit))),
                Err(Failure::Run(error)) => Err(error),
                Err(error @ Failure::Illegal { .. }) => panic!("{error}"),
            }
        });
        answers.expect("ranks communicate").into_iter().collect()
    }

    /// Limits are kept to the byte, on all ranks, and a product that fits none of them says what is missing.
    #[test]
    fn memory_is_limited() {
        let most = |bytes: Vec<u64>| bytes.into_iter().max().unwrap();
        let mut limit = most(needed(None).unwrap());
        let mut ways = 0;
        let (needed_at_least, missing_for) = loop {
            assert_eq!(needed(Some(limit)).map(most), Ok(limit));
            ways += 1;
            match needed(Some(limit - 1)) {
                Ok(bytes) => limit = most(bytes),
                Err(failure) => break failure,
            }
        };
        assert_eq!((needed_at_least, missing_for), (limit, limit - 1));
        assert!(ways > 3, "{ways} ways, the last with {limit} bytes");
        let message = Failure::Memory {
            needed: 100,
            limit: 30,
        };
        assert!(message.to_string().contains("70 bytes more"));
    }
}
