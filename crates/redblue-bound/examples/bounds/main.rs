//! The table of `docs/bounds.md`: what is proved, by which method, and what others have published.
//!
//! `cargo run --release -p redblue-bound --example bounds > docs/bounds.md`

mod published;
mod table;

const INTRODUCTION: &str = "\
# Lower bounds, proved and published

Every bound here is derived from the C source or the einsum in the catalogue, with no knowledge of its name, and its
certificate has been checked. `redblue bound KERNEL` shows it in full, `redblue explain METHOD` what a method assumes and
proves. A ratio is proved over published.

The file is what this command prints, and tests compare it with what is proved:

```
cargo run --release -p redblue-bound --example bounds > docs/bounds.md
```
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{INTRODUCTION}");
    for section in table::SECTIONS {
        print!("\n{}", section.head);
        for kernel in (section.kernels)() {
            for row in (section.rows)(kernel)? {
                println!("{row}");
            }
        }
    }
    Ok(())
}
