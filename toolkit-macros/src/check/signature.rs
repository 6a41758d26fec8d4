//! Rules about the signature that aren't about one parameter.

use syn::{FnArg, Receiver, ReceiverKind, ReturnType, Safety, Signature, Type};

use super::toolset::Owner;
use crate::errors::Errors;
use crate::item::{Kind, Subject};
use crate::types;

pub(super) fn check(sig: &Signature, what: Subject<'_>, of: Option<&Owner>, errors: &mut Errors) {
    if let Safety::Unsafe(token) = &sig.safety {
        errors.push_at(
            token,
            format_args!("{what} cannot be unsafe"),
            "write a safe fn that checks what the unsafe one needs",
        );
    }
    if let Some(abi) = &sig.abi {
        errors.push_at(
            abi,
            format_args!("{what} cannot be `extern`"),
            "remove it, or call the `extern` fn from the body",
        );
    }
    if let Some(variadic) = &sig.variadic {
        errors.push_at(variadic, format_args!("{what} cannot be variadic"), "take a `Vec` instead");
    }
    if !sig.generics.params.is_empty() {
        let only_lifetimes = sig.generics.lifetimes().count() == sig.generics.params.len();
        errors.push_at(
            // The where clause stands elsewhere.
            syn::Generics { where_clause: None, ..sig.generics.clone() },
            format_args!("{what} cannot be generic"),
            if only_lifetimes {
                "remove the lifetimes: `&str` and `&[T]` are lent without any"
            } else {
                "a schema needs concrete types"
            },
        );
    }
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        match (of, what.kind) {
            (Some(_), _) if is_lent(receiver) => {}
            (Some(_), _) => errors.push_at(
                receiver,
                format_args!("{what} must borrow its toolset"),
                "write `&self`; put what its calls change behind a lock",
            ),
            (None, Kind::Tool) => errors.push_at(
                receiver,
                format_args!("{what} cannot be a method"),
                "make it a free fn with `#[state] s: &T`, or put `#[toolset]` on the impl block",
            ),
            (None, Kind::Commit) => errors.push_at(
                receiver,
                format_args!("{what} cannot be a method"),
                "make it a free fn with `#[state] s: &T`",
            ),
        }
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        output(ty, what, errors);
    }
}

/// Whether the receiver is `&self`, however it is written.
fn is_lent(receiver: &Receiver) -> bool {
    match &receiver.kind {
        ReceiverKind::Reference(_, None, None) => true,
        ReceiverKind::Typed(_, ty) => matches!(types::peel(ty), Type::Reference(lent)
            if lent.lifetime.is_none()
                && lent.mutability.is_none()
                && !matches!(types::peel(&lent.elem), Type::Reference(_))),
        _ => false,
    }
}

fn output(ty: &Type, what: Subject<'_>, errors: &mut Errors) {
    let opaque = types::find(ty, &|ty| matches!(ty, Type::ImplTrait(_)));
    if let Some(Type::ImplTrait(opaque)) = opaque {
        let future = opaque.bounds.iter().any(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => {
                bound.path.segments.last().is_some_and(|segment| segment.ident == "Future")
            }
            _ => false,
        });
        errors.push_at(
            opaque,
            format_args!("{what} cannot return `impl Trait`"),
            if future { "make it an `async fn`" } else { "name the concrete type" },
        );
    } else if matches!(types::peel(ty), Type::Never(_)) {
        errors.push_at(
            ty,
            format_args!("{what} must return"),
            "return `()`, or what the model should know",
        );
    }
}
