//! Counting the points of a union of polyhedra at fixed sizes by walking through it.
//!
//! ```text
//! for p0 in …  for p1 in …  for c0 in …      one dimension after the other, small ones first
//!     length of the union of the intervals of c1, one per disjunct
//! ```
//!
//! Tile numbers make symbolic sums split into a case per residue, and overlapping disjuncts make them cut sets apart.
//! A walk minds neither: it takes a step per point of all dimensions but the longest, so it is fast where subtrees are
//! few, and gives up where they are not.
//!
//! Dimensions that no constraint connects with others, and whose constraints all disjuncts share, are a factor.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;
use redblue_poly::{Floor, Linear, Set};

/// Largest coefficients and denominators.
const COEFFICIENT: i64 = 1 << 20;
/// Largest coordinates: sums of 64 products of both do not overflow.
const COORDINATE: i64 = 1 << 36;
/// Most variables.
const VARIABLES: usize = 62;
/// How often bounds are derived from each other before a walk.
const ROUNDS: usize = 12;

/// The number of points of a set without parameters; nothing if that takes more steps than there are. They are used up.
pub(crate) fn walked(set: &Set, steps: &mut u64) -> redblue_poly::Result<Option<BigInt>> {
    Ok(match systems(set)? {
        Some(systems) => product(set.n_dim(), systems, steps),
        None => None,
    })
}

/// The disjuncts that are not seen to be empty; nothing if one has no bounds or large numbers.
fn systems(set: &Set) -> redblue_poly::Result<Option<Vec<System>>> {
    let mut systems = Vec::new();
    for basic in set.basic_sets()? {
        let system = System::of(set.n_dim(), &basic.floors()?, &basic.constraints()?);
        let Some(mut system) = system else {
            return Ok(None);
        };
        match system.bounded() {
            Bounded::Yes => systems.push(system),
            Bounded::Empty => {}
            Bounded::No => return Ok(None),
        }
    }
    Ok(Some(systems))
}

/// One disjunct: inequalities over the dimensions, followed by its floors.
#[derive(Clone, PartialEq, Eq)]
struct System {
    rows: Vec<Row>,
    /// Position of the variable, numerator and denominator.
    floors: Vec<(usize, Row, i64)>,
    /// Least and greatest value of every variable, as far as known.
    ranges: Vec<(i64, i64)>,
}

/// `constant + Σ coefficient · variable >= 0`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    coefficients: Vec<i64>,
    constant: i64,
}

enum Bounded {
    Yes,
    No,
    Empty,
}

const FAR: i64 = i64::MAX / 4;

impl Row {
    fn of(linear: &Linear, dims: usize, floors: usize) -> Option<Row> {
        if linear.params.iter().any(|c| *c != BigInt::default()) {
            return None;
        }
        let small = |c: &BigInt| c.to_i64().filter(|c| c.abs() <= COEFFICIENT);
        let own = linear.dims.iter().take(dims).map(small);
        let mut coefficients: Vec<i64> = own.collect::<Option<_>>()?;
        coefficients.resize(dims, 0);
        for floor in &linear.floors {
            coefficients.push(small(floor)?);
        }
        coefficients.resize(dims + floors, 0);
        let constant = linear.constant.to_i64()?;
        (constant.abs() <= COEFFICIENT * COORDINATE).then_some(Row {
            coefficients,
            constant,
        })
    }

    fn negated(&self) -> Row {
        Row {
            coefficients: self.coefficients.iter().map(|c| -c).collect(),
            constant: -self.constant,
        }
    }

    fn involves(&self, var: usize) -> bool {
        self.coefficients[var] != 0
    }

    /// The greatest value of the part that the ranges of some variables leave open; `None` if it has none.
    fn most(&self, ranges: &[(i64, i64)], open: impl Fn(usize) -> bool) -> Option<i64> {
        let mut sum: i64 = 0;
        for (var, coefficient) in self.coefficients.iter().enumerate() {
            if *coefficient == 0 || !open(var) {
                continue;
            }
            let (low, high) = ranges[var];
            let end = if *coefficient > 0 { high } else { low };
            if end.abs() >= FAR {
                return None;
            }
            sum = sum.checked_add(coefficient.checked_mul(end)?)?;
        }
        Some(sum)
    }
}

