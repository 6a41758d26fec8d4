//! Mail to customers, into a maildir beside the database: what another program would send from
//! there. It is reached through an [`Outbound`](toolkit::Outbound) alone, so only with what a person
//! has confirmed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A maildir: each mail is written whole under `tmp/` and then moved to `new/`, where readers look.
#[derive(Clone, Debug)]
pub struct Mailer {
    folder: PathBuf,
}

/// A mail on its way.
#[derive(Clone, Copy, Debug)]
pub struct Mail<'a> {
    /// Unique; a mail of the same id takes the place of the first.
    pub id: &'a str,
    /// The address.
    pub to: &'a str,
    /// The subject.
    pub subject: &'a str,
    /// The text.
    pub body: &'a str,
}

impl Mailer {
    /// The maildir that belongs to a database: `desk.mail` beside `desk.db`.
    pub fn beside(db: &Path) -> Self {
        Self { folder: db.with_extension("mail") }
    }

    /// Where mails arrive.
    pub fn folder(&self) -> PathBuf {
        self.folder.join("new")
    }

    /// Delivers a mail.
    ///
    /// # Errors
    /// The maildir can't be made or written to; there is no mail then, or no more than one.
    ///
    /// # Cancellation
    /// The mail may be delivered all the same.
    pub async fn send(&self, mail: Mail<'_>) -> io::Result<PathBuf> {
        let (mailer, name, text) = (self.clone(), format!("{}.desk", mail.id), mail.text());
        let written = tokio::task::spawn_blocking(move || mailer.write(&name, &text)).await;
        written.map_err(io::Error::other)?
    }

    fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        for part in ["tmp", "new", "cur"] {
            std::fs::create_dir_all(self.folder.join(part))?;
        }
        let (written, delivered) = (self.folder.join("tmp").join(name), self.folder().join(name));
        let mut file = std::fs::File::create(&written)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&written, &delivered)?;
        Ok(delivered)
    }
}

impl Mail<'_> {
    /// The mail as it stands in its file. What would end a header line is left out of it.
    fn text(&self) -> String {
        let line = |text: &str| text.replace(|c: char| c.is_control(), " ");
        let (to, subject, id) = (line(self.to), line(self.subject), line(self.id));
        format!(
            "From: Support desk <desk@example.com>\nTo: {to}\nSubject: {subject}\n\
             Message-ID: <{id}@desk.example.com>\nMIME-Version: 1.0\n\
             Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{}\n",
            self.body.trim_end()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_stays_one_line() {
        let mail = Mail { id: "a", to: "b\r\nBcc: all", subject: "c\nd", body: "e\n\nf\n" };
        let text = mail.text();
        let (head, body) = text.split_once("\n\n").unwrap();
        assert!(head.contains("\nTo: b  Bcc: all\nSubject: c d\n"), "{head}");
        assert_eq!(head.lines().count(), 7);
        assert_eq!(body, "e\n\nf\n");
    }
}
