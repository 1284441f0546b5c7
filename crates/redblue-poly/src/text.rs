//! Reading isl notation.

use std::ffi::CString;

use crate::context::Context;
use crate::error::{PolyError, Result};
use crate::handle::{Handle, Object};
use crate::sys::{Give, Keep, Text, isl_ctx};

/// isl's parser is recursive; deeper nesting than this could exhaust the stack.
const DEEPEST: usize = 200;

/// Reads a text with one of isl's parsers.
pub(crate) fn parse<T: Object>(
    context: &Context,
    source: &str,
    read: impl FnOnce(Keep<'_, isl_ctx>, Text<'_>) -> Give<T>,
) -> Result<Handle<T>> {
    let error = |message: &str| PolyError::Parse {
        text: source.to_owned(),
        message: message.to_owned(),
    };
    if too_deep(source) {
        return Err(error("nested too deeply"));
    }
    let text = CString::new(source).map_err(|_| error("zero byte"))?;
    let given = read(context.keep(), (&*text).into());
    context.receive(given).map_err(|failure| match failure {
        PolyError::Isl { message } => error(&message),
        other => other,
    })
}

fn too_deep(source: &str) -> bool {
    let mut depth = 0usize;
    source.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}
