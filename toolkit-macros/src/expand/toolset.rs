//! What makes the methods of an impl block tools.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned as _;

use super::{here, krate, registration, string};
use crate::model::Toolset;

/// Writes what makes the methods of a type tools that are loaded with a value of it.
///
/// Expands to:
/// ```text
/// const _: () = {
///     use ::toolkit::private::{self as toolkit_, probe::*};
///     impl toolkit_::Toolset for Files {
///         const DOMAIN: &'static str = "fs";
///         fn toolkit_tools() -> toolkit_::Vec<&'static toolkit_::Registration> {
///             #[allow(unused_mut)]
///             let mut toolkit_tools = toolkit_::Vec::new();
///             {
///                 …                                             // as for a function
///                 static TOOLKIT_TOOL: toolkit_::Registration = toolkit_::registration(…);
///                 toolkit_tools.push(&TOOLKIT_TOOL);
///             }
///             toolkit_tools
///         }
///     }
/// };
/// ```
pub(crate) fn expand_toolset(toolset: &Toolset) -> TokenStream {
    let ty = &toolset.ty;
    let at = here(ty.span());
    let tools = toolset.tools.iter().map(|tool| {
        let at = here(tool.callee.ident.span());
        let (items, registration) = registration(tool, at);
        let (cfgs, allows) = (&tool.callee.cfgs, &tool.callee.allows);
        quote_spanned! {at=>
            #(#cfgs)*
            #(#allows)*
            {
                #items
                static TOOLKIT_TOOL: toolkit_::Registration = #registration;
                toolkit_tools.push(&TOOLKIT_TOOL);
            }
        }
    });
    let domain = string(&toolset.domain, at);
    let (cfgs, allows) = (&toolset.cfgs, &toolset.allows);
    let krate = krate(toolset.krate.as_ref(), at);
    quote_spanned! {at=>
        #(#cfgs)*
        #(#allows)*
        const _: () = {
            use #krate::private::{self as toolkit_, probe::*};
            impl toolkit_::Toolset for #ty {
                const DOMAIN: &'static str = #domain;
                fn toolkit_tools() -> toolkit_::Vec<&'static toolkit_::Registration> {
                    #[allow(unused_mut)]
                    let mut toolkit_tools = toolkit_::Vec::new();
                    #(#tools)*
                    toolkit_tools
                }
            }
        };
    }
}
