//! What surrounds a call: who decided to make it, on whose behalf, where, and with what at hand.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;

use crate::risk::Risk;

mod clock;
mod lent;
mod nested;
mod origin;
mod progress;
mod taint;

pub(crate) use lent::Lent;
pub(crate) use nested::Dispatch;
use nested::Nested;
pub use origin::Origin;
pub(crate) use progress::About;
pub use progress::Progress;
use taint::Taint;

/// What surrounds a call; cheap to clone, so that one value serves a whole session.
///
/// ```
/// use toolkit::CallContext;
/// let cx = CallContext::model().scope("chat").flag("knowledge_base").session("s-42");
/// assert_eq!(cx.session_id(), Some("s-42"));
/// ```
#[derive(Clone)]
pub struct CallContext {
    inner: Arc<Inner>,
}

#[derive(Clone)]
struct Inner {
    origin: Origin,
    /// A number that its clones have as well, and no other.
    lineage: u64,
    principal: Option<Arc<str>>,
    scope: Option<Arc<str>>,
    scene: Option<Arc<str>>,
    flags: Vec<Arc<str>>,
    session: Option<Arc<str>>,
    turn: Option<u64>,
    ceiling: Option<Risk>,
    cancellation: Option<CancellationToken>,
    values: Vec<(TypeId, Arc<dyn Any + Send + Sync>)>,
    taint: Taint,
    nested: Option<Nested>,
}

/// How deep calls may nest: a call from a host is at depth 0.
pub const MAX_DEPTH: usize = 8;

impl CallContext {
    fn new(origin: Origin) -> Self {
        static CONTEXTS: AtomicU64 = AtomicU64::new(0);
        Self {
            inner: Arc::new(Inner {
                origin,
                lineage: CONTEXTS.fetch_add(1, Ordering::Relaxed),
                principal: None,
                scope: None,
                scene: None,
                flags: Vec::new(),
                session: None,
                turn: None,
                ceiling: None,
                cancellation: None,
                values: Vec::new(),
                taint: Taint::default(),
                nested: None,
            }),
        }
    }

    /// A call that a person decided to make.
    pub fn human() -> Self {
        Self::new(Origin::Human)
    }

    /// A call that a plan makes.
    pub fn plan() -> Self {
        Self::new(Origin::Plan)
    }

    /// A call that a model decided to make.
    pub fn model() -> Self {
        Self::new(Origin::Model)
    }

    fn edit(mut self, edit: impl FnOnce(&mut Inner)) -> Self {
        edit(Arc::make_mut(&mut self.inner));
        self
    }

    /// Sets where the call takes place, e.g. `chat`. A tool with scopes is visible only in one of
    /// them.
    #[must_use]
    pub fn scope(self, scope: impl Into<Arc<str>>) -> Self {
        self.edit(|inner| inner.scope = Some(scope.into()))
    }

    /// Sets the scene that the call takes place in, by a name that the host
    /// [declared](crate::Builder::scene). A tool whose domain belongs to scenes is visible only in one of
    /// them: in no other, in none that isn't declared, and not without a scene.
    #[must_use]
    pub fn scene(self, scene: impl Into<Arc<str>>) -> Self {
        self.edit(|inner| inner.scene = Some(scene.into()))
    }

    /// Switches a feature flag on.
    #[must_use]
    pub fn flag(self, flag: impl Into<Arc<str>>) -> Self {
        self.edit(|inner| {
            let flag = flag.into();
            if let Err(at) = inner.flags.binary_search(&flag) {
                inner.flags.insert(at, flag);
            }
        })
    }

    /// Names the session that the call belongs to.
    #[must_use]
    pub fn session(self, session: impl Into<Arc<str>>) -> Self {
        self.edit(|inner| inner.session = Some(session.into()))
    }

    /// Names on whose behalf the call is made.
    #[must_use]
    pub fn principal(self, principal: impl Into<Arc<str>>) -> Self {
        self.edit(|inner| inner.principal = Some(principal.into()))
    }

    /// Numbers the turn of the session that the call belongs to. A call that is then made again in
    /// that turn gives the reply that it gave, and runs nothing: one with the provider's id, or at the
    /// same place of [`Toolkit::turn`](crate::Toolkit::turn), of the same tool with the same arguments
    /// on behalf of the same principal. Another one under that id is refused with
    /// [`Code::CallIdReused`](crate::Code::CallIdReused).
    ///
    /// A reply is kept where the body was entered or a person said no, for as long as the store holds
    /// it (one in memory: up to 2 MiB each); whatever was refused before may be tried again. Where nobody
    /// waited for the end of a body the answer is [`Code::OutcomeUnknown`](crate::Code::OutcomeUnknown),
    /// unless the tool is [`idempotent`](crate::ToolSpec::idempotent), which runs again.
    ///
    /// The place is part of what a call is known by, and that of one made with
    /// [`Toolkit::call`](crate::Toolkit::call) is the first: a host that makes a turn again makes all of it
    /// again. One of its later calls, made singly, is another call, and runs.
    #[must_use]
    pub fn turn(self, turn: u64) -> Self {
        self.edit(|inner| inner.turn = Some(turn))
    }

