//! A tool that has passed all checks, as plain data: what the expander writes down.

use proc_macro2::Span;
use syn::{Attribute, Expr, ExprPath, Ident, LitStr, Path, Type};

pub(crate) use crate::attr::{Blocking, Bounds, Default, Risk};
pub(crate) use crate::docs::{Piece, Text};

/// The function behind a tool or a commit.
pub(crate) struct Callee {
    /// Path of the `toolkit` crate; `None`: `::toolkit`.
    pub(crate) krate: Option<Path>,
    /// The type that the function is a method of.
    pub(crate) owner: Option<Type>,
    /// The function.
    pub(crate) ident: Ident,
    pub(crate) is_async: bool,
    /// `cfg`s of the function, which what we write after it shares.
    pub(crate) cfgs: Vec<Attribute>,
    /// Lints that the function allows or expects.
    pub(crate) allows: Vec<Attribute>,
    /// In the order of the function.
    pub(crate) parameters: Vec<Parameter>,
    /// The return type; `None`: `()`.
    pub(crate) output: Option<Type>,
}

/// What delivers a draft.
pub(crate) struct Commit {
    pub(crate) callee: Callee,
    /// The type of the draft.
    pub(crate) draft: Type,
    /// In milliseconds; 0: none.
    pub(crate) timeout: Option<u64>,
}

/// The tools of an impl block.
pub(crate) struct Toolset {
    /// Path of the `toolkit` crate; `None`: `::toolkit`.
    pub(crate) krate: Option<Path>,
    /// The type whose methods they are.
    pub(crate) ty: Type,
    /// `cfg`s of the block.
    pub(crate) cfgs: Vec<Attribute>,
    /// Lints that the block allows or expects.
    pub(crate) allows: Vec<Attribute>,
    pub(crate) domain: String,
    pub(crate) tools: Vec<Tool>,
}

/// One tool.
pub(crate) struct Tool {
    pub(crate) callee: Callee,
    pub(crate) name: String,
    pub(crate) title: Option<Text>,
    pub(crate) description: Text,
    pub(crate) risk: Vec<(Risk, Span)>,
    pub(crate) flag: Option<LitStr>,
    pub(crate) scopes: Vec<LitStr>,
    pub(crate) hosts: Vec<LitStr>,
    /// In milliseconds; 0: none.
    pub(crate) timeout: Option<u64>,
    pub(crate) concurrency: Option<u32>,
    pub(crate) parallel: bool,
    pub(crate) idempotent: bool,
    pub(crate) polling: bool,
    /// For a plain `fn` that runs on a thread.
    pub(crate) blocking: Option<Blocking>,
    pub(crate) show_errors: bool,
    /// What turns the value into the text that a model reads.
    pub(crate) render: Option<ExprPath>,
}

impl Tool {
    /// Whether the tool declares that it sends.
    pub(crate) fn sends(&self) -> bool {
        self.risk.iter().any(|(risk, _)| *risk == Risk::Send)
    }
}

/// One parameter of the function.
pub(crate) enum Parameter {
    /// What the model fills in.
    Argument(Box<Argument>),
    /// The toolset itself, of this type: the receiver of a method.
    Own(Type),
    /// Shared state of this type.
    State(Type),
    /// The context, or a value in it, of this type.
    Context(Type),
    /// The draft that a person confirmed.
    Confirmed(Box<Taken>),
}

impl Parameter {
    /// The type as written, without the `&` of a state or context.
    pub(crate) fn ty(&self) -> &Type {
        match self {
            Self::Argument(argument) => &argument.ty,
            Self::Own(ty) | Self::State(ty) | Self::Context(ty) => ty,
            Self::Confirmed(taken) => &taken.ty,
        }
    }
}

/// A parameter that takes a confirmed draft.
pub(crate) struct Taken {
    /// As written, with the `&` that may stand before it.
    pub(crate) ty: Type,
    /// What was drafted.
    pub(crate) draft: Type,
}

/// A parameter that the model fills in.
pub(crate) struct Argument {
    pub(crate) key: String,
    pub(crate) docs: Text,
    /// As written, references included.
    pub(crate) ty: Type,
    /// Whether the function borrows it from an owned value.
    pub(crate) lent: bool,
    pub(crate) default: Option<Default>,
    pub(crate) range: Option<Bounds>,
    /// Lowest and highest, both allowed, and where an error belongs.
    pub(crate) length: Option<(Option<u64>, Option<u64>, Span)>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) example: Option<Expr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) secret: Option<Span>,
    pub(crate) url: Option<Span>,
}
