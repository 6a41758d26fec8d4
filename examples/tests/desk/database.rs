//! The file: filled once, and never taken from another program.

use examples::desk::database::Database;

use super::{folder, number, run};

#[tokio::test]
async fn what_is_no_desk_is_left_as_it_is() {
    let folder = folder("foreign");
    let text = folder.join("letter.txt");
    std::fs::write(&text, "Dear customer, this is no database at all.\n".repeat(100)).unwrap();
    let before = std::fs::read(&text).unwrap();
    let done = run(&text, &[]).await;
    assert_eq!((done.code, done.out.as_str()), (1, ""));
    assert!(
        done.err.contains("can't be used") && done.err.contains("not a database"),
        "{}",
        done.err
    );
    assert_eq!(std::fs::read(&text).unwrap(), before);

    let other = folder.join("other.db");
    let options =
        sqlx::sqlite::SqliteConnectOptions::new().filename(&other).create_if_missing(true);
    let pool = sqlx::SqlitePool::connect_with(options).await.unwrap();
    sqlx::raw_sql("create table ticket (id integer primary key)").execute(&pool).await.unwrap();
    pool.close().await;
    let before = std::fs::read(&other).unwrap();
    let done = run(&other, &["call", "ticket.create", r#"{"subject":"abc","body":"abc"}"#]).await;
    assert_eq!((done.code, done.out.as_str()), (1, ""));
    assert!(done.err.contains("another program's database"), "{}", done.err);
    assert_eq!(std::fs::read(&other).unwrap(), before);

    let newer = folder.join("newer.db");
    let database = Database::open(&newer).await.unwrap();
    sqlx::raw_sql("pragma user_version = 7").execute(database.pool()).await.unwrap();
    drop(database);
    let done = run(&newer, &[]).await;
    assert_eq!(done.code, 1);
    assert!(done.err.contains("tables of version 7"), "{}", done.err);

    let done = run(&folder.join("no/such/folder.db"), &[]).await;
    assert_eq!(done.code, 1);
    assert!(done.err.contains("no/such/folder.db can't be used"), "{}", done.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn first_runs_at_once_fill_it_once() {
    let db = folder("race").join("test.db");
    let mut opening = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let db = db.clone();
        opening.spawn(async move { Database::open(&db).await.unwrap().created() });
    }
    let created = opening.join_all().await;
    assert_eq!(created.iter().filter(|created| **created).count(), 1);
    assert_eq!(number(&db, "select count(*) from article").await, 8);
}
