//! The tools of every world, one for each kind; each writes down that its body ran, and on what.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use toolkit::prelude::*;
use toolkit::{RiskSet, ToolId};

use crate::world::{Facts, Level, Own};

/// A directory that is there, and paths in it.
pub(crate) const DIRECTORY: &str = env!("CARGO_MANIFEST_DIR");
pub(crate) const INSIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/worlds/tools.rs");
pub(crate) const INSIDE_BY_DOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/worlds/../y");
/// A path out of it that begins as those in it do.
pub(crate) const OUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");

/// What ran: the tool, and the arguments that its body got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) tool: String,
    pub(crate) name: String,
    pub(crate) n: i64,
    pub(crate) path: String,
    pub(crate) argv: Vec<String>,
    pub(crate) memo: Option<String>,
    pub(crate) url: Option<String>,
}

/// All that ran, in order; what was sent is of the tool `sent`.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<Vec<Ran>>>);

impl Ledger {
    fn write(&self, ran: Ran) {
        self.0.lock().unwrap().push(ran);
    }

    pub(crate) fn take(&self) -> Vec<Ran> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// A letter to somebody outside.
#[derive(Debug, Serialize, Deserialize)]
struct Letter {
    name: String,
}

#[commit]
fn post(letter: Confirmed<Letter>, #[state] ledger: &Ledger) -> &'static str {
    let name = letter.get().name.clone();
    let ran = Ran { name, n: 0, path: String::new(), argv: Vec::new(), ..sent() };
    ledger.write(ran);
    "sent"
}

/// What stands in the ledger for a letter that was sent.
pub(crate) fn sent() -> Ran {
    Ran {
        tool: "sent".to_owned(),
        name: String::new(),
        n: 0,
        path: String::new(),
        argv: Vec::new(),
        memo: None,
        url: None,
    }
}

/// A tool that writes down what it got; with `: url` one of the network.
macro_rules! tool {
    ($function:ident, $name:literal, [$($key:tt)*] $(: $url:ident)? => $returned:ty = $value:expr) => {
        /// Write down that it ran.
        #[tool(name = $name, $($key)*)]
        async fn $function(
            /// A name, e.g. `red`.
            name: String,
            /// A number, e.g. `5`.
            #[arg(default = 5, range = 0..=100, alias = "count")]
            n: i64,
            /// A path, e.g. `a/b`.
            path: String,
            /// A command, e.g. `["cargo"]`.
            #[arg(default = Vec::new())]
            argv: Vec<String>,
            /// A remark, e.g. `red`.
            memo: Option<String>,
            $(
                /// An address, e.g. `https://example.com/`.
                #[arg(url)]
                $url: String,
            )?
            #[state] ledger: &Ledger,
        ) -> $returned {
            #[allow(unused_mut, unused_assignments)]
            let mut url: Option<String> = None;
            $(url = Some($url);)?
            let value: fn(String) -> $returned = $value;
            let reply = value(name.clone());
            ledger.write(Ran { tool: $name.to_owned(), name, n, path, argv, memo, url });
            reply
        }
    };
}

tool!(read, "note.read", [risk = "read"] => String = |name| name);
tool!(write, "note.write", [risk = "write"] => String = |name| name);
tool!(wipe, "note.wipe", [risk = "destructive"] => String = |name| name);
tool!(fetch, "web.fetch", [risk = "network"]: address => String = |name| name);
tool!(hook, "web.post", [risk = ["write", "network"], hosts = ["hooks.example"]]: address => String = |name| name);
tool!(purge, "web.purge", [risk = ["write", "network", "destructive"]]: address => String = |name| name);
tool!(mail, "mail.write", [risk = "send"] => Draft<Letter> = |name| Draft::new(Letter { name }));
tool!(blast, "mail.blast", [risk = ["send", "destructive"]] => Draft<Letter> = |name| Draft::new(Letter { name }));
tool!(lab_read, "lab.read", [risk = "read", flag = "lab"] => String = |name| name);
tool!(lab_write, "lab.write", [risk = "write", flag = "lab", scopes = ["desk", "bench"]] => String = |name| name);

/// Call another tool, and give its code.
#[tool(name = "outer.call", risk = "read")]
async fn outer(
    /// Name of the tool, e.g. `note.read`.
    tool: String,
    /// Its arguments as JSON text, e.g. `{}`.
    arguments: String,
    /// Whether the response with the call was cut.
    #[arg(default = false)]
    cut: bool,
    #[state] ledger: &Ledger,
    #[context] cx: &CallContext,
) -> String {
    ledger.write(Ran { tool: "outer.call".to_owned(), ..sent() });
    let call = ToolCall::new(tool, arguments);
    cx.call(if cut { call.cut("length") } else { call }).await.code().to_string()
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Arguments {
    /// A name, e.g. `red`.
    name: String,
    /// A number, e.g. `5`.
    #[serde(default = "five", alias = "count")]
    #[schemars(range(min = 0, max = 100))]
    n: i64,
    /// A path, e.g. `a/b`.
    path: String,
    /// A command, e.g. `["cargo"]`.
    #[serde(default)]
    argv: Vec<String>,
    /// A remark, e.g. `red`.
    memo: Option<String>,
}

fn five() -> i64 {
    5
}

/// The tool from a closure.
pub(crate) fn typed(levels: &[Level], ledger: &Ledger) -> TypedTool {
    closure("typed.any", "typed.any".to_owned(), levels, ledger)
}

/// A tool that is added while the toolkit runs.
pub(crate) fn own(own: &Own, ledger: &Ledger) -> TypedTool {
    closure(own.name, mark(own.name, own.level), &own.levels, ledger)
}

/// As what it stands in the ledger.
pub(crate) fn mark(name: &str, level: usize) -> String {
    format!("{name} of level {level}")
}

fn closure(name: &str, mark: String, levels: &[Level], ledger: &Ledger) -> TypedTool {
    let risk = RiskSet::of(&levels.iter().map(|level| risk(*level)).collect::<Vec<_>>());
    let ledger = ledger.clone();
    let run = move |args: Arguments, _: CallContext| {
        let (ledger, tool) = (ledger.clone(), mark.clone());
        async move {
            let Arguments { name, n, path, argv, memo } = args;
            ledger.write(Ran { tool, name, n, path, argv, memo, url: None });
            Ok::<_, ToolError>("typed")
        }
    };
    TypedTool::new(name, "Write down that it ran.", risk, run)
}

pub(crate) fn risk(level: Level) -> Risk {
    match level {
        Level::Read => Risk::Read,
        Level::Write => Risk::Write,
        Level::Network => Risk::Network,
        Level::Send => Risk::Send,
        Level::Destructive => Risk::Destructive,
    }
}

pub(crate) fn ids() -> [ToolId; 11] {
    [
        id(read),
        id(write),
        id(wipe),
        id(fetch),
        id(hook),
        id(purge),
        id(mail),
        id(blast),
        id(lab_read),
        id(lab_write),
        id(outer),
    ]
}

/// What stands above, stated once more, for a world whose `typed.any` has these levels.
pub(crate) fn facts(name: &str, typed: &[Level]) -> Option<Facts> {
    use Level::{Destructive, Network, Read, Send, Write};
    let of = |name, levels: &[Level]| Facts {
        name,
        levels: levels.to_vec(),
        flag: None,
        scopes: &[],
        hosts: &[],
        calls_on: false,
        own: None,
        shadow: false,
    };
    Some(match name {
        "note.read" => of("note.read", &[Read]),
        "note.write" => of("note.write", &[Write]),
        "note.wipe" => of("note.wipe", &[Destructive]),
        "web.fetch" => of("web.fetch", &[Network]),
        "web.post" => Facts { hosts: &["hooks.example"], ..of("web.post", &[Write, Network]) },
        "web.purge" => of("web.purge", &[Write, Network, Destructive]),
        "mail.write" => of("mail.write", &[Send]),
        "mail.blast" => of("mail.blast", &[Send, Destructive]),
        "lab.read" => Facts { flag: Some("lab"), ..of("lab.read", &[Read]) },
        "lab.write" => {
            Facts { flag: Some("lab"), scopes: &["desk", "bench"], ..of("lab.write", &[Write]) }
        }
        "outer.call" => Facts { calls_on: true, ..of("outer.call", &[Read]) },
        "typed.any" => of("typed.any", typed),
        _ => return None,
    })
}

/// The names of all tools.
pub(crate) const NAMES: [&str; 14] = [
    "note.read",
    "note.write",
    "note.wipe",
    "web.fetch",
    "web.post",
    "web.purge",
    "mail.write",
    "mail.blast",
    "lab.read",
    "lab.write",
    "outer.call",
    "typed.any",
    "own.read",
    "own.write",
];

/// The names that children may have.
pub(crate) const OWN: [&str; 7] =
    ["note.read", "note.write", "note.wipe", "lab.write", "typed.any", "own.read", "own.write"];
