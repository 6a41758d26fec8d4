//! The annotated function: its attributes and signature parsed, its body never looked at.

use std::fmt;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Ident, Meta, Signature, Token, Visibility};

use crate::errors::Errors;
use crate::suggest::nearest;

/// What an attribute of ours makes of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Commit,
}

impl Kind {
    /// The word in messages, which is also the attribute's name.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Commit => "commit",
        }
    }
}

/// A function in messages: ``tool `ping` ``.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) kind: Kind,
    pub(crate) name: &'a str,
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind.word(), self.name)
    }
}

/// A function, without its body.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) sig: Signature,
}

/// Parses the item; `None` where it isn't a function with a body.
pub(crate) fn parse(item: TokenStream, kind: Kind, errors: &mut Errors) -> Option<Function> {
    let attribute = kind.word();
    let parsed = |input: ParseStream<'_>| {
        let attrs = input.call(Attribute::parse_outer)?;
        let _: Visibility = input.parse()?;
        let start = input.cursor();
        let function = is_function(input).then(|| input.parse::<Signature>()).transpose()?;
        let function = function.map(|sig| Function { attrs, sig });
        let body = input.peek(syn::token::Brace);
        let at = start.token_tree().map(|(token, _)| token);
        let _: TokenStream = input.parse()?;
        Ok((function, body, at))
    };
    match parsed.parse2(ungroup(item)) {
        Ok((Some(function), true, _)) => Some(function),
        Ok((Some(function), false, _)) => {
            errors.push(
                function.sig.ident.span(),
                format_args!("{attribute} `{}` must have a body", name(&function.sig)),
                format_args!("put `#[{attribute}]` on a free fn"),
            );
            None
        }
        Ok((None, _, at)) => {
            errors.push_at(
                at,
                format_args!("`#[{attribute}]` belongs on a function"),
                "put it on a free `fn` or `async fn`",
            );
            None
        }
        Err(error) => {
            errors.syntax(&error);
            None
        }
    }
}

/// The function's name in messages.
pub(crate) fn name(sig: &Signature) -> String {
    unraw(&sig.ident)
}

/// A name without its `r#`.
pub(crate) fn unraw(ident: &Ident) -> String {
    use syn::ext::IdentExt as _;
    ident.unraw().to_string()
}

/// Whether a signature starts here: qualifiers, then `fn`.
fn is_function(input: ParseStream<'_>) -> bool {
    let fork = input.fork();
    while !fork.is_empty() && !fork.peek(Token![fn]) {
        let qualifier = fork.peek(Token![const])
            || fork.peek(Token![async])
            || fork.peek(Token![unsafe])
            || fork.peek(Token![extern])
            || fork.peek(syn::LitStr);
        if !qualifier || fork.parse::<TokenTree>().is_err() {
            return false;
        }
    }
    fork.peek(Token![fn])
}

/// The item as written, but for what rustc refuses on parameters: their docs and our attributes. Works
/// on tokens, so that the function survives whatever is wrong with it.
pub(crate) fn strip(item: TokenStream, kind: Kind) -> TokenStream {
    let mut in_signature = false;
    let mut tokens = Vec::new();
    for token in without(ungroup(item), |name, _| name == kind.word()) {
        let token = match token {
            TokenTree::Group(group) if in_signature => match group.delimiter() {
                Delimiter::Parenthesis => {
                    let inner = bare(group.stream());
                    let mut stripped = Group::new(Delimiter::Parenthesis, inner);
                    stripped.set_span(group.span());
                    TokenTree::Group(stripped)
                }
                Delimiter::Brace => {
                    in_signature = false;
                    TokenTree::Group(group)
                }
                Delimiter::Bracket | Delimiter::None => TokenTree::Group(group),
            },
            TokenTree::Ident(ident) => {
                in_signature |= ident == "fn";
                TokenTree::Ident(ident)
            }
            other => other,
        };
        tokens.push(token);
    }
    tokens.into_iter().collect()
}

/// Which of our parameter attributes a name is, or is meant to be.
pub(crate) fn ours(name: &str) -> Option<&'static str> {
    nearest(name, ["arg", "state", "context"])
}

