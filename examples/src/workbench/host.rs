//! The host of the workbench: it puts the toolkit together over one directory.

use std::io;
use std::path::Path;

use toolkit::Builder;
use toolkit::fs::Root;
use toolkit::http::{Http, HttpError};
use toolkit::prelude::*;
use toolkit::starter::{Calc, Dates};

use super::clock::Clock;
use super::files::Files;
use super::programs::Programs;
use super::web::Web;

/// The directory that the tools work in, and the hosts that they may reach.
#[derive(Clone, Debug)]
pub struct Bench {
    root: Root,
    hosts: Vec<String>,
}

impl Bench {
    /// Opens the directory.
    ///
    /// # Errors
    /// It isn't there, or can't be opened; whoever named it mends it.
    pub fn open(root: &Path, hosts: Vec<String>) -> io::Result<Self> {
        Ok(Self { root: Root::open(root)?, hosts })
    }

    /// What happens to whose calls: the default table, under which a person decides on what a model
    /// writes, and on what can't be undone, whoever calls.
    pub fn policy(&self) -> Policy {
        Policy::default()
    }

    /// The tools, without anybody to ask yet.
    ///
    /// # Errors
    /// The client of `http.fetch` can't be set up.
    pub fn builder(&self) -> Result<Builder, HttpError> {
        Ok(Toolkit::builder()
            // Other examples of this crate have tools as well; those of toolsets come with their values.
            .only([])
            .toolset(Files::under(self.root.clone()))
            .toolset(Programs::under(self.root.clone()))
            .toolset(Web::new(Http::new()?))
            .toolset(Clock::system())
            // `calc.eval`, and `dates.add` and `dates.between`, which it names.
            .toolset(Calc)
            .toolset(Dates)
            // What is too long is read on, within a session.
            .output_pages(true)
            .hosts("http.fetch", self.hosts.iter().cloned())
            .policy(self.policy()))
    }
}

/// What surrounds a call from the command line. It has no session: the next call is another program's.
pub fn context(origin: Origin) -> CallContext {
    match origin {
        Origin::Human => CallContext::human(),
        Origin::Plan => CallContext::plan(),
        Origin::Model => CallContext::model(),
    }
}
