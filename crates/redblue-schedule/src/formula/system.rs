//! Inequalities over variables and sizes, and their shadows.
//!
//! One disjunct of a set becomes a [`System`]: its dimensions and floors are variables, a floor being tied to its
//! numerator by two inequalities, so that points correspond one to one. Variables that an equality determines are
//! replaced. Every other variable is moved until it is not negative.
//!
//! A shadow is Fourier and Motzkin's: all pairs of a lower and an upper bound of a variable are compatible. Rows are
//! divided by their content and rounded, which no integer point notices.

use num_integer::Integer;
use num_traits::ToPrimitive;
use redblue_poly::{BasicSet, Linear};

/// Most rows of a system.
const ROWS: usize = 80;

/// `constant + Σ coefficient · size + Σ coefficient · variable`.
pub(super) type Row = Vec<i64>;

/// Rows that are at least zero. All sizes are at least one, and after [`System::nonnegative`] all variables at least zero.
#[derive(Clone, Debug)]
pub(super) struct System {
    pub(super) params: usize,
    /// Variables that are left; a row has a column for the others, too, which is zero.
    pub(super) left: Vec<usize>,
    pub(super) rows: Vec<Row>,
}

/// An end of the range of a variable: `row / divisor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub(super) row: Row,
    pub(super) divisor: i64,
}

/// What comes of making a system.
pub(super) enum Made {
    System(System),
    Empty,
    /// Numbers or rows are too many.
    TooHard,
}

impl System {
    /// The system of a disjunct for sizes that fulfil the rows of `scope`.
    pub(super) fn of(set: &BasicSet, params: usize, scope: &[Row]) -> redblue_poly::Result<Made> {
        let (constraints, floors) = (set.constraints()?, set.floors()?);
        let dims = constraints
            .iter()
            .map(|constraint| constraint.linear.dims.len())
            .chain(floors.iter().map(|floor| floor.numerator.dims.len()))
            .max();
        let shape = (params, dims.unwrap_or(0), floors.len());
        let mut equal: Vec<Row> = Vec::new();
        let mut rows: Vec<Row> = Vec::new();
        for constraint in &constraints {
            let Some(row) = row(&constraint.linear, shape) else {
                return Ok(Made::TooHard);
            };
            match constraint.equality {
                true => equal.push(row),
                false => rows.push(row),
            }
        }
        for (at, floor) in floors.iter().enumerate() {
            let numerator = row(&floor.numerator, shape);
            let (Some(numerator), Some(divisor)) = (numerator, floor.denominator.to_i64()) else {
                return Ok(Made::TooHard);
            };
            // 0 <= numerator - divisor · floor < divisor.
            let mut rest = numerator;
            rest[1 + shape.0 + shape.1 + at] -= divisor;
            let mut most = negated(&rest);
            most[0] += divisor - 1;
            rows.extend([rest, most]);
        }
        let left = (1 + params..1 + params + shape.1 + shape.2).collect();
        let mut system = System { params, left, rows };
        if system.replace(equal).is_none() {
            return Ok(Made::TooHard);
        }
        for row in scope {
            let mut row = row.clone();
            row.resize(1 + params + shape.1 + shape.2, 0);
            system.rows.push(row);
        }
        Ok(match system.round() {
            true => Made::System(system),
            false => Made::Empty,
        })
    }

    /// Takes equalities into account, which determine a variable where one has no factor.
    fn replace(&mut self, mut equal: Vec<Row>) -> Option<()> {
        while let Some(row) = equal.pop() {
            let unit = self.left.iter().find(|var| row[**var].abs() == 1);
            let Some(var) = unit.copied() else {
                self.rows.extend([negated(&row), row]);
                continue;
            };
            for other in self.rows.iter_mut().chain(&mut equal) {
                let factor = other[var].checked_mul(-row[var])?;
                *other = combined(other, 1, &row, factor)?;
            }
            self.left.retain(|other| *other != var);
        }
        Some(())
    }

