//! Random redistributions, element by element against the maps of [`super::layouts`].

use num_complex::Complex;
use redblue_dist::comm::{Comm, CommError, Counted, Flow, Phase};
use redblue_dist::layout::{LayoutError, Op, overlap, redistribute, redistribute_with, relabel};
use redblue_dist::shape::Matrix;
use redblue_math::random::Random;

use super::Sample;
use super::layouts::{Sampled, embedded, sub_matrix};

/// Several random redistributions of every element type.
pub fn check<C: Comm>(comm: &C, rounds: usize, seed: u64) -> Result<(), CommError> {
    let comm = &Counted::new(comm.duplicate()?);
    let mut random = Random::new(seed.wrapping_mul(1000) + comm.size() as u64);
    for round in 0..rounds {
        let outcome = match round % 4 {
            0 => one::<f32, C>(comm, &mut random),
            1 => one::<Complex<f32>, C>(comm, &mut random),
            2 => one::<Complex<f64>, C>(comm, &mut random),
            _ => one::<f64, C>(comm, &mut random),
        };
        match outcome {
            Ok(()) => {}
            Err(LayoutError::Comm(error)) => return Err(error),
            Err(error) => panic!("{error}"),
        }
    }
    Ok(())
}

fn one<T: Sample, C: Comm>(comm: &Counted<C>, random: &mut Random) -> Result<(), LayoutError> {
    let (rank, size) = (comm.rank(), comm.size());
    let longest = [3, 12, 40][random.below(3)];
    let op = [Op::Plain, Op::Transposed, Op::Conjugated][random.below(3)];
    let phase = Phase::Redistribute(Matrix::ALL[random.below(3)]);
    let from = sub_matrix(random, longest, size);
    let view = if op == Op::Plain {
        from.clone()
    } else {
        from.transposed()
    };
    let mut to = embedded(random, view.rows, view.cols, size);
    if random.chance(40) {
        relabel_target(&view, &mut to);
    }
    let update = random.chance(30);

    let value = |i: usize, j: usize| T::sample((10 * (i * view.cols + j)) as u64 + 2);
    let old = T::sample(1);
    let mut source = vec![T::sample(9999); from.memory(rank)];
    let mut expected = vec![old; to.memory(rank)];
    let mut flow = Flow::default();
    let mut peers = vec![false; size];
    for (i, j) in (0..view.rows).flat_map(|i| (0..view.cols).map(move |j| (i, j))) {
        let ((sender, at), (receiver, place)) = (view.place(i, j), to.place(i, j));
        if sender == rank {
            source[at] = value(i, j);
        }
        if receiver == rank {
            let word = if op == Op::Conjugated {
                value(i, j).conjugate()
            } else {
                value(i, j)
            };
            expected[place] = if update { word.plus(old) } else { word };
        }
        if sender != receiver {
            flow.sent += u64::from(sender == rank);
            flow.received += u64::from(receiver == rank);
            peers[receiver] |= sender == rank;
        }
    }
    flow.messages = peers.iter().filter(|&&peer| peer).count() as u64;

    let mut target = vec![old; to.memory(rank)];
    let (sender, receiver) = ((&from.layout, &source[..]), (&to.layout, &mut target[..]));
    if update {
        redistribute_with(comm, sender, op, receiver, phase, |c, word| {
            *c = c.plus(word)
        })?;
    } else {
        redistribute(comm, sender, op, receiver, phase)?;
    }
    assert_eq!(target, expected);
    assert_eq!(
        overlap::flow(&op.view(&from.layout), &to.layout, rank),
        flow
    );
    assert_eq!(comm.take()[phase], flow);
    Ok(())
}

/// Renames the ranks of the target, and checks that at least as many words stay.
fn relabel_target(view: &Sampled, to: &mut Sampled) {
    let table = overlap::table(&view.layout, &to.layout).unwrap();
    let labels = relabel::best(to.layout.ranks(), &table);
    let stay = |to: &Sampled| {
        let places = view.places.iter().zip(&to.places);
        places.filter(|((a, _), (b, _))| a == b).count() as u128
    };
    let before = stay(to);
    to.layout = to.layout.relabelled(&labels).unwrap();
    to.places
        .iter_mut()
        .for_each(|(owner, _)| *owner = labels[*owner]);
    assert_eq!(stay(to), relabel::kept(&table, &labels));
    assert!(stay(to) >= before);
}
