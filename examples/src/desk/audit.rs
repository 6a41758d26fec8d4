//! The desk's audit: what every call came to and who decided, one line of JSON each, beside the
//! database.

use std::path::{Path, PathBuf};

use toolkit::audit::{AuditError, Jsonl};

/// The audit of one database: `desk.audit.jsonl` beside `desk.db`.
#[derive(Clone)]
pub struct Audit {
    file: Jsonl,
    path: PathBuf,
}

impl Audit {
    /// Opens the audit that belongs to a database, or makes it.
    ///
    /// # Errors
    /// The file can't be opened; the user names another database.
    pub fn beside(db: &Path) -> Result<Self, AuditError> {
        let path = db.with_extension("audit.jsonl");
        Ok(Self { file: Jsonl::open(&path)?, path })
    }

    /// What writes it.
    pub fn observer(&self) -> Jsonl {
        self.file.clone()
    }

    /// The last line about a draft, as it stands in the file.
    ///
    /// # Errors
    /// The file can't be written or read.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing half-done.
    pub async fn last_of(&self, draft: &str) -> Result<Option<String>, Box<dyn std::error::Error>> {
        self.file.flush().await?;
        let lines = std::fs::read_to_string(&self.path)?;
        Ok(lines.lines().rev().find(|line| line.contains(draft)).map(str::to_owned))
    }
}
