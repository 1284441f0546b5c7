//! The environment variables: all of them, in one table.

use std::sync::OnceLock;
use std::time::Duration;

use redblue_dist::comm::PATIENCE;
use redblue_kernels::Backend;
use redblue_kernels::callers::Choice;

/// An environment variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The values it may have.
    pub values: &'static str,
    /// What happens if it is not set.
    pub default: &'static str,
    /// What it does.
    pub meaning: &'static str,
}

/// All variables that the library reads.
pub const VARIABLES: [Variable; 6] = [
    Variable {
        name: "REDBLUE_WAY",
        values: "`quick`, `least`, `stay`, `native`, `next`",
        default: "`quick`",
        meaning: "multiply whichever way moves less with half of the words that a redistribution copies added, whichever moves less, in the caller's layout, by a plan with redistribution, or by the next library in link order; the same on all ranks",
    },
    Variable {
        name: "REDBLUE_BACKEND",
        values: "`simd`, `reference`, or a BLAS library such as `libopenblas.so.0`",
        default: "`simd`",
        meaning: "who computes local products",
    },
    Variable {
        name: "REDBLUE_MEMORY",
        values: "bytes",
        default: "no limit",
        meaning: "how much a product may allocate for its buffers on each rank, besides the caller's matrices; smaller pieces are tried until they fit, and if none do the program ends with an error that names the bytes missing; the same on all ranks",
    },
    Variable {
        name: "REDBLUE_ON_ERROR",
        values: "`abort`, `return`",
        default: "`abort`",
        meaning: "whether `p?gemm_` ends the program after it has reported an illegal argument, as PBLAS does, or returns with C unchanged",
    },
    Variable {
        name: "REDBLUE_PATIENCE",
        values: "seconds",
        default: "`300`",
        meaning: "how long a rank waits without any progress before it ends the program with an error",
    },
    Variable {
        name: "REDBLUE_VERBOSE",
        values: "`0`, `1`",
        default: "`0`",
        meaning: "print one line per product: sizes, the way taken, and the words that the busiest rank moves",
    },
];

/// What `REDBLUE_WAY` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// This library, this way.
    Ours(Choice),
    /// The next library.
    Next,
}

/// The settings of a process.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `REDBLUE_WAY`.
    pub way: Way,
    /// `REDBLUE_BACKEND`.
    pub backend: Backend,
    /// `REDBLUE_MEMORY`.
    pub memory: Option<u64>,
    /// `REDBLUE_ON_ERROR`: whether to return.
    pub return_on_error: bool,
    /// `REDBLUE_PATIENCE`.
    pub patience: Duration,
    /// `REDBLUE_VERBOSE`.
    pub verbose: bool,
}

impl Settings {
    /// The settings of this process, read at the first call. What is not understood is reported once and ignored.
    pub fn get() -> &'static Settings {
        static SETTINGS: OnceLock<Settings> = OnceLock::new();
        SETTINGS.get_or_init(|| {
            let (settings, complaints) = Settings::read(|name| std::env::var(name).ok());
            for complaint in complaints {
                eprintln!("redblue: {complaint}");
            }
            settings
        })
    }

    /// Settings from the values of variables, and what is wrong with them.
    pub fn read(value: impl Fn(&str) -> Option<String>) -> (Settings, Vec<String>) {
        let mut settings = Settings {
            way: Way::Ours(Choice::Quick),
            backend: Backend::Simd,
            memory: None,
            return_on_error: false,
            patience: PATIENCE,
            verbose: false,
        };
        let mut complaints = Vec::new();
        for variable in VARIABLES {
            let Some(text) = value(variable.name).filter(|text| !text.is_empty()) else {
                continue;
            };
            if let Err(reason) = settings.set(variable.name, &text) {
                let Variable { name, default, .. } = variable;
                complaints.push(format!("{name}={text}: {reason}; using {default}"));
            }
        }
        (settings, complaints)
    }

    fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        let unknown = || Err("there is no such value".to_owned());
        match (name, text) {
            ("REDBLUE_WAY", "quick") => self.way = Way::Ours(Choice::Quick),
            ("REDBLUE_WAY", "least") => self.way = Way::Ours(Choice::Least),
            ("REDBLUE_WAY", "stay") => self.way = Way::Ours(Choice::Stay),
            ("REDBLUE_WAY", "native") => self.way = Way::Ours(Choice::Native),
            ("REDBLUE_WAY", "next") => self.way = Way::Next,
            ("REDBLUE_BACKEND", "simd") => self.backend = Backend::Simd,
            ("REDBLUE_BACKEND", "reference") => self.backend = Backend::Reference,
            ("REDBLUE_BACKEND", library) => {
                let blas = redblue_kernels::backend::blas::Blas::load(library);
                let blas = blas.map_err(|error| error.to_string())?;
                self.backend = Backend::Blas(std::sync::Arc::new(blas));
            }
            ("REDBLUE_MEMORY", bytes) => match bytes.parse::<u64>() {
                Ok(bytes) => self.memory = Some(bytes),
                Err(_) => return Err("it is not a number of bytes".to_owned()),
            },
            ("REDBLUE_ON_ERROR", "abort") => self.return_on_error = false,
            ("REDBLUE_ON_ERROR", "return") => self.return_on_error = true,
            ("REDBLUE_PATIENCE", seconds) => match seconds.parse::<u32>() {
                Ok(seconds) if seconds > 0 => self.patience = Duration::from_secs(seconds.into()),
                _ => return Err("it is not a positive number of seconds".to_owned()),
            },
            ("REDBLUE_VERBOSE", "0") => self.verbose = false,
            ("REDBLUE_VERBOSE", "1") => self.verbose = true,
            _ => return unknown(),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> (Settings, Vec<String>) {
        Settings::read(|asked| (asked == name).then(|| text.to_owned()))
    }

    #[test]
    fn every_listed_value_is_understood() {
        for variable in VARIABLES {
            let words: Vec<&str> = variable.values.split('`').skip(1).step_by(2).collect();
            for value in words.into_iter().filter(|value| !value.starts_with("lib")) {
                assert_eq!(read(variable.name, value).1, [""; 0], "{}", variable.name);
            }
            let (_, complaints) = read(variable.name, "no such value");
            assert_eq!(complaints.len(), 1, "{}", variable.name);
            assert!(complaints[0].contains(variable.name));
        }
    }

    #[test]
    fn values_take_effect() {
        assert_eq!(read("REDBLUE_WAY", "next").0.way, Way::Next);
        assert_eq!(
            read("REDBLUE_PATIENCE", "7").0.patience,
            Duration::from_secs(7)
        );
        assert!(!read("REDBLUE_PATIENCE", "-7").1.is_empty());
        assert_eq!(read("REDBLUE_MEMORY", "123").0.memory, Some(123));
        assert!(!read("REDBLUE_MEMORY", "1.5").1.is_empty());
        assert!(read("REDBLUE_ON_ERROR", "return").0.return_on_error);
        assert!(read("REDBLUE_VERBOSE", "1").0.verbose);
    }

    #[test]
    fn the_readme_lists_all() {
        let readme = include_str!("../../../README.md");
        for Variable {
            name,
            values,
            default,
            meaning,
        } in VARIABLES
        {
            let row = format!("| `{name}` | {values} | {default} | {meaning} |");
            assert!(readme.contains(&row), "README.md lacks\n{row}");
        }
    }
}
