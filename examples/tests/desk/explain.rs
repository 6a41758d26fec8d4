//! The subcommand that says what would become of a call.

use serde_json::{Value, json};

use super::{folder, run};

const DELETE: &str = r#"{"ticket":1}"#;

#[tokio::test]
async fn a_person_understands_at_once_what_would_happen() {
    let folder = folder("explain");
    let db = folder.join("test.db");
    let alone = run(&db, &["explain", "ticket.delete", DELETE]).await;
    assert_eq!((alone.code, alone.err.as_str()), (0, ""));
    assert_eq!(
        alone.out,
        "\
`ticket.delete` would be refused (no_approver): nothing runs.

caller     human, for Robin, in session call, in scope chat
risk       destructive
arguments  {\"ticket\":1}
verdict    ask
  ask      policy  destructive for human
it reads   `ticket.delete` was not run: a person must approve it, and nobody can be asked here; \
don't retry, say so

to change that:
- give the builder somebody to ask: `.approver(…)`
- let the policy say something else: `Policy::set(Origin::Human, Risk::Destructive, …)`
"
    );

    // Where a terminal is there, it is no more than looked at.
    std::fs::write(db.with_extension("no-terminal"), "").unwrap();
    let asked = run(&db, &["explain", "--as", "model", "ticket.delete", DELETE]).await;
    let first = asked.out.lines().next().unwrap();
    assert_eq!(
        first,
        "`ticket.delete` would wait for a person, for at most 5 min. If they agree it runs, and is \
         recorded."
    );
    assert_eq!(std::fs::read_to_string(db.with_extension("no-terminal")).unwrap(), "");
    // Nothing runs, so there is nothing to run on.
    assert!(!db.exists());
}

#[tokio::test]
async fn each_kind_of_end_has_its_words() {
    let db = folder("explain-kinds").join("test.db");
    for (arguments, first) in [
        (
            &["kb.search", r#"{"query":"password"}"#][..],
            "`kb.search` would run at once: nobody is asked.",
        ),
        (
            &["ticket.create", r#"{"subject":"As model","body":"text"}"#, "--as", "model"],
            "`ticket.create` would run at once, and be recorded: nobody is asked.",
        ),
        (
            &["ticket.reply", r#"{"ticket":1042,"body":"text"}"#, "--as", "model"],
            "`ticket.reply` would make a draft, and send nothing before a person confirms it.",
        ),
        (
            &["web.fetch", r#"{"url":"{{page}}/status"}"#],
            "`web.fetch` would run at once, and be recorded: nobody is asked.",
        ),
        (
            &["web.fetch", r#"{"url":"http://127.0.0.1:1/"}"#],
            "`web.fetch` would be refused (denied): nothing runs.",
        ),
        (
            &["kb.search", r#"{"limit":0}"#],
            "`kb.search` would be refused (invalid_arguments): nothing runs.",
        ),
        (&["kb.serach", "{}"], "`kb.serach` would be refused (unknown_tool): nothing runs."),
    ] {
        let done = run(&db, &[&["explain"], arguments].concat()).await;
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{arguments:?}");
        assert_eq!(done.out.lines().next().unwrap(), first, "{}", done.out);
    }
}

#[tokio::test]
async fn a_program_reads_json() {
    let db = folder("explain-json").join("test.db");
    let done = run(&db, &["explain", "ticket.delete", DELETE, "--json"]).await;
    assert_eq!((done.code, done.out.lines().count()), (0, 1));
    let value: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(value["would"], "refuse");
    assert_eq!(value["code"], "no_approver");
    let found = json!([{"verdict": "ask", "source": "policy", "reason": "destructive for human"}]);
    assert_eq!(value["decision"]["findings"], found);
}
