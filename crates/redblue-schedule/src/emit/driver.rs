//! A C program that runs two orders of one program on the same random data and compares what they leave.
//!
//! ```text
//! verify_c(original, reordered, sizes) ──► one C file; cc and run it: exit code 0 if all cells agree
//! ```
//!
//! Both functions are generated, so that the comparison is about the order: with the same operations on the same
//! values the results agree bit for bit (compile with `-ffp-contract=off`). Data is such that common kernels
//! stay finite: reals between 1/4 and 5/4 with a heavy diagonal, integers from 0 to 3. Nothing is compiled here.

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
    /// To 1e-12 relative, for sums that were reordered.
    Close,
}

/// The text of the program described in the module's header.
pub fn verify_c(
    original: &Program,
    reordered: &Program,
    sizes: &Sizes,
    agreement: Agreement,
) -> Result<String> {
    let named = |name: &str| EmitOptions {
        function: Some(name.to_string()),
        ..EmitOptions::default()
    };
    let (first, second) = (named("run_original"), named("run_reordered"));
    let plan = Plan::new(original, &first)?;
    let mut out = c::write(&plan)?;
    out.push('\n');
    out += &c::write(&Plan::new(reordered, &second)?)?;
    out += PRELUDE;
    out += match agreement {
        Agreement::Exact => "#define AGREE(a, b) (memcmp(&(a), &(b), sizeof(a)) == 0)\n",
        Agreement::Close => "#define AGREE(a, b) close_enough((double)(a), (double)(b))\n",
    };
    main(&plan, original, sizes, &mut out)?;
    Ok(out)
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

static inline int close_enough(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

";

fn main(plan: &Plan<'_>, program: &Program, sizes: &Sizes, out: &mut String) -> Result<()> {
    let layout = Layout::of(program, sizes)?;
    let values = program.size_values(sizes)?;
    out.push_str("int main(void)\n{\n    long wrong = 0;\n    (void)close_enough;\n");
    let mut calls = [Vec::new(), Vec::new()];
    for value in &values {
        calls
            .iter_mut()
            .for_each(|list| list.push(value.to_string()));
    }
    let mut compare = String::new();
    for (position, (array, storage)) in program.arrays.iter().zip(&plan.arrays).enumerate() {
        if storage.kind == Kind::Local {
            continue;
        }
        let (name, element) = (&array.name, array.element);
        let cells = layout.cells(ArrayId(position));
        let real = !matches!(
            element,
            ElementType::I8 | ElementType::I16 | ElementType::I32 | ElementType::I64
        );
        let columns = match layout.ranges(ArrayId(position)) {
            [_, columns] if real => columns.extent,
            _ => 0,
        };
        let number = if real {
            "0.25 + next_number()"
        } else {
            "4 * next_number()"
        };
        let _ = writeln!(
            out,
            "    {element} *{name}_1 = malloc({cells}L * sizeof *{name}_1 + 1), *{name}_2 = malloc({cells}L * sizeof *{name}_2 + 1);"
        );
        let _ = writeln!(out, "    for (long n = 0; n < {cells}L; n++) {{");
        let _ = writeln!(out, "        {name}_1[n] = ({element})({number});");
        if columns > 0 {
            let _ = writeln!(
                out,
                "        if (n / {columns}L == n % {columns}L) {name}_1[n] += {};",
                2 * columns
            );
        }
        let _ = writeln!(out, "        {name}_2[n] = {name}_1[n];\n    }}");
        for (list, copy) in calls.iter_mut().zip(["1", "2"]) {
            list.push(match storage.kind {
                Kind::Value => format!("*{name}_{copy}"),
                _ => format!("(void *){name}_{copy}"),
            });
        }
        let _ = writeln!(
            compare,
            "    for (long n = 0; n < {cells}L; n++)\n        if (!AGREE({name}_1[n], {name}_2[n]) && wrong++ < 3)\n            printf(\"{name}[%ld] differs\\n\", n);"
        );
    }
    let _ = writeln!(out, "    run_original({});", calls[0].join(", "));
    let _ = writeln!(out, "    run_reordered({});", calls[1].join(", "));
    out.push_str(&compare);
    out.push_str("    return wrong != 0;\n}\n");
    Ok(())
}
