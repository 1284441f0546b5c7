//! Layouts: owners and places by arithmetic against counting, redistributions on threads, and refusals.

#![allow(clippy::unwrap_used)]

mod common;

use common::layouts::sub_matrix;
use common::redistributions;
use redblue_dist::comm::threads;
use redblue_dist::layout::block_cyclic::{Descriptor, ProcessGrid};
use redblue_dist::layout::{Layout, LayoutError, Op, Order, Patch, overlap, redistribute, relabel};
use redblue_dist::shape::Rect;
use redblue_math::random::Random;

#[test]
fn owners_and_places_are_those_of_the_definition() {
    let mut random = Random::new(1);
    for round in 0..1500 {
        let ranks = 1 + round % 16;
        let sampled = sub_matrix(&mut random, 25, ranks);
        let layout = &sampled.layout;
        assert_eq!(
            (layout.rows(), layout.cols()),
            (sampled.rows as u64, sampled.cols as u64)
        );
        for (i, j) in (0..sampled.rows).flat_map(|i| (0..sampled.cols).map(move |j| (i, j))) {
            let (owner, place) = sampled.place(i, j);
            assert_eq!(
                layout.locate(i as u64, j as u64),
                Some((owner, place as u64))
            );
        }
        let mut range = |length: usize| {
            let (a, b) = (random.below(length + 1), random.below(length + 1));
            a.min(b)..a.max(b)
        };
        let (rows, cols) = (range(sampled.rows), range(sampled.cols));
        let whole = |range: &std::ops::Range<usize>| range.start as u64..range.end as u64;
        let rect = Rect::new(whole(&rows), whole(&cols));
        for rank in 0..ranks {
            let inside = rows.clone().flat_map(|i| cols.clone().map(move |j| (i, j)));
            let inside = inside
                .filter(|&(i, j)| sampled.place(i, j).0 == rank)
                .count();
            assert_eq!(layout.words_in(rank, &rect), inside as u128);
            let own = sampled
                .places
                .iter()
                .filter(|&&(owner, _)| owner == rank)
                .count();
            assert_eq!(layout.words(rank), own as u128);
            assert_eq!(layout.memory(rank), sampled.memory(rank) as u64);
        }
    }
}

#[test]
fn thousands_of_redistributions_on_one_to_sixteen_threads() {
    for ranks in 1..=16 {
        threads::run(ranks, |comm| redistributions::check(comm, 180, 5)).unwrap();
    }
}

#[test]
fn the_words_of_a_large_redistribution_are_counted_without_moving_any() {
    // The matrix is 3·10^9 square, in blocks of 64 on a 30×40 grid; the target is 1200 slabs of rows, each a
    // whole number of times 30 blocks high. So every rank has 1/1200 of every slab, and keeps 1/1200².
    let (ranks, height) = (1200, 64 * 30 * 1300);
    let side = height * ranks as u64;
    let grid = ProcessGrid::new(30, 40, ranks, Order::RowMajor).unwrap();
    let descriptor = Descriptor {
        m: side,
        n: side,
        mb: 64,
        nb: 64,
        rsrc: 7,
        csrc: 11,
    };
    let from = descriptor.layout(&grid, |_| None).unwrap();
    let slab = |r: u64| vec![Rect::new(r * height..(r + 1) * height, 0..side)];
    let owned: Vec<_> = (0..ranks as u64).map(slab).collect();
    let to = Layout::blocked(side, side, &owned, Order::RowMajor).unwrap();
    let own = side * height;
    for rank in [0, 5, 1199] {
        let flow = overlap::flow(&from, &to, rank);
        assert_eq!(
            (flow.sent, flow.received),
            (own - own / 1200, own - own / 1200)
        );
        assert_eq!(flow.messages, 1199);
    }
}

#[test]
fn relabelling_undoes_a_rotation_of_slabs() {
    let slabs = |shift: u64| {
        let rank = |r: u64| (r + shift) % 8;
        let owned: Vec<_> = (0..8)
            .map(|r| vec![Rect::new(rank(r) * 5..rank(r) * 5 + 5, 0..7)])
            .collect();
        Layout::blocked(40, 7, &owned, Order::ColumnMajor).unwrap()
    };
    let (from, to) = (slabs(0), slabs(3));
    assert_eq!(overlap::flow(&from, &to, 2).volume(), 35);
    let labels = relabel::best(8, &overlap::table(&from, &to).unwrap());
    let to = to.relabelled(&labels).unwrap();
    assert!((0..8).all(|rank| overlap::flow(&from, &to, rank).volume() == 0));
}

