//! redblue as a library: read loops, count them, and ask who computes what.
//!
//! Run with `cargo run --example library -p redblue`.

use redblue::dataflow::Dataflow;
use redblue::input::{Source, load};
use redblue::program::reading::ReadOptions;

const CODE: &str = "
void prefix(int N, double x[N], double s[N])
{
    s[0] = x[0];
    for (int i = 1; i < N; i++)
        s[i] = s[i - 1] + x[i];
}
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source = Source::C {
        name: "prefix.c".into(),
        text: CODE.into(),
        mended: None,
    };
    let reading = load(&source, &ReadOptions::default());
    if reading.has_errors() {
        return Err(reading.render().into());
    }
    let program = reading.program.ok_or("nothing was read")?;

    println!(
        "{} has {} statements",
        program.name,
        program.statements.len()
    );
    for statement in &program.statements {
        println!("  {} runs for {}", statement.text, statement.domain);
    }

    let dataflow = Dataflow::of(&program)?;
    println!("its dependences");
    for (id, operands) in dataflow.statements() {
        for (_, flow) in operands.iter().flat_map(|operand| &operand.producers) {
            println!("  into {}: {flow}", program.statement(id).name);
        }
    }
    Ok(())
}
