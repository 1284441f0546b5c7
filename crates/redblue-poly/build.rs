//! Finds the system's isl through pkg-config.

fn main() {
    if let Err(error) = pkg_config::Config::new()
        .atleast_version("0.23")
        .probe("isl")
    {
        eprintln!("isl was not found: {error}");
        eprintln!("hint: `make setup` installs it (Debian package libisl-dev)");
        std::process::exit(1);
    }
}
