//! What one caller may see: the visible tools, in order of names, and their renderings for the
//! wire, each made once.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

use crate::context::{CallContext, Origin};
use crate::pipeline::{Engine, Set, Standing};
use crate::registry::Entry;
use crate::session::Bound;
use crate::spec::ToolSpec;

/// The tools that one caller may see; cheap to clone.
///
/// The order is that of the names, so that equal sets give equal bytes.
#[derive(Clone)]
pub struct Catalog {
    inner: Arc<Inner>,
}

struct Inner {
    entries: Vec<Arc<Entry>>,
    renderings: Mutex<Vec<(&'static str, WireText)>>,
}

/// One tool of a catalog.
#[derive(Clone, Copy)]
pub struct CatalogTool<'a> {
    entry: &'a Entry,
}

impl<'a> CatalogTool<'a> {
    /// The tool's static facts.
    pub fn spec(&self) -> &'a ToolSpec {
        self.entry.spec()
    }

    /// The JSON Schema of the arguments: an object, closed, its properties in declared order.
    ///
    /// # Errors
    /// The schema of a parameter's type uses a keyword that can't be checked; the text names it, and
    /// the author of the type mends it. Calls of such a tool end in `defect`.
    pub fn parameters_text(&self) -> Result<&'a str, String> {
        self.entry.contract().map(|contract| contract.text()).map_err(ToString::to_string)
    }

    /// The same schema as a value, whose maps may be sorted by key.
    ///
    /// # Errors
    /// As for [`CatalogTool::parameters_text`].
    pub fn parameters(&self) -> Result<&'a Value, String> {
        self.entry.contract().map(|contract| contract.value()).map_err(ToString::to_string)
    }

    /// The JSON Schema of the result, where its type has one.
    pub fn output(&self) -> Option<&'a Value> {
        self.entry.contract().ok().and_then(|contract| contract.output())
    }
}

impl Catalog {
    /// The visible tools, in order of names.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = CatalogTool<'_>> {
        self.inner.entries.iter().map(|entry| CatalogTool { entry })
    }

    /// Whether nothing is visible.
    pub fn is_empty(&self) -> bool {
        self.inner.entries.is_empty()
    }

    /// The tool of this name or wire name, if it is visible.
    pub fn find(&self, name: &str) -> Option<CatalogTool<'_>> {
        self.tools().find(|tool| tool.spec().name() == name || tool.spec().wire_name() == name)
    }

    /// A rendering under this key, made once for all holders of the catalog.
    pub fn rendering(&self, key: &'static str, make: impl FnOnce(&Self) -> String) -> WireText {
        let held = |renderings: &[(&str, WireText)]| {
            renderings.iter().find(|(k, _)| *k == key).map(|(_, text)| text.clone())
        };
        if let Some(text) = held(&self.lock()) {
            return text;
        }
        // Made without the lock: a panic or a second catalog inside must not block others.
        let text = WireText(make(self).into());
        let mut renderings = self.lock();
        if let Some(text) = held(&renderings) {
            return text;
        }
        renderings.push((key, text.clone()));
        text
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(&'static str, WireText)>> {
        self.inner.renderings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tools().map(|tool| tool.spec().name().to_owned())).finish()
    }
}

/// JSON text that is already in its wire form; cheap to clone, and serialised as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireText(Arc<str>);

impl WireText {
    /// The JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[cfg(all(test, feature = "openai-chat"))]
    pub(crate) fn of(text: String) -> Self {
        Self(text.into())
    }

    /// The text as a value.
    pub fn to_value(&self) -> Value {
        // What isn't JSON is text.
        serde_json::from_str(&self.0).unwrap_or_else(|_| Value::String(self.0.to_string()))
    }
}

impl fmt::Display for WireText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for WireText {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::from_str::<&serde_json::value::RawValue>(&self.0) {
            Ok(raw) => raw.serialize(serializer),
            Err(_) => serializer.serialize_str(&self.0),
        }
    }
}

