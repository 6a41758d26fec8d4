//! The command line of the desk, read into what is to be done. It does nothing itself.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::ask::{Ask, Options};
use crate::front::{once, who};

/// How to use the desk.
pub const USAGE: &str = "\
A support desk whose tools a model uses under guard.

usage: desk [OPTIONS]                     play the recorded conversation
       desk [OPTIONS] tools               list the tools
       desk [OPTIONS] schema NAME         print the JSON Schema of a tool's arguments
       desk [OPTIONS] call NAME JSON      call a tool; exits with 0 only if it ran and succeeded
       desk [OPTIONS] explain NAME JSON   say what would become of that call, and why; nothing runs
       desk [OPTIONS] plan [SESSION]      answer the session's last message, step by step
       desk [OPTIONS] chat                talk to a model (built with `--features live`)

options:
  --db FILE       the SQLite file, made and filled if it isn't there [desk.db]; replies are mailed
                  into the maildir beside it, desk.mail
  --script FILE   play this conversation instead: JSON Lines, each a response in OpenAI's wire
                  format, {\"user\": \"text\"}, or {\"human\": {\"approve\": \"last\"}}, or with deny,
                  which decide on the last call before them that asks, or with confirm or
                  withdraw, which decide on the last draft
  --as ORIGIN     who calls with `call` and `explain`: human, plan or model [human]
  --json          let `explain` print JSON
  --reply         let `plan` draft the reply as well; a person would confirm it
  --report FILE   where `plan` keeps its report; if there is one, it goes on from it and repeats
                  no finished step
  --help          show this

In a script and in the JSON of a call, {{page}} stands for the address of a small web server of the
desk's own, the only host that web.fetch may reach; it has the pages /status and /moved.
";

/// The database where none is named: in the current directory.
const DATABASE: &str = "desk.db";

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cli {
    /// The database.
    pub db: PathBuf,
    /// What to do.
    pub command: Command,
}

/// What the desk is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Show how to use it.
    Help,
    /// Play a conversation, the recorded one where none is named.
    Play {
        /// The script.
        script: Option<PathBuf>,
    },
    /// List the tools.
    Tools,
    /// Answer a question about one tool.
    Ask(Ask),
    /// Run a plan.
    Plan {
        /// The session whose last message is answered.
        session: Option<String>,
        /// Whether the reply is drafted as well.
        reply: bool,
        /// Where the report is kept, and gone on from.
        report: Option<PathBuf>,
    },
    /// Talk to a model.
    Chat,
}

impl Cli {
    /// Reads the arguments that follow the program's name.
    ///
    /// # Errors
    /// What is wrong with them, for the person who typed them.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, lexopt::Error> {
        let mut parser = Parser::from_args(arguments);
        let (mut db, mut script, mut options) = (None, None, Options::default());
        let (mut reply, mut report) = (None, None);
        let mut words: Vec<String> = Vec::new();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("help") | Arg::Short('h') => {
                    return Ok(Self { db: DATABASE.into(), command: Command::Help });
                }
                Arg::Long("db") => once(&mut db, "--db", PathBuf::from(parser.value()?))?,
                Arg::Long("script") => {
                    once(&mut script, "--script", PathBuf::from(parser.value()?))?;
                }
                Arg::Long("as") => {
                    once(&mut options.origin, "--as", parser.value()?.parse_with(who)?)?;
                }
                Arg::Long("json") => once(&mut options.json, "--json", ())?,
                Arg::Long("reply") => once(&mut reply, "--reply", ())?,
                Arg::Long("report") => {
                    once(&mut report, "--report", PathBuf::from(parser.value()?))?;
                }
                Arg::Value(word) => words.push(word.string()?),
                _ => return Err(argument.unexpected()),
            }
        }
        let mut words = words.into_iter();
        let command = match words.next().as_deref() {
            None => Command::Play { script: script.take() },
            Some("tools") => Command::Tools,
            Some("plan") => Command::Plan {
                session: words.next(),
                reply: reply.take().is_some(),
                report: report.take(),
            },
            Some("chat") => Command::Chat,
            Some(other) => match Ask::read(other, &mut words, &mut options)? {
                Some(ask) => Command::Ask(ask),
                None => return Err(format!("there is no subcommand `{other}`").into()),
            },
        };
        if script.is_some() {
            return Err("`--script` goes without a subcommand".into());
        }
        if reply.is_some() || report.is_some() {
            return Err("`--reply` and `--report` go with `plan` only".into());
        }
        options.spent(&mut words)?;
        Ok(Self { db: db.unwrap_or_else(|| DATABASE.into()), command })
    }
}

