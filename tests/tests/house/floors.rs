//! `toolkit/src` is built floor by floor: a file imports never from a floor above its own, and no
//! circle stands within one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The floors, lowest first. `private` is outside: only expansions use it.
const FLOORS: [&[&str]; 8] = [
    &[
        "spec", "risk", "name", "error", "problem", "verdict", "json", "text", "address", "hosts",
        "contain", "order", "paths",
    ],
    &["call", "context", "output", "draft", "event", "redact", "explanation"],
    &["param", "schema", "tool"],
    &["registry", "toolset"],
    &["policy", "approval", "hook", "scene", "session", "store"],
    &["pipeline"],
    &["toolkit", "catalog"],
    &["dialect", "testing", "audit", "process", "fs", "http", "plan", "starter"],
];

/// What the crate's root re-exports, by name.
type Exports = BTreeMap<String, String>;

/// One `crate::…` path: where, and the module that it names.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    line: usize,
    module: String,
}

fn floor(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module)).map(|index| index + 1)
}

/// The module that a file of `toolkit/src` belongs to: `policy` for `policy/hosts.rs`.
fn module_of(file: &Path) -> String {
    let inside = file.strip_prefix("toolkit/src").expect("it is in the library");
    let first = inside.components().next().expect("it has a name").as_os_str();
    first.to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// The code without comments and without what is for tests alone, line by line as it was.
fn code_of(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        if trimmed == "#[cfg(test)]" && lines.peek().is_some_and(|next| next.ends_with('{')) {
            let indent = &line[..line.len() - trimmed.len()];
            let end = format!("{indent}}}");
            code.push('\n');
            for skipped in lines.by_ref() {
                code.push('\n');
                if skipped == end {
                    break;
                }
            }
            continue;
        }
        if !trimmed.starts_with("//") {
            code.push_str(line.split(" // ").next().unwrap_or_default());
        }
        code.push('\n');
    }
    code
}

/// The first names in a use tree: `a::b` gives `a`, `{a::b, c}` gives `a` and `c`.
fn heads(tree: &str) -> Vec<String> {
    let word = |text: &str| {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        text[..end].to_owned()
    };
    let Some(group) = tree.strip_prefix('{') else {
        return vec![word(tree.trim_start_matches("r#"))];
    };
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, c) in group.char_indices() {
        let ends = match c {
            '{' => {
                depth += 1;
                false
            }
            '}' if depth > 0 => {
                depth -= 1;
                false
            }
            ',' => depth == 0,
            '}' => true,
            _ => false,
        };
        if ends {
            let name = word(group[start..at].trim());
            if !name.is_empty() {
                found.push(name);
            }
            start = at + 1;
            if c == '}' {
                break;
            }
        }
    }
    found
}

/// Every module that the code names through `crate::`, re-exports of the root seen through.
fn imports(code: &str, exports: &Exports) -> Vec<Import> {
    let mut found = Vec::new();
    for (at, path) in code.match_indices("crate::") {
        // `toolkit_crate::` isn't the crate's root.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let line = code[..at].matches('\n').count() + 1;
        for head in heads(&code[at + path.len()..]) {
            let module = exports.get(&head).cloned().unwrap_or(head);
            found.push(Import { line, module });
        }
    }
    found
}

/// The root's `pub use module::{…};` lines.
fn exports(lib: &str) -> Exports {
    let mut exports = Exports::new();
    let code = code_of(lib);
    for statement in code.split(';').filter_map(|part| part.trim().split("pub use ").nth(1)) {
        let Some((module, tree)) = statement.split_once("::") else { continue };
        if floor(module).is_some() {
            for name in heads(tree) {
                exports.insert(name, module.to_owned());
            }
        }
    }
    exports
}

/// A circle among the modules of one floor, if there is one.
fn circle(edges: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(
        module: &str,
        edges: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|held| held == module) {
            let mut circle = path[start..].to_vec();
            circle.push(module.to_owned());
            return Some(circle);
        }
        if !done.insert(module.to_owned()) {
            return None;
        }
        path.push(module.to_owned());
        let found = edges.get(module).into_iter().flatten();
        let found = found.into_iter().find_map(|next| visit(next, edges, path, done));
        path.pop();
        found
    }
    let mut done = BTreeSet::new();
    edges.keys().find_map(|module| visit(module, edges, &mut Vec::new(), &mut done))
}

