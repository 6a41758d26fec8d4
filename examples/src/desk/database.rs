//! The desk's SQLite file: made and filled on first use, never touched where it is another
//! program's.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{Sqlite, SqlitePool, Transaction};

/// Marks the file as a desk's: `desk` in ASCII.
const APPLICATION: i32 = i32::from_be_bytes(*b"desk");

/// The version of the tables.
const VERSION: i32 = 1;

/// An open database of the desk; cheap to clone.
#[derive(Clone, Debug)]
pub struct Database {
    pool: SqlitePool,
    created: bool,
}

/// Why a file can't be used as the desk's database. It is left as it was.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The file can't be opened, made or read.
    #[error("the database {} can't be used; name another with --db FILE", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: sqlx::Error,
    },
    /// The file is a database, but no desk's.
    #[error(
        "{} is another program's database and was left as it is; name another file with --db FILE",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by another version of the desk.
    #[error(
        "{} has tables of version {found}, this desk knows version {VERSION}; name another file \
         with --db FILE",
        path.display()
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version that it has.
        found: i32,
    },
}

impl Database {
    /// Opens a file, or makes and fills it where there is none: in one transaction, so that two
    /// desks that start at once don't fill it twice and one that dies leaves it empty.
    ///
    /// # Errors
    /// [`DatabaseError`]; the user names another file.
    ///
    /// # Cancellation
    /// Dropping the future leaves a file that is whole or empty.
    pub async fn open(path: &Path) -> Result<Self, DatabaseError> {
        let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
        Self::with(options, 4, path).await
    }

    /// A database that lives in memory, for as long as the value does.
    ///
    /// # Errors
    /// [`DatabaseError`], where there is no memory.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing behind.
    pub async fn in_memory() -> Result<Self, DatabaseError> {
        // One connection, since each would have a memory of its own.
        Self::with(SqliteConnectOptions::new().in_memory(true), 1, Path::new(":memory:")).await
    }

    async fn with(
        options: SqliteConnectOptions,
        connections: u32,
        path: &Path,
    ) -> Result<Self, DatabaseError> {
        let options = options.foreign_keys(true).busy_timeout(Duration::from_secs(5));
        let pool = SqlitePoolOptions::new()
            .max_connections(connections)
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options)
            .await
            .map_err(unusable(path))?;
        let created = prepare(&pool, path).await?;
        Ok(Self { pool, created })
    }

    /// Whether opening made and filled the file.
    pub fn created(&self) -> bool {
        self.created
    }

    /// The connections.
    pub fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// How many articles, sessions and tickets there are.
    ///
    /// # Errors
    /// What SQLite says.
    ///
    /// # Cancellation
    /// Only reads.
    pub async fn counts(&self) -> Result<(i64, i64, i64), sqlx::Error> {
        let counts = "select (select count(*) from article), (select count(*) from session), \
                      (select count(*) from ticket)";
        sqlx::query_as(counts).fetch_one(&self.pool).await
    }
}

fn unusable(path: &Path) -> impl Fn(sqlx::Error) -> DatabaseError {
    |source| DatabaseError::Unusable { path: path.to_owned(), source }
}

/// Makes and fills the tables of an empty file; true if it did.
async fn prepare(pool: &SqlitePool, path: &Path) -> Result<bool, DatabaseError> {
    // Immediate: the second of two first runs waits here for the first, and then finds the tables.
    let mut transaction = pool.begin_with("begin immediate").await.map_err(unusable(path))?;
    let found = stamp(&mut transaction).await.map_err(unusable(path))?;
    match found {
        Stamp { tables: 0, application: 0, .. } => {}
        Stamp { application: APPLICATION, version: VERSION, .. } => return Ok(false),
        Stamp { application: APPLICATION, version: found, .. } => {
            return Err(DatabaseError::OtherVersion { path: path.to_owned(), found });
        }
        Stamp { .. } => return Err(DatabaseError::Foreign { path: path.to_owned() }),
    }
    fill(&mut transaction).await.map_err(unusable(path))?;
    transaction.commit().await.map_err(unusable(path))?;
    Ok(true)
}

struct Stamp {
    application: i32,
    version: i32,
    tables: i64,
}

async fn stamp(transaction: &mut Transaction<'_, Sqlite>) -> Result<Stamp, sqlx::Error> {
    let stamp = "select (select application_id from pragma_application_id), \
                 (select user_version from pragma_user_version), \
                 (select count(*) from sqlite_schema)";
    let (application, version, tables) =
        sqlx::query_as(stamp).fetch_one(&mut **transaction).await?;
    Ok(Stamp { application, version, tables })
}

async fn fill(transaction: &mut Transaction<'_, Sqlite>) -> Result<(), sqlx::Error> {
    for script in [include_str!("schema.sql"), include_str!("seed.sql")] {
        sqlx::raw_sql(script).execute(&mut **transaction).await?;
    }
    // A pragma takes no parameter, and the numbers are constants of ours.
    let marks = format!("pragma application_id = {APPLICATION}; pragma user_version = {VERSION}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(marks)).execute(&mut **transaction).await?;
    Ok(())
}
