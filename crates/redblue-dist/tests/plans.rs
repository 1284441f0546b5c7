//! Plans against the dumbest programs that can check them: the multiplication itself, rank by rank.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use redblue_dist::plan::tree::Part;
use redblue_dist::plan::{
    Plan, PlanError, Problem, RankPlan, Round, Schedule, Transfer, Tree, search,
};
use redblue_dist::{Axis, Matrix, Rect, Shape};

type Words = BTreeMap<(u64, u64), i64>;

fn words(rect: &Rect) -> impl Iterator<Item = (u64, u64)> + '_ {
    rect.rows
        .clone()
        .flat_map(|row| rect.cols.clone().map(move |col| (row, col)))
}

fn entry(matrix: Matrix, (row, col): (u64, u64)) -> i64 {
    let (row, col) = (row as i64, col as i64);
    match matrix {
        Matrix::A => (3 * row + 5 * col) % 11 - 4,
        Matrix::B => (7 * row + 2 * col) % 13 - 6,
        Matrix::C => 0,
    }
}

/// One simulated rank: what it owns, what it was sent, and partial sums for others.
struct Rank {
    plan: RankPlan,
    own: [Words; 3],
    /// Words of others that it passes on, and sums that it collects for them.
    relayed: [Words; 3],
    panels: [Words; 2],
    partial: Words,
    sent: u128,
    received: u128,
    messages: (u64, u64),
}

fn execute(plan: &Plan) -> Vec<Rank> {
    let mut ranks: Vec<Rank> = (0..plan.ranks())
        .map(|rank| {
            let plan = plan.rank(rank);
            let own = Matrix::ALL.map(|matrix| {
                let rects = plan.owned[matrix.index()].iter();
                rects
                    .flat_map(words)
                    .map(|at| (at, entry(matrix, at)))
                    .collect()
            });
            let panels = [Words::new(), Words::new()];
            let mut relayed: [Words; 3] = Default::default();
            relayed[2] = plan.relayed[2]
                .iter()
                .flat_map(words)
                .map(|at| (at, 0))
                .collect();
            Rank {
                plan,
                own,
                relayed,
                panels,
                partial: Words::new(),
                sent: 0,
                received: 0,
                messages: (0, 0),
            }
        })
        .collect();
    let handovers: Vec<_> = ranks.iter().map(|rank| rank.plan.handovers()).collect();
    exchange(
        &mut ranks,
        &handovers,
        |[sends, receives]| (sends, receives),
        relay,
    );
    for round in 0..plan.schedule().rounds() {
        let rounds: Vec<Round> = ranks.iter().map(|rank| rank.plan.round(round)).collect();
        exchange(
            &mut ranks,
            &rounds,
            |round| (&round.sends, &round.receives),
            fetch,
        );
        for (rank, round) in ranks.iter_mut().zip(&rounds) {
            multiply(rank, round);
        }
        let partial = |round: &Round| (round.partial_sends.clone(), round.partial_receives.clone());
        let partial: Vec<_> = rounds.iter().map(partial).collect();
        exchange(
            &mut ranks,
            &partial,
            |(sends, receives)| (sends, receives),
            add,
        );
    }
    let returns: Vec<_> = ranks.iter().map(|rank| rank.plan.returns()).collect();
    exchange(
        &mut ranks,
        &returns,
        |[sends, receives]| (sends, receives),
        give_back,
    );
    ranks
}

/// An owner hands a word over to its server.
fn relay(ranks: &mut [Rank], [from, to]: [usize; 2], matrix: Matrix, at: (u64, u64)) {
    let value = ranks[from].own[matrix.index()][&at];
    let known = ranks[to].relayed[matrix.index()].insert(at, value);
    assert_eq!(known, None, "handed over twice");
}

/// A server sends a word to a user.
fn fetch(ranks: &mut [Rank], [from, to]: [usize; 2], matrix: Matrix, at: (u64, u64)) {
    let sender = &ranks[from];
    let own = sender.own[matrix.index()].get(&at);
    let value = *own.unwrap_or_else(|| &sender.relayed[matrix.index()][&at]);
    ranks[to].panels[matrix.index()].insert(at, value);
}

