//! Writes the mended twins of the compile-fail fixtures, and lists the fixtures that must compile.
//!
//! A line `// mended: TEXT` in a fixture says that its twin has TEXT in place of the next line. So a
//! twin differs from its fixture in the mistake and nothing else.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let ui = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("ui");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed={}", ui.display());
    let mut modules = String::new();
    let mut names = String::new();
    for area in ["attr", "hook", "name", "output", "param", "send", "signature", "toolset"] {
        for path in sources(&ui.join(area))? {
            let name = format!("{area}_{}", stem(&path));
            let twin = out.join(format!("{name}.rs"));
            let mended = mended(&fs::read_to_string(&path)?);
            let mended = mended.ok_or_else(|| {
                io::Error::other(format!("{} has no `// mended:` line", path.display()))
            })?;
            fs::write(&twin, mended)?;
            module(&mut modules, &name, &twin);
            let _ = writeln!(names, "    \"{area}/{}\",", stem(&path));
        }
    }
    let _ = write!(modules, "/// Every fixture.\nconst FIXTURES: &[&str] = &[\n{names}];\n");
    fs::write(out.join("mended.rs"), modules)?;
    let mut modules = String::new();
    for path in sources(&ui.join("pass"))? {
        module(&mut modules, stem(&path), &path);
    }
    fs::write(out.join("pass.rs"), modules)
}

fn module(modules: &mut String, name: &str, path: &Path) {
    let _ = writeln!(modules, "#[path = {path:?}]\nmod {name};");
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// The `.rs` files of a folder, by name.
fn sources(folder: &Path) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            println!("cargo::rerun-if-changed={}", path.display());
            sources.push(path);
        }
    }
    sources.sort();
    Ok(sources)
}

/// The twin of a fixture; `None` where the fixture says nothing of it.
fn mended(fixture: &str) -> Option<String> {
    let mut mended = String::new();
    let mut lines = fixture.lines();
    let mut differs = false;
    while let Some(line) = lines.next() {
        let text = match line.trim_start().strip_prefix("// mended:") {
            Some(text) => {
                differs = true;
                lines.next()?;
                text.trim()
            }
            None => line,
        };
        mended.push_str(text);
        mended.push('\n');
    }
    differs.then_some(mended)
}
