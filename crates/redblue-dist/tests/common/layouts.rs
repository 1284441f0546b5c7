//! Random layouts, each with a map from elements to owners and places that is made by counting, not by the
//! arithmetic under test.

use redblue_dist::layout::block_cyclic::{Descriptor, ProcessGrid};
use redblue_dist::layout::{Layout, Order};
use redblue_dist::shape::Rect;
use redblue_math::random::Random;

/// A layout and what it must mean.
#[derive(Clone, Debug)]
pub struct Sampled {
    pub layout: Layout,
    pub rows: usize,
    pub cols: usize,
    /// Owner and place of element (i, j) at `i * cols + j`.
    pub places: Vec<(usize, usize)>,
}

impl Sampled {
    fn new(layout: Layout, rows: usize, cols: usize) -> Sampled {
        Sampled {
            layout,
            rows,
            cols,
            places: vec![(usize::MAX, 0); rows * cols],
        }
    }

    pub fn place(&self, i: usize, j: usize) -> (usize, usize) {
        self.places[i * self.cols + j]
    }

    /// Length of a rank's memory: what its elements need.
    pub fn memory(&self, rank: usize) -> usize {
        let own = self.places.iter().filter(|(owner, _)| *owner == rank);
        own.map(|&(_, place)| place + 1).max().unwrap_or(0)
    }

    fn part(&self, random: &mut Random) -> Sampled {
        let mut range = |length: usize| {
            let (a, b) = (random.below(length + 1), random.below(length + 1));
            a.min(b)..a.max(b)
        };
        let (rows, cols) = (range(self.rows), range(self.cols));
        let (height, width) = (rows.len(), cols.len());
        let layout = if random.chance(50) {
            let whole = |range: &std::ops::Range<usize>| range.start as u64..range.end as u64;
            self.layout.part(whole(&rows), whole(&cols)).unwrap()
        } else {
            let (ia, ja) = (rows.start as u64 + 1, cols.start as u64 + 1);
            Descriptor::sub_matrix(&self.layout, ia, ja, height as u64, width as u64).unwrap()
        };
        let elements = rows.flat_map(|i| cols.clone().map(move |j| (i, j)));
        let places = elements.map(|(i, j)| self.place(i, j)).collect();
        Sampled {
            layout,
            rows: height,
            cols: width,
            places,
        }
    }

    pub fn transposed(&self) -> Sampled {
        let elements = (0..self.cols).flat_map(|j| (0..self.rows).map(move |i| (i, j)));
        let places = elements.map(|(i, j)| self.place(i, j)).collect();
        Sampled {
            layout: self.layout.transposed(),
            rows: self.cols,
            cols: self.rows,
            places,
        }
    }
}

/// A random layout of a matrix of this shape.
pub fn layout(random: &mut Random, rows: usize, cols: usize, ranks: usize) -> Sampled {
    match random.below(5) {
        0 | 1 => block_cyclic(random, rows, cols, ranks),
        2 => grid(random, rows, cols, ranks),
        3 => blocked(random, rows, cols, ranks),
        _ => layout(random, cols, rows, ranks).transposed(),
    }
}

/// A random layout of a sub-matrix of some matrix; it has a random shape.
pub fn sub_matrix(random: &mut Random, longest: usize, ranks: usize) -> Sampled {
    let (rows, cols) = (random.below(longest + 1), random.below(longest + 1));
    let whole = layout(random, rows, cols, ranks);
    if random.chance(50) {
        whole.part(random)
    } else {
        whole
    }
}

/// A random layout of a sub-matrix of this shape in a larger matrix.
pub fn embedded(random: &mut Random, rows: usize, cols: usize, ranks: usize) -> Sampled {
    let (above, left) = (random.below(6), random.below(6));
    let (height, width) = (
        above + rows + random.below(6),
        left + cols + random.below(6),
    );
    let whole = layout(random, height, width, ranks);
    let (ia, ja) = (above as u64 + 1, left as u64 + 1);
    let layout = Descriptor::sub_matrix(&whole.layout, ia, ja, rows as u64, cols as u64).unwrap();
    let elements = (0..rows).flat_map(|i| (0..cols).map(move |j| (i + above, j + left)));
    let places = elements.map(|(i, j)| whole.place(i, j)).collect();
    Sampled {
        layout,
        rows,
        cols,
        places,
    }
}

fn order(random: &mut Random) -> Order {
    if random.chance(50) {
        Order::ColumnMajor
    } else {
        Order::RowMajor
    }
}

