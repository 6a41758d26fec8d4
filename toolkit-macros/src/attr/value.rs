//! Values of keys: from an expression to a typed value, or an error at that expression.

use std::fmt::Display;

use syn::{Expr, ExprLit, Lit, LitInt, LitStr};

use super::{Key, Value};
use crate::docs::{Piece, Text};
use crate::errors::Errors;

/// The expression inside the invisible groups that `macro_rules!` puts around its variables.
pub(crate) fn ungroup(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}

pub(super) fn as_string(expr: &Expr) -> Option<&LitStr> {
    match ungroup(expr) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    }
}

pub(super) fn as_integer(expr: &Expr) -> Option<&LitInt> {
    match ungroup(expr) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number),
        _ => None,
    }
}

impl Value {
    /// The expression; a bare key that takes one was refused before.
    pub(super) fn expr(&self) -> Option<&Expr> {
        match self {
            Self::Expr(expr) => Some(expr),
            Self::Bare | Self::Path(_) => None,
        }
    }

    /// A string literal.
    pub(super) fn string(&self, key: &Key, errors: &mut Errors) -> Option<LitStr> {
        let expr = self.expr()?;
        let text = as_string(expr).cloned();
        if text.is_none() {
            key.mistyped(expr, errors);
        }
        text
    }

    /// A string literal that says something.
    pub(super) fn word(&self, key: &Key, errors: &mut Errors) -> Option<LitStr> {
        let text = self.string(key, errors)?;
        said(&text, key, errors).then_some(text)
    }

    /// One string literal or an array of them; none is blank and none is there twice.
    pub(super) fn words(&self, key: &Key, errors: &mut Errors) -> Vec<LitStr> {
        let Some(expr) = self.expr() else { return Vec::new() };
        let items: Vec<&Expr> = match ungroup(expr) {
            Expr::Array(array) => array.elems.iter().collect(),
            _ => vec![expr],
        };
        if items.is_empty() {
            errors.push_at(
                expr,
                format_args!("`{}` is empty", key.name),
                format_args!("leave `{}` out, or write `{}`", key.name, key.example),
            );
        }
        let mut words: Vec<LitStr> = Vec::new();
        for item in items {
            match as_string(item) {
                None => key.mistyped(item, errors),
                Some(word) if !said(word, key, errors) => {}
                Some(word) if words.iter().any(|earlier| earlier.value() == word.value()) => {
                    let what = format!("`{}` lists `{}` twice", key.name, word.value());
                    errors.push_at(word, what, "keep one");
                }
                Some(word) => words.push(word.clone()),
            }
        }
        words
    }

    /// A switch: alone, or `= true`, or `= false`.
    pub(super) fn switch(&self, key: &Key, errors: &mut Errors) -> bool {
        let Some(expr) = self.expr() else { return true };
        if let Expr::Lit(ExprLit { lit: Lit::Bool(on), .. }) = ungroup(expr) {
            return on.value;
        }
        key.mistyped(expr, errors);
        false
    }

    /// A text for the model: a literal, or an expression that rustc reads.
    pub(super) fn text(&self, key: &Key, errors: &mut Errors) -> Option<Text> {
        let expr = self.expr()?;
        match ungroup(expr) {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                let value = text.value();
                said(text, key, errors).then(|| Text::Literal(value.trim().to_owned(), text.span()))
            }
            Expr::Path(_) | Expr::Macro(_) | Expr::Call(_) | Expr::Block(_) | Expr::Paren(_) => {
                Some(Text::Pieces(vec![Piece::Expr(expr.clone())]))
            }
            _ => {
                key.mistyped(expr, errors);
                None
            }
        }
    }

    /// One word of a fixed list.
    pub(super) fn choice<T: Copy>(
        &self,
        key: &Key,
        choices: &[(&str, T)],
        errors: &mut Errors,
    ) -> Option<T> {
        let text = self.string(key, errors)?;
        let value = text.value();
        let found = choices.iter().find(|(word, _)| *word == value).map(|(_, choice)| *choice);
        if found.is_none() {
            let known = choices.iter().map(|(word, _)| *word);
            unknown(&text, format_args!("value of `{}`:", key.name), known, errors);
        }
        found
    }
}

/// Says that a word isn't among the known ones.
pub(super) fn unknown<'a>(
    word: &LitStr,
    what: impl Display,
    known: impl Iterator<Item = &'a str> + Clone,
    errors: &mut Errors,
) {
    let near = crate::suggest::nearest(&word.value(), known.clone());
    let near = near.map_or_else(String::new, |near| format!("did you mean \"{near}\"? "));
    let known = known.collect::<Vec<_>>().join(", ");
    let value = word.value();
    errors.push_at(word, format!("unknown {what} {value:?}"), format!("{near}known: {known}"));
}

fn said(text: &LitStr, key: &Key, errors: &mut Errors) -> bool {
    let said = !text.value().trim().is_empty();
    if !said {
        errors.push_at(
            text,
            format_args!("`{}` is blank", key.name),
            format_args!("leave `{}` out, or write `{}`", key.name, key.example),
        );
    }
    said
}
