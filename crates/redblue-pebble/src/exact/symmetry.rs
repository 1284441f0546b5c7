//! Automorphisms of the graph, and small representatives of states under them.
//!
//! An automorphism that maps inputs to inputs and outputs to outputs turns plays into plays of the
//! same cost, so the search keeps few states of each orbit. Colour refinement narrows where a
//! vertex can go; backtracking then finds, for each vertex `v` and image `w`, one automorphism that
//! moves `v` to `w` and fixes all vertices before `v`. These coset representatives generate the
//! group, and the product of their numbers is its order.
//!
//! A small group is listed in full and a state is replaced by its least image. For a large group
//! the representatives are applied greedily for as long as the state gets smaller: any image is
//! sound, some equivalent states merely stay apart.

use super::board::State;
use super::mask::Mask;
use crate::cdag::{Cdag, Vertex};

/// Listing more maps than this costs more time per state than it saves.
const MOST_MAPS: usize = 128;

/// Backtracking steps per image after which the image is given up, and the group taken smaller.
const MOST_STEPS: usize = 20_000;

/// Backtracking steps that lead to no image, in all; then the group is taken as far as it is known.
const MOST_WASTED: usize = 10 * MOST_STEPS;

/// Automorphisms ready to be applied to masks, four bits at a time.
pub(super) struct Symmetry<M> {
    maps: Vec<Map<M>>,
    /// Whether `maps` is the whole group, the identity left out.
    complete: bool,
}

struct Map<M> {
    image: Vec<Vertex>,
    nibbles: Vec<[M; 16]>,
}

impl<M: Mask> Symmetry<M> {
    /// The symmetries of `graph`.
    pub(super) fn new(graph: &Cdag) -> Symmetry<M> {
        let levels = coset_representatives(graph);
        let order = levels.iter().try_fold(1, |order: usize, level| {
            Some(order * (level.len() + 1)).filter(|&order| order <= MOST_MAPS)
        });
        let images = match order {
            Some(_) => products(graph.len(), &levels),
            None => levels.concat(),
        };
        let maps = images.into_iter().map(|image| {
            let nibbles = nibble_table(&image);
            Map { image, nibbles }
        });
        Symmetry {
            maps: maps.collect(),
            complete: order.is_some(),
        }
    }

    /// A representative of the state's orbit.
    pub(super) fn canonical(&self, state: State<M>) -> State<M> {
        self.reduce(state, |_| {})
    }

    /// The same, showing each automorphism on the way (as its list of images) to `applied`.
    pub(super) fn reduce(
        &self,
        mut state: State<M>,
        mut applied: impl FnMut(&[Vertex]),
    ) -> State<M> {
        loop {
            let mut least = state;
            let mut best = None;
            for map in &self.maps {
                let red = image(&map.nibbles, state.red);
                if red > least.red {
                    continue;
                }
                let mapped = State {
                    red,
                    computed: image(&map.nibbles, state.computed),
                    saved: image(&map.nibbles, state.saved),
                };
                if mapped < least {
                    least = mapped;
                    best = Some(map);
                }
            }
            let Some(map) = best else {
                return state;
            };
            applied(&map.image);
            state = least;
            if self.complete {
                return state;
            }
        }
    }
}

/// All products of one representative (or none) per level, the identity left out.
fn products(n: usize, levels: &[Vec<Vec<Vertex>>]) -> Vec<Vec<Vertex>> {
    let mut group: Vec<Vec<Vertex>> = vec![(0..n).collect()];
    for level in levels {
        let so_far = group.len();
        for index in 0..so_far {
            for map in level {
                let product = map.iter().map(|&v| group[index][v]).collect();
                group.push(product);
            }
        }
    }
    group.remove(0);
    group
}

fn nibble_table<M: Mask>(image: &[usize]) -> Vec<[M; 16]> {
    image
        .chunks(4)
        .map(|four| {
            std::array::from_fn(|bits| {
                let members = four.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
                M::collect(members.map(|(_, &to)| to))
            })
        })
        .collect()
}

