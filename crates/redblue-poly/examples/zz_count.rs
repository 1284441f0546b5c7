#![allow(missing_docs)]
use redblue_poly::{Context, Set};
fn main() {
    let c = Context::new().unwrap();
    let file = std::env::args().nth(1).unwrap();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        println!("{line}");
        let s = Set::parse(&c, line).unwrap();
        let t = std::time::Instant::now();
        let n = s.count();
        let t = t.elapsed();
        match n {
            Ok(n) => println!("   {}\n   [{:?}]", n.to_string().replace('\n', "\n   "), t),
            Err(e) => println!("   ERR {e} [{t:?}]"),
        }
    }
}
