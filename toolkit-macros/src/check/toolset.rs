//! Rules of an impl block whose methods are tools: what holds for all of them.

use syn::{Ident, Type};

use super::{allow, cfg, check as check_tool};
use crate::attr::{Risk, ToolKeys, ToolsetKeys, tool_keys};
use crate::block::{Block, Method};
use crate::errors::Errors;
use crate::model::{Tool, Toolset};
use crate::name::{self, NameError};
use crate::types;

/// The block that a tool is a method of.
pub(crate) struct Owner {
    pub(super) ty: Type,
    domain: String,
    ceiling: Option<Risk>,
}

/// Checks the whole block. Of its tools there are those that can be expanded.
pub(crate) fn check(keys: ToolsetKeys, block: Block, errors: &mut Errors) -> Toolset {
    let Block { attrs, ty, methods } = block;
    let what = types::text(&ty);
    let domain = domain(&keys, &ty, &what, errors);
    if methods.is_empty() {
        errors.push_at(
            &ty,
            format_args!("toolset `{what}` has no tool"),
            "put `#[tool]` on a method",
        );
    }
    let owner = Owner { ty, domain, ceiling: keys.ceiling };
    let tools: Vec<Tool> =
        methods.into_iter().filter_map(|method| one(method, &owner, errors)).collect();
    distinct(&tools, errors);
    Toolset {
        krate: keys.krate,
        ty: owner.ty,
        cfgs: attrs.iter().filter_map(cfg).collect(),
        allows: attrs.iter().filter_map(allow).collect(),
        domain: owner.domain,
        tools,
    }
}

fn one(method: Method, owner: &Owner, errors: &mut Errors) -> Option<Tool> {
    let keys = tool_keys(method.keys, errors);
    if let Some(krate) = &keys.krate {
        errors.push_at(krate, "`crate` is for the whole toolset", "move it to `#[toolset(…)]`");
    }
    let function = method.function?;
    check_tool(keys, function, Some(owner), errors)
}

/// The domain, or a legal one in its place, so that the methods can be read for their own mistakes.
fn domain(keys: &ToolsetKeys, ty: &Type, what: &str, errors: &mut Errors) -> String {
    let legal = "domain".to_owned();
    let Some(literal) = &keys.domain else {
        if !keys.unsure {
            errors.push_at(
                ty,
                format_args!("toolset `{what}` has no domain"),
                "give it one: `#[toolset(domain = \"fs\")]`; its tools are `fs.read`, `fs.write`",
            );
        }
        return legal;
    };
    let domain = literal.value();
    match name::check(&domain) {
        Ok(()) => domain,
        Err(NameError::Shape) => {
            let help = match name::mended(&domain) {
                Some(mended) => format!("write \"{mended}\""),
                None => "write it like \"fs\"".to_owned(),
            };
            errors.push_at(
                literal,
                format_args!(
                    "toolset `{what}` must have a domain of snake_case segments joined by dots, not \
                     {domain:?}"
                ),
                help,
            );
            legal
        }
        Err(NameError::TooLong(bytes)) => {
            errors.push_at(
                literal,
                format_args!("the domain of toolset `{what}` has {bytes} bytes on the wire"),
                "shorten it: providers take 64 for a whole name",
            );
            legal
        }
    }
}

impl Owner {
    /// The name of a tool: the domain, and what the method or its key `name` says.
    pub(super) fn name(
        &self,
        keys: &ToolKeys,
        ident: &Ident,
        tool: &str,
        errors: &mut Errors,
    ) -> String {
        let (own, at) = match &keys.name {
            Some(literal) => (literal.value(), literal.span()),
            None => (tool.to_owned(), ident.span()),
        };
        let name = format!("{}.{own}", self.domain);
        if own.contains('.') {
            let last = own.rsplit('.').find(|segment| name::check(segment).is_ok());
            errors.push(
                at,
                format_args!("tool `{tool}` has its domain, `{}`, from its toolset", self.domain),
                format_args!("write the rest alone: \"{}\"", last.unwrap_or(tool)),
            );
            return name;
        }
        match name::check(&name) {
            Ok(()) => {}
            Err(NameError::Shape) => {
                let mended = name::mended(&own);
                let mended = mended.as_deref().unwrap_or("read");
                errors.push(
                    at,
                    format_args!("tool `{tool}` must have a name in snake_case, not {own:?}"),
                    match keys.name {
                        Some(_) => format!("write \"{mended}\""),
                        None => format!("give it one: `name = \"{mended}\"`"),
                    },
                );
            }
            Err(NameError::TooLong(bytes)) => errors.push(
                at,
                format_args!(
                    "tool `{tool}` has a wire name of {bytes} bytes, with its domain; providers \
                     take 64"
                ),
                "shorten it, or the domain",
            ),
        }
        name
    }

    /// Holds the tool's risk against the ceiling.
    pub(super) fn bounds(&self, keys: &ToolKeys, tool: &str, errors: &mut Errors) {
        let Some(ceiling) = self.ceiling else { return };
        for (risk, at) in keys.risk.iter().filter(|(risk, _)| *risk > ceiling) {
            errors.push(
                *at,
                format_args!(
                    "tool `{tool}` is above its toolset's ceiling: {} > {}",
                    risk.word(),
                    ceiling.word()
                ),
                "raise the ceiling in `#[toolset(…)]`, or move the tool to another block",
            );
        }
    }
}

/// No two tools have one name, as far as this can be said: `cfg`s may keep them apart.
fn distinct(tools: &[Tool], errors: &mut Errors) {
    for (at, tool) in tools.iter().enumerate() {
        let free = |tool: &Tool| tool.callee.cfgs.is_empty();
        // Two methods of one name are rustc's to refuse.
        let same =
            |earlier: &Tool| earlier.name == tool.name && earlier.callee.ident != tool.callee.ident;
        if free(tool) && tools[..at].iter().any(|earlier| free(earlier) && same(earlier)) {
            errors.push(
                tool.callee.ident.span(),
                format_args!("two tools of this toolset are `{}`", tool.name),
                "give one of them another `name`",
            );
        }
    }
}
