//! What the syntax of a type says: references that can be lent, `impl Trait`, and what an owned type in
//! its place would be. Matches no type by name where another name would change what compiles.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, ReturnType, Type, TypeReference};

/// The type inside parentheses and the invisible groups of `macro_rules!`.
pub(crate) fn peel(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

/// Whether the reference is `&str` or `&[T]`, which an owned value can lend.
pub(crate) fn is_lendable(reference: &TypeReference) -> bool {
    match peel(&reference.elem) {
        Type::Slice(_) => true,
        Type::Path(path) => path.qself.is_none() && path.path.is_ident("str"),
        _ => false,
    }
}

/// The types that stand directly inside a type.
pub(crate) fn children(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Array(array) => vec![&array.elem],
        Type::Group(group) => vec![&group.elem],
        Type::Paren(paren) => vec![&paren.elem],
        Type::Ptr(pointer) => vec![&pointer.elem],
        Type::Reference(reference) => vec![&reference.elem],
        Type::Slice(slice) => vec![&slice.elem],
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        Type::Path(path) => {
            let mut inside: Vec<&Type> = path.qself.iter().map(|qself| &*qself.ty).collect();
            for segment in &path.path.segments {
                match &segment.arguments {
                    PathArguments::None => {}
                    PathArguments::AngleBracketed(args) => {
                        inside.extend(args.args.iter().filter_map(|arg| match arg {
                            GenericArgument::Type(ty) => Some(ty),
                            GenericArgument::AssocType(assoc) => Some(&assoc.ty),
                            _ => None,
                        }));
                    }
                    PathArguments::Parenthesized(args) => {
                        inside.extend(args.inputs.iter().map(|input| &input.ty));
                        if let ReturnType::Type(_, ty) = &args.output {
                            inside.push(ty);
                        }
                    }
                }
            }
            inside
        }
        _ => Vec::new(),
    }
}

/// The first type, from outside in, that the test picks.
pub(crate) fn find<'a>(ty: &'a Type, test: &dyn Fn(&Type) -> bool) -> Option<&'a Type> {
    if test(ty) {
        return Some(ty);
    }
    children(ty).into_iter().find_map(|child| find(child, test))
}

/// The one type argument of a path such as `Option<&str>`.
pub(crate) fn only_argument(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(args) = &path.path.segments.last()?.arguments else {
        return None;
    };
    match args.args.first() {
        Some(GenericArgument::Type(ty)) if args.args.len() == 1 => Some(ty),
        _ => None,
    }
}

/// Whether a type holds many values, so that a reference inside can't be lent from an owned one. Only
/// chooses the words of an error.
pub(crate) fn is_container(ty: &Type) -> bool {
    const CONTAINERS: [&str; 6] = ["Vec", "VecDeque", "HashSet", "BTreeSet", "Box", "LinkedList"];
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| CONTAINERS.iter().any(|name| last.ident == name))
}

/// Replaces every `&str` and `&[T]` by what owns its data, and every other reference by its target.
/// `string` and `vec` make the owning types at the place of a reference.
pub(crate) fn own(ty: &mut Type, string: &dyn Fn(Span) -> Type, vec: &dyn Fn(Span, &Type) -> Type) {
    match ty {
        Type::Reference(reference) => {
            let at = reference.and_token.span;
            let lendable = is_lendable(reference);
            let mut elem = peel(&reference.elem).clone();
            *ty = match &mut elem {
                Type::Slice(slice) => {
                    own(&mut slice.elem, string, vec);
                    vec(at, &slice.elem)
                }
                _ if lendable => string(at),
                _ => {
                    own(&mut elem, string, vec);
                    elem
                }
            };
        }
        Type::Array(array) => own(&mut array.elem, string, vec),
        Type::Group(group) => own(&mut group.elem, string, vec),
        Type::Paren(paren) => own(&mut paren.elem, string, vec),
        Type::Slice(slice) => own(&mut slice.elem, string, vec),
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(|elem| own(elem, string, vec)),
        Type::Path(path) => {
            for segment in &mut path.path.segments {
                let PathArguments::AngleBracketed(args) = &mut segment.arguments else { continue };
                for arg in &mut args.args {
                    if let GenericArgument::Type(ty) = arg {
                        own(ty, string, vec);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The type with every reference replaced by what owns its data, as a person writes it.
pub(crate) fn owned_text(ty: &Type) -> String {
    let mut owned = ty.clone();
    let parse =
        |text: &str| syn::parse_str(text).unwrap_or_else(|_| Type::Verbatim(TokenStream::new()));
    own(&mut owned, &|_| parse("String"), &|_, elem| parse(&format!("Vec<{}>", text(elem))));
    text(&owned)
}

/// Syntax as a person writes it.
pub(crate) fn text(syntax: &impl ToTokens) -> String {
    let mut text = String::new();
    write(syntax.to_token_stream(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    let mut joint = false;
    for token in tokens {
        let word = |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match &token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) => {
                let c = punct.as_char();
                let spaced = matches!(c, '+' | '=' | '-');
                if spaced && !joint {
                    text.push(' ');
                }
                text.push(c);
                joint = punct.spacing() == Spacing::Joint;
                let arrow = text.ends_with("->");
                if !joint && (c == ',' || c == ';' || spaced || arrow) {
                    text.push(' ');
                }
                continue;
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                if word(text) {
                    text.push(' ');
                }
                text.push_str(&token.to_string());
            }
        }
        joint = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Type {
        syn::parse_str(text).unwrap()
    }

    #[test]
    fn types_read_as_written() {
        for ty in [
            "u8",
            "Vec<Foo>",
            "&str",
            "&[u8]",
            "Option<&[Foo<A, B>]>",
            "(u8, String)",
            "[u8; 3]",
            "std::collections::HashMap<String, u8>",
            "&dyn Foo",
            "impl Fn(u8) -> u8",
            "&'a mut Foo",
            "Box<dyn Error + Send>",
            "<A as B>::C",
            "r#type::Foo",
        ] {
            assert_eq!(text(&parse(ty)), ty);
        }
    }

    #[test]
    fn owned_types() {
        for (ty, owned) in [
            ("&str", "String"),
            ("&[u8]", "Vec<u8>"),
            ("&[&str]", "Vec<String>"),
            ("Option<&str>", "Option<String>"),
            ("Option<&[Foo]>", "Option<Vec<Foo>>"),
            ("&Foo", "Foo"),
            ("Vec<(&str, u8)>", "Vec<(String, u8)>"),
            ("&(str)", "String"),
        ] {
            assert_eq!(owned_text(&parse(ty)), owned);
        }
    }
}
