//! All rules that need more than one key, or the signature: from what was written to a [`Tool`], or to
//! errors. Writes no tokens.

mod commit;
mod marker;
mod parameter;
mod signature;
mod toolset;

pub(crate) use commit::check as check_commit;
pub(crate) use toolset::check as check_toolset;

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Ident, MacroDelimiter, Meta, MetaList, Path, ReturnType, Type};

use crate::attr::{Risk, ToolKeys};
use crate::docs::{self, Text};
use crate::errors::Errors;
use crate::item::{self, Function, Kind, Subject};
use crate::model::{Callee, Parameter, Tool};
use crate::name::{self, NameError};
use crate::types;
use toolset::Owner;

/// The least length of a description, in characters.
const MIN_DESCRIPTION: usize = 10;

/// Checks the whole tool. `None` where it can't be expanded: after an error, of ours or of rustc.
pub(crate) fn check(
    mut keys: ToolKeys,
    function: Function,
    of: Option<&Owner>,
    errors: &mut Errors,
) -> Option<Tool> {
    let Function { attrs, sig } = function;
    let tool = item::name(&sig);
    let what = Subject { kind: Kind::Tool, name: &tool };
    signature::check(&sig, what, of, errors);
    once(&attrs, what, errors);
    let name = match of {
        None => name(&keys, &sig.ident, &tool, errors),
        Some(owner) => owner.name(&keys, &sig.ident, &tool, errors),
    };
    of.into_iter().for_each(|owner| owner.bounds(&keys, &tool, errors));
    let description = description(keys.description.take(), &attrs, sig.ident.span(), &tool, errors);
    let owner = of.map(|owner| owner.ty.clone());
    let parameters = parameter::check_all(&sig, what, owner.as_ref(), errors);
    reach(&keys, parameters.as_deref(), &tool, errors);
    repeats(&keys, &tool, errors);
    if let (Some(at), Some(_)) = (keys.blocking_at, &sig.asyncness) {
        errors.push(
            at,
            format_args!("`blocking` is for a plain `fn`, and `{tool}` is an `async fn`"),
            "remove `async`; or remove `blocking`: an `async fn` is stopped where it waits",
        );
    }
    Some(Tool {
        callee: callee(keys.krate, owner, Function { attrs, sig }, parameters)?,
        name,
        title: keys.title,
        description: description?,
        risk: keys.risk,
        flag: keys.flag,
        scopes: keys.scopes,
        hosts: keys.hosts,
        timeout: keys.timeout,
        concurrency: keys.concurrency,
        parallel: keys.parallel,
        idempotent: keys.idempotent.is_some(),
        polling: keys.polling,
        blocking: keys.blocking,
        show_errors: keys.show_errors,
        render: keys.render,
    })
}

/// The function itself; `None` where rustc has its own error for it.
fn callee(
    krate: Option<Path>,
    owner: Option<Type>,
    function: Function,
    parameters: Option<Vec<Parameter>>,
) -> Option<Callee> {
    let Function { attrs, sig } = function;
    let output = match sig.output {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) => Some(*ty),
    };
    if output.iter().any(is_hopeless) {
        return None;
    }
    Some(Callee {
        krate,
        owner,
        is_async: sig.asyncness.is_some(),
        ident: sig.ident,
        cfgs: attrs.iter().filter_map(cfg).collect(),
        allows: attrs.iter().filter_map(allow).collect(),
        parameters: parameters?,
        output,
    })
}

/// Whether rustc refuses the type in a signature whatever we write, so that we need not speak.
fn is_hopeless(ty: &Type) -> bool {
    types::find(ty, &|ty| matches!(ty, Type::Infer(_))).is_some()
}

/// A function is one tool, or one commit.
fn once(attrs: &[Attribute], what: Subject<'_>, errors: &mut Errors) {
    let word = what.kind.word();
    let again = |attr: &&Attribute| attr.path().segments.last().is_some_and(|s| s.ident == word);
    for attr in attrs.iter().filter(again) {
        errors.push_at(
            attr,
            format_args!("`{}` is a {word} already", what.name),
            format_args!("put all keys into one `#[{word}(…)]`"),
        );
    }
}

fn name(keys: &ToolKeys, ident: &Ident, tool: &str, errors: &mut Errors) -> String {
    let (name, at) = match &keys.name {
        Some(literal) => (literal.value(), literal.span()),
        None => (tool.to_owned(), ident.span()),
    };
    let mended = name::mended(&name);
    match name::check(&name) {
        Ok(()) => {}
        Err(NameError::Shape) => {
            let help = match (&keys.name, &mended) {
                (Some(_), Some(mended)) => format!("write \"{mended}\""),
                (Some(_), None) => "write it like \"kb.search\"".to_owned(),
                (None, mended) => format!(
                    "give it one: `name = \"{}\"`",
                    mended.as_deref().unwrap_or("kb.search")
                ),
            };
            errors.push(
                at,
                format_args!(
                    "tool `{tool}` must have a name of snake_case segments joined by dots, not \
                     {name:?}"
                ),
                help,
            );
        }
        Err(NameError::TooLong(bytes)) => errors.push(
            at,
            format_args!(
                "tool `{tool}` has a wire name of {bytes} bytes, where each dot is `__`; providers \
                 take 64"
            ),
            match &keys.name {
                Some(_) => "shorten it",
                None => "give it a shorter one with `name = \"…\"`",
            },
        ),
    }
    name
}