impl System {
    fn of(
        dims: usize,
        floors: &[Floor],
        constraints: &[redblue_poly::Constraint],
    ) -> Option<System> {
        let vars = dims + floors.len();
        if vars > VARIABLES {
            return None;
        }
        let mut system = System {
            rows: Vec::new(),
            floors: Vec::new(),
            ranges: vec![(-FAR, FAR); vars],
        };
        for constraint in constraints {
            let row = Row::of(&constraint.linear, dims, floors.len())?;
            if constraint.equality {
                system.rows.push(row.negated());
            }
            system.rows.push(row);
        }
        for (at, floor) in floors.iter().enumerate() {
            let numerator = Row::of(&floor.numerator, dims, floors.len())?;
            let denominator = floor.denominator.to_i64().filter(|d| *d <= COEFFICIENT)?;
            if numerator.coefficients.iter().all(|c| *c == 0) {
                return None;
            }
            let var = dims + at;
            // denominator · floor <= numerator <= denominator · floor + denominator - 1
            let mut low = numerator.clone();
            low.coefficients[var] -= denominator;
            let mut high = low.negated();
            high.constant += denominator - 1;
            system.rows.extend([low, high]);
            system.floors.push((var, numerator, denominator));
        }
        system.rows.sort();
        system.rows.dedup();
        Some(system)
    }

    /// Derives ranges of all variables from each other.
    fn bounded(&mut self) -> Bounded {
        for _ in 0..ROUNDS {
            let before = self.ranges.clone();
            for row in &self.rows {
                if row.coefficients.iter().all(|c| *c == 0) && row.constant < 0 {
                    return Bounded::Empty;
                }
                for (var, coefficient) in row.coefficients.iter().enumerate() {
                    if *coefficient == 0 {
                        continue;
                    }
                    let others = row.most(&self.ranges, |other| other != var);
                    let Some(rest) = others.and_then(|others| others.checked_add(row.constant))
                    else {
                        continue;
                    };
                    let range = &mut self.ranges[var];
                    if *coefficient > 0 {
                        range.0 = range.0.max(Integer::div_ceil(&-rest, coefficient));
                    } else {
                        range.1 = range.1.min(rest.div_euclid(-coefficient));
                    }
                    if range.0 > range.1 {
                        return Bounded::Empty;
                    }
                }
            }
            if self.ranges == before {
                break;
            }
        }
        let near = |range: &(i64, i64)| range.0.abs().max(range.1.abs()) <= COORDINATE;
        match self.ranges.iter().all(near) {
            true => Bounded::Yes,
            false => Bounded::No,
        }
    }

    /// The rows that involve some of the dimensions.
    fn about(&self, group: &[usize]) -> Vec<&Row> {
        let rows = self.rows.iter();
        rows.filter(|row| group.iter().any(|var| row.involves(*var)))
            .collect()
    }
}

/// The number of points, factor by factor.
fn product(dims: usize, systems: Vec<System>, steps: &mut u64) -> Option<BigInt> {
    let Some(first) = systems.first() else {
        return Some(BigInt::default());
    };
    let mut groups: Vec<Vec<usize>> = (0..dims).map(|at| vec![at]).collect();
    for system in &systems {
        for tied in system.ties(dims) {
            let inside = |group: &Vec<usize>| group.iter().any(|at| tied.contains(at));
            let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(inside);
            groups = others;
            if !joined.is_empty() {
                groups.push(joined.concat());
            }
        }
    }
    let same = |group: &Vec<usize>| {
        let floorless = systems.len() == 1 || first.floors.is_empty();
        let rows = first.about(group);
        floorless && systems.iter().all(|system| system.about(group) == rows)
    };
    let (factors, joint): (Vec<_>, Vec<_>) = groups.into_iter().partition(same);
    let mut number = BigInt::from(1);
    for factor in factors {
        number *= Walk::new(&systems[..1], factor).count(steps)?;
    }
    if !joint.is_empty() {
        number *= Walk::new(&systems, joint.concat()).count(steps)?;
    }
    Some(number)
}

