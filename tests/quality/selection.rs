//! Tasks, and the tools that their wording leads to.

use schemars::JsonSchema;
use serde::Deserialize;
use toolkit::Catalog;
use toolkit::hook::{BoxFuture, HookError};
use toolkit::prelude::*;
use toolkit::testing::{
    Choice, Lexical, OpenAiChat, Outcome, Ranked, Selection, Selector, Task, select,
};

#[derive(Deserialize, JsonSchema)]
struct Query {
    /// What is looked for, e.g. `42`.
    #[expect(dead_code, reason = "nothing is run")]
    text: String,
}

const SEARCH: &str = "Search the help-desk knowledge base and return the most relevant articles.";
const FETCH: &str = "Fetch a chat session with the messages of the customer.";
const DELETE: &str = "Delete a ticket with its whole history. Only on explicit request.";

fn toolkit(texts: [&str; 3]) -> Toolkit {
    let tool = |name: &str, text: &str| {
        let run = |_: Query, _: CallContext| async { Ok::<_, ToolError>("done") };
        TypedTool::new(name, text, Risk::Read, run)
    };
    Toolkit::builder()
        .only([])
        .tool(tool("a.first", texts[0]))
        .tool(tool("a.second", texts[1]))
        .tool(tool("a.third", texts[2]))
        .output_pages(false)
        .build()
        .unwrap()
}

fn tasks() -> Vec<Task> {
    Task::from_jsonl(
        r#"
        {"task": "Is there an article about refunds in the knowledge base?", "expect": "a.first", "never": ["a.third"], "margin": 0.1}

        {"task": "What did the customer say in the last message?", "expect": "a.second", "never": ["a.third"]}
        {"task": "Please delete my tickets and the history of them", "expect": "a.third"}
        "#,
    )
    .unwrap()
}

async fn run(texts: [&str; 3], tasks: Vec<Task>) -> Selection {
    let catalog = toolkit(texts).catalog(&CallContext::model());
    select(&Lexical::new(), &catalog, tasks).await
}

fn outcomes(selection: &Selection) -> Vec<&Outcome> {
    selection.all().iter().map(|chosen| &chosen.outcome).collect()
}

#[tokio::test]
async fn good_descriptions_lead_to_the_right_tool() {
    let selection = run([SEARCH, FETCH, DELETE], tasks()).await;
    assert!(selection.is_ok(), "{selection}");
    assert!((selection.top_1() - 1.0).abs() < f64::EPSILON);
    let report = selection.to_string();
    assert!(report.starts_with("3 of 3 tasks as expected\nok    Is there"), "{report}");
    assert!(report.contains("a.first") && report.contains("; margin 0."), "{report}");
    assert_eq!(run([SEARCH, FETCH, DELETE], tasks()).await, selection, "and always the same way");
}

#[tokio::test]
async fn descriptions_that_are_swapped_fail() {
    let selection = run([FETCH, SEARCH, DELETE], tasks()).await;
    assert_eq!(outcomes(&selection), [&Outcome::Wrong, &Outcome::Wrong, &Outcome::Right]);
    let report = selection.to_string();
    assert!(report.contains("WRONG Is there an article"), "{report}");
    assert!(report.contains("expected a.first, got a.second"), "{report}");
    let selection = run([DELETE, FETCH, SEARCH], tasks()).await;
    assert_eq!(outcomes(&selection)[0], &Outcome::Forbidden("a.third".to_owned()), "{selection}");
}

#[tokio::test]
async fn a_choice_that_is_no_choice_fails() {
    let lost = || Task::new("Search the knowledge base").expect("a.first");
    let tasks = vec![
        lost(),
        Task::new("xyzzy"),
        Task::new("xyzzy").expect("a.first"),
        Task::new("Fetch a chat").expect("a.fist"),
        Task::new("Fetch a chat").expect("a.second").never("a__third"),
        lost().margin(1.1),
    ];
    // Two that say the same are told apart by nothing but their names.
    let selection = run([SEARCH, SEARCH, FETCH], tasks).await;
    let missing = |tool: &str| Outcome::NoSuchTool(tool.to_owned());
    let expected = [
        Outcome::Close,
        Outcome::Right,
        Outcome::Wrong,
        missing("a.fist"),
        missing("a__third"),
        Outcome::Close,
    ];
    assert_eq!(outcomes(&selection), expected.iter().collect::<Vec<_>>(), "{selection}");
    assert!(Task::from_jsonl("{\"task\": \"a\"}\n{\"task\": \"b\", \"tool\": \"c\"}").is_err());
}

