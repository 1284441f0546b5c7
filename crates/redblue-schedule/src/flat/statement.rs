//! One statement with joint loops: domain, times and accesses written anew.

use redblue_poly::{Context, Map, Set};
use redblue_program::{Access, Program, Statement};

use super::kinds::{Kind, Node};
use crate::error::Result;
use crate::order::{Row, loop_names};
use crate::shape::Shape;
use crate::site::ranges;

/// A new loop or subscript: old ones with factors, and what is added to start at zero.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) parts: Vec<(usize, i64)>,
    shift: i64,
}

/// The new loops or subscripts of something that has `count` old ones; each stands where its first part stood.
pub(super) fn places(
    groups: &[Vec<Kind>],
    count: usize,
    node: impl Fn(usize) -> Node,
) -> Vec<Place> {
    let mut places = Vec::new();
    let mut done = vec![false; count];
    for at in 0..count {
        if done[at] {
            continue;
        }
        let here = |kind: &&Kind, at: usize| kind.nodes.contains(&node(at));
        let group = groups
            .iter()
            .find(|group| group.iter().any(|kind| here(&kind, at)));
        let mut place = Place {
            parts: Vec::new(),
            shift: 0,
        };
        let mut factor = 1;
        for kind in group.into_iter().flatten().rev() {
            for other in (0..count).filter(|other| here(&kind, *other)) {
                place.parts.push((other, factor));
                place.shift -= factor * kind.range.0;
                done[other] = true;
            }
            factor *= kind.range.1 - kind.range.0 + 1;
        }
        if place.parts.is_empty() {
            place.parts.push((at, 1));
        }
        done[at] = true;
        places.push(place);
    }
    places
}

/// A statement in the new loops.
pub(super) struct Flattened {
    pub(super) statement: Statement,
    /// The new loops as functions of the old ones.
    pub(super) loops: Vec<Row>,
}

impl Flattened {
    /// The statement with this number; nothing if some function does not fit the joint loops.
    pub(super) fn of(
        program: &Program,
        shape: &Shape,
        id: usize,
        places: &[Place],
        arrays: &[Vec<Place>],
        values: &[i64],
    ) -> Result<Option<Flattened>> {
        let statement = &program.statements[id];
        let context = program.context.context();
        let depth = statement.iterators.len();
        let params = program.params.len();
        let mut loops = Vec::new();
        for place in places {
            let mut row = Row::zero(depth, params);
            row.constant = place.shift;
            for (at, factor) in &place.parts {
                row.dims[*at] = *factor;
            }
            loops.push(row);
        }
        let names = loop_names("i", places.len());
        let joined = places.iter().any(|place| place.parts.len() > 1);
        let sizes: Vec<&str> = program.params.iter().map(|p| p.name.as_str()).collect();
        let written = Written {
            name: &statement.name,
            names: &names,
            sizes: sizes.join(", "),
            places,
            values,
        };
        let domain = match joined {
            false => statement.domain.clone(),
            true => {
                let known = ranges(&program.set_at(&statement.domain, values)?)?;
                let mut conditions = Vec::new();
                for (place, name) in places.iter().zip(&names) {
                    let end = |pick: &dyn Fn(&(i64, i64)) -> i64| -> i64 {
                        let parts = place.parts.iter();
                        let sum: i64 = parts.map(|(at, f)| f * pick(&known[*at])).sum();
                        sum + place.shift
                    };
                    let (low, high) = (end(&|r| r.0), end(&|r| r.1));
                    conditions.push(format!("{low} <= {name} <= {high}"));
                }
                written.set(context, &conditions)?
            }
        };
        let access = |access: &Access, rows: &Option<Vec<Row>>| -> Result<Option<Access>> {
            let target = &arrays[access.array.0];
            let map = if joined || target.iter().any(|place| place.parts.len() > 1) {
                let Some(rows) = rows else { return Ok(None) };
                let subscripts = target.iter().map(|place| written.joint(place, rows));
                let Some(subscripts) = subscripts.collect::<Option<Vec<String>>>() else {
                    return Ok(None);
                };
                let name = &program.array(access.array).name;
                written.map(context, name, &subscripts)?
            } else {
                access.map.clone()
            };
            Ok(Some(Access {
                map,
                ..access.clone()
            }))
        };
        let Some(write) = access(&statement.write, &shape.writes[id])? else {
            return Ok(None);
        };
        let mut reads = Vec::new();
        for (read, rows) in statement.reads.iter().zip(&shape.reads[id]) {
            match access(read, rows)? {
                Some(read) => reads.push(read),
                None => return Ok(None),
            }
        }
        let schedule = if joined {
            let Some(times) = shape.times[id].as_ref().map(|rows| written.times(rows)) else {
                return Ok(None);
            };
            match times {
                Some(times) => written.map(context, "", &times)?,
                None => return Ok(None),
            }
        } else {
            statement.schedule.clone()
        };
        let iterators = places.iter().map(|place| {
            let mut parts = place.parts.clone();
            parts.sort();
            let names: Vec<&str> = parts
                .iter()
                .map(|(at, _)| statement.iterators[*at].as_str())
                .collect();
            match &names[..] {
                [one] => (*one).to_owned(),
                _ => format!("({})", names.join(",")),
            }
        });
        let statement = Statement {
            iterators: iterators.collect(),
            domain,
            schedule,
            write,
            reads,
            ..statement.clone()
        };
        Ok(Some(Flattened { statement, loops }))
    }
}