/// Whether an attribute of a parameter makes the parameter, or an attribute of ours, come and go.
pub(crate) fn is_conditional(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg")
        || matches!(&attr.meta, Meta::List(list)
            if list.path.is_ident("cfg_attr") && gives_ours(list.tokens.clone()))
}

/// Whether the list of a `cfg_attr` gives what no parameter may have.
fn gives_ours(list: TokenStream) -> bool {
    list.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => is_refused(&ident.to_string()) || ident == "cfg",
        _ => false,
    })
}

/// Whether rustc refuses the attribute on a parameter, unless we take it away.
fn is_refused(name: &str) -> bool {
    name == "doc" || ours(name).is_some()
}

/// The tokens of the parameters without the attributes that rustc refuses there.
fn bare(parameters: TokenStream) -> TokenStream {
    without(parameters, |name, attribute| {
        is_refused(name)
            || (name == "cfg_attr"
                && attribute.into_iter().any(|token| match token {
                    TokenTree::Group(list) => gives_ours(list.stream()),
                    _ => false,
                }))
    })
}

/// The tokens without the attributes that are picked by name and tokens.
fn without(tokens: TokenStream, pick: impl Fn(&str, TokenStream) -> bool) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        if let TokenTree::Group(group) = &token
            && group.delimiter() == Delimiter::Bracket
            && matches!(kept.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#')
            && attribute_name(group.stream()).is_some_and(|name| pick(&name, group.stream()))
        {
            kept.pop();
        } else {
            kept.push(token);
        }
    }
    kept.into_iter().collect()
}

/// The last segment of the path that an attribute starts with.
pub(crate) fn attribute_name(attribute: TokenStream) -> Option<String> {
    let mut name = None;
    for token in ungroup(attribute) {
        match token {
            TokenTree::Ident(ident) if name.is_none() => name = Some(ident.to_string()),
            TokenTree::Punct(punct) if punct.as_char() == ':' => name = None,
            _ => break,
        }
    }
    name
}

/// The tokens inside the invisible group that `macro_rules!` puts around a whole item or attribute.
pub(crate) fn ungroup(tokens: TokenStream) -> TokenStream {
    let mut iter = tokens.clone().into_iter();
    match (iter.next(), iter.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            ungroup(group.stream())
        }
        _ => tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stripped(source: &str) -> String {
        let tokens: TokenStream = source.parse().unwrap();
        strip(tokens, Kind::Tool).to_string()
    }

    #[test]
    fn only_our_attributes_go() {
        for (source, expected) in [
            (
                "fn f(/** doc */ #[arg(default)] a: u8, #[state] s: &S, #[context] c: &C) {}",
                "fn f(a: u8, s: &S, c: &C) {}",
            ),
            (
                "/** doc */ #[inline] pub(crate) fn f(#[allow(unused)] a: u8) {}",
                "/** doc */ #[inline] pub(crate) fn f(#[allow(unused)] a: u8) {}",
            ),
            (
                "fn f(#[cfg_attr(x, arg)] a: u8, #[cfg_attr(x, allow(unused))] b: u8) {}",
                "fn f(a: u8, #[cfg_attr(x, allow(unused))] b: u8) {}",
            ),
            ("#[tool::arg] fn f(#[toolkit::arg] a: u8) {}", "#[tool::arg] fn f(a: u8) {}"),
            ("#[tool] #[toolkit::tool(risk = \"read\")] fn f() {}", "fn f() {}"),
            (
                "fn f() { #[doc = \"\"] fn g(#[arg] a: u8) {} #[tool] fn h() {} }",
                "fn f() { #[doc = \"\"] fn g(#[arg] a: u8) {} #[tool] fn h() {} }",
            ),
            ("struct S(#[arg] u8);", "struct S(#[arg] u8);"),
            ("fn broken(#[arg] a u8 -> {}", "fn broken(#[arg] a u8 -> {}"),
        ] {
            let Ok(expected) = expected.parse::<TokenStream>() else { continue };
            assert_eq!(stripped(source), expected.to_string(), "{source}");
        }
    }
}
