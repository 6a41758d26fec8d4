//! Children: handles of the same engine with tools of their own above those of their parent.

use std::sync::Arc;

use super::front::{Inner, Toolkit};
use crate::risk::Risk;

impl Toolkit {
    /// A child: a toolkit that sees the tools of this one as they are at each moment, and beside them those
    /// that are added to it alone, by [`load`](Self::load), [`register`](Self::register) and the like. This one, its
    /// other children and their callers never see them: not in a catalog, nor in what a call of an unknown name
    /// is told.
    ///
    /// ```
    /// use toolkit::prelude::*;
    ///
    /// /// Add two whole numbers and return their sum.
    /// #[tool]
    /// fn add(
    ///     /// The first number, e.g. `2`.
    ///     a: i64,
    ///     /// The second number, e.g. `3`.
    ///     b: i64,
    /// ) -> i64 {
    ///     a + b
    /// }
    ///
    /// struct Basket(Vec<&'static str>);
    ///
    /// #[toolset(domain = "basket")]
    /// impl Basket {
    ///     /// List what is in the caller's basket.
    ///     #[tool]
    ///     fn list(&self) -> Vec<&'static str> {
    ///         self.0.clone()
    ///     }
    /// }
    ///
    /// let toolkit = Toolkit::builder().only([id(add)]).build().unwrap();
    /// let cx = CallContext::model();
    ///
    /// let child = toolkit.child();
    /// let _loaded = child.load(Basket(vec!["apple"])).unwrap();
    /// assert!(child.catalog(&cx).find("basket.list").is_some());
    /// assert!(child.catalog(&cx).find("add").is_some());
    /// assert!(toolkit.catalog(&cx).find("basket.list").is_none());
    /// ```
    ///
    /// # One engine
    ///
    /// Policy, hooks, approver, store, permits, limits, sessions and events are those of the toolkit. A rule
    /// of the policy, a rate, a taint or a scene that speaks of a name or a domain speaks of a child's tool of
    /// that name as of any; hosts that the builder lists are those of the builder's tools. A child can do
    /// less than its parent by its [`ceiling`](Self::ceiling), and never more.
    ///
    /// What is bound to a tool is bound to the set that it is of, since two children may have the same tools
    /// with other values. What a person [granted](crate::Grant) for a tool of one child, or for a
    /// tool that a child has in the place of its parent's, answers for no other. A call of a numbered
    /// [turn](crate::CallContext::turn) of a child's tool is known again as long as the child lives, and by it
    /// alone. A draft of a child's tool is seen, confirmed and withdrawn through the child and what is above it;
    /// elsewhere, and once the child has ended, there is no such draft.
    ///
    /// # Names
    ///
    /// A name, or wire name, that the parent has is [`Duplicate`](crate::BuildProblem::Duplicate) in a child; see
    /// [`child_shadowing`](Self::child_shadowing). One that the parent takes later is the parent's from then on
    /// for as long as it has it, and the child's tool isn't seen: a parent doesn't know its children's names, and
    /// no child stands in its way.
    ///
    /// # Its end
    ///
    /// A child ends when its last handle is dropped, and all above it end with it. From then on nothing
    /// is visible there, not even what its tools stood before; bodies that run finish. So keep the handle as long as
    /// the guards of what is loaded into it. [`shutdown`](Self::shutdown) shuts a child and those above it down,
    /// and never its parent; that of the parent shuts down its children.
    #[must_use = "a child ends when its last handle is dropped"]
    pub fn child(&self) -> Self {
        self.child_shadowing([""; 0])
    }

    /// A [child](Self::child) that may have tools of these names in the place of its parent's: where it has
    /// one, it stands for the parent's in this child and in those above it, and nowhere else. Nothing else changes
    /// a name's meaning, and one that the parent hasn't is no mistake.
    ///
    /// The child's tool is held to the rules that speak of the name, except one that
    /// [waives](crate::policy::waive_ask) a question: that was written for another function.
    #[must_use = "a child ends when its last handle is dropped"]
    pub fn child_shadowing<N: Into<String>>(&self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(|name| name.into().into_boxed_str()).collect();
        Self::of(Arc::clone(self.engine()), self.set().above(names))
    }

    /// Makes every tool above this risk invisible through this toolkit and its children, whoever calls. A second
    /// ceiling only lowers the first. That of a child leaves its parent as it is.
    ///
    /// ```
    /// # use toolkit::{Risk, Toolkit};
    /// # let toolkit = Toolkit::builder().only([]).build().unwrap();
    /// let reader = toolkit.child();
    /// reader.ceiling(Risk::Read);
    /// ```
    pub fn ceiling(&self, ceiling: Risk) -> &Self {
        self.set().lower(ceiling);
        // After it is lowered, so that whoever looks sees it.
        self.engine().sessions.look();
        self
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.set.is_first() {
            self.tell_gone(&self.set.end());
        }
    }
}
