//! Rules about what delivers a draft: one confirmed draft goes in, beside states and contexts.

use syn::{Ident, Type};

use super::{callee, is_hopeless, once, parameter, signature};
use crate::attr::CommitKeys;
use crate::errors::Errors;
use crate::item::{self, Function, Kind, Subject};
use crate::model::{Commit, Parameter, Taken};
use crate::types::{self, text};

/// Checks the whole function. `None` where it can't be expanded: after an error, of ours or of rustc.
pub(crate) fn check(keys: CommitKeys, function: Function, errors: &mut Errors) -> Option<Commit> {
    let name = item::name(&function.sig);
    let what = Subject { kind: Kind::Commit, name: &name };
    signature::check(&function.sig, what, None, errors);
    once(&function.attrs, what, errors);
    let parameters = parameter::check_all(&function.sig, what, None, errors);
    let draft = draft(parameters.as_deref()?, what, &function.sig.ident, errors)?;
    let callee = callee(keys.krate, None, function, parameters)?;
    Some(Commit { callee, draft, timeout: keys.timeout })
}

/// The type of the draft that the function delivers: there is exactly one.
fn draft(
    parameters: &[Parameter],
    what: Subject<'_>,
    ident: &Ident,
    errors: &mut Errors,
) -> Option<Type> {
    let mut confirmed = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Confirmed(taken) => Some((&taken.ty, &taken.draft)),
        Parameter::Argument(_)
        | Parameter::Own(_)
        | Parameter::State(_)
        | Parameter::Context(_) => None,
    });
    let Some((_, draft)) = confirmed.next() else {
        errors.push(
            ident.span(),
            format_args!("{what} must take a `Confirmed<T>`"),
            "add a parameter for what a person confirmed, e.g. `reply: Confirmed<Reply>`",
        );
        return None;
    };
    for (second, _) in confirmed {
        errors.push_at(
            second,
            format_args!("{what} must take one `Confirmed<T>`"),
            "keep one, and mark the others `#[state]` or `#[context]`",
        );
    }
    Some(draft.clone())
}

/// The parameter that takes the draft; its type must name the draft's.
pub(super) fn confirmed(
    what: Subject<'_>,
    name: &str,
    ty: &Type,
    errors: &mut Errors,
) -> Option<Parameter> {
    if is_hopeless(ty) {
        return None;
    }
    if let Some(draft) = types::only_argument(of(ty)) {
        let taken = Taken { ty: ty.clone(), draft: draft.clone() };
        return Some(Parameter::Confirmed(Box::new(taken)));
    }
    let help = match types::peel(ty) {
        Type::Reference(_) => {
            format!("mark it `#[state]` or `#[context]`, or write `&Confirmed<{}>`", text(of(ty)))
        }
        _ => format!("write `Confirmed<{}>`", text(ty)),
    };
    errors.push_at(
        ty,
        format_args!("parameter `{name}` of {what} must be a `Confirmed<T>`, written out"),
        help,
    );
    None
}

/// The type without the `&` that may stand before it.
fn of(ty: &Type) -> &Type {
    match types::peel(ty) {
        Type::Reference(reference) => types::peel(&reference.elem),
        ty => ty,
    }
}
