//! Accesses at fixed sizes, compiled to integer arithmetic: iteration point in, cell out, no isl.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use redblue_poly::{Affine, BasicSet, Floor, Linear, Map, PolyError};

use crate::error::Result;

/// A single-valued map with all parameters replaced by numbers.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pieces: Vec<Piece>,
}

/// An affine function on a part of the domain.
#[derive(Clone, Debug)]
struct Piece {
    /// The part as a union; empty when the piece is the only one and so needs no test.
    parts: Vec<Part>,
    coordinates: Vec<Quotient>,
}

/// A conjunction of constraints.
#[derive(Clone, Debug)]
struct Part {
    floors: Vec<Quotient>,
    /// Form, and whether it must be zero (else at least zero).
    constraints: Vec<(Form, bool)>,
}

/// `floor(form / denominator)`, with the floors the form refers to.
#[derive(Clone, Debug)]
struct Quotient {
    floors: Vec<Quotient>,
    form: Form,
    denominator: i128,
}

/// `constant + Σ dims·x + Σ floors·f`, the parameters folded into the constant.
#[derive(Clone, Debug)]
struct Form {
    constant: i128,
    dims: Vec<i128>,
    floors: Vec<i128>,
}

impl Address {
    /// Compiles an access; `params` are the sizes in the order of the map's parameters.
    pub(super) fn compile(map: &Map, params: &[i64]) -> Result<Address> {
        let pieces = map.affine_pieces()?;
        let single = pieces.len() == 1;
        let pieces = pieces
            .iter()
            .map(|(domain, coordinates)| {
                let parts = if single {
                    Vec::new()
                } else {
                    let parts = domain.basic_sets()?;
                    parts
                        .iter()
                        .map(|part| Part::compile(part, params))
                        .collect::<Result<_>>()?
                };
                let coordinates = coordinates
                    .iter()
                    .map(|affine| Quotient::affine(affine, params))
                    .collect::<Result<_>>()?;
                Ok(Piece { parts, coordinates })
            })
            .collect::<Result<_>>()?;
        Ok(Address { pieces })
    }

    /// Writes the cell accessed at `point` into `cell`; `false` outside the map's domain.
    pub(super) fn locate(&self, point: &[i64], cell: &mut Vec<i64>) -> bool {
        cell.clear();
        let here = |piece: &&Piece| {
            piece.parts.is_empty() || piece.parts.iter().any(|part| part.contains(point))
        };
        let Some(piece) = self.pieces.iter().find(here) else {
            return false;
        };
        for coordinate in &piece.coordinates {
            match i64::try_from(coordinate.value(point, &[])) {
                Ok(value) => cell.push(value),
                Err(_) => return false,
            }
        }
        true
    }
}

impl Part {
    fn compile(part: &BasicSet, params: &[i64]) -> Result<Part> {
        let floors = part.floors()?;
        let floors = floors.iter().map(|floor| Quotient::floor(floor, params));
        let constraints = part.constraints()?;
        let constraints = constraints
            .iter()
            .map(|c| Ok((Form::compile(&c.linear, params)?, c.equality)));
        Ok(Part {
            floors: floors.collect::<Result<_>>()?,
            constraints: constraints.collect::<Result<_>>()?,
        })
    }

    fn contains(&self, point: &[i64]) -> bool {
        let floors = floor_values(&self.floors, point);
        self.constraints.iter().all(|(form, equality)| {
            let value = form.value(point, &floors);
            if *equality { value == 0 } else { value >= 0 }
        })
    }
}

impl Quotient {
    fn affine(affine: &Affine, params: &[i64]) -> Result<Quotient> {
        let floors = affine
            .floors
            .iter()
            .map(|floor| Quotient::floor(floor, params));
        Ok(Quotient {
            floors: floors.collect::<Result<_>>()?,
            form: Form::compile(&affine.numerator, params)?,
            denominator: small(&affine.denominator)?,
        })
    }

    fn floor(floor: &Floor, params: &[i64]) -> Result<Quotient> {
        Ok(Quotient {
            floors: Vec::new(),
            form: Form::compile(&floor.numerator, params)?,
            denominator: small(&floor.denominator)?,
        })
    }

    /// The value at a point; a floor inside a list gets the values of the floors before it.
    fn value(&self, point: &[i64], before: &[i128]) -> i128 {
        let form = if self.floors.is_empty() {
            self.form.value(point, before)
        } else {
            self.form.value(point, &floor_values(&self.floors, point))
        };
        form.div_euclid(self.denominator)
    }
}

fn floor_values(floors: &[Quotient], point: &[i64]) -> Vec<i128> {
    let mut values = Vec::with_capacity(floors.len());
    for floor in floors {
        values.push(floor.value(point, &values));
    }
    values
}

impl Form {
    fn compile(linear: &Linear, params: &[i64]) -> Result<Form> {
        let list = |values: &[BigInt]| values.iter().map(small).collect::<Result<Vec<i128>>>();
        let mut constant = small(&linear.constant)?;
        for (coefficient, &value) in list(&linear.params)?.iter().zip(params) {
            constant += coefficient * i128::from(value);
        }
        Ok(Form {
            constant,
            dims: list(&linear.dims)?,
            floors: list(&linear.floors)?,
        })
    }

    fn value(&self, point: &[i64], floors: &[i128]) -> i128 {
        let dims: i128 = self
            .dims
            .iter()
            .zip(point)
            .map(|(c, &x)| c * i128::from(x))
            .sum();
        let floors: i128 = self.floors.iter().zip(floors).map(|(c, f)| c * f).sum();
        self.constant + dims + floors
    }
}

/// A coefficient. They come from program text, where 64 bits hold them; anything larger is refused, so
/// that the sums above cannot overflow 128 bits.
fn small(value: &BigInt) -> Result<i128> {
    let fits = value.to_i64().map(i128::from);
    fits.ok_or_else(|| {
        PolyError::Overflow {
            value: value.to_string(),
        }
        .into()
    })
}
