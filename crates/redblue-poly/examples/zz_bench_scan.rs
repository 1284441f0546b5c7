#![allow(missing_docs)]
use redblue_poly::{Context, UnionMap, scan::LoopNest};
use std::{collections::BTreeMap, ops::ControlFlow, time::Instant};
fn main() {
    let c = Context::new().unwrap();
    for (t, names) in [
        ("[n] -> { S[i,j,k] -> [i,j,k] : 0 <= i,j,k < n }", vec!["S"]),
        (
            "[n] -> { S[i,j,k] -> [floor(i/32),floor(j/32),floor(k/32),i,j,k] : 0 <= i,j,k < n }",
            vec!["S"],
        ),
        (
            "[n] -> { S[i,j] -> [i,j,0,0]: 0<=i,j<n; T[i,j,k] -> [i,j,1,k] : 0 <= i,j,k < n }",
            vec!["S", "T"],
        ),
        (
            "[n] -> { S[i,j,k] -> [i,j,k,0]: 0<=i,j,k<n; T[i,j,k] -> [i,j,k,1] : 0 <= i,j,k < n }",
            vec!["S", "T"],
        ),
    ] {
        let s = UnionMap::parse(&c, t).unwrap();
        let t0 = Instant::now();
        let nest = LoopNest::build(&s, &names, &BTreeMap::from([("n".to_string(), 700)])).unwrap();
        let t1 = Instant::now();
        let mut x = 0i64;
        let _: ControlFlow<()> = nest.for_each(|s, p| {
            x = x.wrapping_add(p[0] ^ p[p.len() - 1] ^ s as i64);
            ControlFlow::Continue(())
        });
        let t2 = Instant::now();
        println!(
            "{} build {:?} run {:?} {} instances {:.2} ns",
            x,
            t1 - t0,
            t2 - t1,
            nest.instances(),
            (t2 - t1).as_nanos() as f64 / nest.instances() as f64
        );
    }
}