    /// The same points with every variable counted from a lower bound, if it may be negative otherwise.
    pub(super) fn nonnegative(mut self) -> Option<System> {
        for var in self.left.clone() {
            let direct = System {
                rows: self
                    .rows
                    .iter()
                    .filter(|row| self.is_own(row, var))
                    .cloned()
                    .collect(),
                ..self.clone()
            };
            let low = match direct.below(var) {
                Some(low) => low,
                None => self.least(var)?,
            };
            if low.iter().any(|c| *c != 0) {
                // var = low + new.
                for row in &mut self.rows {
                    let factor = row[var];
                    *row = combined(row, 1, &low, factor)?;
                }
            }
            let mut own = vec![0; self.rows.first()?.len()];
            own[var] = 1;
            self.rows.push(own);
        }
        self.tidy().then_some(self)
    }

    /// Whether a row has no other variable.
    fn is_own(&self, row: &Row, var: usize) -> bool {
        self.left
            .iter()
            .all(|other| *other == var || row[*other] == 0)
    }

    /// An integer combination of sizes below a variable; zero if that is one.
    fn least(&self, var: usize) -> Option<Row> {
        let mut shadow = self.clone();
        for other in self.left.iter().filter(|other| **other != var) {
            shadow = shadow.shadow_with(*other, false)?;
        }
        shadow.below(var)
    }

    /// The same if there is no other variable.
    fn below(&self, var: usize) -> Option<Row> {
        let zero = vec![0; self.rows.first()?.len()];
        let (lows, _) = self.ends(var);
        let mut best: Option<Row> = None;
        for low in &lows {
            let mut form = zero.clone();
            let mut fixed = low.row[0];
            for (at, coefficient) in low.row.iter().enumerate().take(1 + self.params).skip(1) {
                if *coefficient < 0 {
                    form[at] = Integer::div_floor(coefficient, &low.divisor);
                } else {
                    fixed = fixed.checked_add(*coefficient)?;
                }
            }
            form[0] = Integer::div_floor(&fixed, &low.divisor).min(0);
            if form == zero {
                return Some(zero);
            }
            let plain = |row: &Row| row[1..].iter().all(|c| *c == 0);
            if best
                .as_ref()
                .is_none_or(|known| plain(&form) && !plain(known))
            {
                best = Some(form);
            }
        }
        best
    }

    /// Lower and upper bounds of a variable.
    pub(super) fn ends(&self, var: usize) -> (Vec<End>, Vec<End>) {
        let (mut lows, mut highs) = (Vec::new(), Vec::new());
        for row in self.rows.iter().filter(|row| row[var] != 0) {
            let low = row[var] > 0;
            let mut rest = if low { negated(row) } else { row.clone() };
            rest[var] = 0;
            let end = End {
                row: rest,
                divisor: row[var].abs(),
            };
            if low { &mut lows } else { &mut highs }.push(end);
        }
        (lows, highs)
    }

    /// The system without a variable: its shadow along it.
    pub(super) fn shadow(&self, var: usize) -> Option<System> {
        self.shadow_with(var, true)
    }

    fn shadow_with(&self, var: usize, signs: bool) -> Option<System> {
        let (tied, mut rows): (Vec<&Row>, Vec<&Row>) =
            self.rows.iter().partition(|row| row[var] != 0);
        let mut made = Vec::new();
        for low in tied.iter().filter(|row| row[var] > 0) {
            for high in tied.iter().filter(|row| row[var] < 0) {
                made.push(combined(low, -high[var], high, low[var])?);
            }
        }
        rows.extend(&made);
        let mut shadow = System {
            params: self.params,
            left: self.left.iter().copied().filter(|v| *v != var).collect(),
            rows: rows.into_iter().cloned().collect(),
        };
        let known = if signs { shadow.tidy() } else { shadow.round() };
        // An empty shadow has nothing to sum; that is not worth a case of its own.
        (known && shadow.rows.len() <= ROWS).then_some(shadow)
    }

    /// Divides and rounds rows; false if one cannot be fulfilled.
    fn round(&mut self) -> bool {
        for row in &mut self.rows {
            let content = row[1..].iter().fold(0, |gcd: i64, c| gcd.gcd(c));
            if content == 0 {
                if row[0] < 0 {
                    return false;
                }
            } else if content > 1 {
                row[1..].iter_mut().for_each(|c| *c /= content);
                row[0] = Integer::div_floor(&row[0], &content);
            }
        }
        self.rows.retain(|row| row[1..].iter().any(|c| *c != 0));
        // Of rows that differ in the constant only, the least is the strictest.
        self.rows
            .sort_by(|a, b| (&a[1..], a[0]).cmp(&(&b[1..], b[0])));
        self.rows.dedup_by(|later, first| later[1..] == first[1..]);
        true
    }

