//! Scenes: named sets of domains, as a host declares them. It decides nothing; the gate does.

use std::sync::Arc;

use crate::context::CallContext;
use crate::registry::{BuildProblem, Entry};
use crate::spec::ToolSpec;
use crate::text::{listed, nearest};
use crate::verdict::{Finding, Verdict};

/// The scenes of a toolkit.
#[derive(Default)]
pub(crate) struct Scenes {
    /// A scene and one of its domains each.
    list: Vec<(String, String)>,
    /// Domains whose tools come later.
    later: Vec<String>,
}

impl Scenes {
    pub(crate) fn add(&mut self, scene: &str, domains: impl Iterator<Item = String>) {
        self.list.extend(domains.map(|domain| (scene.to_owned(), domain)));
    }

    pub(crate) fn expect_later(&mut self, domains: impl Iterator<Item = String>) {
        self.later.extend(domains);
    }

    /// Whether catalogs may differ from scene to scene.
    pub(crate) fn are_any(&self) -> bool {
        !self.list.is_empty()
    }

    /// The scenes that the tool belongs to; none where it is visible in all, and without any.
    fn of<'s>(&'s self, spec: &'s ToolSpec) -> impl Iterator<Item = &'s str> {
        let named = self.list.iter().filter(|(_, domain)| spec.domain() == Some(domain));
        named.map(|(scene, _)| scene.as_str())
    }

    /// Whether the tool belongs to any.
    pub(crate) fn name(&self, spec: &ToolSpec) -> bool {
        self.of(spec).next().is_some()
    }

    /// Why the tool isn't visible in the context's scene.
    pub(crate) fn hides(&self, spec: &ToolSpec, context: &CallContext) -> Option<Finding> {
        let here = context.scene_name();
        if !self.name(spec) || self.of(spec).any(|scene| Some(scene) == here) {
            return None;
        }
        let here = match here {
            Some(scene) => format!("the scene is `{scene}`"),
            None => "there is no scene".to_owned(),
        };
        let reason = format!("it belongs to {}, and {here}", listed(self.of(spec)));
        Some(Finding::new(Verdict::Hide, "scene", reason))
    }

    /// Every scene with a domain that no tool has.
    pub(crate) fn check(&self, entries: &[Arc<Entry>], problems: &mut Vec<BuildProblem>) {
        let domains = || entries.iter().filter_map(|entry| entry.spec().domain());
        for (scene, domain) in &self.list {
            if domains().any(|held| held == domain) || self.later.contains(domain) {
                continue;
            }
            let later = self.later.iter().map(String::as_str);
            let nearest = nearest(domain, domains().chain(later)).map(str::to_owned);
            let (scene, domain) = (scene.clone(), domain.clone());
            problems.push(BuildProblem::UnknownDomain { scene, domain, nearest });
        }
    }
}
