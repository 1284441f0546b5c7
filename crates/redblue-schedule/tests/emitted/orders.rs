//! Other orders of a program: any injective map of its times will do.

use redblue_math::random::Random;
use redblue_poly::Map;
use redblue_program::Program;

/// The program with every time sent through a map, given by its components over `t0`, `t1`, ….
fn mapped(program: &Program, components: &[String]) -> Program {
    let depth = program.statements[0].schedule.n_out();
    let times: Vec<String> = (0..depth).map(|d| format!("t{d}")).collect();
    let text = format!(
        "{{ [{}] -> [{}] }}",
        times.join(", "),
        components.join(", ")
    );
    let map = Map::parse(program.context.context(), &text).expect("a map of times");
    let mut mapped = program.clone();
    for statement in &mut mapped.statements {
        statement.schedule = statement.schedule.apply_range(&map).expect("another time");
    }
    mapped
}

/// The program from its end to its beginning.
pub(crate) fn backwards(program: &Program, depth: usize) -> Program {
    let components: Vec<String> = (0..depth).map(|d| format!("-t{d}")).collect();
    mapped(program, &components)
}

/// Some order, with its description: tiles of some components, perhaps skewed, then all components, perhaps two
/// of them exchanged.
pub(crate) fn random(program: &Program, seed: u64) -> (String, Program) {
    let mut random = Random::new(seed);
    let depth = program.statements[0].schedule.n_out();
    // Components that are a loop of some statement.
    let loops: Vec<usize> = (0..depth)
        .filter(|d| {
            program.statements.iter().any(|s| {
                let dims = s.schedule.domain().expect("domain").n_dim();
                dims > 0 && d % 2 == 1
            })
        })
        .collect();
    let mut pick = |n: usize| random.below(n);
    let mut components = Vec::new();
    if !loops.is_empty() {
        for _ in 0..1 + pick(3) {
            let d = loops[pick(loops.len())];
            let size = 2 + pick(3);
            let skew = loops[pick(loops.len())];
            components.push(match pick(4) {
                0 if skew != d => format!("floor((t{d} + t{skew})/{size})"),
                _ => format!("floor(t{d}/{size})"),
            });
        }
    }
    let mut rest: Vec<usize> = (0..depth).collect();
    if pick(2) == 0 && loops.len() > 1 {
        rest.swap(loops[pick(loops.len())], loops[pick(loops.len())]);
    }
    components.extend(rest.iter().map(|d| format!("t{d}")));
    (components.join(","), mapped(program, &components))
}
