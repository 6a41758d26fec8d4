//! Scenes: domains that are visible where their scene is, and hidden everywhere else.

use toolkit::prelude::*;
use toolkit::{BuildProblem, Would};

/// Read a file.
#[tool(name = "fs.read")]
fn read() -> &'static str {
    "text"
}

/// Look up an article.
#[tool(name = "kb.search")]
fn search() -> &'static str {
    "article"
}

/// Tell the time.
#[tool(name = "clock.now")]
fn now() -> &'static str {
    "noon"
}

/// Say hello to the caller.
#[tool(name = "hello")]
fn hello() -> &'static str {
    "hello"
}

/// Read two files, through whatever context it has.
#[tool(name = "twice")]
async fn twice(#[context] cx: &CallContext) -> String {
    let first = cx.call(ToolCall::new("fs.read", "{}")).await.code();
    let second = cx.clone().scene("reading").call(ToolCall::new("kb.search", "{}")).await.code();
    format!("{first} {second}")
}

struct Notes;

#[toolset(domain = "notes")]
impl Notes {
    /// List the notes.
    #[tool]
    fn list(&self) -> &'static str {
        "none"
    }
}

fn toolkit() -> Toolkit {
    Toolkit::builder()
        .only([id(read), id(search), id(now), id(hello), id(twice)])
        .scene("writing", ["fs", "kb"])
        .scene("reading", ["kb"])
        .scene("empty", [""; 0])
        .build()
        .unwrap()
}

fn names(catalog: &toolkit::Catalog) -> Vec<&str> {
    catalog.tools().map(|tool| tool.spec().name()).collect()
}

async fn code(toolkit: &Toolkit, cx: &CallContext, name: &str) -> (Code, String) {
    let reply = toolkit.call(cx, ToolCall::new(name, "{}")).await;
    (reply.code(), reply.into_text())
}

#[tokio::test]
async fn a_domain_is_visible_in_its_scenes_alone() {
    let toolkit = toolkit();
    let cx = CallContext::model();
    let everywhere = ["clock.now", "hello", "twice"];
    let reading = ["clock.now", "hello", "kb.search", "twice"];
    let writing = ["clock.now", "fs.read", "hello", "kb.search", "twice"];
    for (cx, seen) in [
        (cx.clone(), &everywhere[..]),
        (cx.clone().scene("reading"), &reading),
        (cx.clone().scene("writing"), &writing),
        // What isn't declared, or has no domain, is no scene of any.
        (cx.clone().scene("Writing"), &everywhere),
        (cx.clone().scene(""), &everywhere),
        (cx.clone().scene("empty"), &everywhere),
        // The last that is set counts, and nothing of the one before.
        (cx.clone().scene("writing").scene("reading"), &reading),
        (CallContext::human().scene("reading"), &reading),
        // And once more, from the catalogs that are kept.
        (cx.clone(), &everywhere),
    ] {
        assert_eq!(names(&toolkit.catalog(&cx)), seen, "{cx:?}");
        assert_eq!(names(&toolkit.read_only().catalog(&cx)), seen, "{cx:?}");
        for tool in writing {
            let runs = code(&toolkit, &cx, tool).await.0 == Code::Ok;
            assert_eq!(runs, seen.contains(&tool), "{tool} for {cx:?}");
            let explained = toolkit.explain(&cx, ToolCall::new(tool, "{}")).await;
            assert_eq!(explained.would == Would::Run, runs, "{explained}");
            assert_eq!(explained.visible, runs, "{explained}");
        }
    }
}

#[tokio::test]
async fn what_is_hidden_is_not_there_for_a_model_and_explained_to_people() {
    let toolkit = toolkit();
    let cx = CallContext::model().scene("reading");
    let without = Toolkit::builder().only([id(search), id(now), id(hello), id(twice)]);
    let without = without.build().unwrap();
    for name in ["fs.read", "fs__read", "fs.reed"] {
        let hidden = code(&toolkit, &cx, name).await;
        assert_eq!(hidden.0, Code::UnknownTool);
        assert_eq!(hidden, code(&without, &cx, name).await);
    }

    for cx in [CallContext::human(), CallContext::plan()] {
        let (code, text) = code(&toolkit, &cx, "fs.read").await;
        assert_eq!(code, Code::OutOfScope);
        assert_eq!(text, "`fs.read` was not run: it belongs to `writing`, and there is no scene");
        let (_, text) = self::code(&toolkit, &cx.scene("other"), "kb.search").await;
        assert_eq!(
            text,
            "`kb.search` was not run: it belongs to `writing` and `reading`, and the scene is `other`"
        );
    }
    let explained = toolkit.explain(&cx, ToolCall::new("fs.read", "{}")).await;
    assert_eq!(explained.would, Would::Refuse(Code::UnknownTool));
    let deciding = explained.deciding().unwrap();
    assert_eq!((&*deciding.source, deciding.verdict), ("scene", Some(Verdict::Hide)));
    assert_eq!(explained.scene.as_deref(), Some("reading"));
    let text = explained.to_string();
    assert!(text.contains("in scene reading"), "{text}");
    assert!(text.contains("CallContext::scene"), "{text}");
    assert!(serde_json::to_string(&explained).unwrap().contains(r#""scene":"reading""#));
}

#[tokio::test]
async fn a_body_is_in_the_scene_of_its_call() {
    let toolkit = toolkit();
    let text = |cx: CallContext| {
        let toolkit = toolkit.clone();
        async move { code(&toolkit, &cx, "twice").await.1 }
    };
    assert_eq!(text(CallContext::model().scene("writing")).await, "ok ok");
    // One that is told where it stands may go to another, as a host may: a scene is no right.
    assert_eq!(text(CallContext::model()).await, "unknown_tool ok");
}

#[tokio::test]
async fn what_comes_later_belongs_to_the_scenes_too() {
    let builder = || Toolkit::builder().only([id(hello)]).scene("writing", ["notes"]);
    let error = builder().build().unwrap_err();
    let problem = BuildProblem::UnknownDomain {
        scene: "writing".to_owned(),
        domain: "notes".to_owned(),
        nearest: None,
    };
    assert_eq!(error.problems(), [problem]);
    let error = Toolkit::builder().only([id(search)]).scene("writing", ["kp"]).build().unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains(
            "the scene `writing` names a domain `kp` that no tool has; did you mean `kb`?"
        ),
        "{text}"
    );

    let error = builder().later_domains(["note"]).build().unwrap_err().to_string();
    assert!(error.contains("no tool has; did you mean `note`?"), "{error}");

    let toolkit = builder().later_domains(["notes"]).build().unwrap();
    let (here, there) = (CallContext::model(), CallContext::model().scene("writing"));
    assert_eq!(code(&toolkit, &there, "notes.list").await.0, Code::UnknownTool);
    let loaded = toolkit.load(Notes).unwrap();
    assert_eq!(code(&toolkit, &there, "notes.list").await.0, Code::Ok);
    assert_eq!(code(&toolkit, &here, "notes.list").await.0, Code::UnknownTool);
    assert_eq!(names(&toolkit.catalog(&here)), ["hello"]);
    drop(loaded);
    assert_eq!(code(&toolkit, &there, "notes.list").await.0, Code::UnknownTool);
}