impl System {
    /// Dimensions that a row connects, directly or by way of floors.
    fn ties(&self, dims: usize) -> Vec<Vec<usize>> {
        let vars = self.ranges.len();
        let mut groups: Vec<Vec<usize>> = (0..vars).map(|at| vec![at]).collect();
        for row in &self.rows {
            let used = |group: &Vec<usize>| group.iter().any(|var| row.involves(*var));
            let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(used);
            groups = others;
            if !joined.is_empty() {
                groups.push(joined.concat());
            }
        }
        for group in &mut groups {
            group.retain(|var| *var < dims);
        }
        groups.retain(|group| group.len() > 1);
        groups
    }
}

/// A walk through some dimensions of systems, the last of which is counted as intervals.
struct Walk<'s> {
    systems: Vec<Stage<'s>>,
    order: Vec<usize>,
    leaf: usize,
}

/// A system as a walk sees it. Rows are those about the dimensions of the walk, followed by the numerators of
/// floors.
struct Stage<'s> {
    system: &'s System,
    constants: Vec<i64>,
    /// By place in the order, and by row: the most that variables which are fixed later may add.
    slack: Vec<Vec<i64>>,
    /// By place in the order, and by row: the coefficient of the variable that is fixed there.
    columns: Vec<Vec<i64>>,
    /// By place in the order, the last being the leaf's: rows with a coefficient there, and that.
    bounds: Vec<Vec<(usize, i64)>>,
    /// By place in the order: floors that are known from there on.
    floors: Vec<Vec<Known>>,
    /// Rows that the leaf is not in.
    apart: Vec<usize>,
}

/// A floor that is known: the row of its numerator, its denominator, and its coefficient by row.
struct Known {
    numerator: usize,
    denominator: i64,
    column: Vec<i64>,
}

/// What is open at a place of a walk: systems, with what is left of their constants, and ranges of the next dimension.
#[derive(Clone, Default)]
struct Open {
    systems: Vec<usize>,
    /// By system, valid for those that are open.
    rests: Vec<Vec<i64>>,
    ranges: Vec<(i64, i64)>,
}