/// A user sends a partial sum to its server.
fn add(ranks: &mut [Rank], [from, to]: [usize; 2], _: Matrix, at: (u64, u64)) {
    let value = ranks[from]
        .partial
        .remove(&at)
        .expect("a partial sum, sent once");
    let server = &mut ranks[to];
    let own = server.own[2].get_mut(&at);
    *own.unwrap_or_else(|| server.relayed[2].get_mut(&at).expect("a served word")) += value;
}

/// A server sends a sum to its owner.
fn give_back(ranks: &mut [Rank], [from, to]: [usize; 2], matrix: Matrix, at: (u64, u64)) {
    let value = ranks[from].relayed[matrix.index()]
        .remove(&at)
        .expect("a sum, sent once");
    *ranks[to].own[2].get_mut(&at).expect("an owned word") += value;
}

/// Carries out messages, which both sides must know in the same order.
fn exchange<M>(
    ranks: &mut [Rank],
    rounds: &[M],
    of: impl Fn(&M) -> (&Vec<Transfer>, &Vec<Transfer>),
    carry: impl Fn(&mut [Rank], [usize; 2], Matrix, (u64, u64)),
) {
    for sender in 0..ranks.len() {
        for receiver in 0..ranks.len() {
            let to = |transfer: &&Transfer| transfer.peer == receiver as u64;
            let from = |transfer: &&Transfer| transfer.peer == sender as u64;
            let sends: Vec<_> = of(&rounds[sender])
                .0
                .iter()
                .filter(to)
                .map(|t| (t.matrix, t.rect.clone()))
                .collect();
            let receives: Vec<_> = of(&rounds[receiver])
                .1
                .iter()
                .filter(from)
                .map(|t| (t.matrix, t.rect.clone()))
                .collect();
            assert_eq!(sends, receives, "messages from {sender} to {receiver}");
            for (matrix, rect) in sends {
                assert!(sender != receiver && !rect.is_empty());
                ranks[sender].sent += rect.words();
                ranks[receiver].received += rect.words();
                ranks[sender].messages.0 += 1;
                ranks[receiver].messages.1 += 1;
                for at in words(&rect) {
                    carry(ranks, [sender, receiver], matrix, at);
                }
            }
        }
    }
}

fn multiply(rank: &mut Rank, round: &Round) {
    let product = &round.product;
    if product.is_empty() {
        return;
    }
    for i in product.m.clone() {
        for j in product.n.clone() {
            let mut sum = 0;
            for t in product.k.clone() {
                let word = |matrix: Matrix, at| {
                    rank.own[matrix.index()]
                        .get(&at)
                        .or(rank.relayed[matrix.index()].get(&at))
                        .or(rank.panels[matrix.index()].get(&at))
                        .copied()
                };
                sum += word(Matrix::A, (i, t)).expect("A is here")
                    * word(Matrix::B, (t, j)).expect("B is here");
            }
            let relayed = rank.relayed[2].get_mut(&(i, j));
            match rank.own[2].get_mut(&(i, j)).or(relayed) {
                Some(own) => *own += sum,
                None => *rank.partial.entry((i, j)).or_default() += sum,
            }
        }
    }
}