/// Functions of the old loops written in the new ones.
struct Written<'w> {
    name: &'w str,
    names: &'w [String],
    /// The parameters, which sets and maps name even where they do not depend on them.
    sizes: String,
    places: &'w [Place],
    values: &'w [i64],
}

impl Written<'_> {
    /// One row, if it has every joint loop's parts in the right proportion.
    fn row(&self, row: &Row) -> Option<String> {
        let constant = row.constant + crate::order::dot(&row.params, self.values);
        let mut new = Row::zero(self.places.len(), 0);
        new.constant = constant;
        for (at, place) in self.places.iter().enumerate() {
            let (first, factor) = place.parts.first()?;
            let coefficient = row.dims[*first];
            let fits = |(at, f): &(usize, i64)| row.dims[*at] * factor == coefficient * f;
            if !place.parts.iter().all(fits) || coefficient % factor != 0 {
                return None;
            }
            new.dims[at] = coefficient / factor;
            new.constant -= new.dims[at] * place.shift;
        }
        Some(new.text(self.names, &[]))
    }

    /// A joint subscript.
    fn joint(&self, place: &Place, rows: &[Row]) -> Option<String> {
        let mut sum = Row::zero(rows.first()?.dims.len(), self.values.len());
        sum.constant = place.shift;
        for (at, factor) in &place.parts {
            let row = rows.get(*at)?;
            let add = |to: &mut [i64], from: &[i64]| {
                for (to, from) in to.iter_mut().zip(from) {
                    *to += factor * from;
                }
            };
            add(&mut sum.dims, &row.dims);
            add(&mut sum.params, &row.params);
            sum.constant += factor * row.constant;
        }
        self.row(&sum)
    }

    /// The times: a joint loop runs where its first part ran, the others are gone.
    fn times(&self, rows: &[Row]) -> Option<Vec<String>> {
        let mut seen = vec![false; self.places.len()];
        let mut times = Vec::new();
        for row in rows {
            let joint = self.places.iter().enumerate().find(|(_, place)| {
                place.parts.len() > 1 && place.parts.iter().any(|(at, _)| row.dims[*at] != 0)
            });
            match joint {
                None => times.push(self.row(row)?),
                Some((at, _)) if row.dims.iter().filter(|c| **c != 0).count() == 1 => {
                    let first = !std::mem::replace(&mut seen[at], true);
                    let text = if first { self.names[at].as_str() } else { "0" };
                    times.push(text.to_owned());
                }
                Some(_) => return None,
            }
        }
        Some(times)
    }

    fn set(&self, context: &Context, conditions: &[String]) -> Result<Set> {
        let conditions = conditions.join(" and ");
        let text = format!("[{}] -> {{ {} : {conditions} }}", self.sizes, self.tuple());
        Ok(Set::parse(context, &text)?)
    }

    fn map(&self, context: &Context, tuple: &str, values: &[String]) -> Result<Map> {
        let cell = format!("{tuple}[{}]", values.join(", "));
        let text = format!("[{}] -> {{ {} -> {cell} }}", self.sizes, self.tuple());
        Ok(Map::parse(context, &text)?)
    }

    fn tuple(&self) -> String {
        format!("{}[{}]", self.name, self.names.join(", "))
    }
}
