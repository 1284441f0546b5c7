//! Generated C, compiled with this machine's `cc` and run once.

use std::fs;
use std::process::{Command, Output};

use crate::Refusal;
use crate::codes::{NO_COMPILER, UNWRITABLE};

/// Compiles a C file with these flags in a temporary folder, runs it, and returns what it said.
///
/// # Errors
/// When there is no C compiler, or it refuses the text.
pub(crate) fn compiled(text: &str, flags: &[&str]) -> Result<Output, Refusal> {
    let folder = std::env::temp_dir().join(format!("redblue-compile-{}", std::process::id()));
    let (source, binary) = (folder.join("program.c"), folder.join("program"));
    let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&source, text));
    written.map_err(|error| {
        Refusal::new(
            &UNWRITABLE,
            format!("cannot write {}: {error}", source.display()),
        )
    })?;
    let refuse =
        |why: String| Refusal::new(&NO_COMPILER, why).hint("install a C compiler, for example gcc");
    let output = Command::new("cc")
        .args(flags)
        .arg("-o")
        .arg(&binary)
        .arg(&source)
        .arg("-lm")
        .output();
    let outcome = match output {
        Err(error) => Err(refuse(format!("cannot run `cc`: {error}"))),
        Ok(output) if !output.status.success() => {
            Err(refuse(String::from_utf8_lossy(&output.stderr).into_owned()))
        }
        Ok(_) => Command::new(&binary)
            .output()
            .map_err(|error| refuse(format!("cannot run compiled code: {error}"))),
    };
    // What is left behind in a temporary folder hurts nobody.
    let _ = fs::remove_dir_all(&folder);
    outcome
}
