//! The annotated impl block: its head parsed, its methods found among its tokens, their bodies never
//! looked at.

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Generics, Meta, Token, Type, WhereClause};

use crate::errors::Errors;
use crate::item::{self, Function, Kind, attribute_name, ungroup};

/// An impl block.
pub(crate) struct Block {
    pub(crate) attrs: Vec<Attribute>,
    /// The type that it is of.
    pub(crate) ty: Type,
    /// Those that are tools, in order.
    pub(crate) methods: Vec<Method>,
}

/// A method that is a tool.
pub(crate) struct Method {
    /// What stands in its `#[tool(…)]`.
    pub(crate) keys: TokenStream,
    /// `None` where it can't be read.
    pub(crate) function: Option<Function>,
}

/// The block as written, but for our attributes and what rustc refuses on the parameters of tools.
/// Works on tokens, so that the methods survive whatever is wrong with them.
pub(crate) fn strip(block: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = ungroup(block).into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut()
        && body.delimiter() == Delimiter::Brace
    {
        let inside = items(body.stream()).into_iter().map(|item| match is_tool(&item) {
            true => item::strip(item.into_iter().collect(), Kind::Tool),
            false => item.into_iter().collect(),
        });
        let mut stripped = Group::new(Delimiter::Brace, inside.collect());
        stripped.set_span(body.span());
        *body = stripped;
    }
    tokens.into_iter().collect()
}

/// Parses the block; `None` where it isn't one that can be a toolset.
pub(crate) fn parse(block: TokenStream, errors: &mut Errors) -> Option<Block> {
    let parsed = |input: ParseStream<'_>| {
        let attrs = input.call(Attribute::parse_outer)?;
        let start = input.cursor().token_tree().map(|(token, _)| token);
        if !input.peek(Token![impl]) {
            let _: TokenStream = input.parse()?;
            return Ok((start, None));
        }
        let _: Token![impl] = input.parse()?;
        let generics: Generics = input.parse()?;
        let ty: Type = input.parse()?;
        let of_trait = input.peek(Token![for]);
        if of_trait {
            let _: Token![for] = input.parse()?;
            let _: Type = input.parse()?;
        }
        let _: Option<WhereClause> = input.parse()?;
        let body;
        syn::braced!(body in input);
        let body: TokenStream = body.parse()?;
        Ok((start, Some((attrs, generics, ty, of_trait, body))))
    };
    let (attrs, generics, ty, of_trait, body) = match parsed.parse2(ungroup(block)) {
        Ok((_, Some(parts))) => parts,
        Ok((at, None)) => {
            errors.push_at(
                at,
                "`#[toolset]` belongs on an impl block",
                "put it on `impl Files { … }`, whose methods are the tools",
            );
            return None;
        }
        Err(error) => {
            errors.syntax(&error);
            return None;
        }
    };
    let name = crate::types::text(&ty);
    if of_trait {
        errors.push_at(
            &ty,
            format_args!("a toolset cannot be an impl of a trait, as of `{name}`"),
            "move the tools to an impl block of the type itself",
        );
        return None;
    }
    if !generics.params.is_empty() {
        errors.push_at(
            &generics,
            format_args!("toolset `{name}` cannot be generic"),
            "a schema needs concrete types: `impl Files<Local> { … }`",
        );
        return None;
    }
    let tools = items(body).into_iter().filter(|item| is_tool(item));
    let methods = tools.map(|item| method(item, &ty, errors)).collect();
    Some(Block { attrs, ty, methods })
}

/// The items of a block. What a brace or a semicolon ends is one; a lone semicolon is one as well.
fn items(body: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut items = vec![Vec::new()];
    for token in flat(body) {
        let ends = match &token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        if let Some(item) = items.last_mut() {
            item.push(token);
        }
        if ends {
            items.push(Vec::new());
        }
    }
    items
}

/// The tokens without the invisible groups that `macro_rules!` puts around whole items.
fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut flattened = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                flattened.extend(flat(group.stream()));
            }
            token => flattened.push(token),
        }
    }
    flattened
}

/// Whether one of the attributes is `#[tool]`.
fn is_tool(item: &[TokenTree]) -> bool {
    item.windows(2).any(|pair| match pair {
        [TokenTree::Punct(punct), TokenTree::Group(group)] => {
            punct.as_char() == '#'
                && group.delimiter() == Delimiter::Bracket
                && attribute_name(group.stream()).is_some_and(|name| name == Kind::Tool.word())
        }
        _ => false,
    })
}

fn method(mut item: Vec<TokenTree>, ty: &Type, errors: &mut Errors) -> Method {
    // The body, or the semicolon of what has none.
    let body = item.pop();
    let mut named = without_self(item.into_iter().collect(), &ty.to_token_stream());
    named.extend(body);
    let mut keys = TokenStream::new();
    let function = item::parse(named, Kind::Tool, errors).map(|mut function| {
        let is_ours = |attr: &Attribute| {
            attr.path().segments.last().is_some_and(|segment| segment.ident == Kind::Tool.word())
        };
        if let Some(at) = function.attrs.iter().position(is_ours) {
            let ours = function.attrs.remove(at);
            match ours.meta {
                Meta::List(list) => keys = list.tokens,
                Meta::Path(_) => {}
                Meta::NameValue(pair) => {
                    errors.push_at(
                        pair,
                        "`#[tool]` takes keys",
                        "write `#[tool(risk = \"read\")]`",
                    );
                }
            }
        }
        function
    });
    Method { keys, function }
}

/// The tokens with the type's name for each `Self`: what we write stands outside of the block.
fn without_self(tokens: TokenStream, ty: &TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut named = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "Self" => {
                let is_path = matches!(tokens.peek(), Some(TokenTree::Punct(punct))
                    if punct.as_char() == ':' && punct.spacing() == Spacing::Joint);
                // `Self::LIMIT` is `<Files>::LIMIT`, whatever the type looks like.
                let sign =
                    |sign| is_path.then(|| TokenTree::Punct(Punct::new(sign, Spacing::Alone)));
                let mut own: TokenStream = sign('<').into_iter().collect();
                own.extend(ty.clone());
                own.extend(sign('>'));
                named.extend(located(own, ident.span()));
            }
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), without_self(group.stream(), ty));
                inside.set_span(group.span());
                named.extend([TokenTree::Group(inside)]);
            }
            token => named.extend([token]),
        }
    }
    named
}

/// The tokens, where that stands which they are for.
fn located(tokens: TokenStream, at: Span) -> TokenStream {
    let located = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => {
            let mut moved = Group::new(group.delimiter(), located(group.stream(), at));
            moved.set_span(at);
            TokenTree::Group(moved)
        }
        mut token => {
            token.set_span(token.span().located_at(at));
            token
        }
    });
    located.collect()
}
