//! From what was linked to a checked set: selection, then every problem at once.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use super::entry::{Code, Delivers, Entry};
use super::{BuildProblem, Known, Registry, TypedTool};
use crate::hosts::Hosts;
use crate::order;
use crate::risk::Risk;
use crate::spec::{Source, StateSpec, ToolSpec};
use crate::text::nearest;
use crate::tool::Registration;
use crate::toolset::Toolset;

/// The shared states of a toolkit, by type.
pub(crate) type States = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// Lists of hosts by tool name.
pub(crate) type Hostings = Vec<(String, Vec<String>)>;

/// All that is listed for a tool of this name.
pub(crate) fn listed_for(hosts: &Hostings, tool: &str) -> Vec<String> {
    let of = hosts.iter().filter(|(name, _)| name == tool);
    of.flat_map(|(_, hosts)| hosts).cloned().collect()
}

/// What the floors above make of a new tool before anybody has it: they keep with it what is theirs, or
/// say what is wrong with it.
pub(crate) type Attach<'a> = &'a dyn Fn(&mut Entry, &mut Vec<BuildProblem>);

/// What a new tool is made with.
#[derive(Clone, Copy)]
pub(crate) struct Making<'a> {
    pub(crate) states: &'a States,
    /// The hosts that the host's author lists for a tool of this name.
    pub(crate) listed: &'a dyn Fn(&str) -> Vec<String>,
    pub(crate) attach: Attach<'a>,
}

