//! The tables of schedules: what the best one found provably moves, and what no schedule avoids.
//!
//! ```text
//! cargo run --release -p redblue --example schedules -- promised > docs/schedules.md
//! cargo run --release -p redblue --example schedules -- all           every kernel, three sizes, three memories
//! cargo run --release -p redblue --example schedules -- gemm NI=2000,NJ=1500,NK=1500 1024,4096
//! ```

mod cases;
mod row;

use redblue::program::Sizes;
use redblue::program::catalogue::{Entry, catalogue, find};

use row::{Row, Sized};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const HEAD: &str = "\
# Schedules, and how far they are from the bounds

*Moved* is the proven traffic of the best schedule found, loads and stores, in words; *unavoidable* is the lower bound
for the same sizes and fast memory S, no recomputation, sums in the program's own order. The order is one pair of
brackets per component, outermost dimension first; `i/32` is a tile of side 32, and the program's own order follows.
Where the ratio is above 2.5, the last column says what is thought to be loose: the *bound*, if it is no more than
inputs and outputs; the *schedule*, if no order was found that beats the program's own; either of them, if both or
neither is true.
doitgen overwrites rows that are needed until their last sums are known: the rows are copied where they are read first,
for one word per element of A more than a product with another result.

1.1 is promised of products with S = 1024. With less memory, and index groups of little more than 20·√S, it is not kept:
with S = 144 the best block a·b with a·b + a + 1 ≤ S moves 1.046 times 2·V/√S, and 1.062 times if alpha takes a word;
edges where sides do not divide sizes add up to 4 %; and words that a schedule cannot do without, but the bound does not
count, such as the results of sums that start at zero, are 1/40 of 2·V/√S for each matrix. Of 1200 random sizes up to half
above 20·√S the worst ratios with 144 ≤ S < 1024 were 1.104 (gemm), 1.134 (2mm), 1.114 (3mm) and 1.118 (doitgen), and
none was above 1.1 from S = 1024 on. Which of bound and schedule is loose is not known in between. With S = 4 it is the
bound: operands and result of an update of gemm take all four words, and two updates have no more than alpha and one other
word in common, so every schedule moves two words per update, which is twice 2·V/√S.

The last rows have no promise. Stencils are tiled
in time: a band of steps is swept by a skewed front, and what the front needs stays (`t/63, 2t+i` for jacobi-1d); heat-3d
is tiled within each step, because skewed tiles in three dimensions take too long to count. Their bounds are inputs and
outputs at these sizes, so the ratios say little about the schedules.

`attention` divides the weights before its second product: when the maximum of a row is known, all its M scores have
been computed and none of its exponentials, and when the sum is known, all exponentials and no weight. In both cases a
value is resident all the while, stored and loaded again, or made (used up) while the keys (values) are read once for less
than d rows: about 4·N·M words, of the 5.06·N·M that the schedule moves, unless S ≥ M·d/2 or so (*spills*). `attention-fused` divides
at the end and waits once, `attention-online` not at all.

`redblue tile KERNEL -D … -S …` shows a schedule in full. The table is what this command prints, and a test holds its
ratios:

```
cargo run --release -p redblue --example schedules -- promised > docs/schedules.md
```

[schedules-all.md](schedules-all.md) has every kernel of the catalogue at three sizes and with three memories.
";

const ALL: &str = "\
# All kernels: schedules at three sizes with three memories

What [schedules.md](schedules.md) says of kernels with promised ratios, for every kernel of the catalogue: sizes are an
eighth, a quarter and half of those in the kernels' headers, S is 64, 256 and 1024 words. Where sizes are not far above
√S, where S is too small for a good tile, or where the program's own order of operations leaves no freedom, ratios are
large. The last column says what is thought to be loose where the ratio is above 2.5: the *bound*, if it is no more than inputs
and outputs; the *schedule*, if no order was found that beats the program's own; either of them, if both or neither is true.
Loops called `t_by_2` count pairs of steps: stencils that fold time with `t % 2` are unfolded.

```
cargo run --release -p redblue --example schedules -- all > docs/schedules-all.md
```
";

/// Sizes of the table of all kernels: those of the headers divided by this.
const PARTS: [i64; 3] = [8, 4, 2];

/// Memories of the table of all kernels.
const MEMORIES: [u64; 3] = [64, 256, 1024];

const COLUMNS: &str = "
| kernel | sizes | S | moved | unavoidable | ratio | at most | order | loose |
|---|---|---|---|---|---|---|---|---|";

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["promised"] => {
            println!("{HEAD}{COLUMNS}");
            for promise in cases::PROMISES {
                print(promise.kernel, &given(promise.sizes)?, &[promise.words])?;
            }
            for (kernel, sizes, words) in cases::WANTED {
                print(kernel, &given(sizes)?, &[*words])?;
            }
        }
        ["all"] => {
            println!("{ALL}{COLUMNS}");
            for entry in catalogue() {
                for part in PARTS {
                    print(entry.name, &scaled(entry, part), &MEMORIES)?;
                }
            }
        }
        [kernel, sizes, words] => {
            let words: Vec<u64> = words.split(',').map(str::parse).collect::<Result<_, _>>()?;
            print(kernel, &given(sizes)?, &words)?;
        }
        _ => return Err("`promised`, `all`, or KERNEL SIZES WORDS".into()),
    }
    Ok(())
}

fn print(kernel: &str, sizes: &Sizes, memories: &[u64]) -> Outcome<()> {
    let entry = find(kernel).ok_or("no such kernel")?;
    let sized = Sized::of(entry, sizes)?;
    for &words in memories {
        let promised = cases::PROMISES.iter().find(|promise| {
            promise.kernel == kernel
                && promise.words == words
                && given(promise.sizes).is_ok_and(|theirs| theirs == *sizes)
        });
        let promised = promised.map(|promise| promise.hundredths);
        match Row::of(&sized, words, promised) {
            Ok(row) => println!("{row}"),
            Err(error) => println!("| {kernel} | {} | {words} | {error} |", row::listed(sizes)),
        }
    }
    Ok(())
}

/// Sizes as they are written on a command line.
fn given(text: &str) -> Outcome<Sizes> {
    let mut sizes = Sizes::new();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or("NAME=VALUE")?;
        sizes.insert(name.to_owned(), value.parse()?);
    }
    Ok(sizes)
}

/// The sizes of practical interest, divided; small ones, such as the sides of a filter, stay.
fn scaled(entry: &Entry, part: i64) -> Sizes {
    let smaller = |value: i64| match value {
        0..=8 => value,
        _ => (value / part).max(8),
    };
    let sizes = entry.sizes.iter();
    sizes
        .map(|(name, value)| (name.clone(), smaller(*value)))
        .collect()
}