/// What decides which tools are visible, the registry's state included.
struct Key {
    generation: u64,
    origin: Origin,
    bound: Bound,
    scope: Option<Box<str>>,
    /// Where there are scenes.
    scene: Option<Box<str>>,
    /// Whether there is a session.
    session: bool,
    /// Where rules look at it.
    principal: Option<Box<str>>,
    flags: FlagSet,
}

impl Key {
    fn is_of(
        &self,
        generation: u64,
        context: &CallContext,
        bound: Bound,
        scene: Option<&str>,
        principal: Option<&str>,
        flags: &FlagSet,
    ) -> bool {
        self.generation == generation
            && self.origin == context.origin()
            && self.bound == bound
            && self.scope.as_deref() == context.scope_name()
            && self.scene.as_deref() == scene
            && self.session == context.session_id().is_some()
            && self.principal.as_deref() == principal
            && self.flags == *flags
    }
}

/// Which of the registry's flags are on, by their place; up to 64 cost no allocation.
#[derive(Default, PartialEq, Eq)]
struct FlagSet {
    first: u64,
    rest: Vec<u64>,
}

impl FlagSet {
    fn insert(&mut self, place: usize) {
        let bit = 1 << (place % 64);
        match (place / 64).checked_sub(1) {
            None => self.first |= bit,
            Some(word) => {
                if self.rest.len() <= word {
                    self.rest.resize(word + 1, 0);
                }
                self.rest[word] |= bit;
            }
        }
    }

    fn contains(&self, place: usize) -> bool {
        let word = match (place / 64).checked_sub(1) {
            None => self.first,
            Some(word) => self.rest.get(word).copied().unwrap_or_default(),
        };
        word & (1 << (place % 64)) != 0
    }
}

/// The catalogs that were asked for lately, newest last.
#[derive(Default)]
pub(crate) struct Catalogs {
    held: Mutex<Vec<(Key, Catalog)>>,
}

/// How many different catalogs are kept.
const HELD: usize = 64;

impl Catalogs {
    /// The catalog of this context: one that is held costs no allocation.
    pub(crate) fn get(&self, engine: &Engine, set: &Set, context: &CallContext) -> Catalog {
        let registry = set.load();
        let generation = registry.generation();
        let bound = engine.bound(set, context);
        let mut flags = FlagSet::default();
        for (place, flag) in registry.flags().iter().enumerate() {
            if engine.flag_is_on(flag, context) {
                flags.insert(place);
            }
        }
        let principal = context.principal_name().filter(|_| engine.rules.look_at_principals());
        let scene = context.scene_name().filter(|_| engine.scenes.are_any());
        let held = |held: &[(Key, Catalog)]| {
            let found = held
                .iter()
                .find(|(key, _)| key.is_of(generation, context, bound, scene, principal, &flags));
            found.map(|(_, catalog)| catalog.clone())
        };
        if let Some(catalog) = held(&self.lock()) {
            return catalog;
        }
        let on = |flag: &str| {
            let place = registry.flags().binary_search_by(|held| held.as_ref().cmp(flag));
            place.is_ok_and(|place| flags.contains(place))
        };
        let visible = registry.entries().iter().filter(|entry| {
            matches!(engine.standing_with(entry, context, bound, on), Standing::Visible)
        });
        let entries = visible.cloned().collect();
        let catalog = Catalog { inner: Arc::new(Inner { entries, renderings: Mutex::default() }) };
        let mut all = self.lock();
        if let Some(catalog) = held(&all) {
            return catalog;
        }
        all.retain(|(key, _)| key.generation == generation);
        if all.len() >= HELD {
            all.remove(0);
        }
        let scope = context.scope_name().map(Into::into);
        let origin = context.origin();
        let session = context.session_id().is_some();
        let (scene, principal) = (scene.map(Into::into), principal.map(Into::into));
        let key = Key { generation, origin, bound, scope, scene, session, principal, flags };
        all.push((key, catalog.clone()));
        catalog
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Key, Catalog)>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