/// What the host said of the set.
#[derive(Default)]
pub(crate) struct Selection {
    /// Only tools of these crates, where any is named.
    pub(crate) crates: Option<Vec<String>>,
    /// Only these functions, where any is named; with the caller's name for each.
    pub(crate) only: Option<Vec<(TypeId, &'static str)>>,
    /// Not these tools.
    pub(crate) without: Vec<String>,
    /// These must be there.
    pub(crate) expect: Vec<String>,
    /// Tools from closures.
    pub(crate) typed: Vec<TypedTool>,
    /// Toolsets, each with its value.
    pub(crate) toolsets: Vec<Loading>,
    /// The library's own, by name, beside what the host chose.
    pub(crate) built_in: Vec<(&'static str, TypedTool)>,
    /// Hosts by tool name.
    pub(crate) hosts: Hostings,
    /// Tools that come later.
    pub(crate) later: Vec<String>,
    /// An empty set is meant.
    pub(crate) allow_empty: bool,
}

impl Selection {
    /// Which of the host's words leaves a linked tool out.
    fn excludes(&self, r: &Registration) -> Option<&'static str> {
        let is_of = |names: &Vec<String>| names.iter().any(|name| of_crate(r.spec, name));
        let is_one = |ids: &Vec<(TypeId, _)>| ids.iter().any(|(id, _)| *id == (r.id)().id);
        if self.without.iter().any(|name| name == r.spec.name()) {
            Some("without")
        } else if !self.crates.as_ref().is_none_or(is_of) {
            Some("crates")
        } else if !self.only.as_ref().is_none_or(is_one) {
            Some("only")
        } else {
            None
        }
    }
}

/// Whether a registration belongs to a crate that the host named.
fn of_crate(spec: &ToolSpec, name: &str) -> bool {
    spec.source.krate() == name.replace('-', "_")
}

/// Makes the set, or says all that is wrong with it.
pub(crate) fn collect(
    mut selection: Selection,
    states: &States,
    attach: Attach<'_>,
    problems: &mut Vec<BuildProblem>,
) -> Registry {
    // In order of names, so are the problems.
    let Selection { crates, without, expect, hosts, .. } = &mut selection;
    for names in crates.iter_mut().chain([without, expect]) {
        order::sort_by(names, Ord::cmp);
        names.dedup();
    }
    order::sort_by(hosts, |(a, _), (b, _)| a.cmp(b));
    let linked: Vec<&'static Registration> = inventory::iter::<Registration>.into_iter().collect();

    for name in selection.crates.iter().flatten() {
        if !linked.iter().any(|r| of_crate(r.spec, name)) {
            problems.push(BuildProblem::NoSuchCrate { name: name.clone() });
        }
    }
    for (id, function) in selection.only.iter().flatten() {
        if !linked.iter().any(|r| (r.id)().id == *id) {
            problems.push(BuildProblem::NotATool { function });
        }
    }

    let excluded: Vec<(&str, &'static str, Source)> = linked
        .iter()
        .filter_map(|r| Some((r.spec.name(), selection.excludes(r)?, r.spec.source)))
        .collect();
    let chosen = linked.iter().filter(|r| selection.excludes(r).is_none());
    let mut codes: Vec<(Code, Option<Value>)> = chosen.map(|r| (Code::Function(r), None)).collect();
    for name in &selection.without {
        let built_in = selection.built_in.iter().any(|(held, _)| held == name);
        if !built_in && !linked.iter().any(|r| r.spec.name() == name) {
            let nearest = nearest(name, linked.iter().map(|r| r.spec.name())).map(str::to_owned);
            problems.push(BuildProblem::UnknownTool {
                rule: "without",
                name: name.clone(),
                nearest,
            });
        }
    }
    let of_typed = |typed: TypedTool| (Code::Typed(typed.into_parts()), None);
    codes.extend(selection.typed.into_iter().map(of_typed));
    codes.extend(selection.toolsets.iter().flat_map(Loading::codes));
    // Alone they would be of no use.
    if !codes.is_empty() {
        let chosen = selection.built_in.into_iter();
        let chosen = chosen.filter(|(name, _)| !selection.without.iter().any(|not| not == name));
        codes.extend(chosen.map(|(_, tool)| of_typed(tool)));
    }

    let listed = |tool: &str| listed_for(&selection.hosts, tool);
    let making = Making { states, listed: &listed, attach };
    let mut entries: Vec<Arc<Entry>> = Vec::with_capacity(codes.len());
    for (code, value) in codes {
        entries.push(Arc::new(make(code, value.as_ref(), making, problems)));
    }
    order::sort_by(&mut entries, |a, b| {
        let (a, b) = (a.spec(), b.spec());
        a.name.cmp(&b.name).then_with(|| a.source.cmp(&b.source))
    });
    for pair in entries.windows(2) {
        let (first, second) = (pair[0].spec(), pair[1].spec());
        if first.name == second.name || first.wire == second.wire {
            problems.push(BuildProblem::Duplicate {
                name: first.name().to_owned(),
                first: first.source,
                second: second.source,
            });
        }
    }
    let names = || entries.iter().map(|entry| entry.spec().name());
    for name in &selection.expect {
        if names().any(|held| held == name) {
            continue;
        }
        problems.push(match excluded.iter().find(|(held, ..)| held == name) {
            Some((_, by, source)) => {
                BuildProblem::Excluded { name: name.clone(), by, source: *source }
            }
            None => {
                let nearest = nearest(name, names()).map(str::to_owned);
                BuildProblem::NotLinked { name: name.clone(), nearest }
            }
        });
    }
    selection.hosts.dedup_by(|(a, _), (b, _)| a == b);
    let known = Known { entries: &entries, later: &selection.later };
    for (name, hosts) in &selection.hosts {
        if known.find("hosts", name, problems).is_none() {
            // Nobody else looks at them before the tool comes.
            let bad = Hosts::new(hosts).err();
            problems.extend(bad.map(|error| BuildProblem::BadHost { tool: name.clone(), error }));
        }
    }
    if entries.is_empty() && !selection.allow_empty && problems.is_empty() {
        problems.push(BuildProblem::Empty);
    }
    Registry::new(entries)
}

/// The entry of one annotated function, added while the toolkit runs.
pub(crate) fn function(
    id: TypeId,
    name: &'static str,
    making: Making<'_>,
    problems: &mut Vec<BuildProblem>,
) -> Option<Arc<Entry>> {
    let found = inventory::iter::<Registration>.into_iter().find(|r| (r.id)().id == id);
    let Some(registration) = found else {
        problems.push(BuildProblem::NotATool { function: name });
        return None;
    };
    Some(Arc::new(make(Code::Function(registration), None, making, problems)))
}

/// The entry of a closure, added while the toolkit runs.
pub(crate) fn typed(
    tool: TypedTool,
    making: Making<'_>,
    problems: &mut Vec<BuildProblem>,
) -> Arc<Entry> {
    Arc::new(make(Code::Typed(tool.into_parts()), None, making, problems))
}

/// The tools of a toolset, and the value that they share.
pub(crate) struct Loading {
    tools: Vec<&'static Registration>,
    value: Value,
}

/// The value of a toolset, by its type.
type Value = (TypeId, Arc<dyn Any + Send + Sync>);

impl Loading {
    pub(crate) fn new<T: Toolset>(value: T) -> Self {
        Self { tools: T::toolkit_tools(), value: (TypeId::of::<T>(), Arc::new(value)) }
    }

    fn codes(&self) -> impl Iterator<Item = (Code, Option<Value>)> {
        self.tools.iter().map(|r| (Code::Function(r), Some(self.value.clone())))
    }

    /// Its entries, added while the toolkit runs, in the order of the block.
    pub(crate) fn entries(
        &self,
        making: Making<'_>,
        problems: &mut Vec<BuildProblem>,
    ) -> Vec<Arc<Entry>> {
        let codes = self.codes();
        codes.map(|(code, value)| Arc::new(make(code, value.as_ref(), making, problems))).collect()
    }
}

fn make(
    code: Code,
    own: Option<&Value>,
    Making { states, listed, attach }: Making<'_>,
    problems: &mut Vec<BuildProblem>,
) -> Entry {
    let spec = code.spec();
    let listed = listed(spec.name());
    let mut hold = |wanted: &[StateSpec], source: Source| {
        let mut held = Vec::with_capacity(wanted.len());
        for state in wanted {
            let id = (state.id)();
            // What a method borrows as `self` is the value that was loaded, and no other of its type.
            let own = own.filter(|(of, _)| *of == id).map(|(_, value)| value);
            match own.or_else(|| states.get(&id)) {
                Some(value) => held.push(Arc::clone(value)),
                None => problems.push(BuildProblem::MissingState {
                    tool: spec.name().to_owned(),
                    state: state.type_name(),
                    source,
                }),
            }
        }
        held.into_boxed_slice()
    };
    let held = hold(spec.states, spec.source);
    let commit = code.commit().map(|commit| {
        let states = hold(commit.states, commit.source);
        Delivers { spec: commit, states }
    });
    for parameter in spec.parameters() {
        let bad = parameter.pattern.map(crate::schema::check_pattern).and_then(Result::err);
        if let Some(what) = bad {
            problems.push(BuildProblem::BadPattern {
                tool: spec.name().to_owned(),
                parameter: parameter.name,
                what,
                source: spec.source,
            });
        }
    }
    let typed = matches!(code, Code::Typed(_));
    let (tool, source) = (spec.name.clone(), spec.source);
    let mut faults = if typed { faults(spec) } else { Vec::new() };
    let mut hosts = Hosts::default();
    for host in spec.hosts.iter().copied().chain(listed.iter().map(String::as_str)) {
        if let Err(error) = hosts.add(host) {
            problems.push(BuildProblem::BadHost { tool: spec.name().to_owned(), error });
        }
    }
    if typed && spec.risk().contains(Risk::Network) && spec.hosts.is_empty() && listed.is_empty() {
        // It would be invisible to everyone, in silence.
        faults.push(
            "reaches the network, but no host is listed for it: say `.hosts([…])`".to_owned(),
        );
    }
    let mut entry = Entry::new(code, held, hosts, commit);
    entry.owns |= own.is_some();
    match typed.then(|| entry.contract()) {
        None => {}
        Some(Err(error)) => faults.push(format!("has bad arguments: {error}")),
        // A mark on an argument that isn't there would protect nothing.
        Some(Ok(contract)) => {
            let marked = entry.spec().parameters().iter().map(|p| p.name);
            faults.extend(
                marked
                    .filter_map(|name| contract.lacks(name))
                    .map(|lacking| format!("marks an argument that it doesn't have: {lacking}")),
            );
        }
    }
    problems.extend(faults.into_iter().map(|what| BuildProblem::BadTool {
        tool: tool.as_str().to_owned(),
        what,
        source,
    }));
    attach(&mut entry, problems);
    entry
}

/// What the attribute would have refused at compile time.
fn faults(spec: &ToolSpec) -> Vec<String> {
    let mut faults = Vec::new();
    if let Err(error) = crate::name::check(spec.name()) {
        faults.push(format!("has a bad name: {error}"));
    }
    if spec.description().trim().chars().count() < 10 {
        faults.push("has a description of under 10 characters".to_owned());
    }
    let has_url = spec.parameters().iter().any(|parameter| parameter.url);
    if !spec.risk().contains(Risk::Network) && (has_url || !spec.hosts.is_empty()) {
        // Only a network tool's hosts are looked at, so the mark would protect nothing.
        faults.push("has a `url` or `hosts`, and its risk is not `network`".to_owned());
    }
    if spec.risk().contains(Risk::Send) {
        faults.push("can't send: drafts of closures aren't supported".to_owned());
    }
    faults
}
