//! Expansions as text, beside their sources in `snapshots/`. `UPDATE_SNAPSHOTS=1` writes them anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::visit::{self, Visit};

use crate::item::Kind;

/// What an attribute of ours makes of the item in a source, without the item itself.
fn expand(source: &str) -> TokenStream {
    let file: syn::File = syn::parse_str(source).unwrap();
    let mut item = match file.items.into_iter().next() {
        Some(syn::Item::Fn(item)) => item,
        Some(syn::Item::Impl(block)) => return expand_toolset(block),
        _ => panic!("no fn"),
    };
    let kinds = [Kind::Tool, Kind::Commit];
    let find = |kind: Kind| item.attrs.iter().position(|attr| attr.path().is_ident(kind.word()));
    let (kind, at) = kinds.into_iter().find_map(|kind| Some((kind, find(kind)?))).unwrap();
    let keys = match item.attrs.remove(at).meta {
        syn::Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    let function = crate::item::strip(item.to_token_stream(), kind).into_iter().count();
    let item = item.into_token_stream();
    let run = match kind {
        Kind::Tool => crate::tool::run(keys, item),
        Kind::Commit => crate::commit::run(keys, item),
    };
    run.into_iter().skip(function).collect()
}

fn expand_toolset(mut block: syn::ItemImpl) -> TokenStream {
    let syn::Meta::List(keys) = block.attrs.remove(0).meta else { panic!("no keys") };
    let block = block.into_token_stream();
    let written = crate::block::strip(block.clone()).into_iter().count();
    crate::toolset::run(keys.tokens, block).into_iter().skip(written).collect()
}

fn pretty(tokens: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2(tokens).unwrap())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots")
}

fn search() -> TokenStream {
    expand(&fs::read_to_string(folder().join("search.rs")).unwrap())
}

#[test]
fn expansions_are_as_reviewed() {
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut sources = BTreeSet::new();
    let mut expanded = BTreeSet::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        match name.strip_suffix(".expanded.rs") {
            Some(stem) => expanded.insert(stem.to_owned()),
            None => sources.insert(name.strip_suffix(".rs").unwrap().to_owned()),
        };
    }
    let mut wrong = Vec::new();
    for stem in &sources {
        let source = fs::read_to_string(folder().join(format!("{stem}.rs"))).unwrap();
        let path = folder().join(format!("{stem}.expanded.rs"));
        let now = pretty(expand(&source));
        if update {
            fs::write(&path, &now).unwrap();
        } else if fs::read_to_string(&path).ok().as_deref() != Some(now.as_str()) {
            wrong.push(format!("{stem}:\n{now}"));
        }
    }
    wrong.extend(expanded.difference(&sources).map(|stem| format!("{stem}: has no source")));
    assert!(wrong.is_empty(), "review, then set UPDATE_SNAPSHOTS=1:\n{}", wrong.join("\n"));
}

/// The paths of an expansion, those inside of its macro calls included.
#[derive(Default)]
struct Paths(BTreeSet<String>);

impl<'ast> Visit<'ast> for Paths {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let start = if path.leading_colon.is_some() { "::" } else { "" };
        let segments = path.segments.iter().map(|segment| segment.ident.to_string());
        self.0.insert(format!("{start}{}", segments.collect::<Vec<_>>().join("::")));
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let start = if item.leading_colon.is_some() { "::" } else { "" };
        self.0.insert(format!("use {start}{}", crate::types::text(&item.tree)));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        visit::visit_macro(self, call);
        if !call.tokens.is_empty() {
            let inner: syn::Expr = syn::parse2(call.tokens.clone()).unwrap();
            let mut paths = Self::default();
            paths.visit_expr(&inner);
            self.0.append(&mut paths.0);
        }
    }
}

#[test]
fn an_expansion_is_short() {
    let text = pretty(search());
    let lines = text.lines().count();
    assert!(lines <= 45, "{lines} lines:\n{text}");
}

#[test]
fn an_expansion_names_nothing_but_ours_core_and_the_users() {
    let users = ["search", "u8", "KnowledgeBase", "Result", "Vec", "Article", "KbError"];
    let mut paths = Paths::default();
    paths.visit_file(&syn::parse2(search()).unwrap());
    let strangers: Vec<String> = paths
        .0
        .into_iter()
        .filter(|path| {
            let ours = ["toolkit", "TOOLKIT_", "Toolkit", "::core::"];
            !ours.iter().any(|prefix| path.starts_with(prefix))
                && path != "use ::toolkit::private::{self as toolkit_, probe::*}"
                && !users.contains(&path.as_str())
        })
        .collect();
    assert!(strangers.is_empty(), "{strangers:?}");
}

/// The tokens with each one, at any depth, left out or doubled.
fn mutations(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut mutations = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let with = |middle: &[TokenTree]| {
            let before = tokens[..at].iter().chain(middle);
            before.chain(&tokens[at + 1..]).cloned().collect::<TokenStream>()
        };
        mutations.push(with(&[]));
        mutations.push(with(&[token.clone(), token.clone()]));
        if let TokenTree::Group(group) = token {
            for inner in mutations_of(group) {
                mutations.push(with(&[TokenTree::Group(inner)]));
            }
        }
    }
    mutations
}

fn mutations_of(group: &Group) -> Vec<Group> {
    let mutations = mutations(group.stream()).into_iter();
    mutations.map(|tokens| Group::new(group.delimiter(), tokens)).collect()
}

#[test]
fn no_mutation_panics_or_loses_the_function() {
    let source = fs::read_to_string(folder().join("every_key.rs")).unwrap();
    let mut item: syn::ItemFn = syn::parse_str(&source).unwrap();
    let at = item.attrs.iter().position(|attr| attr.path().is_ident("tool")).unwrap();
    let syn::Meta::List(keys) = item.attrs.remove(at).meta else { panic!("no keys") };
    let item = item.into_token_stream();
    let mut refused = 0;
    for keys in mutations(keys.tokens.clone()) {
        let tokens = crate::tool::run(keys, item.clone()).to_string();
        assert!(tokens.contains("pub async fn create"), "{tokens}");
        refused += usize::from(tokens.contains("compile_error"));
    }
    assert!(refused > 50, "{refused}");
    for item in mutations(item) {
        let stripped = crate::item::strip(item.clone(), Kind::Tool).to_string();
        let tokens = crate::tool::run(keys.tokens.clone(), item).to_string();
        assert!(tokens.starts_with(&stripped), "{tokens}");
    }
}

#[test]
fn no_mutation_of_a_toolset_panics_or_loses_a_method() {
    let source = fs::read_to_string(folder().join("toolset.rs")).unwrap();
    let mut block: syn::ItemImpl = syn::parse_str(&source).unwrap();
    let syn::Meta::List(keys) = block.attrs.remove(0).meta else { panic!("no keys") };
    let block = block.into_token_stream();
    let mut refused = 0;
    for keys in mutations(keys.tokens.clone()) {
        let tokens = crate::toolset::run(keys, block.clone()).to_string();
        assert!(tokens.contains("pub async fn read"), "{tokens}");
        refused += usize::from(tokens.contains("compile_error"));
    }
    assert!(refused > 5, "{refused}");
    for block in mutations(block) {
        let stripped = crate::block::strip(block.clone()).to_string();
        let tokens = crate::toolset::run(keys.tokens.clone(), block).to_string();
        assert!(tokens.starts_with(&stripped), "{tokens}");
    }
}
