//! Generated code, compiled and run: every kernel of the catalogue in its own order and in others.
//!
//! The oracle is the interpreter on the same program with the same schedule, bit by bit; it shares with the
//! generator neither loops (it scans at fixed sizes) nor arithmetic. Orders are drawn at random and need not be
//! legal: the generated code must do what the schedule says either way. `REDBLUE_SOAK=1` draws more of them.

mod compiled;
mod orders;

use redblue_poly::Map;
use redblue_program::catalogue::{Entry, catalogue, find};
use redblue_program::interpret::interpret;
use redblue_program::reading::ReadOptions;
use redblue_program::{Program, Sizes};
use redblue_schedule::emit::{Agreement, verify_c};
use redblue_schedule::{EmitOptions, Hardware, emit_c, emit_rust, expand, order_for_speed};
// For its allocator.
use redblue_testkit as _;

use compiled::{Case, Language};

fn program(entry: &Entry) -> Program {
    entry
        .read(&ReadOptions::default())
        .program
        .expect("a program")
}

fn options(name: &str) -> EmitOptions {
    EmitOptions {
        function: Some(name.to_string()),
        ..EmitOptions::default()
    }
}

/// The cells of all arrays that the caller sees, after the interpreter has run; `None` if they depend on what
/// local variables held before, which an order that is not legal may bring about.
fn expected(program: &Program, sizes: &Sizes) -> Option<Vec<(String, Vec<u64>)>> {
    let run = |local: f64| {
        let mut memory = compiled::filled(program, sizes, local);
        interpret(program, sizes, &mut memory).expect("runs");
        compiled::visible(program, &memory)
    };
    let cells = run(1.0);
    (cells == run(2.0)).then_some(cells)
}

#[track_caller]
fn check(language: Language, programs: Vec<(String, Program, Vec<Sizes>)>) {
    let mut cases = Vec::new();
    for (number, (label, program, sizes)) in programs.iter().enumerate() {
        let name = format!("kernel_{number}");
        let code = match language {
            Language::C => emit_c(program, &options(&name)),
            Language::Rust => emit_rust(program, &options(&name)),
        };
        let code = code.unwrap_or_else(|error| panic!("{label}: {error}"));
        cases.push(Case {
            name,
            code,
            program,
            sizes,
        });
    }
    let results = compiled::run(language, &cases);
    for (number, (label, program, sizes)) in programs.iter().enumerate() {
        for (at, sizes) in sizes.iter().enumerate() {
            let found = &results[&(number, at)];
            let own = !label.contains(' ');
            let Some(expected) = expected(program, sizes) else {
                assert!(!own, "{label} reads what nobody wrote");
                continue;
            };
            for (array, cells) in expected {
                // In an order that is not legal a factorisation may meet the root of a negative number.
                let finite = cells.iter().all(|bits| f64::from_bits(*bits).is_finite());
                assert!(
                    finite || label.contains(' '),
                    "{label}: {array} at {sizes:?}"
                );
                if !finite {
                    continue;
                }
                assert_eq!(
                    found[&array], cells,
                    "{label} at {sizes:?}: {array}\n{}",
                    cases[number].code
                );
            }
        }
    }
}

fn soak() -> bool {
    std::env::var_os("REDBLUE_SOAK").is_some()
}

#[test]
fn every_kernel_in_its_own_order_and_tiled_gives_the_interpreters_arrays_in_c() {
    if !compiled::exists(Language::C) {
        eprintln!("skipped: there is no C compiler `cc`");
        return;
    }
    let mut programs = Vec::new();
    for (number, entry) in catalogue().iter().enumerate() {
        let program = program(entry);
        let expanded = expand(&program).expect("expands");
        let sizes = entry.small.clone();
        programs.push((entry.name.to_string(), expanded.clone(), sizes.clone()));
        // Quick runs draw one order of every fifth kernel.
        let draws = if soak() {
            12
        } else {
            usize::from(number % 5 == 0)
        };
        for draw in 0..draws {
            let which = if (number + draw) % 2 == 0 {
                &program
            } else {
                &expanded
            };
            let (order, reordered) = orders::random(which, (number * 1000 + draw) as u64);
            let label = format!("{} {order}", entry.name);
            programs.push((label, reordered, sizes.clone()));
        }
    }
    check(Language::C, programs);
}

#[test]
fn a_sample_of_kernels_gives_the_interpreters_arrays_in_rust() {
    let mut programs = Vec::new();
    for name in [
        "gemm",
        "symm",
        "nussinov",
        "attention-online",
        "floyd-warshall",
        "lcs",
        "jacobi-1d",
        "deriche",
        "correlation",
        "adi",
    ] {
        let entry = find(name).expect(name);
        let expanded = expand(&program(entry)).expect("expands");
        let (order, reordered) = orders::random(&expanded, name.len() as u64);
        programs.push((name.to_string(), expanded, entry.small.clone()));
        programs.push((format!("{name} {order}"), reordered, entry.small.clone()));
    }
    check(Language::Rust, programs);
}

