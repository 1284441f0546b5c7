//! An oracle for canonical forms: evaluated vertex by vertex at a small size they give the arrays of the
//! interpreter, bit for bit, and their vertices are the live instances.

use std::collections::{BTreeMap, BTreeSet};

use redblue_poly::Map;
use redblue_program::canonical::{Canonical, Origin, Source};
use redblue_program::dataflow::oracle::{Instance, LastWriters};
use redblue_program::interpret::{Cell, Memory, Value, Walk, evaluate, interpret};
use redblue_program::{ArrayId, Program, Sizes};

/// A vertex: an operation and its point.
type Vertex = (usize, Vec<i64>);

/// Where a concrete operand or output comes from: the origin and the element of it.
type Place<'c> = (&'c Origin, Option<String>, Vec<i64>);

/// Everything a test needs of one program at one size.
struct Fixture<'c> {
    program: &'c Program,
    canonical: &'c Canonical,
    sizes: &'c Sizes,
    values: Vec<i64>,
    before: Memory,
}

impl<'c> Fixture<'c> {
    fn pairs(&self, map: &Map) -> Vec<(Vec<i64>, Vec<i64>)> {
        let map = self.program.map_at(map, &self.values).unwrap();
        let points = map.wrap().unwrap().flatten().unwrap().points().unwrap();
        let split = |mut point: Vec<i64>| {
            let to = point.split_off(map.n_in());
            (point, to)
        };
        points.into_iter().map(split).collect()
    }

    /// The origin of every reading point; two origins of one point are a mistake.
    fn places(&self, sources: &'c [Source]) -> BTreeMap<Vec<i64>, Place<'c>> {
        let mut places = BTreeMap::new();
        for source in sources {
            let tuple = source.relation.in_tuple();
            for (element, reader) in self.pairs(&source.relation) {
                let place = (&source.origin, tuple.clone(), element);
                assert!(places.insert(reader, place).is_none(), "two origins");
            }
        }
        places
    }

    fn value(&self, place: &Place<'_>, computed: &BTreeMap<Vertex, Value>) -> Value {
        let (origin, tuple, element) = place;
        let initial = |array: ArrayId| {
            let offset = self.before.layout().offset(array, element).unwrap();
            self.before.get(Cell { array, offset })
        };
        match origin {
            Origin::Operation(at) => computed[&(*at, element.clone())],
            Origin::Input(at) => initial(self.canonical.inputs[*at].array),
            Origin::Constant(value) => evaluate(value, &[], element, self.sizes).unwrap(),
            Origin::Undefined => {
                initial(self.program.array_named(tuple.as_deref().unwrap()).unwrap())
            }
        }
    }

    /// The values of all vertices, computed in the order in which the program executes their instances.
    fn evaluate(&self) -> BTreeMap<Vertex, Value> {
        let mut vertices: BTreeMap<Instance, Vertex> = BTreeMap::new();
        let mut operands = Vec::new();
        for (at, operation) in self.canonical.operations.iter().enumerate() {
            for (point, instance) in self.pairs(&operation.instances) {
                let known = vertices.insert((operation.statement, instance), (at, point));
                assert!(known.is_none(), "two vertices for one instance");
            }
            let places = operation
                .operands
                .iter()
                .map(|operand| self.places(&operand.sources));
            operands.push(places.collect::<Vec<_>>());
        }
        let mut computed: BTreeMap<Vertex, Value> = BTreeMap::new();
        Walk::new(self.program, self.sizes)
            .unwrap()
            .run(|step| {
                let instance = (step.statement, step.point.to_vec());
                if let Some(vertex) = vertices.get(&instance) {
                    let (at, point) = vertex;
                    let operation = &self.canonical.operations[*at];
                    let values: Vec<Value> = operands[*at]
                        .iter()
                        .map(|places| self.value(&places[point], &computed))
                        .collect();
                    let value = evaluate(&operation.value, &values, point, self.sizes)?;
                    computed.insert(vertex.clone(), value.convert(operation.element)?);
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(computed.len(), vertices.len());
        computed
    }

    /// All final cells that the canonical form claims, against the memory after a run.
    fn compare_outputs(&self, computed: &BTreeMap<Vertex, Value>, after: &Memory) {
        for output in &self.canonical.outputs {
            for (cell, place) in self.places(&output.sources) {
                let offset = after.layout().offset(output.array, &cell).unwrap();
                let expect = after.get(Cell {
                    array: output.array,
                    offset,
                });
                let element = self.program.array(output.array).element;
                let value = self.value(&place, computed).convert(element).unwrap();
                let same = value == expect || (value.to_f64().is_nan() && expect.to_f64().is_nan());
                assert!(
                    same,
                    "{}{cell:?}: {value:?} instead of {expect:?}",
                    output.name
                );
            }
        }
    }

    /// The instances of each operation are the live instances of its statement, or bounds of them.
    fn compare_liveness(&self) {
        let writers = LastWriters::by_execution(self.program, self.sizes).unwrap();
        let live = live_instances(&writers);
        for operation in &self.canonical.operations {
            let live: BTreeSet<Vec<i64>> = live
                .iter()
                .filter(|(statement, _)| *statement == operation.statement)
                .map(|(_, point)| point.clone())
                .collect();
            let points = |map: &Map| -> BTreeSet<Vec<i64>> {
                self.pairs(map)
                    .into_iter()
                    .map(|(_, point)| point)
                    .collect()
            };
            let proven = operation
                .instances
                .intersect_domain(&operation.live)
                .unwrap();
            let (kept, proven) = (points(&operation.instances), points(&proven));
            assert!(
                proven.is_subset(&live) && live.is_subset(&kept),
                "{}",
                operation.name
            );
            let exact = !operation.live_is_exact || kept == proven;
            assert!(exact, "{}", operation.name);
        }
    }
}

/// Instances from which a final cell can be reached, by walking back from the final cells.
fn live_instances(writers: &LastWriters) -> BTreeSet<Instance> {
    use redblue_program::dataflow::oracle::Origin::Written;
    let mut producers: BTreeMap<&Instance, Vec<&Instance>> = BTreeMap::new();
    for ((reader, _), origin) in &writers.reads {
        if let Written(producer) = origin {
            producers.entry(reader).or_default().push(producer);
        }
    }
    let mut live = BTreeSet::new();
    let mut waiting: Vec<&Instance> = writers.finals.values().collect();
    while let Some(instance) = waiting.pop() {
        if live.insert(instance.clone()) {
            waiting.extend(producers.get(instance).into_iter().flatten());
        }
    }
    live
}

/// Compares a canonical form with the program it came from, at one size.
pub(crate) fn check(program: &Program, canonical: &Canonical, sizes: &Sizes) {
    let mut before = Memory::zeroed(program, sizes).unwrap();
    let mut seed = 0u32;
    before
        .fill(program, |_, _| {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            f64::from(seed >> 20) / 512.0 + 0.5
        })
        .unwrap();
    let mut after = before.clone();
    interpret(program, sizes, &mut after).unwrap();
    let values = program.size_values(sizes).unwrap();
    let fixture = Fixture {
        program,
        canonical,
        sizes,
        values,
        before,
    };
    fixture.compare_outputs(&fixture.evaluate(), &after);
    fixture.compare_liveness();
}
