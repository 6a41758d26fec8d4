//! Rules about parameters: their attributes, patterns, docs, keys and the shape of their types.

use std::collections::HashMap;

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::{Attribute, FnArg, Meta, Pat, PatType, Signature, Type, TypeReference};

use super::is_hopeless;
use super::marker::{Marker, is_ours};
use crate::attr::{ArgKeys, Default, arg_keys};
use crate::docs;
use crate::errors::Errors;
use crate::item::{self, Kind, Subject};
use crate::model::{Argument, Parameter};
use crate::name::is_key;
use crate::types::{self, text};

/// Checks every parameter; `None` where one can't be read.
pub(super) fn check_all(
    sig: &Signature,
    what: Subject<'_>,
    owner: Option<&Type>,
    errors: &mut Errors,
) -> Option<Vec<Parameter>> {
    let mut parameters = Some(Vec::new());
    let mut keys = Keys::new();
    let mut number = 0;
    for input in &sig.inputs {
        let parameter = match input {
            // What its methods share.
            FnArg::Receiver(_) => owner.map(|ty| Parameter::Own(ty.clone())),
            FnArg::Typed(input) => {
                number += 1;
                One { what, sig, errors }.check(input, number, &mut keys)
            }
        };
        parameters = match (parameters, parameter) {
            (Some(mut parameters), Some(parameter)) => {
                parameters.push(parameter);
                Some(parameters)
            }
            _ => None,
        };
    }
    parameters
}

/// The keys that arguments have, aliases included, each with the parameter that it belongs to.
type Keys = HashMap<String, String>;

/// The check of one parameter.
struct One<'a> {
    what: Subject<'a>,
    sig: &'a Signature,
    errors: &'a mut Errors,
}

