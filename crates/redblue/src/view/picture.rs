//! The picture of a plan: the bricks in their box, and who owns which words, as one self-contained page.
//!
//! The box is drawn from its front, upper right: m down, n to the right, k away. Lengths are drawn as square roots of
//! their ratios, so that needles stay visible. Pointing at a part shows its numbers. Nothing is computed here.

use std::fmt::Write;

use redblue_dist::plan::Plan;
use redblue_dist::{Axis, Brick, Matrix, Rect, Shape};

/// Largest number of ranks that can be told apart in a picture.
pub const MOST_RANKS: u64 = 512;

/// Pixels of the longest side.
const SIDE: f64 = 300.0;
/// What is left of a brick when gaps are drawn around it.
const SHRINK: f64 = 0.92;

/// The page.
pub fn page(plan: &Plan) -> String {
    let shape = plan.shape();
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{plan}</title>\n<style>\n\
         body {{ font: 15px sans-serif; margin: 2em; background: Canvas; color: CanvasText; color-scheme: light dark }}\n\
         svg {{ max-width: 100%; height: auto }} code {{ overflow-wrap: anywhere }} polygon, rect {{ stroke: #333; stroke-width: .4 }}\n\
         polygon:hover, rect:hover {{ stroke-width: 2 }}\n</style>\n<h1>{shape} on {} ranks</h1>\n<p><code>{plan}</code></p>\n",
        plan.ranks()
    );
    page.push_str(&bricks(plan));
    for matrix in Matrix::ALL {
        page.push_str(&owners(plan, matrix));
    }
    page.push_str("</html>\n");
    page
}

/// Drawn length of an axis.
fn drawn(shape: Shape, axis: Axis) -> f64 {
    let longest = shape.lengths().into_iter().max().unwrap_or(1).max(1);
    SIDE * (shape.length(axis) as f64 / longest as f64).sqrt()
}

fn bricks(plan: &Plan) -> String {
    let shape = plan.shape();
    let mut bricks: Vec<(u64, Brick)> = (0..plan.ranks())
        .map(|rank| (rank, plan.rank(rank).brick))
        .filter(|(_, brick)| !brick.is_empty())
        .collect();
    // Far, low and left first: later ones cover them.
    let order = |brick: &Brick| {
        let back = std::cmp::Reverse(brick.k.start);
        (back, std::cmp::Reverse(brick.m.start), brick.n.start)
    };
    bricks.sort_by_key(|(_, brick)| order(brick));
    let [height, width, depth] = Axis::ALL.map(|axis| drawn(shape, axis));
    let (across, down) = (width + 0.5 * depth, height + 0.4 * depth);
    let mut svg = format!(
        "<svg width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\">\n",
        across + 20.0,
        down + 20.0
    );
    for (rank, brick) in bricks {
        let traffic = plan.rank(rank).traffic();
        let (sent, received) = (traffic.sent, traffic.received);
        let title = format!(
            "rank {rank}: {}, sends {sent}, receives {received}",
            brick.shape()
        );
        let side = |axis: Axis| {
            let range = brick.range(axis);
            let scale = drawn(shape, axis) / shape.length(axis).max(1) as f64;
            let (start, end) = (range.start as f64 * scale, range.end as f64 * scale);
            let gap = (end - start) * (1.0 - SHRINK) / 2.0;
            [start + gap, end - gap]
        };
        let [m, n, k] = Axis::ALL.map(side);
        let point = |m: f64, n: f64, k: f64| {
            let (x, y) = (10.0 + n + 0.5 * k, 10.0 + m + 0.4 * (depth - k));
            format!("{x:.1},{y:.1}")
        };
        let faces = [
            (
                58,
                [
                    (m[0], n[0], k[0]),
                    (m[0], n[1], k[0]),
                    (m[1], n[1], k[0]),
                    (m[1], n[0], k[0]),
                ],
            ),
            (
                70,
                [
                    (m[0], n[0], k[0]),
                    (m[0], n[1], k[0]),
                    (m[0], n[1], k[1]),
                    (m[0], n[0], k[1]),
                ],
            ),
            (
                46,
                [
                    (m[0], n[1], k[0]),
                    (m[0], n[1], k[1]),
                    (m[1], n[1], k[1]),
                    (m[1], n[1], k[0]),
                ],
            ),
        ];
        for (light, corners) in faces {
            let points = corners.map(|(m, n, k)| point(m, n, k)).join(" ");
            let fill = colour(rank, light);
            let _ = writeln!(
                svg,
                "<polygon points=\"{points}\" fill=\"{fill}\"><title>{title}</title></polygon>"
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn owners(plan: &Plan, matrix: Matrix) -> String {
    let shape = plan.shape();
    let (rows, cols) = matrix.axes();
    let (height, width) = (drawn(shape, rows), drawn(shape, cols));
    let mut svg = format!(
        "<h2>Owners of {matrix}</h2>\n<svg width=\"{0:.0}\" height=\"{1:.0}\" viewBox=\"0 0 {0:.0} {1:.0}\">\n",
        width + 2.0,
        height + 2.0
    );
    let down = height / shape.length(rows).max(1) as f64;
    let across = width / shape.length(cols).max(1) as f64;
    for rank in 0..plan.ranks() {
        for rect in &plan.rank(rank).owned[matrix.index()] {
            let Rect { rows, cols } = rect;
            let (x, y) = (cols.start as f64 * across, rows.start as f64 * down);
            let (w, h) = (rect.width() as f64 * across, rect.height() as f64 * down);
            let fill = colour(rank, 58);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\" fill=\"{fill}\"><title>rank {rank}: {matrix}{rect}</title></rect>"
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Neighbouring ranks get hues far apart: multiples of the golden angle.
fn colour(rank: u64, light: u32) -> String {
    format!("hsl({} 60% {light}%)", rank * 137 % 360)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_brick_and_every_owner_is_drawn() {
        let shape = Shape::new(70, 60, 50);
        let plan = Plan::parse("m{3:k3,4:n2(k2)}", shape, 8).unwrap();
        let page = page(&plan);
        assert_eq!(page.matches("<polygon ").count(), 3 * 7);
        assert_eq!(page.matches("<svg ").count(), 4);
        let owned: usize = (0..8)
            .map(|rank| plan.rank(rank).owned.iter().map(Vec::len).sum::<usize>())
            .sum();
        assert_eq!(page.matches("<rect ").count(), owned);
    }
}
