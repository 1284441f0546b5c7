//! C programs that run orders of one program on random data: to compare what they leave, or to time them.
//!
//! ```text
//! verify_c(original, reordered, …) ──► one C file; cc and run it: exit code 0 if all cells agree
//! timing_c(orders, sizes, runs)    ──► one C file; cc and run it: a line `name seconds` per run
//! ```
//!
//! All functions are generated, so that a comparison is about the order: with the same operations on the same
//! values the results agree bit for bit (compile with `-ffp-contract=off`). Data is such that common kernels
//! stay finite: reals between 1/4 and 5/4 with a heavy diagonal, integers from 0 to 3. Runs are interleaved, and
//! their CPU time counts. Nothing is compiled here.

use std::fmt::Write;

use redblue_program::interpret::Layout;
use redblue_program::{ArrayId, ElementType, Program, Sizes};

use super::plan::{Kind, Plan};
use super::{EmitOptions, Result, c};

/// How close results must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Bit for bit.
    Exact,
    /// To 1e-12 of the largest cell of an array, or 1e-5 in single precision, for sums that were reordered. Small
    /// cells may be differences of large numbers, which are no closer.
    Close,
}

/// A program that compares two orders; `speed` says how the second one is written.
pub fn verify_c(
    original: &Program,
    reordered: &Program,
    sizes: &Sizes,
    agreement: Agreement,
    speed: bool,
) -> Result<String> {
    let first = named("run_original", false);
    let second = named("run_reordered", speed);
    let plan = Plan::new(original, &first)?;
    let mut out = c::write(&plan)?;
    out.push('\n');
    out += &c::write(&Plan::new(reordered, &second)?)?;
    out += PRELUDE;
    main(&plan, original, sizes, agreement, &mut out)?;
    Ok(out)
}

/// An order to be timed.
#[derive(Clone, Copy, Debug)]
pub struct Timed<'p> {
    /// What it is called.
    pub name: &'static str,
    /// The program in this order.
    pub program: &'p Program,
    /// Whether its code is written for speed.
    pub speed: bool,
}

