//! Crates of another edition, that know `toolkit` by another name.

use toolkit::{CallContext, ToolCall, Toolkit, id};

#[tokio::test]
async fn tools_of_every_edition_are_collected() -> Result<(), Box<dyn std::error::Error>> {
    let _ = (id(edition_2021::r#match), id(renamed::word));
    let toolkit = Toolkit::builder().crates(["edition_2021", "renamed"]).build()?;
    let names: Vec<String> = toolkit.tools().map(|tool| tool.name().to_owned()).collect();
    let expected = ["old.count", "old.made", "old.match", "renamed.other", "renamed.word"];
    assert_eq!(names, expected);
    for (name, arguments, text) in [
        ("old.match", r#"{"text": "a", "type": 3}"#, "a 3"),
        ("old.count", "{}", "3"),
        ("old.made", r#"{"value": 4}"#, "4"),
        ("renamed.word", "", "word"),
        ("renamed.other", "{}", "other word"),
    ] {
        let reply = toolkit.call(&CallContext::human(), ToolCall::new(name, arguments)).await;
        assert_eq!(reply.text(), text, "{name}");
    }
    Ok(())
}
