//! Replies to customers: a model drafts one, a person confirms it, and only then is it mailed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolkit::prelude::*;

use super::mail::{Mail, Mailer};
use super::ticket::{Desk, TicketId};

/// A reply to the customer of a ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The ticket.
    ticket: TicketId,
    /// The customer's address.
    to: String,
    /// The subject.
    subject: String,
    /// The text.
    body: String,
}

/// That a reply is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Receipt {
    /// To whom.
    to: String,
    /// The mail's file.
    file: String,
}

impl Desk {
    /// The customer of a ticket and what the ticket is about, as far as there are any.
    async fn customer(
        &self,
        ticket: TicketId,
    ) -> Result<Option<(Option<String>, Option<String>, String)>, sqlx::Error> {
        let customer = "select session.customer, session.id, ticket.subject from ticket \
                        left join session on session.id = ticket.session where ticket.id = ?";
        sqlx::query_as(customer).bind(ticket.number()).fetch_optional(self.pool()).await
    }
}

/// Draft a reply to the customer of a ticket. A person reads it before it is sent.
///
/// Use it when the customer should hear something. It sends nothing by itself, so don't tell the user
/// that it was sent.
#[tool(name = "ticket.reply", risk = "send", render = letter)]
pub async fn reply(
    /// Number of the ticket, e.g. `1042`.
    ticket: TicketId,
    /// Text of the reply, in the customer's language, e.g. `Dear Ana, your second payment comes back.`
    #[arg(length = 3..=4000)]
    body: String,
    #[state] desk: &Desk,
) -> Result<Draft<Reply>, ToolError> {
    let Some((customer, session, subject)) = desk.customer(ticket).await? else {
        return Err(ToolError::expected(format!(
            "there is no ticket {ticket}; look up the customer's tickets with `session.fetch`"
        )));
    };
    let (Some(customer), Some(session)) = (customer, session) else {
        return Err(ToolError::expected(format!(
            "ticket {ticket} belongs to no session, so there is nobody to reply to"
        )));
    };
    let to = format!("{customer} <{session}@customers.example.com>");
    Ok(Draft::new(Reply { ticket, to, subject: format!("Re: {subject} [{ticket}]"), body }))
}

/// A reply as a person reads it.
fn letter(reply: &Reply) -> String {
    format!("To: {}\nSubject: {}\n\n{}", reply.to, reply.subject, reply.body)
}

/// Mails what a person has confirmed.
#[commit(timeout = "10s")]
pub async fn deliver(
    reply: Confirmed<Reply>,
    #[state] mailer: &Outbound<Mailer>,
) -> Result<Receipt, ToolError> {
    let Reply { to, subject, body, .. } = reply.get();
    let mail = Mail { id: reply.id(), to, subject, body };
    let file = mailer.open(&reply).send(mail).await?;
    Ok(Receipt { to: to.clone(), file: file.display().to_string() })
}