fn image<M: Mask>(map: &[[M; 16]], set: M) -> M {
    let nibbles = map.iter().enumerate();
    nibbles.fold(M::default(), |image, (at, table)| {
        image | table[set.nibble(at)]
    })
}

/// For each vertex in a suitable order, automorphisms that fix all earlier vertices and move this
/// one, one for each place it can go.
fn coset_representatives(graph: &Cdag) -> Vec<Vec<Vec<Vertex>>> {
    let colours = refine(graph);
    let order = search_order(graph, &colours);
    let mut search = Search {
        graph,
        colours: &colours,
        order: &order,
        image: vec![None; graph.len()],
        taken: vec![false; graph.len()],
        steps: 0,
    };
    let mut levels = Vec::new();
    let mut wasted = 0;
    for (depth, &v) in order.iter().enumerate() {
        let mut level = Vec::new();
        for w in (0..graph.len()).filter(|&w| w != v) {
            if wasted > MOST_WASTED {
                break;
            }
            search.steps = 0;
            match search.place(depth, v, w) {
                Some(image) => level.push(image),
                None => wasted += search.steps,
            }
        }
        levels.push(level);
        search.image[v] = Some(v);
        search.taken[v] = true;
    }
    levels
}

/// The coarsest colouring in which vertices of one colour have the same kind and equally coloured
/// neighbours.
fn refine(graph: &Cdag) -> Vec<usize> {
    let mut colours: Vec<usize> = (0..graph.len())
        .map(|v| usize::from(graph.is_input(v)) + 2 * usize::from(graph.is_output(v)))
        .collect();
    let mut classes = 0;
    loop {
        let around = |list: &[Vertex]| {
            let mut seen: Vec<usize> = list.iter().map(|&u| colours[u]).collect();
            seen.sort_unstable();
            seen
        };
        let signatures: Vec<_> = (0..graph.len())
            .map(|v| (colours[v], around(graph.preds(v)), around(graph.succs(v))))
            .collect();
        let mut distinct: Vec<_> = signatures.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() == classes {
            return colours;
        }
        classes = distinct.len();
        colours = signatures
            .iter()
            .map(|signature| distinct.partition_point(|other| *other < signature))
            .collect();
    }
}

/// An order that prefers neighbours of what is already fixed, then rare colours, so that wrong
/// guesses are found early.
fn search_order(graph: &Cdag, colours: &[usize]) -> Vec<Vertex> {
    let mut rarity = vec![0; graph.len()];
    for &colour in colours {
        rarity[colour] += 1;
    }
    let mut links = vec![0usize; graph.len()];
    let mut left: Vec<Vertex> = (0..graph.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let key = |&v: &Vertex| (links[v] == 0, rarity[colours[v]], usize::MAX - links[v], v);
        let best = (0..left.len()).min_by_key(|&i| key(&left[i])).unwrap_or(0);
        let v = left.swap_remove(best);
        for &u in graph.preds(v).iter().chain(graph.succs(v)) {
            links[u] += 1;
        }
        order.push(v);
    }
    order
}

struct Search<'a> {
    graph: &'a Cdag,
    colours: &'a [usize],
    order: &'a [Vertex],
    image: Vec<Option<Vertex>>,
    taken: Vec<bool>,
    steps: usize,
}

