//! Any bytes as an einsum: reading ends, does not panic, and every message can be shown.

#![no_main]

use libfuzzer_sys::fuzz_target;
use redblue_program::einsum;
use redblue_program::reading::ReadOptions;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let reading = einsum::read(&text, &ReadOptions::default());
    let _ = reading.render();
});