    /// Also leaves out rows that follow from another one, what sizes fulfil, and the signs.
    fn tidy(&mut self) -> bool {
        if !self.round() {
            return false;
        }
        let rows = std::mem::take(&mut self.rows);
        let sized = |row: &&Row| row[1 + self.params..].iter().all(|c| *c == 0);
        let (sized, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(sized);
        let mut kept: Vec<Row> = Vec::new();
        for (known, scope) in [(sized, false), (others, true)] {
            let scope = if scope { kept.clone() } else { Vec::new() };
            for (at, row) in known.iter().enumerate() {
                let mut later = known[at + 1..].iter().copied().chain(&kept);
                let follows = self.follows(row, None, &scope)
                    || later.any(|other| self.follows(row, Some(other), &scope));
                if self.is_sign(row) || !follows {
                    kept.push((*row).clone());
                }
            }
        }
        self.rows = kept;
        true
    }

    /// Whether a row says that a variable is not negative.
    fn is_sign(&self, row: &Row) -> bool {
        let used: Vec<usize> = (0..row.len()).filter(|at| row[*at] != 0).collect();
        matches!(used[..], [at] if at > self.params && row[at] > 0)
    }

    /// Whether a row follows from another one, or from nothing, because of the signs and of what sizes fulfil.
    pub(super) fn follows(&self, row: &Row, from: Option<&Row>, scope: &[Row]) -> bool {
        let with = |scope: Option<&Row>| {
            // Rows of sizes only may be shorter.
            let at = |row: Option<&Row>, at: usize| row.and_then(|r| r.get(at)).map_or(0, |c| *c);
            let known = |column: usize| at(from, column).saturating_add(at(scope, column));
            let difference = |column: usize| row[column].saturating_sub(known(column));
            let mut least = difference(0);
            for column in 1..row.len() {
                if difference(column) < 0 {
                    return false;
                }
                if column <= self.params {
                    least = least.saturating_add(difference(column));
                }
            }
            least >= 0
        };
        with(None) || scope.iter().any(|scope| with(Some(scope)))
    }

    /// Variables in groups that no row connects, each with the rows that it has and those of sizes only.
    pub(super) fn groups(&self) -> Vec<System> {
        let mut groups: Vec<Vec<usize>> = self.left.iter().map(|var| vec![*var]).collect();
        for row in &self.rows {
            let (tied, others): (Vec<_>, Vec<_>) = groups
                .into_iter()
                .partition(|group| group.iter().any(|var| row[*var] != 0));
            groups = others;
            if !tied.is_empty() {
                groups.push(tied.concat());
            }
        }
        let group = |mut left: Vec<usize>| {
            left.sort_unstable();
            let foreign = |row: &&Row| {
                let mut others = self.left.iter().filter(|var| !left.contains(var));
                !others.any(|var| row[*var] != 0)
            };
            System {
                params: self.params,
                rows: self.rows.iter().filter(foreign).cloned().collect(),
                left,
            }
        };
        let mut groups: Vec<System> = groups.into_iter().map(group).collect();
        groups.sort_by(|a, b| a.left.cmp(&b.left));
        groups
    }
}

fn row(linear: &Linear, (params, dims, floors): (usize, usize, usize)) -> Option<Row> {
    let mut row = vec![linear.constant.to_i64()?];
    for (part, count) in [
        (&linear.params, params),
        (&linear.dims, dims),
        (&linear.floors, floors),
    ] {
        let end = row.len() + count;
        for coefficient in part {
            row.push(coefficient.to_i64()?);
        }
        row.resize(end, 0);
    }
    Some(row)
}

fn negated(row: &Row) -> Row {
    row.iter().map(|c| -c).collect()
}

/// `a · one + b · other`.
fn combined(one: &Row, a: i64, other: &Row, b: i64) -> Option<Row> {
    let mut sum = Vec::with_capacity(one.len());
    for (x, y) in one.iter().zip(other) {
        sum.push(x.checked_mul(a)?.checked_add(y.checked_mul(b)?)?);
    }
    Some(sum)
}