/// What is alive in a round fits what was predicted, part by part.
/// The dumb count of memory: every message of every round.
fn check_memory(plan: &RankPlan) {
    let memory = plan.memory();
    let own: u128 = plan.owned.iter().flatten().map(Rect::words).sum();
    assert_eq!(memory.own, own);
    let relayed: u128 = plan.relayed.iter().flatten().map(Rect::words).sum();
    assert_eq!(memory.relayed, relayed);
    let [_, handed] = plan.handovers();
    for matrix in [Matrix::A, Matrix::B] {
        let of = handed.iter().filter(|one| one.matrix == matrix);
        let rects: Vec<Rect> = of.map(|one| one.rect.clone()).collect();
        assert_eq!(rects, plan.relayed[matrix.index()]);
    }
    let sum = |transfers: &[Transfer], matrix: Matrix| -> u128 {
        let of = transfers.iter().filter(|one| one.matrix == matrix);
        of.map(|one| one.rect.words()).sum()
    };
    let panels = |matrix: Matrix| -> u128 {
        let panels = plan.rounds().map(|round| sum(&round.receives, matrix));
        let panels: Vec<u128> = panels.filter(|&words| words > 0).collect();
        panels.iter().max().unwrap_or(&0) * (panels.len() as u128).min(2)
    };
    assert_eq!(memory.panels, panels(Matrix::A) + panels(Matrix::B));
    // A panel may be joined if it has few lines beside the other operand; then there is room for the largest.
    let joined = |[matrix, other]: [Matrix; 2]| {
        let lines = |of: Matrix| {
            let products = plan.rounds().map(|round| round.product);
            let side = products.map(|product| match of {
                Matrix::A => product.m.end - product.m.start,
                _ => product.n.end - product.n.start,
            });
            side.max().unwrap_or(0)
        };
        let whole = plan
            .rounds()
            .map(|round| round.product.face(matrix).words());
        let pieces = plan.rounds().any(|round| sum(&round.receives, matrix) > 0);
        match pieces && 8 * lines(matrix) <= lines(other) {
            true => whole.max().unwrap_or(0),
            false => 0,
        }
    };
    let all = [[Matrix::A, Matrix::B], [Matrix::B, Matrix::A]].map(joined);
    assert_eq!(memory.joined, all[0] + all[1]);
    let partial = plan
        .rounds()
        .map(|round| sum(&round.partial_sends, Matrix::C));
    assert_eq!(memory.partial, partial.max().unwrap_or(0));
    let messages = plan.rounds().flat_map(|round| round.partial_receives);
    let messages = messages.chain(plan.returns()[1].clone());
    let largest = messages.map(|one| one.rect.words()).max();
    assert_eq!(memory.reduction, largest.unwrap_or(0));
}

fn check(plan: &Plan) {
    let shape = plan.shape();
    let ranks = execute(plan);
    let mut result = Words::new();
    for (number, rank) in ranks.iter().enumerate() {
        check_memory(&rank.plan);
        assert!(
            rank.partial.is_empty(),
            "partial sums left on rank {number} of {plan}"
        );
        assert!(
            rank.relayed[2].is_empty(),
            "sums left on rank {number} of {plan}"
        );
        let traffic = rank.plan.traffic();
        assert_eq!(
            (traffic.sent, traffic.received),
            (rank.sent, rank.received),
            "rank {number} of {plan} for {shape}"
        );
        assert_eq!(
            (traffic.messages_sent, traffic.messages_received),
            rank.messages,
            "rank {number} of {plan}"
        );
        for (at, value) in &rank.own[2] {
            assert_eq!(
                result.insert(*at, *value),
                None,
                "two owners of C{at:?} in {plan}"
            );
        }
    }
    for matrix in Matrix::ALL {
        let owned: usize = ranks
            .iter()
            .map(|rank| rank.own[matrix.index()].len())
            .sum();
        assert_eq!(
            owned as u128,
            shape.face(matrix),
            "{matrix} in {plan} for {shape}"
        );
    }
    for i in 0..shape.m {
        for j in 0..shape.n {
            let sum: i64 = (0..shape.k)
                .map(|t| entry(Matrix::A, (i, t)) * entry(Matrix::B, (t, j)))
                .sum();
            assert_eq!(
                result.get(&(i, j)),
                Some(&sum),
                "C({i}, {j}) of {plan} for {shape}"
            );
        }
    }
    let summary = plan.summary();
    assert_eq!(
        summary.volume,
        ranks
            .iter()
            .map(|rank| rank.sent.max(rank.received))
            .max()
            .unwrap_or(0)
    );
    assert_eq!(
        summary.volume_total,
        ranks.iter().map(|rank| rank.sent).sum::<u128>()
    );
    let work: u128 = ranks
        .iter()
        .map(|rank| rank.plan.brick.shape().work())
        .sum();
    assert_eq!(work, shape.work());
}

