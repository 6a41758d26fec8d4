//! Scripts: what is printed, and what is left in the database.

use serde_json::json;

use super::{folder, has_ticket, human, in_order, mails, number, play, response, run};

const TICKETS: &str = "select count(*) from ticket";

#[tokio::test]
async fn the_recorded_conversation_shows_everything() {
    let db = folder("recorded").join("test.db");
    let done = run(&db, &[]).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    in_order(
        &done.out,
        &[
            "desk      made and filled the database",
            "it holds 8 articles, 3 sessions and 3 tickets",
            "pages at http://127.0.0.1:",
            "there is no terminal",
            // What the model sees.
            "the model sees 7 tools",
            "clock.now     read         allow",
            "kb.search     read         allow",
            "session.fetch read         allow",
            "ticket.create write        record",
            "ticket.delete destructive  ask",
            "ticket.reply  send         record",
            "web.fetch     network      record",
            // A good search.
            "user      A customer paid an invoice twice.",
            "call      kb__search {\"query\":",
            "verdict   allow",
            "reply     ok: the body ran",
            "repaired: limit: \"2\" was read as 2",
            "Refund of an invoice that was paid twice",
            // A wrong argument and its correction.
            "call      session__fetch {\"sesion\":",
            "reply     invalid_arguments: the body was not entered",
            "invalid arguments for `session.fetch`:",
            "- last: expected integer from 1 to 100, got \"all\"",
            "- sesion: unknown argument; did you mean `session`?",
            "call      session__fetch {\"session\":",
            "reply     ok: the body ran",
            // A name that the model made up.
            "call      billing__refund",
            "reply     unknown_tool: the body was not entered",
            // A ticket.
            "call      ticket__create",
            "verdict   record: policy says record (write for model)",
            "reply     ok: the body ran",
            "{\"id\":1043,",
            // What a person must approve, with nobody there.
            "call      ticket__delete {\"ticket\":1042}",
            "verdict   ask: policy says ask (destructive for model)",
            "reply     no_approver: the body was not entered",
            // The desk's own page, and a host that isn't listed.
            "call 1    web__fetch {\"url\":\"http://127.0.0.1:",
            "call 2    web__fetch {\"url\":\"https://status.example.com/\"}",
            "verdict 1 record",
            "reply 1   ok: the body ran",
            "the provider reports an incident",
            "verdict 2 deny",
            "reply 2   denied: the body was not entered",
            "reply 3   ok: the body ran",
            // A draft, its confirmation, and what the audit says of it.
            "call      ticket__reply {\"ticket\":1041,",
            "verdict   record: policy says record (send for model)",
            "reply     needs_confirmation: nothing was sent",
            "| To: Ana Lima <s-42@customers.example.com>",
            "person    Robin confirms draft-",
            "verdict   record: policy says record (send for human)",
            "reply     ok: the body ran",
            "test.mail/new/draft-",
            "audit     {\"kind\":\"call_finished\"",
            "\"confirmed_by\":\"Robin\"",
            "now the database holds 8 articles, 3 sessions and 4 tickets",
        ],
    );
    assert!(!done.out.contains("{{page}}") && !done.out.contains('\u{1b}'), "{}", done.out);
    assert!(has_ticket(&db, 1042).await);
    let mails = mails(&db);
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("\nTo: Ana Lima <s-42@customers.example.com>\n"), "{}", mails[0]);
    assert!(mails[0].contains("is refunded in full."), "{}", mails[0]);
    let double = "select count(*) from ticket where subject like 'Double payment%'";
    assert_eq!(number(&db, double).await, 1);

    // The file is kept, and used as it is.
    let again = run(&db, &[]).await;
    assert_eq!(again.code, 0);
    in_order(
        &again.out,
        &["opened the database", "it holds 8 articles, 3 sessions and 4 tickets", "{\"id\":1044,"],
    );
    assert_eq!(number(&db, TICKETS).await, 5);
}