impl<'s> Walk<'s> {
    fn new(systems: &'s [System], mut dims: Vec<usize>) -> Walk<'s> {
        let length = |var: &usize| {
            let ends = systems.iter().map(|system| system.ranges[*var]);
            ends.map(|(low, high)| high - low).max().unwrap_or(0)
        };
        let floored = |var: &usize| {
            let mut floors = systems.iter().flat_map(|system| &system.floors);
            floors.any(|(_, numerator, _)| numerator.involves(*var))
        };
        dims.sort_by_key(|var| (length(var), *var));
        // The longest dimension that no floor needs is last; if all are needed, the last one is fixed, too.
        let last = dims.iter().rposition(|var| !floored(var));
        let leaf = match last {
            Some(at) => dims.remove(at),
            None => usize::MAX,
        };
        let stages = systems.iter().map(|system| Stage::new(system, &dims, leaf));
        Walk {
            systems: stages.collect(),
            order: dims,
            leaf,
        }
    }

    fn count(&self, steps: &mut u64) -> Option<BigInt> {
        let constants = self.systems.iter().map(|stage| stage.constants.clone());
        let all = Open {
            systems: (0..self.systems.len()).collect(),
            rests: constants.collect(),
            ranges: Vec::new(),
        };
        let mut places = vec![all; self.order.len() + 1];
        let total = self.below(0, &mut places, steps)?;
        Some(BigInt::from(total))
    }

    /// Points from a place in the order on, given what is open there; the places after it are written over.
    fn below(&self, place: usize, open: &mut [Open], steps: &mut u64) -> Option<u128> {
        let (here, after) = open.split_first_mut()?;
        let Some(left) = steps.checked_sub(here.systems.len() as u64) else {
            *steps = 0;
            return None;
        };
        *steps = left;
        let (Some(&var), Some(_)) = (self.order.get(place), after.first()) else {
            return Some(self.leaf(here));
        };
        here.ranges.clear();
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        for at in &here.systems {
            let range = self.systems[*at].range(place, var, &here.rests[*at]);
            if range.0 <= range.1 {
                low = low.min(range.0);
                high = high.max(range.1);
            }
            here.ranges.push(range);
        }
        let mut total: u128 = 0;
        let mut value = low;
        while value <= high {
            let next = &mut after[0];
            next.systems.clear();
            for (at, range) in here.systems.iter().zip(&here.ranges) {
                if range.0 <= value && value <= range.1 {
                    let rest = &here.rests[*at];
                    self.systems[*at].fix(place, value, rest, &mut next.rests[*at]);
                    next.systems.push(*at);
                }
            }
            if !next.systems.is_empty() {
                total += self.below(place + 1, after, steps)?;
            }
            value += 1;
        }
        Some(total)
    }

    /// The length of the union of the intervals that are left.
    fn leaf(&self, open: &mut Open) -> u128 {
        open.ranges.clear();
        for at in &open.systems {
            let (stage, rest) = (&self.systems[*at], &open.rests[*at]);
            if stage.apart.iter().any(|row| rest[*row] < 0) {
                continue;
            }
            if self.leaf == usize::MAX {
                return 1;
            }
            let (low, high) = stage.range(self.order.len(), self.leaf, rest);
            if low <= high {
                open.ranges.push((low, high));
            }
        }
        open.ranges.sort_unstable();
        let (mut total, mut end) = (0u128, i64::MIN);
        for &(low, high) in &open.ranges {
            let from = low.max(end.saturating_add(1));
            if from <= high {
                total += (high - from + 1) as u128;
                end = high;
            }
        }
        total
    }
}

impl<'s> Stage<'s> {
    fn new(system: &'s System, order: &[usize], leaf: usize) -> Stage<'s> {
        let vars = system.ranges.len();
        // Where each variable is fixed: dimensions in their order, floors with the last dimension they need.
        let mut places: Vec<Option<usize>> = vec![None; vars];
        for (place, var) in order.iter().enumerate() {
            places[*var] = Some(place);
        }
        let mut known: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
        let mut inside: Vec<usize> = order.to_vec();
        inside.extend((leaf < vars).then_some(leaf));
        for (at, (var, numerator, _)) in system.floors.iter().enumerate() {
            let needed = (0..vars).filter(|other| numerator.involves(*other));
            if let Some(place) = needed.filter_map(|other| places[other]).max() {
                places[*var] = Some(place);
                known[place].push(at);
                inside.push(*var);
            }
        }
        let about = |row: &&Row| inside.iter().any(|var| row.involves(*var));
        let mut rows: Vec<&Row> = system.rows.iter().filter(about).collect();
        let real = rows.len();
        for at in known.iter().flatten() {
            rows.push(&system.floors[*at].1);
        }
        let column = |var: usize| -> Vec<i64> {
            let entry = |row: &&Row| row.coefficients.get(var).copied().unwrap_or(0);
            rows.iter().map(entry).collect()
        };
        let mut numerators = real..;
        let mut floors: Vec<Vec<Known>> = Vec::new();
        for list in &known {
            let mut here = Vec::new();
            for (at, numerator) in list.iter().zip(&mut numerators) {
                let (var, _, denominator) = &system.floors[*at];
                here.push(Known {
                    numerator,
                    denominator: *denominator,
                    column: column(*var),
                });
            }
            floors.push(here);
        }
        let after = |place: usize| {
            let open = |var: usize| places[var].is_none_or(|own| own > place);
            let open =
                |var: usize| open(var) || (places[var] == Some(place) && var != order[place]);
            let most = rows.iter().map(|row| row.most(&system.ranges, open));
            most.map(|most| most.unwrap_or(FAR)).collect()
        };
        let mut slack: Vec<Vec<i64>> = (0..order.len()).map(after).collect();
        slack.push(vec![0; rows.len()]);
        let columns: Vec<Vec<i64>> = order.iter().map(|var| column(*var)).collect();
        let last = column(leaf);
        let bounds = columns.iter().chain([&last]).map(|column| {
            let entries = column.iter().copied().enumerate().take(real);
            entries.filter(|(_, c)| *c != 0).collect()
        });
        Stage {
            system,
            constants: rows.iter().map(|row| row.constant).collect(),
            slack,
            bounds: bounds.collect(),
            columns,
            floors,
            apart: (0..real).filter(|row| last[*row] == 0).collect(),
        }
    }

    /// Values of a variable that the rows leave, as far as they can tell.
    fn range(&self, place: usize, var: usize, rest: &[i64]) -> (i64, i64) {
        let (mut low, mut high) = self.system.ranges[var];
        let slack = &self.slack[place];
        for (row, coefficient) in &self.bounds[place] {
            let most = rest[*row] + slack[*row];
            match *coefficient {
                1 => low = low.max(-most),
                -1 => high = high.min(most),
                up if up > 0 => low = low.max(Integer::div_ceil(&-most, &up)),
                down => high = high.min(most.div_euclid(-down)),
            }
        }
        (low, high)
    }

    /// Writes the constants that are left when a dimension has a value.
    fn fix(&self, place: usize, value: i64, rest: &[i64], left: &mut [i64]) {
        let columns = rest.iter().zip(&self.columns[place]);
        for (left, (rest, coefficient)) in left.iter_mut().zip(columns) {
            *left = rest + coefficient * value;
        }
        for floor in &self.floors[place] {
            let value = left[floor.numerator].div_euclid(floor.denominator);
            for (left, coefficient) in left.iter_mut().zip(&floor.column) {
                *left += coefficient * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use redblue_poly::Context;

    /// Walks through a set and lists its points.
    fn check(text: &str) {
        let set = Set::parse(&Context::new().unwrap(), text).unwrap();
        let number = walked(&set, &mut 1_000_000).unwrap();
        let points = BigInt::from(set.points().unwrap().len());
        assert_eq!(number, Some(points), "{text}");
    }

    #[test]
    fn walks_count_points() {
        check("{ [p, i] : 0 <= i < 50 and 7p <= i < 7p + 7 }");
        check("{ [p, q, i, k] : 0 <= k < i < 20 and 6p <= i < 6p + 6 and 4q <= k < 4q + 4 }");
        check("{ [i, j] : 0 <= i < 10 and 0 <= j < 7; [i, j] : 3 <= i < 14 and 5 <= j < 9 }");
        check("{ [i, j] : 0 <= i < 10 and 1 <= j < 1 }");
        check("{ [i, j] : 0 <= i < 9 and 0 <= j <= 8 and (i + 2j) mod 3 = 1 }");
        check("{ [p, c] : exists t : 0 <= t < 12 and 5p <= t < 5p + 5 and 2t <= c <= 2t + 9 }");
        check(
            "{ [p, w, c] : exists t, i : 0 <= t < 9 and 0 < i < 12 and 4p <= t < 4p + 4 and w = 2t + i and i - 1 <= c <= i + 1 }",
        );
        check(
            "{ [p, c] : exists t : 0 <= t < 12 and 5p <= t < 5p + 5 and c = 3t; [p, c] : 0 <= p < 2 and 0 <= c < 20 and c mod 2 = 0 }",
        );
        check(
            "{ [a, b, c] : 0 <= a < 5 and b = 2a and 0 <= c <= b; [a, b, c] : 0 <= a < 5 and a <= b < 4 and c = 3 }",
        );
        check("{ [i] : 0 <= i < 0 }");
        check("{ [] }");
    }

    #[test]
    fn long_walks_are_given_up() {
        let context = Context::new().unwrap();
        let text = "{ [i, j, k] : 0 <= i <= j <= k < 1000 }";
        let set = Set::parse(&context, text).unwrap();
        assert_eq!(walked(&set, &mut 10_000).unwrap(), None);
        let free = Set::parse(&context, "{ [i, j] : i <= j }").unwrap();
        assert_eq!(walked(&free, &mut 10_000).unwrap(), None);
        // That a is not negative follows from two constraints together, which bounds of single ones do not tell.
        let hidden = Set::parse(&context, "{ [a, c] : a < 5 and a <= c <= 2a }").unwrap();
        assert_eq!(walked(&hidden, &mut 10_000).unwrap(), None);
    }
}
