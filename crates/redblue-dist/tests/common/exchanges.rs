//! Random traffic: every ordered pair of ranks exchanges some messages of random lengths, in random order.

use redblue_dist::comm::{Comm, CommError, Counted, Flow, Phase, Tag, Transfer};
use redblue_math::random::Random;

use super::Sample;

/// A message everybody knows of.
struct Message {
    from: usize,
    to: usize,
    tag: Tag,
    words: usize,
    seed: u64,
}

fn messages(random: &mut Random, size: usize) -> Vec<Message> {
    let count = random.below(4 * size + 1);
    let message = |_| Message {
        from: random.below(size),
        to: random.below(size),
        tag: Tag::new(Phase::ALL[random.below(Phase::COUNT)], random.below(3)),
        words: if random.chance(10) {
            5000 + random.below(90_000)
        } else {
            random.below(20)
        },
        seed: random.next() % 1000,
    };
    (0..count).map(message).collect()
}

/// Several rounds of random traffic, each in one exchange; the words and the counts must be right.
pub fn check<T: Sample, C: Comm>(comm: &C, rounds: usize, seed: u64) -> Result<(), CommError> {
    let comm = Counted::new(comm.duplicate()?);
    let (rank, size) = (comm.rank(), comm.size());
    let mut random = Random::new(seed * 1000 + size as u64);
    let mut expected = [Flow::default(); Phase::COUNT];
    for _ in 0..rounds {
        let messages = messages(&mut random, size);
        let word = |message: &Message, i: usize| T::sample(message.seed + 3 * i as u64);
        let contents = |message: &Message| -> Vec<T> {
            let concerned = message.from == rank || message.to == rank;
            let words = if concerned { message.words } else { 0 };
            (0..words).map(|i| word(message, i)).collect()
        };
        let outgoing: Vec<Vec<T>> = messages.iter().map(contents).collect();
        let blank = |data: &Vec<T>| vec![T::default(); data.len()];
        let mut incoming: Vec<Vec<T>> = outgoing.iter().map(blank).collect();
        let mut transfers = Vec::new();
        for ((message, data), into) in messages.iter().zip(&outgoing).zip(&mut incoming) {
            let words = message.words as u64;
            let flow = &mut expected[message.tag.phase().index()];
            let counts = message.from != message.to;
            if message.from == rank {
                transfers.push(Transfer::Send {
                    to: message.to,
                    tag: message.tag,
                    data,
                });
                flow.sent += if counts { words } else { 0 };
                flow.messages += if counts { words.min(1) } else { 0 };
            }
            if message.to == rank {
                transfers.push(Transfer::Receive {
                    from: message.from,
                    tag: message.tag,
                    data: into,
                });
                flow.received += if counts { words } else { 0 };
            }
        }
        let mut advanced = 0;
        comm.exchange(&mut transfers, |advance| {
            (0..3).for_each(|_| advance());
            advanced += 1;
        })?;
        assert_eq!(advanced, 1);
        for (message, (sent, received)) in messages.iter().zip(outgoing.iter().zip(&incoming)) {
            if message.to == rank {
                assert_eq!(sent, received);
            }
        }
    }
    for phase in Phase::ALL {
        assert_eq!(comm.tally()[phase], expected[phase.index()], "{phase}");
    }
    Ok(())
}