fn any_tree() -> impl Strategy<Value = Tree> {
    let axis = prop_oneof![Just(Axis::M), Just(Axis::N), Just(Axis::K)];
    Just(Tree::Leaf).prop_recursive(3, 12, 3, move |inner| {
        let part = (1u64..3, inner).prop_map(|(repeat, tree)| Part {
            repeat,
            tree: Arc::new(tree),
        });
        (axis.clone(), prop::collection::vec(part, 1..3))
            .prop_map(|(axis, parts)| Tree::cut(axis, parts))
    })
}

fn any_shape() -> impl Strategy<Value = Shape> {
    [0u64..12, 0..12, 0..12].prop_map(|[m, n, k]| Shape::new(m, n, k))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_tree_multiplies(tree in any_tree(), shape in any_shape(), steps in 1u64..4, chunks in 1u64..3, idle in 0u64..2) {
        prop_assume!(tree.ranks() <= 24);
        let ranks = tree.ranks() + idle;
        check(&Plan::new(shape, ranks, tree, Schedule { tiles: [1, 1], steps, chunks }).unwrap());
    }

    #[test]
    fn any_grid_multiplies(grid in [1u64..4, 1..4, 1..4], shape in any_shape(), tiles in [1u64..4, 1..4], steps in 1u64..4, chunks in 1u64..3) {
        let tree = Tree::grid(grid);
        check(&Plan::new(shape, tree.ranks(), tree, Schedule { tiles, steps, chunks }).unwrap());
    }

    #[test]
    fn any_plan_found_multiplies(shape in any_shape(), ranks in 1u64..20, spare in 0u128..60) {
        let memory = (spare > 0).then(|| shape.words().div_ceil(u128::from(ranks)) + spare);
        if let Ok((plan, summary)) = search(&Problem { shape, ranks, memory }) {
            prop_assert!(memory.is_none_or(|memory| summary.memory.total() <= memory));
            check(&plan);
        } else {
            prop_assert!(memory.is_some());
        }
    }

    #[test]
    fn text_goes_both_ways(tree in any_tree(), tiles in [1u64..5, 1..5], steps in 1u64..5, chunks in 1u64..5) {
        let shape = Shape::new(100, 100, 100);
        let tiles = if tree.as_grid().is_some() { tiles } else { [1, 1] };
        let plan = Plan::new(shape, tree.ranks(), tree, Schedule { tiles, steps, chunks }).unwrap();
        let again = Plan::parse(&plan.to_string(), shape, plan.ranks());
        prop_assert_eq!(again, Ok(plan));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[mnk1-9(){}:*,/=xa-z]{0,20}") {
        let _ = Plan::parse(&text, Shape::new(10, 10, 10), 100);
    }
}

/// Sizes whose sums would overflow are refused, not computed wrongly; the largest sizes of matrices that are not are
/// planned.
#[test]
fn sizes_that_overflow_are_refused() {
    for (length, ranks) in [(u64::MAX, 3), (1 << 51, 7), (9, u64::MAX)] {
        let problem = Problem {
            shape: Shape::new(length, length, length),
            ranks,
            memory: None,
        };
        let refused = search(&problem);
        assert!(
            matches!(refused, Err(PlanError::TooLarge { .. })),
            "{refused:?}"
        );
    }
    for shape in [[u64::MAX, 1, 1], [1, 1 << 50, 1 << 48], [1 << 40; 3]] {
        let [m, n, k] = shape;
        for ranks in [1, 6, 13] {
            let problem = Problem {
                shape: Shape::new(m, n, k),
                ranks,
                memory: None,
            };
            assert!(search(&problem).is_ok(), "{problem:?}");
        }
    }
}
