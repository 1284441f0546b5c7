//! The conditions of `#if` and `#elif`.

use super::Preprocessor;
use crate::c::parser;
use crate::c::token::{Token, TokenKind};

/// Whether the condition holds; `None` if it is not an integer expression.
pub(super) fn holds(preprocessor: &mut Preprocessor<'_>, tokens: &[Token]) -> Option<bool> {
    let tokens = without_defined(preprocessor, tokens)?;
    let mut tokens = preprocessor.macros.expand(tokens, preprocessor.diagnostics);
    for token in &mut tokens {
        if let TokenKind::Name(name) = &token.kind {
            // A name that is no macro counts as zero.
            let mut value = 0;
            if let Some(written) = preprocessor.result.sizes.get(name) {
                preprocessor.result.decisive.insert(name.clone());
                let given = preprocessor.settings.defines.get(name);
                value = *given.unwrap_or(written);
            }
            token.kind = TokenKind::Integer(value);
        }
    }
    let expression = parser::whole_expression(&tokens)?;
    Some(expression.fold()? != 0)
}

/// Replaces `defined X` and `defined(X)` by numbers, before macros are expanded.
fn without_defined(preprocessor: &mut Preprocessor<'_>, tokens: &[Token]) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut rest = tokens;
    while let Some((token, after)) = rest.split_first() {
        rest = after;
        if token.name() != Some("defined") {
            out.push(token.clone());
            continue;
        }
        let (name, remaining) = match rest {
            [open, name, close, remaining @ ..] if open.is("(") && close.is(")") => {
                (name, remaining)
            }
            [name, remaining @ ..] => (name, remaining),
            [] => return None,
        };
        let defined = preprocessor.is_defined(name.name()?);
        out.push(Token {
            kind: TokenKind::Integer(defined.into()),
            ..token.clone()
        });
        rest = remaining;
    }
    Some(out)
}
