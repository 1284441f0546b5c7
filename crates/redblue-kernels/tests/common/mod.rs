//! Random products on any communicator, against three loops.

use num_complex::Complex;
use redblue_dist::comm::{Comm, Counted, OneSided};
use redblue_dist::plan::tree::{Part, Tree};
use redblue_dist::plan::{Plan, Problem, RankPlan, Schedule, search};
use redblue_dist::{Axis, Matrix, Shape};
use redblue_kernels::matmul::scatter::{for_each_own, own_words};
use redblue_kernels::matmul::{MatmulError, RankProgram, Words, multiply, one_sided};
use redblue_kernels::{Backend, Scalar};
use redblue_math::random::Random;
use std::sync::Arc;

/// Seeds of cases: so many, or many more when there is time.
pub(crate) fn cases(quick: u64, soak: u64) -> std::ops::Range<u64> {
    let soaking = std::env::var_os("REDBLUE_SOAK").is_some();
    0..if soaking { soak } else { quick }
}

/// One case on all ranks of a communicator: plan, sizes, element type, factors and way depend on the seed only. Gives the
/// bytes that this rank sent and received by its own operations: of one-sided ones those that it asked for.
pub(crate) fn check<C: OneSided>(comm: &Counted<C>, seed: u64) -> Result<[u64; 2], MatmulError> {
    let mut random = Random::new(seed);
    let plan = plan(&mut random, comm.size() as u64);
    let number = |random: &mut Random| random.below(5) as f64 - 2.0;
    let factors: [f64; 4] = std::array::from_fn(|_| number(&mut random));
    let case = Case {
        plan: &plan,
        backend: [Backend::Simd, Backend::Reference][random.below(2)].clone(),
        one_sided: random.chance(40),
        seed,
    };
    let [a, b, c, d] = factors;
    match random.below(4) {
        0 => case.run::<f64, C>(comm, a, b),
        1 => case.run::<f32, C>(comm, a as f32, b as f32),
        2 => case.run(comm, Complex::new(a, c), Complex::new(b, d)),
        _ => {
            let small = |re: f64, im: f64| Complex::new(re as f32, im as f32);
            case.run(comm, small(a, c), small(b, d))
        }
    }
}

fn plan(random: &mut Random, ranks: u64) -> Plan {
    let mut length = || match random.below(12) {
        0 => 0,
        1 => 1,
        2..=4 => 1 + random.below(4) as u64,
        _ => 1 + random.below(40) as u64,
    };
    let shape = Shape::new(length(), length(), length());
    if random.chance(50) {
        let own = shape.words() * 13 / 10 / u128::from(ranks);
        let memory = random
            .chance(50)
            .then(|| own + random.below(1 + own as usize) as u128);
        // Tiny matrices may not fit any limit.
        let problem = |memory| Problem {
            shape,
            ranks,
            memory,
        };
        let found = search(&problem(memory)).or_else(|_| search(&problem(None)));
        return found.expect("there is a plan without a limit").0;
    }
    let busy = 1 + random.below(ranks as usize) as u64;
    let tree = tree(random, busy);
    let few = |random: &mut Random| 1 + random.below(3) as u64;
    let schedule = Schedule {
        tiles: match tree.as_grid() {
            Some(_) => [few(random), few(random)],
            None => [1, 1],
        },
        steps: few(random),
        chunks: few(random),
    };
    Plan::new(shape, ranks, tree, schedule).expect("a legal plan")
}

fn tree(random: &mut Random, ranks: u64) -> Tree {
    if ranks == 1 {
        return Tree::Leaf;
    }
    let axis = Axis::ALL[random.below(3)];
    let first = 1 + random.below(ranks as usize - 1) as u64;
    let parts = [first, ranks - first].map(|ranks| Part {
        repeat: 1,
        tree: Arc::new(tree(random, ranks)),
    });
    Tree::cut(axis, parts)
}

struct Case<'a> {
    plan: &'a Plan,
    backend: Backend,
    one_sided: bool,
    seed: u64,
}

impl Case<'_> {
    fn run<T: Scalar, C: OneSided>(
        &self,
        counted: &Counted<C>,
        alpha: T,
        beta: T,
    ) -> Result<[u64; 2], MatmulError> {
        let (plan, rank) = (self.plan, counted.rank() as u64);
        let (part, program) = (plan.rank(rank), RankProgram::of(plan, rank)?);
        let entry = |matrix: Matrix| move |row, col| self.entry::<T>(matrix, row, col);
        let a = own_words(&part, Matrix::A, entry(Matrix::A));
        let b = own_words(&part, Matrix::B, entry(Matrix::B));
        let old = |row, col| match beta == T::ZERO {
            true => T::from_real(f64::NAN),
            false => self.entry(Matrix::C, row, col),
        };
        let mut c = own_words(&part, Matrix::C, old);
        counted.take();
        if self.one_sided {
            let remote = one_sided::Remote::of(plan, rank)?;
            let words = [a, b, c];
            [_, _, c] = one_sided::multiply(
                counted,
                (&program, &remote),
                [alpha, beta],
                words,
                &self.backend,
            )?;
        } else {
            let words = Words {
                a: &a,
                b: &b,
                c: &mut c,
            };
            multiply(counted, &program, alpha, beta, words, &self.backend)?;
        }
        let asked = counted.tally().matrices();
        let (flow, planned) = (counted.settle()?.matrices(), part.traffic());
        let context = format!(
            "{plan} for {} on {}, seed {}, rank {rank}",
            plan.shape(),
            plan.ranks(),
            self.seed
        );
        assert_eq!(
            (u128::from(flow.sent), u128::from(flow.received)),
            (planned.sent, planned.received),
            "{context}"
        );
        assert_eq!(flow.messages, planned.messages_sent, "{context}");
        let allocated = program.own_words().iter().sum::<usize>() + program.buffer_words();
        assert_eq!(allocated as u128, part.memory().total(), "{context}");
        self.compare(&part, [alpha, beta], &c, &context);
        Ok([asked.sent, asked.received].map(|words| words * size_of::<T>() as u64))
    }

    fn compare<T: Scalar>(&self, part: &RankPlan, [alpha, beta]: [T; 2], c: &[T], context: &str) {
        let mut words = c.iter();
        for_each_own(part, Matrix::C, |i, j| {
            let sum = (0..self.plan.shape().k).fold(T::ZERO, |sum, t| {
                let a: T = self.entry(Matrix::A, i, t);
                sum.plus(a.times(self.entry(Matrix::B, t, j)))
            });
            let old = match beta == T::ZERO {
                true => T::ZERO,
                false => beta.times(self.entry(Matrix::C, i, j)),
            };
            let expected = alpha.times(sum).plus(old);
            assert_eq!(words.next(), Some(&expected), "({i}, {j}) of {context}");
        });
        assert_eq!(words.next(), None, "{context}");
    }

    /// Small integers: every sum is exact, in any order and every element type.
    fn entry<T: Scalar>(&self, matrix: Matrix, row: u64, col: u64) -> T {
        let place = (row << 20) + (col << 2) + matrix.index() as u64;
        let mut random = Random::new(self.seed ^ place.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let mut part = || random.below(7) as f64 - 3.0;
        T::from_parts(part(), part())
    }
}
