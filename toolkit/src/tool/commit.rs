//! What delivers a draft: one function for each type of draft, found through the type.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Call, Prepare, Registration};
use crate::draft::{Confirmed, Draft};
use crate::spec::{DEFAULT_TIMEOUT, Source, StateSpec};
use crate::tool::Refused;

/// What a type must be to be kept as a draft and delivered later.
///
/// Implemented for every `T: Serialize + DeserializeOwned + Send + Sync + 'static`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be kept as a draft",
    label = "a draft waits as JSON until a person confirms it",
    note = "derive `serde::Serialize` and `serde::Deserialize` for `{Self}`, and let it be \
            `Send + Sync + 'static`"
)]
pub trait DraftValue: Serialize + DeserializeOwned + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> DraftValue for T {}

/// A type whose drafts are delivered; implemented by `#[commit]`.
#[diagnostic::on_unimplemented(
    message = "nothing delivers a draft of `{Self}`",
    label = "this would wait for ever",
    note = "write `#[commit] async fn deliver(draft: Confirmed<{Self}>, …)`"
)]
pub trait Commit: Sized + 'static {
    /// What delivers it.
    const COMMIT: &'static Committer<Self>;
}

/// What delivers drafts of one type, and how they are kept until then.
pub struct Committer<T> {
    pub(crate) spec: CommitSpec,
    write: fn(&T, &mut Vec<u8>) -> Result<(), serde_json::Error>,
    read: fn(&str) -> Result<T, serde_json::Error>,
}

/// The same without the type.
pub struct CommitSpec {
    /// The function.
    pub(crate) name: &'static str,
    pub(crate) states: &'static [StateSpec],
    pub(crate) timeout: Option<std::time::Duration>,
    pub(crate) source: Source,
    /// What is drafted.
    pub(crate) type_name: fn() -> &'static str,
    /// Takes the confirmed draft and gives the body.
    pub(crate) prepare: Prepare,
    /// Reads JSON as the draft's type and writes it again: what would be delivered.
    pub(crate) settle: fn(&str) -> Result<String, serde_json::Error>,
}

/// What an expansion states of a commit.
#[derive(Clone, Copy)]
pub struct CommitFacts {
    /// The function's name.
    pub name: &'static str,
    /// States.
    pub states: &'static [StateSpec],
    /// Run limit in milliseconds; 0: none.
    pub timeout_ms: u64,
    /// File, line and module of the function.
    pub source: (&'static str, u32, &'static str),
}

impl CommitFacts {
    /// The limit where the author states none.
    pub const TIMEOUT_MS: u64 = DEFAULT_TIMEOUT.as_millis() as u64;
}

/// What delivers drafts of this type.
pub const fn commit<T: DraftValue>(facts: CommitFacts, prepare: Prepare) -> Committer<T> {
    Committer {
        spec: CommitSpec {
            name: facts.name,
            states: facts.states,
            timeout: match facts.timeout_ms {
                0 => None,
                ms => Some(std::time::Duration::from_millis(ms)),
            },
            source: Source::new(facts.source.0, facts.source.1, facts.source.2),
            type_name: std::any::type_name::<T>,
            prepare,
            settle: settle::<T>,
        },
        write: write::<T>,
        read: read::<T>,
    }
}

fn write<T: DraftValue>(value: &T, text: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    crate::json::write(value, text)
}

fn read<T: DraftValue>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}

fn settle<T: DraftValue>(text: &str) -> Result<String, serde_json::Error> {
    let mut settled = Vec::with_capacity(text.len());
    crate::json::write(&read::<T>(text)?, &mut settled)?;
    String::from_utf8(settled).map_err(serde::de::Error::custom)
}

/// What a tool that sends may return.
#[diagnostic::on_unimplemented(
    message = "a `send` tool must return a `Draft<T>`, not `{Self}`",
    label = "this is no draft",
    note = "return the draft; a `#[commit]` function delivers it"
)]
pub trait SendOutput {
    /// What is to be sent.
    type Value;

    /// What is to be sent.
    fn toolkit_value(&self) -> &Self::Value;

    /// Writes what is to be sent.
    ///
    /// # Errors
    /// It can't be written as JSON.
    fn toolkit_write(&self, text: &mut Vec<u8>) -> Result<(), serde_json::Error>;
}

impl<T: Commit> SendOutput for Draft<T> {
    type Value = T;

    fn toolkit_value(&self) -> &T {
        self.get()
    }

    fn toolkit_write(&self, text: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        (T::COMMIT.write)(self.get(), text)
    }
}

/// What gives the commit of a tool that sends.
pub type CommitOf = fn() -> Option<&'static CommitSpec>;

/// Adds to a registration what delivers its drafts.
pub const fn sending(registration: Registration, commit: CommitOf) -> Registration {
    Registration { commit: Some(commit), ..registration }
}

impl Call<'_> {
    /// The draft that a person confirmed.
    ///
    /// # Errors
    /// [`Refused::Arguments`] where this call is none of a confirmation, or the draft can't be read.
    pub fn confirmed<T: Commit>(&self) -> Result<Confirmed<T>, Refused> {
        let delivery = self.delivery.ok_or(Refused::Arguments)?;
        let value = (T::COMMIT.read)(&delivery.value).map_err(|_| Refused::Arguments)?;
        Ok(Confirmed::new(value, delivery.confirmation.clone()))
    }
}
