#[commit(timeout = "10s")]
async fn deliver(reply: Confirmed<Reply>, #[state] mail: &Outbound<Mailer>) -> Result<Receipt, MailError> {
    mail.open(&reply).send(reply.get()).await
}