#[tokio::test]
async fn without_its_confirmation_nothing_is_mailed() {
    let confirm = human("confirm");
    let recorded = examples::desk::script::RECORDED;
    let without: Vec<String> =
        recorded.lines().filter(|line| *line != confirm).map(str::to_owned).collect();
    assert_eq!(without.len() + 1, recorded.lines().count());
    let folder = folder("unconfirmed");
    let done = play(&folder, &without).await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    in_order(
        &done.out,
        &[
            "reply     needs_confirmation: nothing was sent",
            "1 draft waits for a person, and nothing of it was sent",
        ],
    );
    assert!(!done.out.contains("confirmed_by"), "{}", done.out);
    let db = folder.join("test.db");
    assert!(mails(&db).is_empty() && !db.with_extension("mail").exists());
}

#[tokio::test]
async fn each_draft_is_decided_on_once_and_the_last_comes_first() {
    let folder = folder("drafts");
    let reply = |ticket: u32, body: &str| {
        response(&[("ticket__reply", json!({"ticket": ticket, "body": body}))])
    };
    let done = play(
        &folder,
        &[
            reply(1041, "The first."),
            reply(1040, "The second."),
            human("withdraw"),
            human("confirm"),
            // Of no ticket, so of no draft.
            reply(9999, "The third."),
            human("confirm"),
        ],
    )
    .await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    in_order(
        &done.out,
        &[
            "Robin withdraws",
            "reply     withdrawn",
            "audit     {\"kind\":\"draft_withdrawn\"",
            "Robin confirms",
            "reply     ok: the body ran",
            "reply     failed: the body was not entered",
            "no draft waits, so the script's decision was not used",
        ],
    );
    let mails = mails(&folder.join("test.db"));
    assert_eq!(mails.len(), 1);
    assert!(mails[0].ends_with("\n\nThe first.\n"), "{}", mails[0]);

    let done = play(&folder, &[reply(1041, "One."), human("confirm"), human("confirm")]).await;
    assert_eq!(done.code, 2);
    assert!(done.err.contains("line 3 of the script decides on no draft"), "{}", done.err);
}

#[tokio::test]
async fn a_person_decides_on_what_cant_be_undone() {
    let folder = folder("decides");
    let delete = |ticket: u32| response(&[("ticket__delete", json!({"ticket": ticket}))]);
    let done = play(
        &folder,
        &[
            json!({"user": "Delete 1041 and 1042."}).to_string(),
            delete(1041),
            human("deny"),
            delete(1042),
            // The decision may come later in the script than its question.
            json!({"user": "What about it?"}).to_string(),
            response(&[("clock__now", json!({}))]),
            human("approve"),
            // Nobody decides on this one.
            delete(1040),
        ],
    )
    .await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    in_order(
        &done.out,
        &[
            "approvals are answered by the script's human",
            "person    is asked about ticket.delete, since policy: destructive for model",
            "person    rejected",
            "reply     rejected: the body was not entered",
            "person    approved",
            "reply     ok: the body ran",
            "| done",
            "reply     no_approver: the body was not entered",
        ],
    );
    let db = folder.join("test.db");
    assert!(has_ticket(&db, 1040).await && has_ticket(&db, 1041).await);
    assert!(!has_ticket(&db, 1042).await);
    let history = "select count(*) from ticket_event where ticket = 1042";
    assert_eq!(number(&db, history).await, 0);
    let by = "select count(*) from deletion where ticket = 1042 and who = 'Robin'";
    assert_eq!(number(&db, by).await, 1);
}

#[tokio::test]
async fn the_last_call_that_asks_is_the_one_decided_on() {
    let folder = folder("last");
    let done = play(
        &folder,
        &[
            response(&[
                ("ticket__delete", json!({"ticket": 1041})),
                ("clock__now", json!({})),
                ("ticket.delete", json!({"ticket": 1042})),
                ("ticket__delete", json!({"ticket": "1040"})),
            ]),
            human("deny"),
            human("approve"),
            response(&[
                ("ticket__delete", json!({"ticket": 1040})),
                ("ticket__delete", json!({"ticket": 1041})),
            ]),
            human("approve"),
        ],
    )
    .await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    // The call with a wrong argument asks nobody, so its decision is left over.
    in_order(
        &done.out,
        &[
            "reply 1   denied",
            "reply 3   rejected",
            "reply 4   invalid_arguments: the body was not entered",
            "nothing was asked about ticket.delete",
            "reply 1   denied: the body was not entered",
            "reply 2   ok: the body ran",
        ],
    );
    let db = folder.join("test.db");
    assert!(has_ticket(&db, 1040).await && has_ticket(&db, 1042).await);
    assert!(!has_ticket(&db, 1041).await);
}