#[test]
fn impossible_layouts_are_refused() {
    let blocked = |owned: &[Vec<Rect>]| Layout::blocked(4, 4, owned, Order::ColumnMajor);
    let (left, right) = (Rect::new(0..4, 0..2), Rect::new(0..4, 2..4));
    assert!(blocked(&[vec![left.clone()], vec![right.clone()]]).is_ok());
    let missing = LayoutError::NotOwned { missing: 8 };
    assert_eq!(blocked(&[vec![left.clone()], vec![]]), Err(missing));
    let twice = LayoutError::OwnedTwice {
        first: 0,
        second: 1,
    };
    assert_eq!(
        blocked(&[vec![left.clone()], vec![left.clone()]]),
        Err(twice)
    );
    let outside = Layout::blocked(4, 3, &[vec![left], vec![right]], Order::ColumnMajor);
    assert_eq!(
        outside,
        Err(LayoutError::Outside {
            rank: 1,
            rows: 4,
            cols: 3
        })
    );
    let narrow = Patch::rectangle(&Rect::new(0..4, 0..3), 0, Order::ColumnMajor, 3);
    let lead = Layout::new(4, 3, vec![vec![narrow]]);
    assert_eq!(lead, Err(LayoutError::Lead { rank: 0 }));
    let far = Patch::rectangle(&Rect::new(0..4, 0..3), u64::MAX - 5, Order::RowMajor, 3);
    let far = Layout::new(4, 3, vec![vec![far]]);
    assert!(matches!(far, Err(LayoutError::TooLarge { .. })));
    let huge = Layout::blocked(u64::MAX, 1, &[], Order::RowMajor);
    assert!(matches!(huge, Err(LayoutError::TooLarge { .. })));
    let grid = |rows: &[u64], cols: &[u64], owner: usize| {
        Layout::grid(rows, cols, &[vec![owner]], 2, Order::RowMajor).map(|_| ())
    };
    assert_eq!(grid(&[0, 3], &[0, 2], 1), Ok(()));
    assert_eq!(
        grid(&[1, 3], &[0, 2], 1),
        Err(LayoutError::Cuts { what: "row cuts" })
    );
    assert_eq!(
        grid(&[0, 3], &[2, 0], 1),
        Err(LayoutError::Cuts {
            what: "column cuts"
        })
    );
    assert_eq!(
        grid(&[0, 3], &[0, 2], 2),
        Err(LayoutError::Cuts { what: "owners" })
    );
    assert_eq!(
        grid(&[0, 1, 3], &[0, 2], 1),
        Err(LayoutError::Cuts { what: "owners" })
    );
}

#[test]
fn bad_descriptors_name_the_entry() {
    let grid = ProcessGrid::new(2, 3, 6, Order::RowMajor).unwrap();
    let good = [1, 0, 10, 12, 2, 3, 1, 2, 6];
    assert!(Descriptor::read(&good, &grid).is_ok());
    for (index, value, name) in [
        (0, 2, "DTYPE"),
        (2, -1, "M"),
        (3, -5, "N"),
        (4, 0, "MB"),
        (5, -3, "NB"),
        (6, 2, "RSRC"),
        (7, 3, "CSRC"),
        (8, 0, "LLD"),
    ] {
        let mut entries = good;
        entries[index] = value;
        match Descriptor::read(&entries, &grid) {
            Err(LayoutError::Descriptor {
                entry,
                name: found,
                value: shown,
                ..
            }) => {
                assert_eq!((entry, found, shown), (index + 1, name, i64::from(value)));
            }
            other => panic!("{other:?}"),
        }
    }
    let (descriptor, _) = Descriptor::read(&good, &grid).unwrap();
    assert!(descriptor.layout(&grid, |_| Some(3)).is_err());
    assert!(ProcessGrid::new(2, 3, 5, Order::RowMajor).is_err());
    assert!(ProcessGrid::new(0, 3, 5, Order::RowMajor).is_err());
    assert!(ProcessGrid::with_places(1, 2, vec![0, 0], 2).is_err());
    assert!(ProcessGrid::with_places(1, 2, vec![0, 2], 2).is_err());
}

#[test]
fn mismatched_sides_are_refused() {
    let whole = |rows, cols, ranks: usize| {
        let rect = Rect::new(0..rows, 0..cols);
        let mut patches = vec![Vec::new(); ranks];
        patches[0].push(Patch::rectangle(&rect, 0, Order::ColumnMajor, rows));
        Layout::new(rows, cols, patches).unwrap()
    };
    let phase = redblue_dist::comm::Phase::Control;
    let attempt = |from: Layout, to: Layout, memory: usize| {
        let outcome = threads::run(1, |comm| {
            let mut target = vec![0.0; memory];
            redistribute(
                comm,
                (&from, &[1.0; 6]),
                Op::Plain,
                (&to, &mut target),
                phase,
            )
        });
        outcome.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(attempt(whole(2, 3, 1), whole(2, 3, 1), 6), Ok(()));
    let refused = |outcome: Result<(), String>, text: &str| {
        let error = outcome.unwrap_err();
        assert!(error.contains(text), "{error}");
    };
    refused(
        attempt(whole(2, 3, 1), whole(3, 2, 1), 6),
        "cannot move a 2×3 matrix into a 3×2 one",
    );
    refused(
        attempt(whole(2, 3, 1), whole(2, 3, 2), 6),
        "the target layout has 2 ranks, not 1",
    );
    refused(
        attempt(whole(2, 3, 2), whole(2, 3, 2), 6),
        "the communicator has 1 ranks, not 2",
    );
    refused(
        attempt(whole(2, 3, 1), whole(2, 3, 1), 5),
        "has 5 words, its layout needs 6",
    );
}
