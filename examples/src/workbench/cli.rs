//! The command line of the workbench, read into what is to be done. It does nothing itself.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::ask::{Ask, Options};
use crate::front::{once, who};

/// How to use the workbench.
pub const USAGE: &str = "\
Files, searches, programs and pages of one project for a model, under guard.

usage: workbench [OPTIONS] [list]               list the tools
       workbench [OPTIONS] schema NAME          print the JSON Schema of a tool's arguments
       workbench [OPTIONS] call NAME JSON       call a tool; exits with 0 only if it ran and succeeded
       workbench [OPTIONS] explain NAME JSON    say what would become of that call, and why; nothing runs

options:
  --root DIR      the directory that the tools work in; nothing leads out of it [.]
  --host HOST     a host that http.fetch may reach, e.g. example.com or localhost:8080; again for more
  --as ORIGIN     who calls with `call` and `explain`: human, plan or model [human]
  --json          let `explain` print JSON
  --help          show this

What destroys, and what a model writes, a person is asked about on the terminal; without one it is refused.
";

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cli {
    /// The directory that the tools work in.
    pub root: PathBuf,
    /// The hosts that pages are fetched from.
    pub hosts: Vec<String>,
    /// What to do.
    pub command: Command,
}

/// What the workbench is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Show how to use it.
    Help,
    /// List the tools.
    List,
    /// Answer a question about one tool.
    Ask(Ask),
}

impl Cli {
    /// Reads the arguments that follow the program's name.
    ///
    /// # Errors
    /// What is wrong with them, for the person who typed them.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, lexopt::Error> {
        let mut parser = Parser::from_args(arguments);
        let (mut root, mut options) = (None, Options::default());
        let (mut hosts, mut words) = (Vec::new(), Vec::new());
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("help") | Arg::Short('h') => {
                    return Ok(Self { root: ".".into(), hosts, command: Command::Help });
                }
                Arg::Long("root") => once(&mut root, "--root", PathBuf::from(parser.value()?))?,
                Arg::Long("host") => hosts.push(parser.value()?.string()?),
                Arg::Long("as") => {
                    once(&mut options.origin, "--as", parser.value()?.parse_with(who)?)?;
                }
                Arg::Long("json") => once(&mut options.json, "--json", ())?,
                Arg::Value(word) => words.push(word.string()?),
                _ => return Err(argument.unexpected()),
            }
        }
        let mut words = words.into_iter();
        let command = match words.next().as_deref() {
            None | Some("list") => Command::List,
            Some(other) => match Ask::read(other, &mut words, &mut options)? {
                Some(ask) => Command::Ask(ask),
                None => return Err(format!("there is no subcommand `{other}`").into()),
            },
        };
        options.spent(&mut words)?;
        Ok(Self { root: root.unwrap_or_else(|| ".".into()), hosts, command })
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
        let list = Cli { root: ".".into(), hosts: Vec::new(), command: Command::List };
        assert_eq!(parse("").unwrap(), list);
        assert_eq!(parse("list").unwrap(), list);
        let cli = parse("--host a.example --root=/srv call --host b.example:1 a.b {}").unwrap();
        assert_eq!((cli.root, cli.hosts.len()), ("/srv".into(), 2));
        let call =
            |origin| Command::Ask(Ask::Call { name: "a.b".into(), arguments: "{}".into(), origin });
        assert_eq!(cli.command, call(Origin::Human));
        assert_eq!(parse("call --as model a.b {}").unwrap().command, call(Origin::Model));
        let cli = parse("explain --json --as plan a.b {}").unwrap();
        let (name, arguments) = ("a.b".into(), "{}".into());
        let explain = Ask::Explain { name, arguments, origin: Origin::Plan, json: true };
        assert_eq!(cli.command, Command::Ask(explain));
        assert_eq!(
            parse("schema x").unwrap().command,
            Command::Ask(Ask::Schema { name: "x".into() })
        );
        assert_eq!(parse("call --help").unwrap().command, Command::Help);
    }

    #[test]
    fn mistakes() {
        for (line, says) in [
            ("cal", "there is no subcommand `cal`"),
            ("call", "`call` needs the NAME of a tool"),
            ("call a.b", "`call` needs the arguments as JSON, e.g. '{}'"),
            ("list x", "`x` is one argument too many"),
            ("--root", "missing argument for option '--root'"),
            ("--root a --root b", "`--root` is given twice"),
            ("--as human", "`--as` goes with `call` and `explain` only"),
            ("call a.b {} --json", "`--json` goes with `explain` only"),
            ("--yes", "invalid option '--yes'"),
        ] {
            assert_eq!(parse(line).unwrap_err(), says, "{line}");
        }
    }
}
