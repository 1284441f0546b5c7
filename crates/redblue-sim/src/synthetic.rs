//! Traces made from patterns instead of programs: for tests, benchmarks and first experiments.
//!
//! [`Synthetic`] wraps a function that produces the accesses; calling it again replays the trace, so even
//! long ones take no memory.

use std::ops::ControlFlow;

use redblue_math::random::Random;

use crate::error::SimError;
use crate::trace::{Access, Array, Blocks, Grain, Reference, Shape, Trace};

mod matmul;

pub use matmul::{LoopOrder, Matmul};

type Generator = dyn Fn(&mut Blocks<'_>) -> ControlFlow<()>;

/// A trace whose accesses come from a function.
pub struct Synthetic {
    shape: Shape,
    generate: Box<Generator>,
}

impl Synthetic {
    /// `generate` pushes all accesses, the same ones on every call, and need not flush.
    pub fn new(
        shape: Shape,
        generate: impl Fn(&mut Blocks<'_>) -> ControlFlow<()> + 'static,
    ) -> Synthetic {
        Synthetic {
            shape,
            generate: Box::new(generate),
        }
    }

    /// Sweeps over an array of `cells` words again and again, reading.
    pub fn sequential(cells: u32, sweeps: u32) -> Result<Synthetic, SimError> {
        let shape = one_array(Grain::Word, cells)?;
        Ok(Synthetic::new(shape, move |blocks| {
            for _ in 0..sweeps {
                for cell in 0..cells {
                    blocks.push(cell, READ)?;
                }
            }
            ControlFlow::Continue(())
        }))
    }

    /// Uniformly random cells, a quarter of the accesses being writes.
    pub fn uniform(
        grain: Grain,
        cells: u32,
        accesses: u64,
        seed: u64,
    ) -> Result<Synthetic, SimError> {
        let shape = one_array(grain, cells)?;
        Ok(Synthetic::new(shape, move |blocks| {
            let mut random = Random::new(seed);
            for _ in 0..accesses {
                let cell = random.below(cells as usize) as u32;
                blocks.push(cell, read_or_write(&mut random))?;
            }
            ControlFlow::Continue(())
        }))
    }

    /// Random cells of which few are popular: cell c is picked with probability close to 1 / ((c + 1) ln n).
    pub fn zipf(grain: Grain, cells: u32, accesses: u64, seed: u64) -> Result<Synthetic, SimError> {
        let shape = one_array(grain, cells)?;
        Ok(Synthetic::new(shape, move |blocks| {
            let mut random = Random::new(seed);
            for _ in 0..accesses {
                // A uniformly random exponent makes the rank log-uniform, which is Zipf's law.
                let magnitude = f64::from(cells).powf(random.below(1 << 24) as f64 / 16777216.0);
                let cell = (magnitude as u32 - 1).min(cells - 1);
                blocks.push(cell, read_or_write(&mut random))?;
            }
            ControlFlow::Continue(())
        }))
    }
}

impl Trace for Synthetic {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn replay(&self, visit: &mut dyn FnMut(&[Access]) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut blocks = Blocks::new(visit);
        (self.generate)(&mut blocks)?;
        blocks.flush()
    }
}

const READ: u32 = 0;
const WRITE: u32 = 1;

fn read_or_write(random: &mut Random) -> u32 {
    if random.below(4) == 0 { WRITE } else { READ }
}

/// An array with a reading and a writing reference.
fn one_array(grain: Grain, cells: u32) -> Result<Shape, SimError> {
    let array = Array {
        name: "A".into(),
        cells,
        output: true,
    };
    let reference = |write, text: &str| Reference {
        array: 0,
        write,
        text: text.into(),
    };
    Shape::new(
        grain,
        vec![array],
        vec![reference(false, "read A"), reference(true, "write A")],
    )
}
