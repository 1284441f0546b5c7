//! The routes of a product in the caller's layout: which words travel between which ranks, in which order.

use std::ops::Range;

use super::balance::{Bundle, balance};
use super::{Route, Stay, patch};
use crate::layout::{Layout, Patch, Stripe};
use crate::shape::{Matrix, Rect};

/// Words of one holder for one group, before it is known who is spared.
struct Journey<'a> {
    matrix: Matrix,
    holder: usize,
    holder_uses: bool,
    held: &'a Patch,
    used: (Stripe, Stripe),
}

impl Stay {
    /// Finds the routes of all words, so that the busiest rank moves as little as possible.
    pub(super) fn route_all(&mut self, layouts: [&Layout; 3]) {
        if self.shape.is_empty() {
            return;
        }
        let (mut journeys, mut bundles) = (Vec::new(), Vec::new());
        let moved = Matrix::ALL
            .into_iter()
            .filter(|&matrix| matrix != self.resident);
        for matrix in moved {
            for (journey, others) in self.journeys(matrix, layouts[matrix.index()]) {
                let words = journey.held.rows().overlap(&journey.used.0) as u128
                    * journey.held.cols().overlap(&journey.used.1) as u128;
                let mut spared = vec![0; others.len()];
                if let Some(last) = spared.last_mut() {
                    *last = words;
                }
                if words > 0 {
                    journeys.push(journey);
                    bundles.push(Bundle {
                        way: usize::from(matrix == Matrix::C),
                        others,
                        words,
                        spared,
                    });
                }
            }
        }
        let mut loads = vec![[0; 2]; self.bricks.len()];
        for (journey, bundle) in journeys.iter().zip(&bundles) {
            let way = bundle.way;
            for (&rank, spared) in bundle.others.iter().zip(&bundle.spared) {
                loads[rank][1 - way] += bundle.words;
                loads[rank][way] += bundle.words - spared;
            }
            if !bundle.others.is_empty() {
                loads[journey.holder][way] += bundle.words;
            }
        }
        balance(&mut loads, &mut bundles);
        let least = loads.iter().flatten().copied().max().unwrap_or(0);
        // Parts of whole lines make fewer and longer messages; if they are not even enough, single words do it.
        for whole_lines in [true, false] {
            let parts = journeys.iter().zip(&bundles);
            self.routes = parts
                .flat_map(|(journey, bundle)| self.routes_of(journey, bundle, whole_lines))
                .collect();
            self.count();
            if self.volume() <= least {
                break;
            }
        }
    }

    /// Counts what every rank moves on the routes.
    fn count(&mut self) {
        self.flows.fill([0; 2]);
        for route in &self.routes {
            for hop in route.stops.windows(2) {
                self.flows[hop[0]][0] += route.words;
                self.flows[hop[1]][1] += route.words;
            }
        }
    }

    /// From every holder of a matrix to every group of ranks with equal needs, and the ranks other than the holder.
    fn journeys<'a>(&self, matrix: Matrix, layout: &'a Layout) -> Vec<(Journey<'a>, Vec<usize>)> {
        let (rows, cols) = matrix.axes();
        let mut groups: Vec<((Stripe, Stripe), Vec<usize>)> = Vec::new();
        for (rank, brick) in self.bricks.iter().enumerate() {
            let Some(brick) = brick else { continue };
            let used = (brick[rows.index()].clone(), brick[cols.index()].clone());
            match groups.iter_mut().find(|(other, _)| *other == used) {
                Some((_, members)) => members.push(rank),
                None => groups.push((used, vec![rank])),
            }
        }
        let mut journeys = Vec::new();
        for (used, members) in &groups {
            for holder in 0..self.bricks.len() {
                let Some(held) = patch(layout, holder) else {
                    continue;
                };
                // Around the group from the holder on, so that neighbours hand words to each other.
                let place = members.partition_point(|&member| member <= holder);
                let others = members[place..].iter().chain(&members[..place]);
                let others = others.copied().filter(|&member| member != holder);
                let journey = Journey {
                    matrix,
                    holder,
                    holder_uses: members.contains(&holder),
                    held,
                    used: used.clone(),
                };
                journeys.push((journey, others.collect()));
            }
        }
        journeys
    }

    /// A route for everybody who is spared, along all others.
    fn routes_of(&self, journey: &Journey<'_>, bundle: &Bundle, whole_lines: bool) -> Vec<Route> {
        let route = |spared: Option<usize>, window: Rect| {
            let mut stops = vec![journey.holder];
            let others = bundle.others.iter().copied();
            stops.extend(others.filter(|&other| Some(other) != spared));
            stops.extend(spared);
            if journey.matrix == Matrix::C {
                stops.reverse();
            }
            let rows = journey.held.rows().clip(&window.rows);
            let cols = journey.held.cols().clip(&window.cols);
            let (height, width) = (rows.overlap(&journey.used.0), cols.overlap(&journey.used.1));
            Route {
                matrix: journey.matrix,
                holder: journey.holder,
                stops,
                used: journey.used.clone(),
                window,
                holder_uses: journey.holder_uses,
                words: u128::from(height) * u128::from(width),
            }
        };
        if bundle.others.is_empty() {
            return vec![route(None, self.whole(journey.matrix))];
        }
        let mut routes = Vec::new();
        let mut start = 0;
        let lines = Lines::new(self, journey);
        let shares = bundle.others.iter().zip(&bundle.spared);
        for (&other, &words) in shares.filter(|&(_, &words)| words > 0) {
            let windows = lines.windows(start..start + words, whole_lines);
            routes.extend(windows.into_iter().map(|window| route(Some(other), window)));
            start += words;
        }
        routes.retain(|route| route.words > 0);
        routes
    }

    /// All of a matrix.
    fn whole(&self, matrix: Matrix) -> Rect {
        let (rows, cols) = matrix.axes();
        Rect::new(0..self.shape.length(rows), 0..self.shape.length(cols))
    }
}