#[test]
fn the_order_for_speed_computes_what_the_original_does() {
    if !compiled::exists(Language::C) {
        eprintln!("skipped: there is no C compiler `cc`");
        return;
    }
    // The last two keep their order; their innermost loops are written anew.
    let quick = [
        "gemm",
        "syrk",
        "trmm",
        "gramschmidt",
        "symm",
        "doitgen",
        "cholesky",
        "lu",
        "floyd-warshall",
        "nussinov",
    ];
    let kept = &quick[8..];
    let mut cases = Vec::new();
    for entry in catalogue() {
        if !soak() && !quick.contains(&entry.name) {
            continue;
        }
        let original = program(entry);
        let order = order_for_speed(&original, Hardware::default()).expect("an order");
        // Register tiles are complete at sizes beyond their four by four.
        let mut sizes = entry.small.clone();
        let larger = |value: i64| {
            entry
                .sizes
                .keys()
                .map(|name| (name.clone(), value))
                .collect()
        };
        sizes.push(larger(13));
        if !soak() {
            let keeps = kept.contains(&entry.name);
            assert_eq!(order.is_none(), keeps, "order of {}", entry.name);
        }
        let order = order.unwrap_or_else(|| original.clone());
        cases.push((entry.name.to_string(), original, order, sizes));
    }
    let code: Vec<Case<'_>> = cases
        .iter()
        .enumerate()
        .map(|(number, (label, original, order, sizes))| {
            let name = format!("kernel_{number}");
            let options = EmitOptions {
                speed: true,
                ..options(&name)
            };
            let code = emit_c(order, &options);
            let code = code.unwrap_or_else(|error| panic!("{label}: {error}"));
            Case {
                name,
                code,
                program: original,
                sizes,
            }
        })
        .collect();
    let results = compiled::run(Language::C, &code);
    for (number, (label, original, _, sizes)) in cases.iter().enumerate() {
        for (at, sizes) in sizes.iter().enumerate() {
            for (array, cells) in expected(original, sizes).expect("defined") {
                let found = &results[&(number, at)][&array];
                assert!(
                    *found == cells,
                    "{label} at {sizes:?}: {array}\n{}",
                    code[number].code
                );
            }
        }
    }
}

#[test]
fn a_tiled_gemm_reads_well() {
    let mut program = program(find("gemm").expect("gemm"));
    for (statement, time) in program.statements.iter_mut().zip([
        "S0[i, j] -> [floor(i/32), floor(j/48), 0, i, j, 0]",
        "S1[i, k, j] -> [floor(i/32), floor(j/48), 1, k, i, j]",
    ]) {
        let text = format!("[NI, NJ, NK] -> {{ {time} }}");
        statement.schedule = Map::parse(program.context.context(), &text).expect("a schedule");
    }
    program.validate().expect("valid");
    insta::assert_snapshot!(
        "gemm_c",
        emit_c(&program, &EmitOptions::default()).expect("C")
    );
    insta::assert_snapshot!(
        "gemm_rust",
        emit_rust(&program, &EmitOptions::default()).expect("Rust")
    );
}

#[test]
fn only_proved_loops_are_parallel() {
    let parallel = EmitOptions {
        openmp: true,
        ..EmitOptions::default()
    };
    let count = |name: &str| {
        let program = program(find(name).expect(name));
        let text = emit_c(&program, &parallel).expect("C");
        text.matches("#pragma omp parallel for\n    for").count()
    };
    // The rows of gemm are independent; the steps of a stencil and the pivots of lu are not.
    assert_eq!(count("gemm"), 1);
    assert_eq!(count("jacobi-1d"), 0);
    assert_eq!(count("lu"), 0);
}

/// OpenMP's word must stand right before its loop, also where fast code says more about it.
#[test]
fn a_parallel_loop_follows_its_pragma() {
    let options = EmitOptions {
        openmp: true,
        speed: true,
        ..EmitOptions::default()
    };
    let mut pragmas = 0;
    for entry in catalogue() {
        let text = emit_c(&program(entry), &options).expect("C");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for pair in lines
            .windows(2)
            .filter(|pair| pair[0].starts_with("#pragma omp"))
        {
            assert!(pair[1].starts_with("for ("), "{}: {pair:?}", entry.name);
            pragmas += 1;
        }
    }
    assert!(pragmas > 20, "{pragmas}");
}

#[test]
fn a_wrong_order_is_found() {
    if !compiled::exists(Language::C) {
        eprintln!("skipped: there is no C compiler `cc`");
        return;
    }
    let entry = find("lu").expect("lu");
    let right = program(entry);
    let mut wrong = right.clone();
    let depth = right.statements[0].schedule.n_out();
    wrong = orders::backwards(&wrong, depth);
    let sizes = &entry.small[0];
    for (other, agrees) in [(&right, true), (&wrong, false)] {
        let text = verify_c(&right, other, sizes, Agreement::Exact, false).expect("C");
        assert_eq!(compiled::exit_code(&text) == Some(0), agrees);
    }
}