#[cfg(test)]
mod tests {
    use toolkit::Origin;

    use super::*;

    fn parse(line: &str) -> Result<Cli, String> {
        Cli::parse(line.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn commands() {
        let cli = parse("").unwrap();
        assert_eq!(cli, Cli { db: "desk.db".into(), command: Command::Play { script: None } });
        let cli = parse("--script a.jsonl --db=b.db").unwrap();
        let script = Some("a.jsonl".into());
        assert_eq!(cli, Cli { db: "b.db".into(), command: Command::Play { script } });
        let call =
            |origin| Command::Ask(Ask::Call { name: "a.b".into(), arguments: "{}".into(), origin });
        assert_eq!(parse("call a.b {}").unwrap().command, call(Origin::Human));
        assert_eq!(parse("call --as model a.b {}").unwrap().command, call(Origin::Model));
        let explain = |origin, json| {
            let (name, arguments) = ("a.b".into(), "{}".into());
            Command::Ask(Ask::Explain { name, arguments, origin, json })
        };
        assert_eq!(parse("explain a.b {}").unwrap().command, explain(Origin::Human, false));
        let cli = parse("explain --json --as plan a.b {}").unwrap();
        assert_eq!(cli.command, explain(Origin::Plan, true));
        let plan = |session: Option<&str>, reply, report: Option<&str>| Command::Plan {
            session: session.map(str::to_owned),
            reply,
            report: report.map(Into::into),
        };
        assert_eq!(parse("plan").unwrap().command, plan(None, false, None));
        let cli = parse("plan s-42 --reply --report r.json").unwrap();
        assert_eq!(cli.command, plan(Some("s-42"), true, Some("r.json")));
        assert_eq!(
            parse("schema x").unwrap().command,
            Command::Ask(Ask::Schema { name: "x".into() })
        );
        assert_eq!(parse("--nonsense-not-read-yet --help").unwrap_err().lines().count(), 1);
        assert_eq!(parse("call --help").unwrap().command, Command::Help);
    }

    #[test]
    fn mistakes() {
        for (line, says) in [
            ("cal", "there is no subcommand `cal`"),
            ("call", "`call` needs the NAME of a tool"),
            ("call a.b", "`call` needs the arguments as JSON, e.g. '{}'"),
            ("call a.b {} {}", "`{}` is one argument too many"),
            ("schema", "`schema` needs the NAME of a tool"),
            ("tools x", "`x` is one argument too many"),
            ("--db", "missing argument for option '--db'"),
            ("--db a --db b", "`--db` is given twice"),
            ("--script s tools", "`--script` goes without a subcommand"),
            ("--as human", "`--as` goes with `call` and `explain` only"),
            ("explain a.b", "`explain` needs the arguments as JSON, e.g. '{}'"),
            ("call a.b {} --json", "`--json` goes with `explain` only"),
            ("explain a.b {} --json --json", "`--json` is given twice"),
            (
                "call a.b {} --as robot",
                "cannot parse argument \"robot\": known: human, plan, model",
            ),
            ("tools --reply", "`--reply` and `--report` go with `plan` only"),
            ("--report r.json", "`--reply` and `--report` go with `plan` only"),
            ("plan s-42 s-43", "`s-43` is one argument too many"),
            ("--frob", "invalid option '--frob'"),
        ] {
            assert_eq!(parse(line).unwrap_err(), says, "{line}");
        }
    }
}
