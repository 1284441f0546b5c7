//! Columns of text, as all views set them.

pub(super) use redblue_report::table::{Align, columns};
