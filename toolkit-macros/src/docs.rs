//! Doc comments and `description = …` → the text that a model reads.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Meta};

use crate::attr::ungroup;

/// A text for the model.
pub(crate) enum Text {
    /// Known here.
    Literal(String, Span),
    /// Known to rustc only: pieces to be joined by newlines, such as `include_str!(…)`, or one
    /// expression.
    Pieces(Vec<Piece>),
}

/// One piece of a text.
pub(crate) enum Piece {
    Literal(String, Span),
    Expr(Expr),
}

impl Text {
    /// Where the text starts.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Literal(_, span) => *span,
            Self::Pieces(pieces) => match pieces.first() {
                Some(Piece::Literal(_, span)) => *span,
                Some(Piece::Expr(expr)) => expr.span(),
                None => Span::call_site(),
            },
        }
    }
}

/// The text of the doc comments, or `None` where there are none or only blank ones.
///
/// One leading space is dropped from each line; indentation and paragraphs are kept; blank lines
/// around the whole are dropped.
pub(crate) fn text(attrs: &[Attribute]) -> Option<Text> {
    let mut pieces: Vec<Piece> = Vec::new();
    for attr in attrs {
        let Meta::NameValue(meta) = &attr.meta else { continue };
        if !meta.path.is_ident("doc") {
            continue;
        }
        let expr = ungroup(&meta.value);
        let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(line), .. }) = expr else {
            pieces.push(Piece::Expr(expr.clone()));
            continue;
        };
        let line_text = lines(&line.value());
        match pieces.last_mut() {
            Some(Piece::Literal(text, _)) => {
                text.push('\n');
                text.push_str(&line_text);
            }
            // The whole attribute, so that an error underlines the comment and its slashes.
            _ => pieces.push(Piece::Literal(line_text, attr.span())),
        }
    }
    match pieces.as_slice() {
        [] => None,
        [Piece::Literal(text, span)] => {
            let text = text.trim_matches('\n').trim_end();
            (!text.trim().is_empty()).then(|| Text::Literal(text.to_owned(), *span))
        }
        _ => Some(Text::Pieces(pieces)),
    }
}

/// The lines of one comment. A block comment's lines may start with stars, as rustdoc knows.
fn lines(comment: &str) -> String {
    let starred = comment.contains('\n')
        && comment.lines().skip(1).all(|line| {
            let line = line.trim_start();
            line.is_empty() || line.starts_with('*')
        });
    let mended = comment.lines().enumerate().map(|(number, line)| {
        let line = match line.trim_start().strip_prefix('*') {
            Some(rest) if starred && number > 0 => rest,
            _ => line,
        };
        line.strip_prefix(' ').unwrap_or(line).trim_end()
    });
    mended.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Option<String> {
        let item: syn::ItemFn = syn::parse_str(&format!("{source}\nfn f() {{}}")).unwrap();
        text(&item.attrs).map(|text| match text {
            Text::Literal(text, _) => text,
            Text::Pieces(pieces) => format!("{} pieces", pieces.len()),
        })
    }

    #[test]
    fn texts() {
        for (source, expected) in [
            ("", None),
            ("///", None),
            ("///   ", None),
            ("/// One line.", Some("One line.")),
            ("///One line.", Some("One line.")),
            ("///  Two spaces.", Some(" Two spaces.")),
            ("/// One.\n///\n/// Two.", Some("One.\n\nTwo.")),
            ("/// List:\n/// - a\n///   - b", Some("List:\n- a\n  - b")),
            ("///\n/// One.\n///", Some("One.")),
            ("/** Block. */", Some("Block.")),
            ("/** One.\n * Two.\n *   - three\n */", Some("One.\nTwo.\n  - three")),
            ("/// One.\n#[inline]\n/// Two.", Some("One.\nTwo.")),
            ("#[doc(hidden)]\n/// One.", Some("One.")),
            ("#[doc = \"One.\"]", Some("One.")),
            ("/// One.\n#[doc = include_str!(\"a\")]", Some("2 pieces")),
            ("#[doc = concat!(\"a\", \"b\")]", Some("1 pieces")),
            (
                "/// 100 % \u{fc}ml\u{e4}ut \"quoted\" {x}",
                Some("100 % \u{fc}ml\u{e4}ut \"quoted\" {x}"),
            ),
        ] {
            assert_eq!(read(source).as_deref(), expected, "{source}");
        }
    }
}