impl Search<'_> {
    /// An automorphism that extends the map so far, with the vertex at `depth` sent to `w`.
    fn place(&mut self, depth: usize, v: Vertex, w: Vertex) -> Option<Vec<Vertex>> {
        if self.taken[w] || self.colours[w] != self.colours[v] || !self.agrees(v, w) {
            return None;
        }
        self.image[v] = Some(w);
        self.taken[w] = true;
        let found = self.extend(depth + 1);
        self.image[v] = None;
        self.taken[w] = false;
        found
    }

    fn extend(&mut self, depth: usize) -> Option<Vec<Vertex>> {
        let Some(&v) = self.order.get(depth) else {
            return Some(self.image.iter().flatten().copied().collect());
        };
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return None;
        }
        // Staying put first: representatives then move as little as possible.
        let places = std::iter::once(v).chain((0..self.graph.len()).filter(move |&w| w != v));
        places.into_iter().find_map(|w| self.place(depth, v, w))
    }

    /// Whether `v -> w` maps edges to already mapped neighbours onto edges. As colours agree in
    /// degree, a complete map that keeps all edges is an automorphism.
    fn agrees(&self, v: Vertex, w: Vertex) -> bool {
        let kept = |from: &[Vertex], to: &[Vertex]| {
            from.iter()
                .all(|&u| self.image[u].is_none_or(|u| to.binary_search(&u).is_ok()))
        };
        kept(self.graph.preds(v), self.graph.preds(w))
            && kept(self.graph.succs(v), self.graph.succs(w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{self, Product};

    fn check(graph: Result<Cdag, crate::Error>, group_order: usize) {
        let graph = graph.expect("fine");
        let levels = coset_representatives(&graph);
        let order: usize = levels.iter().map(|level| level.len() + 1).product();
        assert_eq!(order, group_order);
        for map in levels.into_iter().flatten() {
            assert!(
                graph
                    .edges()
                    .all(|(u, v)| graph.succs(map[u]).contains(&map[v]))
            );
            assert!((0..graph.len()).all(|v| graph.is_output(v) == graph.is_output(map[v])));
        }
    }

    /// Values in an 8 by 8 square, results that each read a row and a column: colours tell nothing here.
    #[test]
    fn a_hard_group_is_given_up_in_time() {
        let reads = |u: usize, v: usize| u / 8 == v / 8 || u % 8 == v % 8;
        let pairs = (0..64).flat_map(|u| (0..64).map(move |v| (u, v)));
        let edges: Vec<_> = pairs
            .filter(|&(u, v)| reads(u, v))
            .map(|(u, v)| (u, 64 + v))
            .collect();
        let graph = Cdag::from_parts(128, &edges, None, None).expect("fine");
        for map in coset_representatives(&graph).concat() {
            assert!(
                edges
                    .iter()
                    .all(|&(u, v)| graph.succs(map[u]).contains(&map[v]))
            );
        }
    }

    #[test]
    fn a_small_group_is_listed_once_each() {
        let graph = generate::binary_tree(4).expect("fine");
        let mut group = products(graph.len(), &coset_representatives(&graph));
        assert_eq!(group.len(), 7);
        group.sort();
        group.dedup();
        assert_eq!(group.len(), 7);
    }

    #[test]
    fn groups_have_the_orders_known_for_them() {
        check(generate::binary_tree(8), 128);
        check(generate::pyramid(4), 2);
        check(generate::diamond(4, 4), 2);
        // Rows, columns, and for m = n the transposition.
        check(generate::matmul(3, 2, 2, Product::Fused), 6 * 2);
        check(generate::matmul(3, 3, 2, Product::Fused), 6 * 6 * 2);
        check(generate::mgs(3, 3), 1);
        check(Cdag::from_parts(3, &[(0, 1), (1, 2)], None, None), 1);
    }

    #[test]
    fn canonical_states_are_equal_on_an_orbit() {
        let graph = generate::binary_tree(4).expect("fine");
        let symmetry: Symmetry<u32> = Symmetry::new(&graph);
        let state = |red: &[usize]| State {
            red: u32::collect(red.iter().copied()),
            computed: 0,
            saved: 0,
        };
        let same = [[0, 5], [1, 5], [2, 4], [3, 4]];
        for red in same {
            assert_eq!(
                symmetry.canonical(state(&red)),
                symmetry.canonical(state(&same[0]))
            );
        }
        assert_ne!(
            symmetry.canonical(state(&[0, 4])),
            symmetry.canonical(state(&same[0]))
        );
    }
}
