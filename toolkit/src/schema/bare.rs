//! Schemas as they are told where arguments are secret: what stands for a secret, at any depth of it, is
//! one too.

use super::node::Node;
use super::tidy::Definitions;

/// The schema without the defaults and examples of secret arguments; nothing where none is secret.
pub(super) fn bared(root: &Node, definitions: &Definitions) -> Option<(Node, Definitions)> {
    if !has_secret(root) && !definitions.iter().any(|(_, node)| has_secret(node)) {
        return None;
    }
    let (mut root, mut definitions) = (root.clone(), definitions.clone());
    let mut found = Found::default();
    found.look(&mut root);
    definitions.iter_mut().for_each(|(_, node)| found.look(node));
    // A type that a secret is of may be that of others as well; they say less then.
    let mut done = vec![false; definitions.len()];
    while let Some(at) = found.refers.pop() {
        if let (Some(false), Some((_, node))) = (done.get(at), definitions.get_mut(at)) {
            done[at] = true;
            found.bare(node);
        }
    }
    Some((root, definitions))
}

/// The names of secret arguments.
#[cfg(feature = "jsonschema")]
pub(super) fn names(root: &Node, definitions: &Definitions) -> Vec<String> {
    let (mut root, mut definitions) = (root.clone(), definitions.clone());
    let mut found = Found::default();
    found.look(&mut root);
    definitions.iter_mut().for_each(|(_, node)| found.look(node));
    found.names
}

fn has_secret(node: &Node) -> bool {
    node.properties().iter().any(|property| property.secret)
        || node.below().into_iter().any(has_secret)
}

#[derive(Default)]
struct Found {
    names: Vec<String>,
    refers: Vec<usize>,
}

impl Found {
    fn look(&mut self, node: &mut Node) {
        for property in node.properties_mut().iter_mut().filter(|property| property.secret) {
            self.names.push(property.name.to_string());
            self.bare(&mut property.node);
        }
        node.each_below(&mut |node| self.look(node));
    }

    fn bare(&mut self, node: &mut Node) {
        node.default = None;
        node.examples.clear();
        self.refers.extend(node.refers.as_ref().map(|to| to.at));
        node.each_below(&mut |node| self.bare(node));
    }
}