/// The imports of every file outside tests: file, module, imports.
fn all_imports() -> Vec<(String, String, Vec<Import>)> {
    let exports = exports(&super::read("toolkit/src/lib.rs"));
    super::rust_files("toolkit/src")
        .iter()
        .filter(|file| !file.iter().any(|part| part == "tests.rs" || part == "tests"))
        .map(|file| {
            let code = code_of(&super::read(file));
            (file.display().to_string(), module_of(file), imports(&code, &exports))
        })
        .collect()
}

#[test]
fn every_module_has_a_floor() {
    let mut homeless: Vec<String> = super::rust_files("toolkit/src")
        .iter()
        .map(|file| module_of(file))
        .filter(|module| floor(module).is_none() && module != "lib" && module != "private")
        .collect();
    homeless.dedup();
    super::none(&homeless, "modules that stand on no floor");
}

#[test]
fn imports_go_down_the_floors() {
    let mut wrong = Vec::new();
    for (file, module, imports) in all_imports() {
        let Some(own) = floor(&module) else { continue };
        for Import { line, module: named } in imports {
            match floor(&named) {
                Some(other) if other > own => wrong.push(format!(
                    "{file}:{line}: `{module}` (floor {own}) imports `{named}` (floor {other})"
                )),
                None if named == "private" => {
                    wrong.push(format!("{file}:{line}: only expansions may name `private`"));
                }
                None => wrong.push(format!("{file}:{line}: `crate::{named}` has no floor")),
                Some(_) => {}
            }
        }
    }
    super::none(&wrong, "imports must go down the floors");
}

#[test]
fn no_circle_stands_within_a_floor() {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, module, imports) in all_imports() {
        for Import { module: named, .. } in imports {
            if named != module && floor(&named).is_some() && floor(&named) == floor(&module) {
                edges.entry(module.clone()).or_default().insert(named);
            }
        }
    }
    let circle = circle(&edges).map(|circle| circle.join(" → "));
    assert_eq!(circle, None, "modules of one floor import each other in a circle");
}

/// A path through `super` would get past the tests above.
#[test]
fn no_path_leaves_its_module_through_super() {
    let mut wrong = Vec::new();
    for file in super::rust_files("toolkit/src") {
        let depth = file.components().count() - "toolkit/src/x.rs".split('/').count();
        let is_mod = file.ends_with("mod.rs");
        let leaves = "super::".repeat(depth + usize::from(!is_mod));
        for (index, line) in code_of(&super::read(&file)).lines().enumerate() {
            // Deeper lines may stand in an inline module.
            if line.starts_with("use ") && line.contains(&leaves) {
                wrong.push(format!("{}:{}: {line}", file.display(), index + 1));
            }
        }
    }
    super::none(&wrong, "write `crate::` for what is outside the module");
}

mod of_the_reader {
    use super::*;

    fn modules(code: &str) -> Vec<String> {
        let exports = exports("pub use tool::{ToolId, id};\npub use risk::Risk;\n");
        imports(&code_of(code), &exports).into_iter().map(|import| import.module).collect()
    }

    #[test]
    fn sees_lines_groups_inline_paths_and_re_exports() {
        assert_eq!(modules("use crate::spec::{ToolSpec, Source};"), ["spec"]);
        assert_eq!(modules("use crate::{call::{Code, ToolCall}, r, text};"), ["call", "r", "text"]);
        assert_eq!(modules("pub use crate::{\n    a::b,\n    c,\n};"), ["a", "c"]);
        assert_eq!(modules("fn f() { crate::json::write(crate::Risk::Read) }"), ["json", "risk"]);
        assert_eq!(modules("x: impl Iterator<Item = crate::ToolId>"), ["tool"]);
        assert_eq!(modules("my_crate::pipeline::x()"), [""; 0]);
    }

    #[test]
    fn skips_comments_and_tests() {
        let code = "//! [`x`](crate::pipeline)\nfn f() {} // crate::pipeline\n\
                    #[cfg(test)]\nmod tests {\n    use crate::toolkit;\n}\nuse crate::name;\n";
        assert_eq!(modules(code), ["name"]);
        assert_eq!(imports(&code_of(code), &Exports::new())[0].line, 7);
    }

    #[test]
    fn finds_circles() {
        let edges = |pairs: &[(&str, &str)]| {
            let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (from, to) in pairs {
                edges.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            }
            circle(&edges)
        };
        assert_eq!(edges(&[("a", "b"), ("b", "c"), ("a", "c")]), None);
        let found = edges(&[("x", "a"), ("a", "b"), ("b", "a")]).expect("a circle");
        assert_eq!(found, ["a", "b", "a"]);
    }
}
