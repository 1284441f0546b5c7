//! Any bytes as a C file that may include itself: reading ends, does not panic, and a program with errors is
//! never complete. Good seeds are `kernels/*.c` and `crates/redblue-program/tests/diagnostics/*.c`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use redblue_program::c::{self, CInput};
use redblue_program::reading::ReadOptions;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let load = |path: &str| (path == "self.h").then(|| text.to_string());
    let input = CInput {
        name: "self.h",
        text: &text,
    };
    let reading = c::read(&input, &ReadOptions::default(), &load);
    let _ = reading.render();
    if let Some(program) = &reading.program {
        assert_eq!(program.omitted.is_empty(), !reading.has_errors());
    }
});
