//! The `redblue` command.

mod cli;

/// isl makes and frees small things all the time, a quarter of the time of a search with the system's allocator. This one
/// stands in for `malloc`, too, so that isl has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run(std::env::args_os())
}