fn block_cyclic(random: &mut Random, rows: usize, cols: usize, ranks: usize) -> Sampled {
    let p = 1 + random.below(ranks);
    let q = 1 + random.below(ranks / p);
    let (mb, nb) = (1 + random.below(8), 1 + random.below(8));
    let (rsrc, csrc) = (random.below(p), random.below(q));
    let mut places: Vec<usize> = (0..ranks).collect();
    let shuffled = random.chance(30);
    for last in (1..ranks).rev().filter(|_| shuffled) {
        places.swap(last, random.below(last + 1));
    }
    let order = order(random);
    let grid = if shuffled {
        ProcessGrid::with_places(p, q, places[..p * q].to_vec(), ranks).unwrap()
    } else {
        ProcessGrid::new(p, q, ranks, order).unwrap()
    };
    let rank_of = |x: usize, y: usize| match (shuffled, order) {
        (true, _) => places[x * q + y],
        (false, Order::RowMajor) => x * q + y,
        (false, Order::ColumnMajor) => y * p + x,
    };
    let local_rows = |x| (0..rows).filter(|i| (i / mb + rsrc) % p == x).count();
    let slack = random.below(3);
    // The nine integers, in every rank's own version.
    let mut entries = [
        1,
        7,
        rows as i32,
        cols as i32,
        mb as i32,
        nb as i32,
        rsrc as i32,
        csrc as i32,
        0,
    ];
    let mut leads = vec![None; ranks];
    for x in 0..p {
        for y in 0..q {
            entries[8] = (local_rows(x) + slack).max(1) as i32;
            let (_, lead) = Descriptor::read(&entries, &grid).unwrap();
            leads[rank_of(x, y)] = Some(lead);
        }
    }
    let (descriptor, _) = Descriptor::read(&entries, &grid).unwrap();
    let layout = descriptor.layout(&grid, |rank| leads[rank]).unwrap();
    let mut sampled = Sampled::new(layout, rows, cols);
    let (mut above, mut left) = (vec![0; p], vec![0; q]);
    for i in 0..rows {
        let x = (i / mb + rsrc) % p;
        left.fill(0);
        for j in 0..cols {
            let y = (j / nb + csrc) % q;
            let lead = (local_rows(x) + slack).max(1);
            sampled.places[i * cols + j] = (rank_of(x, y), above[x] + left[y] * lead);
            left[y] += 1;
        }
        above[x] += 1;
    }
    for x in 0..p {
        assert_eq!(descriptor.local_rows(&grid, x), local_rows(x) as u64);
    }
    sampled
}

fn cuts(random: &mut Random, length: usize) -> Vec<u64> {
    let mut cuts: Vec<u64> = (0..random.below(5))
        .map(|_| random.below(length + 1) as u64)
        .collect();
    cuts.extend([0, length as u64]);
    cuts.sort_unstable();
    cuts
}

/// Stores blocks one after another in their owner's memory.
fn store(sampled: &mut Sampled, blocks: &[(usize, Rect)], order: Order) {
    let mut used = vec![0; sampled.layout.ranks()];
    for (owner, rect) in blocks {
        let mut element = |i: u64, j: u64| {
            sampled.places[i as usize * sampled.cols + j as usize] = (*owner, used[*owner]);
            used[*owner] += 1;
        };
        match order {
            Order::ColumnMajor => {
                rect.cols
                    .clone()
                    .for_each(|j| rect.rows.clone().for_each(|i| element(i, j)));
            }
            Order::RowMajor => {
                rect.rows
                    .clone()
                    .for_each(|i| rect.cols.clone().for_each(|j| element(i, j)));
            }
        }
    }
}

fn grid(random: &mut Random, rows: usize, cols: usize, ranks: usize) -> Sampled {
    let (row_cuts, col_cuts, order) = (cuts(random, rows), cuts(random, cols), order(random));
    let (height, width) = (row_cuts.len() - 1, col_cuts.len() - 1);
    let mut owner_row = |_| (0..width).map(|_| random.below(ranks)).collect();
    let owners: Vec<Vec<usize>> = (0..height).map(&mut owner_row).collect();
    let layout = Layout::grid(&row_cuts, &col_cuts, &owners, ranks, order).unwrap();
    let mut sampled = Sampled::new(layout, rows, cols);
    let block = |i: usize, j: usize| {
        let rect = Rect::new(row_cuts[i]..row_cuts[i + 1], col_cuts[j]..col_cuts[j + 1]);
        (owners[i][j], rect)
    };
    let blocks: Vec<_> = (0..width)
        .flat_map(|j| (0..height).map(move |i| (i, j)))
        .collect();
    let blocks: Vec<_> = blocks.into_iter().map(|(i, j)| block(i, j)).collect();
    store(&mut sampled, &blocks, order);
    sampled
}

fn blocked(random: &mut Random, rows: usize, cols: usize, ranks: usize) -> Sampled {
    let mut open = vec![Rect::new(0..rows as u64, 0..cols as u64)];
    let mut blocks = Vec::new();
    while let Some(rect) = open.pop() {
        let pieces = open.len() + blocks.len();
        if rect.words() <= 1 || pieces > 2 * ranks || random.chance(15) {
            blocks.push((random.below(ranks), rect));
        } else if random.chance(50) {
            let cut = rect.rows.start + random.below(rect.height() as usize + 1) as u64;
            open.push(Rect::new(rect.rows.start..cut, rect.cols.clone()));
            open.push(Rect::new(cut..rect.rows.end, rect.cols));
        } else {
            let cut = rect.cols.start + random.below(rect.width() as usize + 1) as u64;
            open.push(Rect::new(rect.rows.clone(), rect.cols.start..cut));
            open.push(Rect::new(rect.rows, cut..rect.cols.end));
        }
    }
    let mut owned = vec![Vec::new(); ranks];
    blocks
        .iter()
        .for_each(|(owner, rect)| owned[*owner].push(rect.clone()));
    let order = order(random);
    let layout = Layout::blocked(rows as u64, cols as u64, &owned, order).unwrap();
    let mut sampled = Sampled::new(layout, rows, cols);
    store(&mut sampled, &blocks, order);
    sampled
}