    /// Makes every tool above this risk invisible. A second ceiling only lowers the first.
    #[must_use]
    pub fn ceiling(self, ceiling: Risk) -> Self {
        self.edit(|inner| {
            inner.ceiling = Some(inner.ceiling.map_or(ceiling, |held| held.min(ceiling)));
        })
    }

    /// Lets this token cancel the calls made with the context.
    #[must_use]
    pub fn cancellation(self, token: CancellationToken) -> Self {
        self.edit(|inner| inner.cancellation = Some(token))
    }

    /// Puts in a value that a body may borrow with `#[context]`; a second of the same type replaces
    /// the first.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(self, value: T) -> Self {
        self.edit(|inner| {
            inner.values.retain(|(id, _)| *id != TypeId::of::<T>());
            inner.values.push((TypeId::of::<T>(), Arc::new(value)));
        })
    }

    /// Who decided to make the call.
    pub fn origin(&self) -> Origin {
        self.inner.origin
    }

    /// On whose behalf the call is made.
    pub fn principal_name(&self) -> Option<&str> {
        self.inner.principal.as_deref()
    }

    /// Where the call takes place.
    pub fn scope_name(&self) -> Option<&str> {
        self.inner.scope.as_deref()
    }

    /// The scene that the call takes place in.
    pub fn scene_name(&self) -> Option<&str> {
        self.inner.scene.as_deref()
    }

    /// The session that the call belongs to.
    pub fn session_id(&self) -> Option<&str> {
        self.inner.session.as_deref()
    }

    /// The number of the turn, where the host counts turns.
    pub fn turn_number(&self) -> Option<u64> {
        self.inner.turn
    }

    /// The highest risk that is visible, where there is a ceiling.
    pub fn ceiling_risk(&self) -> Option<Risk> {
        self.inner.ceiling
    }

    /// The flags that are on, in alphabetical order.
    pub fn flags(&self) -> impl Iterator<Item = &str> {
        self.inner.flags.iter().map(AsRef::as_ref)
    }

    /// Whether the context itself has this flag on.
    pub fn has_flag(&self, flag: &str) -> bool {
        self.inner.flags.binary_search_by(|held| held.as_ref().cmp(flag)).is_ok()
    }

    /// The value of this type that was put in.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.value(TypeId::of::<T>()).and_then(|value| value.downcast_ref())
    }

    /// Resolves when the call is cancelled or its time is up; never, where nothing can cancel it.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing half-done.
    pub async fn cancelled(&self) {
        match &self.inner.cancellation {
            Some(token) => token.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Whether the call is cancelled or its time is up.
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancellation.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// A number that the context shares with its clones, whatever was set in them, and with no other.
    pub(crate) fn lineage(&self) -> u64 {
        self.inner.lineage
    }

    pub(crate) fn value(&self, id: TypeId) -> Option<&Arc<dyn Any + Send + Sync>> {
        self.inner.values.iter().find(|(held, _)| *held == id).map(|(_, value)| value)
    }

    pub(crate) fn token(&self) -> Option<&CancellationToken> {
        self.inner.cancellation.as_ref()
    }

    /// The same surroundings for the steps of a plan: each a call of its own, whatever the turn. A plan
    /// that a model's call starts is the model's.
    #[cfg(feature = "plans")]
    pub(crate) fn as_plan(&self) -> Self {
        let of_model = self.depth() > 0 && self.origin() == Origin::Model;
        self.clone().edit(|inner| {
            inner.turn = None;
            if !of_model {
                inner.origin = Origin::Plan;
            }
        })
    }

    /// The same surroundings as seen by a read-only exit: a model, and nothing above read.
    pub(crate) fn read_only(&self) -> Self {
        self.clone().ceiling(Risk::Read).edit(|inner| inner.origin = Origin::Model)
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallContext")
            .field("origin", &self.inner.origin)
            .field("principal", &self.inner.principal)
            .field("scope", &self.inner.scope)
            .field("scene", &self.inner.scene)
            .field("flags", &self.inner.flags)
            .field("session", &self.inner.session)
            .field("turn", &self.inner.turn)
            .field("ceiling", &self.inner.ceiling)
            .finish_non_exhaustive()
    }
}
