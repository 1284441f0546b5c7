//! An order with open tile sizes: words and traffic for given sizes, and which depth is best for which group.
//!
//! Prepared by [`crate::estimate`], which says what is estimated.

use num_integer::Integer;
use num_rational::Ratio;

use crate::estimate::{Axis, Group};
use crate::twins::Twins;

/// How a group behaves at a depth.
#[derive(PartialEq, Eq)]
pub(crate) struct Level {
    /// Of its references; those that look the same stand here once.
    pub(crate) views: Vec<View>,
    pub(crate) loads: bool,
    pub(crate) stores: bool,
    /// Whether some of its values stay until they are used, so that less may move than all cells.
    pub(crate) hands_on: bool,
}

/// How one reference behaves at a depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct View {
    /// Per subscript.
    pub(crate) spans: Vec<Span>,
    /// Per subscript, while the next dimension is fixed, too: what slides along with it needs no more.
    window: Option<Vec<Span>>,
    /// Number of subtrees with tiles of side one.
    pub(crate) subtrees: u128,
    /// `(extent, open size, whether the cell tells it)` of tiles among the fixed dimensions.
    pub(crate) tiles: Vec<(u128, usize, bool)>,
    /// Whether it is that of a read, and of a write.
    pub(crate) ends: [bool; 2],
}

/// How many values a subscript takes: a start, and `(coefficient, open size)` for tiles, all over one divisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: i64,
    tiles: Vec<(i64, usize)>,
    divisor: i64,
    most: u128,
}

/// An order with open tile sizes, prepared for evaluation.
pub(crate) struct Form {
    pub(crate) axes: Vec<Axis>,
    pub(crate) groups: Vec<Group>,
    /// Per group, per depth.
    pub(crate) levels: Vec<Vec<Level>>,
    /// Per group, the depths at which it behaves in another way than at lesser ones.
    pub(crate) different: Vec<Vec<usize>>,
    /// Per group, earlier groups of its array whose cells may be the same, or of a twin, whose cells fill the gaps.
    pub(crate) kin: Vec<Vec<usize>>,
    /// Extent of each open size.
    pub(crate) extents: Vec<u128>,
    /// Arrays whose tiles need no more room together than one of them.
    pub(crate) twins: Twins,
    /// Whether stores count.
    pub(crate) stores_count: bool,
}

/// What an evaluation found: cost, and the depth of each group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) words: u128,
    pub(crate) cost: u128,
    pub(crate) depths: Vec<usize>,
}

impl Span {
    /// Of cells that take no room.
    pub(crate) fn none() -> Span {
        Span::whole(0)
    }

    /// Of a subscript that nothing is known of.
    pub(crate) fn whole(most: u128) -> Span {
        Span {
            start: i64::try_from(most).unwrap_or(i64::MAX / 4),
            tiles: Vec::new(),
            divisor: 1,
            most,
        }
    }

    /// Of a sum of tiles, at most so many.
    pub(crate) fn new(start: Ratio<i64>, tiles: &[(Ratio<i64>, usize)], most: u128) -> Span {
        let weights = tiles.iter().map(|(weight, _)| weight);
        let divisor = weights.fold(*start.denom(), |all, weight| all.lcm(weight.denom()));
        let scaled = |value: &Ratio<i64>| (value * Ratio::from(divisor)).to_integer();
        Span {
            start: scaled(&start),
            tiles: tiles.iter().map(|(w, size)| (scaled(w), *size)).collect(),
            divisor,
            most,
        }
    }

    fn value(&self, sizes: &[u64]) -> u128 {
        let mut value = self.start;
        for (weight, size) in &self.tiles {
            value = value.saturating_add(weight.saturating_mul(sizes[*size] as i64));
        }
        if self.divisor != 1 {
            value = Integer::div_ceil(&value, &self.divisor);
        }
        (value.max(1) as u128).min(self.most)
    }
}

impl View {
    /// A view with its window, which often is no smaller than all cells.
    pub(crate) fn new(
        spans: Vec<Span>,
        window: Vec<Span>,
        subtrees: u128,
        tiles: Vec<(u128, usize, bool)>,
        is_read: bool,
    ) -> View {
        View {
            window: (window != spans).then_some(window),
            spans,
            subtrees,
            tiles,
            ends: [is_read, !is_read],
        }
    }

    /// Adds it to a list in which those that look the same stand once.
    pub(crate) fn join(self, views: &mut Vec<View>) {
        match views.iter_mut().find(|known| known.looks_like(&self)) {
            Some(known) => known.ends = [0, 1].map(|end| known.ends[end] || self.ends[end]),
            None => views.push(self),
        }
    }

    /// Whether only the ends differ, if anything does.
    fn looks_like(&self, other: &View) -> bool {
        let cells = (&self.spans, &self.window) == (&other.spans, &other.window);
        cells && (self.subtrees, &self.tiles) == (other.subtrees, &other.tiles)
    }

