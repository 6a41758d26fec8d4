/// Draft a reply to a customer. A person reads it before it is sent.
#[tool(name = "ticket.reply", risk = "send")]
async fn reply(
    /// Number of the ticket, e.g. `1042`.
    ticket: TicketId,
    /// Text of the reply, in the customer's language.
    body: String,
) -> Result<Draft<Reply>, ToolError> {
    draft(ticket, body)
}
