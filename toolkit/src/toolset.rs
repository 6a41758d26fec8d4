//! A type whose methods are tools.

use crate::tool::Registration;

/// A type whose methods are tools, by [`#[toolset]`](macro@crate::toolset), and by nothing else.
///
/// A value of it is loaded with [`Toolkit::load`](crate::Toolkit::load) or
/// [`Builder::toolset`](crate::Builder::toolset).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no toolset",
    label = "it has no tools to load",
    note = "put `#[toolset(domain = \"…\")]` on an `impl` block of it"
)]
pub trait Toolset: Sized + Send + Sync + 'static {
    /// What the names of its tools begin with.
    const DOMAIN: &'static str;

    /// Its tools, in the order of the block.
    #[doc(hidden)]
    fn toolkit_tools() -> Vec<&'static Registration>;
}