    /// Cells of a subtree, and those of them that take room.
    fn words(&self, sizes: &[u64]) -> (u128, u128) {
        let cells = cells(&self.spans, sizes);
        let window = self.window.as_deref();
        let window = window.map_or(cells, |window| self::cells(window, sizes));
        (cells, cells.min(window))
    }

    /// Pairs of subtrees and cells.
    fn pairs(&self, cells: u128, sizes: &[u64]) -> u128 {
        let mut pairs = self.subtrees.saturating_mul(cells.max(1));
        for (extent, size, known) in &self.tiles {
            let side = u128::from(sizes[*size]).min(*extent).max(1);
            if *known {
                pairs = div_ceil(pairs, side);
            } else {
                let tiles = div_ceil(*extent, side);
                pairs = div_ceil(pairs.saturating_mul(tiles), *extent);
            }
        }
        pairs
    }
}

/// The product of what subscripts take.
fn cells(spans: &[Span], sizes: &[u64]) -> u128 {
    // Hardly ever more than a machine word, and then much faster.
    let mut product: u64 = 1;
    for (at, span) in spans.iter().enumerate() {
        let side = u64::try_from(span.value(sizes)).ok();
        let Some(next) = side.and_then(|side| product.checked_mul(side)) else {
            let sides = spans[at..].iter().map(|span| span.value(sizes));
            return sides.fold(u128::from(product), u128::saturating_mul);
        };
        product = next;
    }
    product.into()
}

/// The quotient, rounded up; numbers are nearly always machine words.
fn div_ceil(number: u128, divisor: u128) -> u128 {
    match (u64::try_from(number), u64::try_from(divisor)) {
        (Ok(number), Ok(divisor)) => number.div_ceil(divisor).into(),
        _ => number.div_ceil(divisor),
    }
}

impl Form {
    /// Words and traffic of a group at a depth.
    pub(crate) fn at(&self, group: usize, depth: usize, sizes: &[u64]) -> (u128, u128) {
        self.at_within(group, depth, sizes, u128::MAX)
    }

    /// The same, but for the traffic of what takes more room than there is.
    fn at_within(&self, group: usize, depth: usize, sizes: &[u64], room: u128) -> (u128, u128) {
        let level = &self.levels[group][depth];
        let moves = [level.loads, level.stores && self.stores_count];
        let (mut words, mut traffic) = (0, [0, 0]);
        for view in &level.views {
            let (cells, own) = view.words(sizes);
            words = own.max(words);
            let ends = [moves[0] && view.ends[0], moves[1] && view.ends[1]];
            if words <= room && ends != [false; 2] {
                let pairs = view.pairs(cells, sizes);
                for (most, counts) in traffic.iter_mut().zip(ends) {
                    *most = if counts { pairs.max(*most) } else { *most };
                }
            }
        }
        (words, traffic[0].saturating_add(traffic[1]))
    }

    /// Whether some window is smaller than all cells.
    pub(crate) fn slides(&self) -> bool {
        let mut views = self.levels.iter().flatten().flat_map(|level| &level.views);
        views.any(|view| view.window.is_some())
    }

    /// Words with given depths.
    pub(crate) fn words(&self, depths: &[usize], sizes: &[u64]) -> u128 {
        let mut words: u128 = 0;
        for (group, depth) in depths.iter().enumerate() {
            let own = self.at_within(group, *depth, sizes, 0).0;
            let kin = self.kin[group].iter().find(|kin| depths[**kin] == *depth);
            let theirs = kin.map_or(0, |kin| self.at_within(*kin, *depth, sizes, 0).0);
            words = words.saturating_add(own.saturating_sub(theirs));
        }
        words
    }

    /// Nothing stays: every operand is loaded where it is used.
    pub(crate) fn nothing(&self) -> Estimate {
        let depth = self.axes.len() + 1;
        let costs = (0..self.groups.len()).map(|group| self.at(group, depth, &[]).1);
        Estimate {
            words: 0,
            cost: costs.sum(),
            depths: vec![depth; self.groups.len()],
        }
    }

    /// The best depths for these sizes within so many words.
    pub(crate) fn evaluate(&self, sizes: &[u64], words: u128) -> Option<Estimate> {
        self.evaluate_below(sizes, words, u128::MAX, &mut Scratch::default())
    }

