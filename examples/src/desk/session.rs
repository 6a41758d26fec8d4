//! Sessions: conversations with customers, as they were written down.

use schemars::JsonSchema;
use serde::Serialize;
use toolkit::prelude::*;

use super::ticket::{Desk, TicketId};

/// A conversation with a customer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Session {
    /// Number of the session, e.g. `s-42`.
    id: String,
    /// Name of the customer.
    customer: String,
    /// How they reached us: `chat`, `mail` or `phone`.
    channel: String,
    /// When it began, in UTC.
    opened: String,
    /// How many messages before those below were left out.
    earlier: i64,
    /// The latest messages, oldest first.
    messages: Vec<Message>,
    /// The customer's tickets from this session.
    tickets: Vec<Line>,
}

/// One message of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Message {
    /// Who wrote it: `customer` or `agent`.
    author: String,
    /// What they wrote.
    body: String,
    /// When, in UTC.
    sent: String,
}

/// One ticket in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// Number of the ticket.
    id: TicketId,
    /// What it is about.
    subject: String,
    /// `open` or `closed`.
    status: String,
}

impl Desk {
    async fn session(&self, id: &str, last: u8) -> Result<Option<Session>, sqlx::Error> {
        // One transaction, so that the parts belong together.
        let mut transaction = self.pool().begin().await?;
        let session = "select customer, channel, opened, \
                       (select count(*) from message where session = session.id) \
                       from session where id = ?";
        let found: Option<(String, String, String, i64)> =
            sqlx::query_as(session).bind(id).fetch_optional(&mut *transaction).await?;
        let Some((customer, channel, opened, count)) = found else { return Ok(None) };

        let messages = "select author, body, sent from message where session = ? \
                        order by id desc limit ?";
        let messages: Vec<(String, String, String)> =
            sqlx::query_as(messages).bind(id).bind(last).fetch_all(&mut *transaction).await?;
        let messages: Vec<Message> = messages
            .into_iter()
            .rev()
            .map(|(author, body, sent)| Message { author, body, sent })
            .collect();

        let tickets = "select id, subject, status from ticket where session = ? order by id";
        let tickets: Vec<(u32, String, String)> =
            sqlx::query_as(tickets).bind(id).fetch_all(&mut *transaction).await?;
        let line = |(id, subject, status)| Line { id: TicketId::new(id), subject, status };
        Ok(Some(Session {
            id: id.to_owned(),
            customer,
            channel,
            opened,
            earlier: count.saturating_sub_unsigned(messages.len() as u64),
            messages,
            tickets: tickets.into_iter().map(line).collect(),
        }))
    }
}

/// Fetch one session, a conversation: who the customer is, the latest messages and their tickets.
///
/// Use it when you are given the number of a session. Not for general questions: that is
/// `kb.search`.
#[tool(name = "session.fetch", risk = "read")]
pub async fn fetch(
    /// Number of the session, e.g. `s-42`.
    #[arg(pattern = "^s-[0-9]{1,9}$")]
    session: &str,
    /// How many of the latest messages to return at most, e.g. `10`.
    #[arg(default = 20, range = 1..=100)]
    last: u8,
    #[state] desk: &Desk,
) -> Result<Session, ToolError> {
    desk.session(session, last).await?.ok_or_else(|| {
        ToolError::expected(format!(
            "there is no session `{session}`; ask the user for the right number"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::database::Database;

    #[tokio::test]
    async fn the_latest_messages_come_oldest_first() {
        let desk = Desk::new(&Database::in_memory().await.unwrap());
        let session = desk.session("s-42", 2).await.unwrap().unwrap();
        assert_eq!(session.customer, "Ana Lima");
        assert_eq!(session.earlier, 1);
        assert_eq!(session.messages[0].author, "agent");
        assert!(session.messages[1].body.starts_with("PAY-8841"));
        let tickets: Vec<TicketId> = session.tickets.iter().map(|line| line.id).collect();
        assert_eq!(tickets, [TicketId::new(1041), TicketId::new(1042)]);
        assert!(desk.session("s-1", 2).await.unwrap().is_none());
    }
}