/// A program that runs every order so many times, one after the other, and prints CPU seconds.
pub fn timing_c(orders: &[Timed<'_>], sizes: &Sizes, runs: usize) -> Result<String> {
    let mut out = String::new();
    let mut body = String::new();
    let mut declarations = String::new();
    for (number, order) in orders.iter().enumerate() {
        let options = named(&format!("run_{number}"), order.speed);
        let plan = Plan::new(order.program, &options)?;
        out += &c::write(&plan)?;
        out += "\n#undef MIN\n#undef MAX\n#undef FLOORD\n#undef INDEPENDENT\n";
        for (_, _, name) in &plan.sizes {
            let _ = writeln!(out, "#undef {name}");
        }
        let values = order.program.size_values(sizes)?;
        let mut call: Vec<String> = values.iter().map(ToString::to_string).collect();
        for cells in visible(&plan, order.program, sizes)? {
            let name = format!("{}_1", cells.name);
            if number == 0 {
                let _ = writeln!(declarations, "    {}", cells.allocation(&name));
            }
            cells.fill(&name, &mut body);
            call.push(cells.argument(&name));
        }
        let _ = writeln!(
            body,
            "    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);\n    run_{number}({});\n    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);",
            call.join(", ")
        );
        let _ = writeln!(
            body,
            "    printf(\"{} %.9f\\n\", (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9);",
            order.name
        );
    }
    let _ = writeln!(
        out,
        "{PRELUDE}#include <time.h>\n\nint main(void)\n{{\n    struct timespec from, to;\n{declarations}    for (int run = 0; run < {runs}; run++) {{\n{body}    }}\n    return 0;\n}}"
    );
    Ok(format!("#define _POSIX_C_SOURCE 199309L\n{out}"))
}

fn named(function: &str, speed: bool) -> EmitOptions {
    EmitOptions {
        function: Some(function.to_string()),
        speed,
        ..EmitOptions::default()
    }
}

const PRELUDE: &str = r"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 0x9e3779b97f4a7c15u;

/* xorshift: the same numbers everywhere. */
static double next_number(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

";

fn main(
    plan: &Plan<'_>,
    program: &Program,
    sizes: &Sizes,
    agreement: Agreement,
    out: &mut String,
) -> Result<()> {
    out.push_str("int main(void)\n{\n    long wrong = 0;\n");
    let values: Vec<String> = program
        .size_values(sizes)?
        .iter()
        .map(ToString::to_string)
        .collect();
    let mut calls = [values.clone(), values];
    let mut compare = String::new();
    for array in visible(plan, program, sizes)? {
        let (name, cells) = (&array.name, array.cells);
        let copies = [format!("{name}_1"), format!("{name}_2")];
        for (copy, list) in copies.iter().zip(&mut calls) {
            let _ = writeln!(out, "    {}", array.allocation(copy));
            list.push(array.argument(copy));
        }
        array.fill(&copies[0], out);
        let _ = writeln!(
            out,
            "    memcpy({name}_2, {name}_1, {cells}L * sizeof *{name}_1);"
        );
        let differs = match (agreement, array.tolerance()) {
            (Agreement::Close, Some((size, tolerance))) => {
                let _ = writeln!(
                    compare,
                    "    double {name}_most = 0;\n    for (long n = 0; n < {cells}L; n++)\n        {name}_most = fmax({name}_most, {size}({name}_1[n]));"
                );
                format!(
                    "!({size}({name}_1[n] - {name}_2[n]) <= {tolerance} * {name}_most) && !({name}_1[n] != {name}_1[n] && {name}_2[n] != {name}_2[n])"
                )
            }
            _ => format!("memcmp(&{name}_1[n], &{name}_2[n], sizeof *{name}_1) != 0"),
        };
        let _ = writeln!(
            compare,
            "    for (long n = 0; n < {cells}L; n++)\n        if ({differs} && wrong++ < 3)\n            printf(\"{name}[%ld] differs\\n\", n);"
        );
    }
    let _ = writeln!(out, "    run_original({});", calls[0].join(", "));
    let _ = writeln!(out, "    run_reordered({});", calls[1].join(", "));
    out.push_str(&compare);
    out.push_str("    return wrong != 0;\n}\n");
    Ok(())
}

/// An array or number that the caller passes.
struct Visible {
    name: String,
    element: ElementType,
    kind: Kind,
    cells: usize,
    /// Columns of a matrix of reals, whose diagonal is heavy.
    columns: Option<i64>,
}

/// What the caller of a plan's function passes after the sizes.
fn visible(plan: &Plan<'_>, program: &Program, sizes: &Sizes) -> Result<Vec<Visible>> {
    let layout = Layout::of(program, sizes)?;
    let arrays = program.arrays.iter().zip(&plan.arrays).enumerate();
    let passed = arrays.filter(|(_, (_, storage))| storage.kind != Kind::Local);
    let list = passed.map(|(position, (array, storage))| Visible {
        name: array.name.clone(),
        element: array.element,
        kind: storage.kind,
        cells: layout.cells(ArrayId(position)),
        columns: match layout.ranges(ArrayId(position)) {
            [_, columns] if is_real(array.element) => Some(columns.extent),
            _ => None,
        },
    });
    Ok(list.collect())
}

fn is_real(element: ElementType) -> bool {
    !matches!(
        element,
        ElementType::I8 | ElementType::I16 | ElementType::I32 | ElementType::I64
    )
}

impl Visible {
    /// How C says the size of a number, and how far reordered sums may be from each other; integers are exact.
    fn tolerance(&self) -> Option<(&'static str, &'static str)> {
        match self.element {
            ElementType::F32 => Some(("fabs", "1e-5")),
            ElementType::F64 => Some(("fabs", "1e-12")),
            ElementType::C64 => Some(("cabs", "1e-5")),
            ElementType::C128 => Some(("cabs", "1e-12")),
            _ => None,
        }
    }

    fn allocation(&self, name: &str) -> String {
        let (element, cells) = (self.element, self.cells);
        format!("{element} *{name} = malloc({cells}L * sizeof *{name} + 1);")
    }

    fn argument(&self, name: &str) -> String {
        match self.kind {
            Kind::Value => format!("*{name}"),
            _ => format!("(void *){name}"),
        }
    }

    /// Appends what fills it with random numbers.
    fn fill(&self, name: &str, out: &mut String) {
        let (element, cells) = (self.element, self.cells);
        let number = if is_real(element) {
            "0.25 + next_number()"
        } else {
            "4 * next_number()"
        };
        let _ = writeln!(out, "    for (long n = 0; n < {cells}L; n++) {{");
        let _ = writeln!(out, "        {name}[n] = ({element})({number});");
        if let Some(columns) = self.columns {
            let _ = writeln!(
                out,
                "        if (n / {columns}L == n % {columns}L) {name}[n] += {};",
                2 * columns
            );
        }
        out.push_str("    }\n");
    }
}