    /// The best depths for these sizes within so many words, if they may cost less than `most`. Most sizes of a grid are
    /// told to be worse than the best so far by what every group costs at least.
    pub(crate) fn evaluate_below(
        &self,
        sizes: &[u64],
        words: u128,
        most: u128,
        scratch: &mut Scratch,
    ) -> Option<Estimate> {
        scratch.fit(self);
        let Scratch {
            ranking,
            placed,
            choices,
        } = scratch;
        let mut least: u128 = 0;
        for group in ranking.iter().copied() {
            let options = &mut choices[group];
            options.clear();
            for depth in &self.different[group] {
                let (own, cost) = self.at_within(group, *depth, sizes, words);
                placed[group][*depth] = own;
                if own <= words {
                    options.push((own, cost, *depth));
                }
            }
            prune_options(options);
            // They are sorted by cost.
            least = least.saturating_add(options.first()?.1);
            if least >= most {
                return None;
            }
        }
        ranking.sort_by_key(|group| std::cmp::Reverse(choices[*group][0].1));
        let mut layers: Vec<Vec<Choice>> = Vec::with_capacity(self.groups.len());
        for (group, options) in choices.iter().enumerate() {
            // What the groups after this one cost at least.
            least = least.saturating_sub(options[0].1);
            let mut next: Vec<Choice> = Vec::new();
            let before = layers.last().map_or(1, Vec::len);
            for parent in 0..before {
                let known = layers.last().map(|layer| &layer[parent]);
                for (own, cost, depth) in options {
                    // Those of one array at one depth may be the same cells.
                    let theirs = self.kin[group].iter().find(|kin| {
                        depth_of(&layers, parent, **kin).is_some_and(|other| other == *depth)
                    });
                    let theirs = theirs.map_or(0, |kin| placed[*kin][*depth]);
                    let total = known.map_or(0, |known| known.words) + own.saturating_sub(theirs);
                    let cost = known.map_or(0, |known| known.cost) + cost;
                    if total <= words && cost.saturating_add(least) < most {
                        next.push(Choice {
                            cost,
                            words: total,
                            parent,
                            depth: *depth,
                        });
                    }
                }
            }
            next.sort_unstable();
            let mut fewest = u128::MAX;
            next.retain(|choice| {
                let better = choice.words < fewest;
                fewest = fewest.min(choice.words);
                better
            });
            next.truncate(24);
            layers.push(next);
        }
        let (words, cost) = match layers.last() {
            Some(layer) => layer.first().map(|best| (best.words, best.cost))?,
            None => (0, 0),
        };
        let depths = (0..layers.len()).filter_map(|group| depth_of(&layers, 0, group));
        Some(Estimate {
            words,
            cost,
            depths: depths.collect(),
        })
    }
}

/// What an evaluation leaves for the next one of the same form.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Groups, those that cost the most first: they tell soonest that sizes are worse than others.
    ranking: Vec<usize>,
    /// By group and depth, the words; only those that differ from the depths around them are written.
    placed: Vec<Vec<u128>>,
    /// By group, words, costs and depths, cheapest first.
    choices: Vec<Vec<(u128, u128, usize)>>,
}

impl Scratch {
    /// Makes room for a form, the first time.
    fn fit(&mut self, form: &Form) {
        if self.ranking.len() != form.groups.len() {
            self.ranking = (0..form.groups.len()).collect();
            self.placed = form.levels.iter().map(|all| vec![0; all.len()]).collect();
            self.choices = vec![Vec::new(); form.groups.len()];
        }
    }
}

/// A depth for one group after choices for those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    cost: u128,
    words: u128,
    /// Position in the layer before.
    parent: usize,
    depth: usize,
}

/// The depth that a chain of choices, given by its position in the last layer, has for a group.
fn depth_of(layers: &[Vec<Choice>], last: usize, group: usize) -> Option<usize> {
    let mut at = last;
    for layer in layers.iter().skip(group + 1).rev() {
        at = layer.get(at)?.parent;
    }
    Some(layers.get(group)?.get(at)?.depth)
}

/// Whether two keys agree wherever both are told by families.
pub(crate) fn compatible(
    one: &[Option<Vec<Ratio<i64>>>],
    other: &[Option<Vec<Ratio<i64>>>],
) -> bool {
    one.iter()
        .zip(other)
        .all(|pair| !matches!(pair, (Some(a), Some(b)) if a != b))
}

fn prune_options(options: &mut Vec<(u128, u128, usize)>) {
    options.sort_by_key(|(words, cost, depth)| (*cost, *words, *depth));
    let mut least = u128::MAX;
    options.retain(|(words, ..)| {
        let better = *words < least;
        least = least.min(*words);
        better
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_machine_words() {
        let (large, small) = (Span::whole(1 << 40), Span::whole(3));
        let spans = [small.clone(), large.clone(), small.clone(), large, small];
        assert_eq!(cells(&spans, &[]), 27 << 80);
        assert_eq!(cells(&spans[..3], &[]), 9 << 40);
        for (number, divisor) in [(7, 2), (8, 2), ((1 << 100) + 1, 1 << 90), (5, 1 << 90)] {
            assert_eq!(div_ceil(number, divisor), u128::div_ceil(number, divisor));
        }
    }
}