#[tokio::test]
async fn a_ticket_is_created_once() {
    let folder = folder("once");
    let ticket = json!({"subject": "Printer on fire", "body": "It is.", "session": "s-41"});
    let done = play(
        &folder,
        &[
            json!({"user": "Open a ticket."}).to_string(),
            response(&[("ticket__create", ticket)]),
            response(&[(
                "ticket__create",
                json!({"subject": "Of nobody", "body": "No such session.", "session": "s-99"}),
            )]),
        ],
    )
    .await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    in_order(
        &done.out,
        &["reply     ok: the body ran", "reply     failed: the body ran", "`s-99`"],
    );
    let db = folder.join("test.db");
    let once = "select count(*) from ticket where subject = 'Printer on fire' \
                and session = 's-41' and priority = 'normal'";
    assert_eq!(number(&db, once).await, 1);
    assert_eq!(number(&db, TICKETS).await, 4);
}

#[tokio::test]
async fn wrong_arguments_never_reach_a_body() {
    let folder = folder("wrong");
    let create = |arguments| ("ticket__create", arguments);
    let done = play(
        &folder,
        &[
            response(&[
                create(json!({"subject": "No body"})),
                create(json!({"subject": "Bad priority", "body": "text", "priority": "urgent"})),
                create(json!({"subject": "Too much", "body": "text", "colour": "red"})),
                create(json!({"subject": "x", "body": "Subject too short."})),
                create(json!(["Subject", "Body"])),
                ("ticket__delete", json!({"ticket": "1042"})),
                ("ticket__delete", json!({"ticket": -1042})),
                ("ticket__delete", json!({"ticket": 1042.5})),
                ("ticket__delete", json!({})),
            ]),
            // Cut by the provider: nothing of it runs.
            response(&[("ticket__create", json!({"subject": "Cut off", "body": "text"}))])
                .replace("\"finish_reason\":\"tool_calls\"", "\"finish_reason\":\"length\""),
        ],
    )
    .await;
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert_eq!(done.out.matches("the body was not entered").count(), 10, "{}", done.out);
    assert_eq!(done.out.matches("the body ran").count(), 0, "{}", done.out);
    in_order(&done.out, &["reply 1   invalid_arguments", "reply     incomplete_call"]);
    let db = folder.join("test.db");
    assert_eq!(number(&db, TICKETS).await, 3);
    assert!(has_ticket(&db, 1042).await);
}

#[tokio::test]
async fn a_bad_script_is_refused_whole() {
    let folder = folder("bad");
    let first = response(&[("ticket__create", json!({"subject": "Too early", "body": "text"}))]);
    let cases = [
        ("{\"choices\": [", "line 3 of the script is not JSON"),
        ("[]", "line 3 of the script is no object"),
        ("{\"choices\": []}", "line 3 of the script is no response in OpenAI's wire format"),
        ("{\"usre\": \"Hello\"}", "line 3 of the script is no response in OpenAI's wire format"),
        ("{\"user\": 1}", "line 3 of the script is not of the form"),
        ("{\"human\": {\"approve\": \"first\"}}", "line 3 of the script is not of the form"),
        ("{\"human\": {\"approve\": \"last\"}}", "line 3 of the script decides on nothing"),
    ];
    for (bad, says) in cases {
        let done = play(&folder, &[first.clone(), String::new(), bad.to_owned()]).await;
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{bad}");
        assert!(done.err.contains(says), "{bad}: {}", done.err);
    }
    let db = folder.join("test.db");
    assert_eq!(number(&db, TICKETS).await, 3);
    let done = run(&db, &["--script", "/no/such/script"]).await;
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert!(done.err.contains("the script /no/such/script can't be read"), "{}", done.err);
}

#[tokio::test]
async fn a_terminal_is_told_nothing_by_a_model() {
    let done = play(
        &folder("escapes"),
        &[
            json!({"user": "Hi\u{1b}[2J"}).to_string(),
            response(&[("evil\u{1b}]0;x\u{7}", json!({"a": "\u{202e}b\u{1b}[31m"}))]),
        ],
    )
    .await;
    assert_eq!(done.code, 0);
    assert!(done.out.contains("Hi\\u{1b}[2J"), "{}", done.out);
    assert!(!done.out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{}", done.out);
}
