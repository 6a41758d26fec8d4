//! The grammar of `#[tool(…)]` and `#[arg(…)]`: keys and typed values, each with its place. Knows
//! nothing of the function.

mod arg;
mod keys;
mod value;

pub(crate) use arg::{ArgKeys, Bounds, Default, arg_keys};
pub(crate) use keys::{
    Blocking, CommitKeys, Risk, ToolKeys, ToolsetKeys, commit_keys, tool_keys, toolset_keys,
};
pub(crate) use value::ungroup;

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, Ident, Path, Token};

use crate::errors::Errors;
use crate::suggest::nearest;

/// One key of an attribute.
struct Key {
    name: &'static str,
    /// What stands after `=`, for messages.
    takes: &'static str,
    /// A right use of the key.
    example: &'static str,
    /// Whether the key may stand alone.
    bare: bool,
}

impl Key {
    const fn new(name: &'static str, takes: &'static str, example: &'static str) -> Self {
        Self { name, takes, example, bare: false }
    }

    const fn bare(self) -> Self {
        Self { bare: true, ..self }
    }

    /// Says that the value isn't what the key takes.
    fn mistyped(&self, value: &Expr, errors: &mut Errors) {
        errors.push_at(
            value,
            format_args!("`{}` takes {}", self.name, self.takes),
            format_args!("write `{}`", self.example),
        );
    }
}

/// A key that was given, with its value.
struct Entry {
    key: &'static Key,
    at: Ident,
    value: Value,
}

/// What stands after a key.
enum Value {
    /// Nothing.
    Bare,
    Expr(Expr),
    /// The value of `crate`.
    Path(Path),
}

/// The attribute that a list of keys belongs to.
struct Grammar {
    /// `#[tool]` or `#[arg]`.
    attribute: &'static str,
    keys: &'static [Key],
}

impl Grammar {
    fn find(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// All keys, as a message lists them.
    fn known(&self) -> String {
        self.keys.iter().map(|key| key.name).collect::<Vec<_>>().join(", ")
    }

    /// Reads a list of keys. A mistake costs its own entry, no more. `given` holds the keys of
    /// earlier attributes of the same kind.
    fn entries(
        &self,
        tokens: TokenStream,
        given: &mut Vec<&'static str>,
        errors: &mut Errors,
    ) -> Vec<Entry> {
        let mut entries = Vec::new();
        let read = |input: ParseStream<'_>| {
            while !input.is_empty() {
                match self.entry(input, given, errors) {
                    Some(entry) => entries.push(entry),
                    None => skip_to_comma(input),
                }
                let _: Option<Token![,]> = input.parse()?;
            }
            Ok(())
        };
        if let Err(error) = read.parse2(tokens) {
            errors.syntax(&error);
        }
        entries
    }

    fn entry(
        &self,
        input: ParseStream<'_>,
        given: &mut Vec<&'static str>,
        errors: &mut Errors,
    ) -> Option<Entry> {
        let attribute = self.attribute;
        let Ok(at) = input.call(Ident::parse_any) else {
            let found = input.parse::<TokenTree>().ok()?;
            errors.push_at(
                found,
                format_args!("`{attribute}` takes keys"),
                format_args!("write `key = value`, with one of: {}", self.known()),
            );
            return None;
        };
        let name = at.unraw().to_string();
        let Some(key) = self.find(&name) else {
            let help = match nearest(&name, self.keys.iter().map(|key| key.name)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known: {}", self.known()),
            };
            errors.push(at.span(), format_args!("unknown `{attribute}` key `{name}`"), help);
            return None;
        };
        if given.contains(&key.name) {
            errors.push(at.span(), format_args!("`{name}` is given twice"), "keep one");
            return None;
        }
        given.push(key.name);
        let value = self.value(key, &at, input, errors)?;
        Some(Entry { key, at, value })
    }

    fn value(
        &self,
        key: &'static Key,
        at: &Ident,
        input: ParseStream<'_>,
        errors: &mut Errors,
    ) -> Option<Value> {
        let needs_value = |errors: &mut Errors| {
            let what = format!("`{}` needs a value", key.name);
            errors.push(at.span(), what, format_args!("write `{}`", key.example));
        };
        let ended = |input: ParseStream<'_>| input.is_empty() || input.peek(Token![,]);
        let mut value = Value::Bare;
        if input.peek(Token![=]) && !input.peek(Token![==]) && !input.peek(Token![=>]) {
            let _: Token![=] = input.parse().ok()?;
            if ended(input) {
                needs_value(errors);
                return None;
            }
            let parsed = match key.name {
                "crate" => input.call(Path::parse_mod_style).map(Value::Path),
                _ => input.parse().map(Value::Expr),
            };
            value = match parsed {
                Ok(value) => value,
                Err(error) => {
                    let what = format!("`{}` takes {}", key.name, key.takes);
                    errors.push(error.span(), what, format_args!("write `{}`", key.example));
                    return None;
                }
            };
        } else if ended(input) && !key.bare {
            needs_value(errors);
            return None;
        }
        if ended(input) {
            return Some(value);
        }
        let found = input.parse::<TokenTree>().ok()?;
        match value {
            Value::Bare => errors.push_at(
                found,
                format_args!("`{}` takes its value after `=`", key.name),
                format_args!("write `{}`", key.example),
            ),
            _ => errors.push_at(
                found,
                format_args!("the value of `{}` ends before this", key.name),
                "put `,` between two keys",
            ),
        }
        None
    }
}

fn skip_to_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}
