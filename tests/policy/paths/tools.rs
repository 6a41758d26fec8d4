//! Two families of tools: `naive` opens whatever it is given, `root` goes through a `Root`.

use std::path::{Path, PathBuf};

use serde_json::json;
use toolkit::fs::{Listing, Root};
use toolkit::policy::{only, under};
use toolkit::prelude::*;

use super::tree::Tree;

/// The directory that relative paths of the naive tools go out from.
pub(crate) struct Base(PathBuf);

/// Read a file by its path.
#[tool(name = "naive.read")]
fn naive_read(
    /// Path of the file.
    path: String,
    #[state] base: &Base,
) -> Result<String, ToolError> {
    Ok(std::fs::read_to_string(base.0.join(path))?)
}

/// List the names in a directory.
#[tool(name = "naive.list")]
fn naive_list(
    /// Path of the directory.
    path: String,
    #[state] base: &Base,
) -> Result<Vec<String>, ToolError> {
    let entries = std::fs::read_dir(base.0.join(path))?;
    Ok(entries.flatten().map(|entry| entry.path().display().to_string()).collect())
}

/// Write a file as a whole.
#[tool(name = "naive.write", risk = "write")]
fn naive_write(
    /// Path of the file.
    path: String,
    #[state] base: &Base,
) -> Result<(), ToolError> {
    Ok(std::fs::write(base.0.join(path), "written")?)
}

/// Delete a file or an empty directory.
#[tool(name = "naive.delete", risk = "write")]
fn naive_delete(
    /// Path of what to delete.
    path: String,
    #[state] base: &Base,
) -> Result<(), ToolError> {
    let path = base.0.join(path);
    Ok(std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path))?)
}

/// Rename a file or a directory.
#[tool(name = "naive.rename", risk = "write")]
fn naive_rename(
    /// Path of what to rename.
    path: String,
    /// Its new path.
    to: String,
    #[state] base: &Base,
) -> Result<(), ToolError> {
    Ok(std::fs::rename(base.0.join(path), base.0.join(to))?)
}

/// Read a file in the root.
#[tool(name = "root.read")]
async fn root_read(
    /// Path of the file.
    path: &str,
    #[state] root: &Root,
) -> Result<String, ToolError> {
    Ok(root.read_text(path).await?)
}

/// List a directory of the root.
#[tool(name = "root.list")]
async fn root_list(
    /// Path of the directory.
    path: &str,
    #[state] root: &Root,
) -> Result<Listing, ToolError> {
    root.walk(path).await?;
    Ok(root.list(path).await?)
}

/// Write a file in the root.
#[tool(name = "root.write", risk = "write")]
fn root_write(
    /// Path of the file.
    path: &str,
    #[state] root: &Root,
) -> Result<(), ToolError> {
    Ok(root.blocking().write(path, b"written")?)
}

/// Delete a file or a directory of the root.
#[tool(name = "root.delete", risk = "write")]
fn root_delete(
    /// Path of what to delete.
    path: &str,
    #[state] root: &Root,
) -> Result<(), ToolError> {
    let root = root.blocking();
    Ok(root.remove_file(path).or_else(|_| root.remove_dir_all(path))?)
}

/// Rename something in the root.
#[tool(name = "root.rename", risk = "write")]
fn root_rename(
    /// Path of what to rename.
    path: &str,
    /// Its new path.
    to: &str,
    #[state] root: &Root,
) -> Result<(), ToolError> {
    Ok(root.blocking().rename(path, to)?)
}

/// What is done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Read,
    List,
    Write,
    Delete,
    RenameFrom,
    RenameTo,
}

impl Deed {
    pub(crate) const ALL: [Self; 6] =
        [Self::Read, Self::List, Self::Write, Self::Delete, Self::RenameFrom, Self::RenameTo];

    /// Whether nothing is changed.
    pub(crate) fn only_looks(self) -> bool {
        matches!(self, Self::Read | Self::List)
    }

    /// The call of a family's tool; `other` is the other path of a renaming.
    pub(crate) fn call(self, family: &str, path: &str, other: &str) -> ToolCall<'static> {
        let (verb, arguments) = match self {
            Self::Read => ("read", json!({ "path": path })),
            Self::List => ("list", json!({ "path": path })),
            Self::Write => ("write", json!({ "path": path })),
            Self::Delete => ("delete", json!({ "path": path })),
            Self::RenameFrom => ("rename", json!({ "path": path, "to": other })),
            Self::RenameTo => ("rename", json!({ "path": other, "to": path })),
        };
        ToolCall::new(format!("{family}.{verb}"), arguments.to_string())
    }
}

/// The toolkit over a tree. The naive tools are bound by the rule alone, the others by the root alone.
pub(crate) fn toolkit(tree: &Tree) -> Toolkit {
    let inside = || under(tree.text("in")).relative_to(tree.text("in"));
    let policy = Policy::trusting()
        .rule(only("naive.*").when("path", inside()))
        .rule(only("naive.rename").when("to", inside()));
    let naive =
        [id(naive_read), id(naive_list), id(naive_write), id(naive_delete), id(naive_rename)];
    let root = [id(root_read), id(root_list), id(root_write), id(root_delete), id(root_rename)];
    Toolkit::builder()
        .only(naive.into_iter().chain(root))
        .policy(policy)
        .state(Base(tree.at("in")))
        .state(Root::open(tree.at("in")).unwrap())
        .build()
        .unwrap()
}

/// Whether a text names the tree's own place.
pub(crate) fn names_its_place(text: &str, tree: &Tree) -> bool {
    let name = tree.at("in").parent().and_then(Path::file_name).unwrap().to_owned();
    text.contains(name.to_str().unwrap())
}
