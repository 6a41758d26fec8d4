//! The keys of `#[arg]`.

use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned as _;
use syn::{Expr, LitStr, RangeLimits};

use super::value::{as_integer, as_string, ungroup};
use super::{Entry, Grammar, Key, Value};
use crate::errors::Errors;

const ARG: Grammar = Grammar {
    attribute: "#[arg]",
    keys: &[
        Key::new("default", "a value of the parameter's type, or stands alone", "default = 5")
            .bare(),
        Key::new("range", "a range", "range = 1..=20"),
        Key::new("length", "a range of whole numbers, or one whole number", "length = 1..=80"),
        Key::new("pattern", "a string literal", "pattern = \"^[A-Z]{3}$\""),
        Key::new("example", "a value of the parameter's type", "example = \"refund\""),
        Key::new("rename", "a string literal", "rename = \"q\""),
        Key::new("alias", "a string literal or an array of them", "alias = \"q\""),
        Key::new("secret", "`true` or `false`, or stands alone", "secret").bare(),
        Key::new("url", "`true` or `false`, or stands alone", "url").bare(),
    ],
};

/// The value of a left-out argument.
pub(crate) enum Default {
    /// That of the type, asked for at this place.
    OfType(Span),
    Expr(Expr),
}

/// The ends of a range, as written.
pub(crate) struct Bounds {
    pub(crate) low: Option<Expr>,
    pub(crate) high: Option<Expr>,
    pub(crate) inclusive: bool,
    /// Where an error about the range as a whole belongs.
    pub(crate) at: Span,
}

/// What `#[arg(…)]` states.
#[derive(std::default::Default)]
pub(crate) struct ArgKeys {
    pub(crate) default: Option<Default>,
    pub(crate) range: Option<Bounds>,
    /// Lowest and highest, both allowed, and where the key stands.
    pub(crate) length: Option<(Option<u64>, Option<u64>, Span)>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) example: Option<Expr>,
    pub(crate) rename: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    /// Where the switch is set, if it is.
    pub(crate) secret: Option<Span>,
    /// Where the switch is set, if it is.
    pub(crate) url: Option<Span>,
    /// Whether a key may have been meant as `url`.
    pub(crate) unsure: bool,
}

/// Reads the lists in all `#[arg(…)]`s of one parameter.
pub(crate) fn arg_keys(lists: impl Iterator<Item = TokenStream>, errors: &mut Errors) -> ArgKeys {
    let mut keys = ArgKeys::default();
    let mut given = Vec::new();
    let before = errors.count();
    for tokens in lists {
        for Entry { key, at, value } in ARG.entries(tokens, &mut given, errors) {
            let switch = |errors: &mut Errors| value.switch(key, errors).then(|| at.span());
            match key.name {
                "default" => {
                    keys.default = Some(match value {
                        Value::Expr(expr) => Default::Expr(expr),
                        Value::Bare | Value::Path(_) => Default::OfType(at.span()),
                    });
                }
                "range" => keys.range = range(&value, key, errors),
                "length" => keys.length = length(&value, key, at.span(), errors),
                "pattern" => keys.pattern = value.word(key, errors),
                "example" => keys.example = value.expr().cloned(),
                "rename" => keys.rename = value.word(key, errors),
                "alias" => keys.aliases = value.words(key, errors),
                "secret" => keys.secret = switch(errors),
                _ => keys.url = switch(errors),
            }
        }
    }
    keys.unsure = errors.count() > before;
    keys
}

fn range(value: &Value, key: &Key, errors: &mut Errors) -> Option<Bounds> {
    let expr = value.expr()?;
    let Expr::Range(range) = ungroup(expr) else {
        key.mistyped(expr, errors);
        return None;
    };
    let (low, high) = (range.start.as_deref(), range.end.as_deref());
    let inclusive = matches!(range.limits, RangeLimits::Closed(_));
    for end in [low, high].into_iter().flatten() {
        if as_string(end).is_some() {
            errors.push_at(
                end,
                "a bound of `range` is a number",
                "bound a text with `length`, or with `pattern`",
            );
            return None;
        }
    }
    if low.is_none() && high.is_none() {
        errors.push_at(
            expr,
            "`range` has no bound",
            format_args!("write `{}`, or leave it out", key.example),
        );
        return None;
    }
    let empty = match (low.and_then(number), high.and_then(number)) {
        (Some(low), Some(high)) => low > high || (low == high && !inclusive),
        _ => false,
    };
    if empty {
        errors.push_at(expr, "`range` is empty", "put the lower bound first");
        return None;
    }
    Some(Bounds { low: low.cloned(), high: high.cloned(), inclusive, at: expr.span() })
}

/// The value of a number literal, near enough to be compared.
fn number(expr: &Expr) -> Option<f64> {
    match ungroup(expr) {
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => number(expr).map(|n| -n),
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) => number.base10_parse().ok(),
        _ => None,
    }
}

fn length(
    value: &Value,
    key: &Key,
    at: Span,
    errors: &mut Errors,
) -> Option<(Option<u64>, Option<u64>, Span)> {
    let expr = value.expr()?;
    let whole = |expr: &Expr| as_integer(expr).and_then(|number| number.base10_parse::<u64>().ok());
    let bounds = match ungroup(expr) {
        Expr::Range(range) => {
            let low = range.start.as_deref().map(whole);
            let mut high = range.end.as_deref().map(whole);
            if matches!(range.limits, RangeLimits::HalfOpen(_)) {
                high = high.map(|high| high?.checked_sub(1));
            }
            match (low, high) {
                (Some(None), _) | (_, Some(None)) => None,
                (low, high) => Some((low.flatten(), high.flatten())),
            }
        }
        _ => whole(expr).map(|exact| (Some(exact), Some(exact))),
    };
    let Some((low, high)) = bounds else {
        key.mistyped(expr, errors);
        return None;
    };
    let help = match (low, high) {
        (None, None) => "give it a bound, or leave it out",
        (Some(low), Some(high)) if low > high => "put the lower bound first",
        _ => return Some((low, high, at)),
    };
    errors.push_at(expr, "`length` is empty", help);
    None
}
