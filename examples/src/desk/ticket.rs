//! Tickets: opening one, and deleting one for good.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::SqlitePool;
use toolkit::prelude::*;

use super::database::Database;

/// Tickets and sessions.
#[derive(Clone, Debug)]
pub struct Desk {
    pool: SqlitePool,
}

/// Who works at the desk; a value of the call's context, so that a model can't choose it.
#[derive(Clone, Debug)]
pub struct Agent {
    /// The name that is written into a ticket's history.
    pub name: String,
}

/// Number of a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TicketId(u32);

impl TicketId {
    /// The ticket of this number.
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    pub(super) const fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for TicketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// How soon somebody should look at a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Within the week.
    Low,
    /// Within two working days.
    Normal,
    /// Today: the customer can't work or loses money.
    High,
}

impl Priority {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// A ticket as it was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ticket {
    /// Its number.
    id: TicketId,
    /// What it is about.
    subject: String,
    /// How soon somebody should look at it.
    priority: Priority,
    /// The session that it belongs to.
    session: Option<String>,
}

impl Desk {
    /// The desk of this database.
    pub fn new(database: &Database) -> Self {
        Self { pool: database.pool().clone() }
    }

    pub(super) fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// Opens a ticket; `None` where there is no such session.
    async fn open(
        &self,
        subject: &str,
        body: &str,
        priority: Priority,
        session: Option<&str>,
        agent: &Agent,
    ) -> Result<Option<TicketId>, sqlx::Error> {
        let mut transaction = self.pool.begin_with("begin immediate").await?;
        if let Some(session) = session {
            let known = "select exists (select 1 from session where id = ?)";
            if !sqlx::query_scalar(known).bind(session).fetch_one(&mut *transaction).await? {
                return Ok(None);
            }
        }
        let ticket = "insert into ticket (session, subject, body, priority) values (?, ?, ?, ?) \
                      returning id";
        let id: u32 = sqlx::query_scalar(ticket)
            .bind(session)
            .bind(subject)
            .bind(body)
            .bind(priority.as_str())
            .fetch_one(&mut *transaction)
            .await?;
        let event = "insert into ticket_event (ticket, at, who, what) \
                     values (?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, 'opened')";
        sqlx::query(event).bind(id).bind(&agent.name).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(Some(TicketId(id)))
    }

    /// Deletes a ticket with its history and notes who did it; false where there is no such ticket.
    async fn delete(&self, ticket: TicketId, agent: &Agent) -> Result<bool, sqlx::Error> {
        let mut transaction = self.pool.begin_with("begin immediate").await?;
        let delete = "delete from ticket where id = ?";
        let done = sqlx::query(delete).bind(ticket.0).execute(&mut *transaction).await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        let note = "insert into deletion (ticket, at, who) \
                    values (?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?)";
        sqlx::query(note).bind(ticket.0).bind(&agent.name).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Open a ticket, so that a colleague takes care of something, and return its number.
///
/// Use it once per matter, after looking at the customer's open tickets with `session.fetch`. Not
/// for a question that an article answers.
#[tool(name = "ticket.create", risk = "write")]
pub async fn create(
    /// What it is about, in a few words, e.g. `Double payment of invoice 2026-117`.
    #[arg(length = 3..=120)]
    subject: &str,
    /// All that the colleague must know, e.g. `Paid twice: PAY-8841 and PAY-8867. Refund one.`
    #[arg(length = 3..=4000)]
    body: &str,
    /// How soon somebody should look at it: `high` only where the customer can't work or loses
    /// money.
    #[arg(default = Priority::Normal)]
    priority: Priority,
    /// Number of the customer's session, e.g. `s-42`. Leave it out where there is none.
    session: Option<&str>,
    #[state] desk: &Desk,
    #[context] agent: &Agent,
) -> Result<Ticket, ToolError> {
    let Some(id) = desk.open(subject, body, priority, session, agent).await? else {
        return Err(ToolError::expected(format!(
            "there is no session `{}`, and no ticket was opened; correct `session` or leave it out",
            session.unwrap_or_default()
        )));
    };
    Ok(Ticket { id, subject: subject.to_owned(), priority, session: session.map(str::to_owned) })
}

/// Delete a ticket with its whole history, for good. Only on the customer's explicit request.
///
/// A person is asked before it happens. Not for a ticket that is done: that one is closed.
#[tool(name = "ticket.delete", risk = "destructive", timeout = "5s")]
pub async fn delete(
    /// Number of the ticket, e.g. `1042`.
    ticket: TicketId,
    #[state] desk: &Desk,
    #[context] agent: &Agent,
) -> Result<(), ToolError> {
    if desk.delete(ticket, agent).await? {
        return Ok(());
    }
    Err(ToolError::expected(format!(
        "there is no ticket {ticket}, so nothing was deleted; look up the customer's tickets with \
         `session.fetch`"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn count(desk: &Desk, what: &'static str) -> i64 {
        sqlx::query_scalar(what).fetch_one(&desk.pool).await.unwrap()
    }

    #[tokio::test]
    async fn a_deleted_ticket_takes_its_history_along_and_its_number_with_it() {
        let desk = Desk::new(&Database::in_memory().await.unwrap());
        let robin = Agent { name: "Robin".into() };
        let open = |session| desk.open("Subject", "Body", Priority::Low, session, &robin);
        let ticket = open(Some("s-42")).await.unwrap().unwrap();
        assert_eq!(count(&desk, "select count(*) from ticket_event").await, 5);
        assert!(desk.delete(ticket, &robin).await.unwrap());
        assert!(!desk.delete(ticket, &robin).await.unwrap());
        assert_eq!(count(&desk, "select count(*) from ticket_event").await, 4);
        assert_eq!(count(&desk, "select count(*) from deletion where who = 'Robin'").await, 1);
        assert_eq!(open(Some("s-7")).await.unwrap(), None);
        assert_ne!(open(None).await.unwrap(), Some(ticket));
        assert_eq!(count(&desk, "select count(*) from ticket").await, 4);
    }
}