/// The words of a journey, line by line: a line runs along the slabs, so that every slab has its share of every part.
struct Lines<'a> {
    journey: &'a Journey<'a>,
    whole: Rect,
    /// Whether lines are rows.
    rows: bool,
    /// Words of a line.
    length: u128,
}

impl<'a> Lines<'a> {
    fn new(stay: &Stay, journey: &'a Journey<'a>) -> Lines<'a> {
        let rows = journey.matrix.axes().1 == stay.through();
        let (held, used) = (journey.held, &journey.used);
        let length = if rows {
            held.cols().overlap(&used.1)
        } else {
            held.rows().overlap(&used.0)
        };
        Lines {
            journey,
            whole: stay.whole(journey.matrix),
            rows,
            length: u128::from(length.max(1)),
        }
    }

    /// The parts of the matrix that have these words: whole lines, and what is left of the first and the last. With
    /// `round` both ends are moved to the nearest line.
    fn windows(&self, words: Range<u128>, round: bool) -> Vec<Rect> {
        let place = |word: u128| match round {
            true => ((word + self.length / 2) / self.length, 0),
            false => (word / self.length, word % self.length),
        };
        let ((first, begin), (last, end)) = (place(words.start), place(words.end));
        if first == last {
            return vec![self.window(first..first + 1, begin..end)];
        }
        let mut windows = Vec::new();
        let mut full = first;
        if begin > 0 {
            windows.push(self.window(first..first + 1, begin..self.length));
            full += 1;
        }
        windows.push(self.window(full..last, 0..self.length));
        windows.push(self.window(last..last + 1, 0..end));
        windows.retain(|window| !window.is_empty());
        windows
    }

    /// Some words of some lines.
    fn window(&self, lines: Range<u128>, words: Range<u128>) -> Rect {
        let Rect { rows, cols } = &self.whole;
        let (held, used) = (self.journey.held, &self.journey.used);
        let along_rows = |numbers: Range<u128>| part((held.rows(), &used.0), rows.end, numbers);
        let along_cols = |numbers: Range<u128>| part((held.cols(), &used.1), cols.end, numbers);
        match self.rows {
            true => Rect::new(along_rows(lines), along_cols(words)),
            false => Rect::new(along_rows(words), along_cols(lines)),
        }
    }
}

/// The indices below `end` between the common indices of two stripes with these numbers.
fn part((held, used): (&Stripe, &Stripe), end: u64, numbers: Range<u128>) -> Range<u64> {
    let edge = |number: u128| {
        // The least index below which there are so many.
        let (mut low, mut high) = (0, end);
        while low < high {
            let middle = low + (high - low) / 2;
            if u128::from(held.clip(&(0..middle)).overlap(used)) < number {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    };
    if numbers.is_empty() {
        return 0..0;
    }
    edge(numbers.start)..edge(numbers.end)
}