/// The description, from its key or else from the doc comment.
fn description(
    key: Option<Text>,
    attrs: &[Attribute],
    ident: Span,
    tool: &str,
    errors: &mut Errors,
) -> Option<Text> {
    let description = key.or_else(|| docs::text(attrs));
    let Some(description) = description else {
        errors.push(
            ident,
            format_args!("tool `{tool}` has no description"),
            "add a doc comment that says what it does and when to use it",
        );
        return None;
    };
    if let Text::Literal(text, at) = &description
        && text.trim().chars().count() < MIN_DESCRIPTION
    {
        errors.push(
            *at,
            format_args!(
                "tool `{tool}` must have a description of at least {MIN_DESCRIPTION} characters"
            ),
            "say what it does and when to use it",
        );
    }
    Some(description)
}

/// A network tool says where it reaches, and no other tool does.
fn reach(keys: &ToolKeys, parameters: Option<&[Parameter]>, tool: &str, errors: &mut Errors) {
    // A parameter that can't be read may be the one with the URL.
    let Some(parameters) = parameters.filter(|_| !keys.unsure) else { return };
    let hosts_at = keys.hosts_at;
    let urls = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Argument(argument) => argument.url,
        Parameter::Own(_)
        | Parameter::State(_)
        | Parameter::Context(_)
        | Parameter::Confirmed(_) => None,
    });
    let network = keys.risk.iter().find(|(risk, _)| *risk == Risk::Network);
    match network {
        Some((_, at)) if hosts_at.is_none() && urls.clone().next().is_none() => errors.push(
            *at,
            format_args!("network tool `{tool}` must say which hosts it reaches"),
            "list them with `hosts = [\"example.com\"]`, or mark the argument that holds the URL \
             with `#[arg(url)]`",
        ),
        Some(_) => {}
        None => {
            for (at, what) in
                hosts_at.map(|at| (at, "hosts")).into_iter().chain(urls.map(|at| (at, "url")))
            {
                errors.push(
                    at,
                    format_args!("`{what}` is for network tools, and `{tool}` isn't one"),
                    "add \"network\" to its `risk`",
                );
            }
        }
    }
}

/// Only an effect can be one too many.
fn repeats(keys: &ToolKeys, tool: &str, errors: &mut Errors) {
    if let Some(at) = keys.idempotent.filter(|_| !keys.unsure)
        && keys.risk.iter().all(|(risk, _)| *risk == Risk::Read)
    {
        errors.push(
            at,
            format_args!("`idempotent` is for tools with effects, and `{tool}` only reads"),
            "leave it out; what only reads may always run again",
        );
    }
}

/// The `cfg` that an attribute of the function puts on its registration.
fn cfg(attr: &Attribute) -> Option<Attribute> {
    if attr.path().is_ident("cfg") {
        return Some(attr.clone());
    }
    nested(attr, &|meta| meta.path().is_ident("cfg").then(|| meta.clone()))
}

/// The lints that the function allows, for the types that its registration repeats, and that of its
/// own deprecation. An expectation is met or missed at the function.
fn allow(attr: &Attribute) -> Option<Attribute> {
    if attr.path().is_ident("deprecated") {
        let at = attr.path().span();
        let list = MetaList {
            path: Ident::new("allow", at).into(),
            delimiter: MacroDelimiter::Paren(syn::token::Paren(at)),
            tokens: Ident::new("deprecated", at).into_token_stream(),
        };
        return Some(Attribute { meta: Meta::List(list), ..attr.clone() });
    }
    let allowed = |meta: &Meta| match meta {
        Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => {
            let mut list = list.clone();
            list.path = Ident::new("allow", list.path.span()).into();
            Some(Meta::List(list))
        }
        _ => None,
    };
    match allowed(&attr.meta) {
        Some(meta) => Some(Attribute { meta, ..attr.clone() }),
        None => nested(attr, &allowed),
    }
}

/// A `cfg_attr` reduced to what is picked from it.
fn nested(attr: &Attribute, pick: &dyn Fn(&Meta) -> Option<Meta>) -> Option<Attribute> {
    use syn::punctuated::Punctuated;

    let Meta::List(list) = &attr.meta else { return None };
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let parser = Punctuated::<Meta, syn::Token![,]>::parse_terminated;
    let metas = list.parse_args_with(parser).ok()?;
    let condition = metas.first()?.clone();
    let picked: Vec<Meta> = metas.iter().skip(1).filter_map(pick).collect();
    if picked.is_empty() {
        return None;
    }
    let metas: Punctuated<Meta, syn::Token![,]> =
        std::iter::once(condition).chain(picked).collect();
    let mut list = list.clone();
    list.tokens = metas.into_token_stream();
    Some(Attribute { meta: Meta::List(list), ..attr.clone() })
}