#[tokio::test]
async fn a_model_chooses_by_what_it_calls() {
    let catalog = toolkit([SEARCH, FETCH, DELETE]).catalog(&CallContext::model());
    let model = OpenAiChat::new(|request: serde_json::Value| async move {
        assert_eq!(request["tools"].as_array().unwrap().len(), 3);
        let task = request["messages"][0]["content"].as_str().unwrap().to_owned();
        if task == "down" {
            return Err("the provider is down".into());
        }
        let call = |name: &str| {
            let function = serde_json::json!({"name": name, "arguments": "{}"});
            serde_json::json!({"id": name, "type": "function", "function": function})
        };
        let calls: Vec<_> = task.split_whitespace().map(call).collect();
        let message = serde_json::json!({"content": null, "tool_calls": calls});
        Ok(serde_json::json!({"choices": [{"message": message}]}).to_string())
    });
    let tasks = [
        Task::new("a__second").expect("a.second").margin(0.5),
        Task::new("a__second a__third").expect("a.second").never("a.third"),
        Task::new("invented").expect("a.second"),
        Task::new(""),
        Task::new("down"),
    ];
    let selection = select(&model, &catalog, tasks).await;
    let failed = Outcome::Failed("the provider is down".to_owned());
    let forbidden = Outcome::Forbidden("a.third".to_owned());
    let expected = [Outcome::Right, forbidden, Outcome::Wrong, Outcome::Right, failed];
    assert_eq!(outcomes(&selection), expected.iter().collect::<Vec<_>>(), "{selection}");
    assert!(selection.to_string().contains("expected a.second, got invented"), "{selection}");
}

/// Scripts that don't part words by spaces.
#[tokio::test]
async fn texts_without_spaces_lead_to_the_right_tool() {
    let texts = [
        "在知识库中搜索文章，返回最相关的结果。",
        "获取聊天会话以及客户发送的全部消息。",
        "チケットを履歴ごと完全に削除する。",
    ];
    let tasks = vec![
        Task::new("知识库里有没有关于退款的文章？").expect("a.first").margin(0.2),
        Task::new("客户最后一条消息说了什么").expect("a.second").margin(0.2),
        Task::new("このチケットを削除してください").expect("a.third").margin(0.2),
        Task::new("天气怎么样？"),
    ];
    let selection = run(texts, tasks).await;
    assert!(selection.is_ok(), "{selection}");
}

/// Scores of a selector of somebody else's, as they are.
struct Scored(Vec<(&'static str, f64)>);

impl Selector for Scored {
    fn choose<'a>(
        &'a self,
        _: &'a str,
        _: &'a Catalog,
    ) -> BoxFuture<'a, Result<Choice, HookError>> {
        let ranked =
            |(tool, score): &(&str, f64)| Ranked { tool: (*tool).to_owned(), score: *score };
        let ranking: Vec<Ranked> = self.0.iter().map(ranked).collect();
        Box::pin(async { Ok(Choice { chosen: vec!["a.first".to_owned()], ranking }) })
    }
}

#[tokio::test]
async fn a_lead_that_is_none_is_too_close() {
    let catalog = toolkit([SEARCH, FETCH, DELETE]).catalog(&CallContext::model());
    for (scores, expected) in [
        (vec![("a.first", 2.0), ("a.second", 1.0)], Outcome::Right),
        (vec![("a.first", 2.0)], Outcome::Right),
        (vec![], Outcome::Right),
        (vec![("a.first", 0.0), ("a.second", 0.0)], Outcome::Close),
        (vec![("a.first", f64::NAN), ("a.second", 1.0)], Outcome::Close),
        (vec![("a.first", 0.0)], Outcome::Close),
        // What leads is another than what is chosen.
        (vec![("a.second", 2.0), ("a.first", 1.0)], Outcome::Close),
    ] {
        let shown = format!("{scores:?}");
        let selection =
            select(&Scored(scores), &catalog, [Task::new("Search").expect("a.first")]).await;
        assert_eq!(outcomes(&selection), [&expected], "{shown}");
        let margin = selection.all()[0].margin();
        assert!(margin.is_none_or(|margin| (0.0..=1.0).contains(&margin)), "{shown} {margin:?}");
    }
}