impl One<'_> {
    fn check(mut self, input: &PatType, number: usize, keys: &mut Keys) -> Option<Parameter> {
        self.attributes(&input.attrs);
        let marker = Marker::read(&input.attrs, self.errors);
        let args = self.args(&input.attrs, marker);
        let Some(ident) = self.plain(&input.pat) else {
            self.errors.push_at(
                &input.pat,
                format_args!("parameter {number} of {} needs a plain name", self.what),
                "destructure in the body",
            );
            return None;
        };
        let name = ident.unraw().to_string();
        match marker {
            Some(marker) => self.borrowed(marker, &name, &input.ty),
            None if self.what.kind == Kind::Commit => {
                super::commit::confirmed(self.what, &name, &input.ty, self.errors)
            }
            None => self.argument(args, ident, &name, input, keys),
        }
    }

    /// Refuses attributes that would make the parameter come and go, and misspelt ones of ours.
    fn attributes(&mut self, attrs: &[Attribute]) {
        let kind = self.what.kind.word();
        for attr in attrs {
            let path = attr.path();
            if item::is_conditional(attr) {
                self.errors.push_at(
                    attr,
                    format_args!("a {kind}'s parameter can't be conditional"),
                    format_args!("put `#[cfg]` on two versions of the {kind}"),
                );
            } else if let Some(segment) = path.segments.last()
                && let Some(meant) = item::ours(&segment.ident.to_string())
                && segment.ident != meant
            {
                self.errors.push_at(
                    path,
                    format_args!("unknown parameter attribute `#[{}]`", segment.ident),
                    format_args!("did you mean `#[{meant}]`?"),
                );
            }
        }
    }

    /// The keys of all `#[arg]`s.
    fn args(&mut self, attrs: &[Attribute], marker: Option<Marker>) -> ArgKeys {
        let mut lists: Vec<TokenStream> = Vec::new();
        for attr in attrs.iter().filter(|attr| is_ours(attr) == Some("arg")) {
            let meaningless = match marker {
                Some(marker) => format!("a `{}` parameter", marker.name()),
                None if self.what.kind == Kind::Commit => "a parameter of a commit".to_owned(),
                None => String::new(),
            };
            if !meaningless.is_empty() {
                self.errors.push_at(
                    attr,
                    format_args!("`#[arg]` has no meaning on {meaningless}"),
                    "remove it: no model fills this parameter in",
                );
                continue;
            }
            match &attr.meta {
                Meta::List(list) => lists.push(list.tokens.clone()),
                Meta::Path(_) | Meta::NameValue(_) => self.errors.push_at(
                    attr,
                    "`#[arg]` takes a list of keys",
                    "write `#[arg(default = 5)]`, or remove it",
                ),
            }
        }
        arg_keys(lists.into_iter(), self.errors)
    }

    /// The name of a parameter that is `x` or `mut x`.
    fn plain<'p>(&self, pat: &'p Pat) -> Option<&'p syn::Ident> {
        match pat {
            Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => Some(&pat.ident),
            _ => None,
        }
    }

    /// A state, or a value of the context.
    fn borrowed(&mut self, marker: Marker, name: &str, ty: &Type) -> Option<Parameter> {
        let (what, attribute) = (self.what, marker.name());
        let Type::Reference(reference) = types::peel(ty) else {
            self.errors.push_at(
                ty,
                format_args!("`{attribute}` parameter `{name}` of {what} must be a reference"),
                format_args!("write `&{}`", text(ty)),
            );
            return None;
        };
        self.plain_reference(reference, name, &format!("&{}", text(&reference.elem)));
        let elem = types::peel(&reference.elem);
        let cure = match elem {
            Type::TraitObject(_) => format!("share a `Box<{}>`", text(elem)),
            Type::ImplTrait(_) => "name the concrete type".to_owned(),
            Type::Slice(slice) => format!("share a `Vec<{}>`", text(&slice.elem)),
            Type::Path(_) if types::is_lendable(reference) => "share a `String`".to_owned(),
            _ => {
                let elem = (*reference.elem).clone();
                return (!is_hopeless(&elem)).then(|| match marker {
                    Marker::State => Parameter::State(elem),
                    Marker::Context => Parameter::Context(elem),
                });
            }
        };
        self.errors.push_at(
            ty,
            format_args!("`{attribute}` parameter `{name}` of {what} must have a sized type"),
            cure,
        );
        None
    }

    /// Refuses `mut` and lifetimes; a lifetime that the generics declare is refused there.
    fn plain_reference(&mut self, reference: &TypeReference, name: &str, plain: &str) {
        let what = self.what;
        if let Some(token) = &reference.mutability {
            self.errors.push_at(
                token,
                format_args!("parameter `{name}` of {what} can't be borrowed mutably"),
                format_args!("write `{plain}`"),
            );
        }
        if let Some(lifetime) = &reference.lifetime
            && lifetime.ident != "_"
            && !self.sig.generics.lifetimes().any(|param| param.lifetime == *lifetime)
        {
            self.errors.push_at(
                lifetime,
                format_args!("parameter `{name}` of {what} can't outlive the call"),
                format_args!("write `{plain}`"),
            );
        }
    }

    fn argument(
        &mut self,
        args: ArgKeys,
        ident: &syn::Ident,
        name: &str,
        input: &PatType,
        keys: &mut Keys,
    ) -> Option<Parameter> {
        let what = self.what;
        let docs = docs::text(&input.attrs);
        // What is borrowed and has no docs was meant as a state or a context, and is told so below.
        if docs.is_none() && !is_borrowed(&input.ty) {
            self.errors.push(
                ident.span(),
                format_args!("parameter `{name}` of {what} has no description"),
                "add a doc comment that says what to fill in, with an example",
            );
        }
        let (key, key_at) = match &args.rename {
            Some(rename) => (rename.value(), rename.span()),
            None => (name.to_owned(), ident.span()),
        };
        let aliases = args.aliases.iter().map(|alias| (alias.value(), alias.span()));
        for (key, at) in std::iter::once((key.clone(), key_at)).chain(aliases) {
            self.key(key, at, name, keys);
        }
        self.secret(&args, name);
        let lent = self.shape(&input.ty, name)?;
        if args.unsure {
            return None;
        }
        if is_hopeless(&input.ty) {
            return None;
        }
        Some(Parameter::Argument(Box::new(Argument {
            key,
            docs: docs?,
            ty: (*input.ty).clone(),
            lent,
            default: args.default,
            range: args.range,
            length: args.length,
            pattern: args.pattern,
            example: args.example,
            aliases: args.aliases,
            secret: args.secret,
            url: args.url,
        })))
    }

    /// Refuses a key that providers refuse, and one that is taken.
    fn key(&mut self, key: String, at: Span, name: &str, keys: &mut Keys) {
        let what = self.what;
        if !is_key(&key) {
            self.errors.push(
                at,
                format_args!("{key:?} can't be the key of an argument"),
                "providers take up to 64 of `A-Z a-z 0-9 _ - .`: choose another with \
                 `#[arg(rename = \"…\")]`",
            );
            return;
        }
        match keys.get(&key) {
            Some(earlier) if earlier == name => self.errors.push(
                at,
                format_args!("parameter `{name}` of {what} has the key `{key}` already"),
                "remove it",
            ),
            Some(earlier) => self.errors.push(
                at,
                format_args!("parameters `{earlier}` and `{name}` of {what} share the key `{key}`"),
                "give one of them another",
            ),
            None => {
                keys.insert(key, name.to_owned());
            }
        }
    }

    /// Refuses to publish a secret in the schema.
    fn secret(&mut self, args: &ArgKeys, name: &str) {
        if args.secret.is_none() {
            return;
        }
        let shown = [
            args.example.as_ref().map(|expr| ("example", expr)),
            match &args.default {
                Some(Default::Expr(expr)) => Some(("default", expr)),
                Some(Default::OfType(_)) | None => None,
            },
        ];
        for (key, expr) in shown.into_iter().flatten() {
            self.errors.push_at(
                expr,
                format_args!("the {key} of secret parameter `{name}` would be shown to the model"),
                format_args!("remove the {key}"),
            );
        }
    }

    /// Whether the argument is lent, from the references in its type; `None` after an error.
    fn shape(&mut self, ty: &Type, name: &str) -> Option<bool> {
        let what = self.what;
        if let Some(opaque) = types::find(ty, &|ty| matches!(ty, Type::ImplTrait(_))) {
            self.errors.push_at(
                opaque,
                format_args!("parameter `{name}` of {what} cannot be `impl Trait`"),
                "a schema needs a concrete type",
            );
            return None;
        }
        let outer = types::peel(ty);
        let reference = match (outer, types::only_argument(outer).map(types::peel)) {
            (Type::Reference(reference), _) => reference,
            (_, Some(Type::Reference(reference)))
                if types::is_lendable(reference) && !types::is_container(outer) =>
            {
                reference
            }
            _ => {
                let owned = types::find(ty, &is_reference).is_none();
                if !owned {
                    self.must_own(ty, name, &types::owned_text(ty));
                }
                return owned.then_some(false);
            }
        };
        if !types::is_lendable(reference) {
            let owned = types::owned_text(&reference.elem);
            self.must_own(ty, name, &format!("{owned}`, or mark it `#[state]` or `#[context]"));
            return None;
        }
        let mut plain = reference.clone();
        (plain.lifetime, plain.mutability) = (None, None);
        self.plain_reference(reference, name, &text(&plain));
        if let Some(inner) = types::find(&reference.elem, &is_reference) {
            self.must_own(inner, name, &types::owned_text(inner));
            return None;
        }
        Some(true)
    }

    fn must_own(&mut self, at: &Type, name: &str, instead: &str) {
        self.errors.push_at(
            at,
            format_args!("parameter `{name}` of {} must own its data", self.what),
            format_args!("write `{instead}`"),
        );
    }
}

/// Whether the type is a reference that can't be lent.
fn is_borrowed(ty: &Type) -> bool {
    matches!(types::peel(ty), Type::Reference(reference) if !types::is_lendable(reference))
}

fn is_reference(ty: &Type) -> bool {
    matches!(ty, Type::Reference(_))
}
