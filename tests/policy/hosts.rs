//! Hosts that hold: a thousand hostile URLs at the gate and in the client for tools, as what is asked for
//! and as what a host redirects to; names whose owner changes his mind. Nobody outside is reached.

mod spell;

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use serde_json::json;
use toolkit::Hosts;
use toolkit::http::{Http, HttpError};
use toolkit::prelude::*;
use toolkit::testing::Probe;

use crate::local::{Canary, Dns, Web, answer, moved};
use crate::support::within_marks;
use spell::hostile;

/// Fetch one page of text.
#[tool(name = "web.fetch", risk = "network")]
async fn fetch(
    /// Address of the page, e.g. `http://good.test/`.
    #[arg(url)]
    url: &str,
    #[state] http: &Http,
    #[state] probe: &Probe,
    #[context] cx: &CallContext,
) -> Result<String, ToolError> {
    let _running = probe.enter();
    Ok(http.get(cx, url).send().await?.success()?.text().await?)
}

fn toolkit(http: &Http, hosts: &[&str]) -> (Toolkit, Probe) {
    let probe = Probe::new();
    let toolkit = Toolkit::builder()
        .only([id(fetch)])
        .hosts("web.fetch", hosts.iter().copied())
        .state(http.clone())
        .state(probe.clone())
        .build()
        .unwrap();
    (toolkit, probe)
}

async fn call(toolkit: &Toolkit, url: &str) -> ToolReply {
    let arguments = json!({ "url": url }).to_string();
    toolkit.call(&CallContext::model(), ToolCall::new("web.fetch", &arguments)).await
}

/// A name for everybody: whoever is let through comes to the canary.
const ZONE: &[(&str, &[&[&str]])] = &[
    ("good.test", &[&["127.0.0.1"]]),
    ("evil.test", &[&["127.0.0.1"]]),
    ("good.test.evil.test", &[&["127.0.0.1"]]),
    ("sub.good.test", &[&["127.0.0.1"]]),
    ("localhost", &[&["127.0.0.1"]]),
];

#[tokio::test]
async fn nothing_hostile_passes_the_gate_or_the_client() {
    let canary = Canary::at(Ipv4Addr::LOCALHOST, 0).await;
    let web = Web::new(|_| answer("200 OK", "", "good")).await;
    let dns = Dns::new(ZONE).await;
    let http = Http::builder().resolver(dns.resolver()).build().unwrap();
    // The good name leads to this machine, which is listed for its port alone.
    let list = ["good.test", &web.host()];
    let hosts = Hosts::new(list).unwrap();
    let (toolkit, probe) = toolkit(&http, &list);

    let urls = hostile(canary.port);
    assert!(urls.len() >= 1000, "{}", urls.len());
    for url in &urls {
        let reply = call(&toolkit, url).await;
        assert_eq!(reply.code(), Code::Denied, "{url:?}: {}", reply.text());
        let error = http.get(&hosts, url).send().await.unwrap_err();
        assert!(matches!(error.error(), HttpError::Refused(_)), "{url:?}: {error:?}");
    }
    assert_eq!(probe.entered(), 0);
    assert_eq!(canary.met().await, 0);
    assert_eq!(dns.asked(), [""; 0], "names of which nobody should have heard");
    assert!(web.asked().is_empty());

    // Good ones are found, and each is looked for once.
    let port = web.port;
    for (path, host) in [
        ("/", "good.test"),
        ("/a/../b?c=d%20e&f=é#g", "good.test"),
        ("/@evil.test", "good.test"),
        ("?@evil.test", "good.test"),
        ("#@evil.test", "GOOD.test"),
        ("/", "127.0.0.1"),
    ] {
        let reply = call(&toolkit, &format!("http://{host}:{port}{path}")).await;
        assert_eq!((reply.code(), within_marks(reply.text())), (Code::Ok, "good"), "{path}");
    }
    assert_eq!(dns.asked(), ["good.test"; 5]);
    assert_eq!(web.asked().len(), 6);

    // The canary does sing: were it listed, it would be reached.
    let listed = Hosts::new([format!("127.0.0.1:{}", canary.port)]).unwrap();
    let url = format!("http://127.0.0.1:{}/", canary.port);
    let error = http.get(&listed, &url).send().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::Unreachable { .. }), "{error:?}");
    assert_eq!(canary.met().await, 1);
    let error = http.get(&hosts, &url).send().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::Refused(_)), "{error:?}");
}

#[tokio::test]
async fn no_redirect_leads_outside() {
    let canary = Canary::at(Ipv4Addr::LOCALHOST, 0).await;
    // A header ends with its line: the rest of such a target is a header of its own, or none.
    let urls: Vec<_> =
        hostile(canary.port).iter().map(|url| url.replace(['\r', '\n'], "")).collect();
    let targets = urls.clone();
    let web = Web::new(move |asked| match asked.path().strip_prefix("/to/") {
        Some(index) => match index.parse::<usize>() {
            Ok(index) => moved("302 Found", &targets[index]),
            // What is no URL of its own is a path here.
            Err(_) => answer("404 Not Found", "", ""),
        },
        None => answer("200 OK", "", "home"),
    })
    .await;
    let dns = Dns::new(ZONE).await;
    let http = Http::builder().resolver(dns.resolver()).build().unwrap();
    let list = ["good.test", &web.host()];
    let hosts = Hosts::new(list).unwrap();
    let (toolkit, _) = toolkit(&http, &list);
    let mut kinds = BTreeSet::new();
    for (index, url) in urls.iter().enumerate() {
        let start = web.url(&format!("/to/{index}"));
        match http.get(&hosts, &start).send().await {
            Ok(page) => {
                assert!(page.url().starts_with(&web.url("/")), "{url:?}: {page:?}");
                kinds.insert("home");
            }
            Err(error) => {
                kinds.insert(match error.error() {
                    HttpError::Redirect { .. } => "redirect",
                    HttpError::TooManyRedirects(_) => "circle",
                    // What HTTP itself doesn't allow, e.g. a control character.
                    HttpError::Unreachable { .. } => "no header",
                    // A port of the good host on which nobody is.
                    HttpError::Address { host } if host == "good.test" => "other port",
                    _ => panic!("{url:?}: {error:?}"),
                });
                let text = ToolError::from(error).for_model().unwrap().to_owned();
                // The one that was asked for may be named, and so may names.
                let text = text.replace("`127.0.0.1`", "").replace("127.0.0.1.nip.test", "");
                let told = ["127.0.0.1", "127.8", "169.254", "10.1.2.3", "192.168", "::1"];
                assert!(!told.iter().any(|inside| text.contains(inside)), "{text}");
            }
        }
        if index % 20 == 0 {
            call(&toolkit, &start).await;
        }
    }
    assert_eq!(canary.met().await, 0);
    let asked: BTreeSet<_> = dns.asked().into_iter().collect();
    assert!(asked.iter().all(|name| name == "good.test"), "{asked:?}");
    assert!(kinds.len() >= 4, "{kinds:?}");
}

#[tokio::test]
async fn chains_and_circles_end() {
    let canary = Canary::at(Ipv4Addr::LOCALHOST, 0).await;
    let inside = format!("http://127.0.0.1:{}/", canary.port);
    let web = Web::new(move |asked| match asked.path() {
        "/circle" => moved("301 Moved", "/circle"),
        "/ping" => moved("307 Temporary", "/pong"),
        "/pong" => moved("308 Permanent", "/ping"),
        "/out" => moved("302 Found", &inside),
        "/bare" => answer("302 Found", "", "no target"),
        path => match path[1..].parse::<u32>().unwrap() {
            0 => answer("200 OK", "", "there"),
            1000 => moved("302 Found", "/out"),
            n => moved("303 See Other", &format!("/{}", n - 1)),
        },
    })
    .await;
    let hosts = Hosts::new([web.host()]).unwrap();
    let http = Http::new().unwrap();
    let get = async |path: &str| http.get(&hosts, web.url(path)).send().await;
    let page = get("/5").await.unwrap();
    assert_eq!(page.url(), web.url("/0"));
    assert_eq!(page.text().await.unwrap(), "there");
    assert_eq!(get("/bare").await.unwrap().text().await.unwrap(), "no target");
    for path in ["/6", "/circle", "/ping", "/900"] {
        let error = get(path).await.unwrap_err();
        assert!(matches!(error.error(), HttpError::TooManyRedirects(5)), "{path}: {error:?}");
    }
    assert!(web.asked().len() <= 6 + 1 + 6 + 1 + 2 + 6);
    for path in ["/out", "/1000", "/1003"] {
        let error = get(path).await.unwrap_err();
        assert!(matches!(error.error(), HttpError::Redirect { .. }), "{path}: {error:?}");
    }
    let unfollowed = Http::builder().redirects(0).build().unwrap();
    let page = unfollowed.get(&hosts, web.url("/out")).send().await.unwrap();
    assert_eq!(page.status(), 302);
    assert_eq!(canary.met().await, 0);
}

#[cfg(target_os = "linux")] // Elsewhere `127.0.0.2` is no address of this machine.
#[tokio::test]
async fn who_changes_the_answer_gains_nothing() {
    let web = Web::new(|_| answer("200 OK", "", "good")).await;
    // The same port, at an address that isn't listed.
    let canary = Canary::at(Ipv4Addr::new(127, 0, 0, 2), web.port).await;
    let (good, bad): (&[&str], &[&str]) = (&["127.0.0.1"], &["127.0.0.2"]);
    let dns = Dns::new(&[
        ("later.test", &[good, bad]),
        ("sooner.test", &[bad, good]),
        ("always.test", &[bad]),
        ("both.test", &[&["127.0.0.1", "127.0.0.2"], &["127.0.0.2", "127.0.0.1"], good]),
        ("mapped.test", &[&["::ffff:127.0.0.2"], &["127.0.0.1", "::ffff:127.0.0.1"], &["::1"]]),
        ("none.test", &[&[]]),
    ])
    .await;
    let http = Http::builder().resolver(dns.resolver()).build().unwrap();
    let host = web.host();
    let names =
        ["later.test", "sooner.test", "always.test", "both.test", "mapped.test", "none.test"];
    let list: Vec<&str> = names.into_iter().chain(["unknown.test", &host]).collect();
    let (toolkit, probe) = toolkit(&http, &list);
    let port = web.port;
    let mut reached = 0;
    for (name, expected) in [
        // Judged at the answer that is connected to, and asked once.
        ("later.test", [true, false, false]),
        ("sooner.test", [false, true, true]),
        ("always.test", [false, false, false]),
        // One of several is enough.
        ("both.test", [false, false, true]),
        ("mapped.test", [false, false, false]),
    ] {
        for (turn, good) in expected.into_iter().enumerate() {
            let reply = call(&toolkit, &format!("http://{name}:{port}/")).await;
            if good {
                reached += 1;
                assert_eq!(
                    (reply.code(), within_marks(reply.text())),
                    (Code::Ok, "good"),
                    "{name} {turn}"
                );
            } else {
                let text = format!("`{name}` leads to an address that this tool may not reach");
                assert_eq!(
                    (reply.code(), within_marks(reply.text())),
                    (Code::Failed, &*text),
                    "{name} {turn}"
                );
            }
            assert_eq!(dns.asked(), [name], "{name} {turn}");
        }
    }
    for name in ["none.test", "unknown.test"] {
        let reply = call(&toolkit, &format!("http://{name}:{port}/")).await;
        assert!(
            within_marks(reply.text()).starts_with(&format!("no host `{name}` is known")),
            "{}",
            reply.text()
        );
    }
    assert_eq!(probe.entered(), 17);
    assert_eq!(web.asked().len(), reached);
    assert_eq!(canary.met().await, 0);
}

/// Whatever kind of address a name is given, nobody connects.
#[tokio::test]
async fn names_lead_to_no_address_of_somebodys_own() {
    let addresses = [
        "127.0.0.1",
        "127.1.2.3",
        "10.0.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "169.254.169.254",
        "169.254.170.2",
        "100.64.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "0.0.0.0",
        "0.1.2.3",
        "192.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ];
    let turns: Vec<&[&str]> = addresses.iter().map(std::slice::from_ref).collect();
    let dns = Dns::new(&[("good.test", &turns)]).await;
    let http = Http::builder().resolver(dns.resolver()).build().unwrap();
    let hosts = Hosts::new(["good.test"]).unwrap();
    for address in addresses {
        let error = http.get(&hosts, "http://good.test:9/").send().await.unwrap_err();
        assert!(matches!(error.error(), HttpError::Address { .. }), "{address}: {error:?}");
        assert!(!error.to_string().contains(address));
    }
}

/// Leave a context behind.
#[tool(name = "web.leak", risk = "network", hosts = ["127.0.0.1"])]
async fn leak(#[state] left: &Left, #[context] cx: &CallContext) {
    *left.0.lock().unwrap() = Some(cx.clone());
}

#[derive(Clone, Default)]
struct Left(Arc<Mutex<Option<CallContext>>>);

/// Fetch by way of a tool that may not.
#[tool(name = "web.inner")]
async fn inner(
    /// Address of the page, e.g. `http://good.test/`.
    url: String,
    #[state] http: &Http,
    #[context] cx: &CallContext,
) -> Result<String, ToolError> {
    Ok(http.get(cx, url).send().await?.text().await?)
}

/// Fetch through another tool.
#[tool(name = "web.outer", risk = "network", hosts = ["127.0.0.1"])]
async fn outer(
    /// Address of the page, e.g. `http://good.test/`.
    #[arg(url)]
    url: String,
    #[context] cx: &CallContext,
) -> String {
    let arguments = json!({ "url": url }).to_string();
    cx.call(ToolCall::new("web.inner", &arguments)).await.text().to_owned()
}

#[tokio::test]
async fn a_request_is_within_the_call_that_makes_it() {
    let web = Web::new(|_| answer("200 OK", "", "good")).await;
    let http = Http::new().unwrap();
    let left = Left::default();
    let toolkit = Toolkit::builder()
        .only([id(leak), id(inner), id(outer)])
        .state(http.clone())
        .state(left.clone())
        .build()
        .unwrap();
    let cx = CallContext::model();
    // Another tool's hosts are its own.
    let arguments = json!({ "url": web.url("/") }).to_string();
    let reply = toolkit.call(&cx, ToolCall::new("web.outer", &arguments)).await;
    assert!(reply.text().contains("is on no host that this tool may reach"), "{}", reply.text());
    // Nothing goes out once the body has ended.
    toolkit.call(&cx, ToolCall::new("web.leak", "")).await;
    let leaked = left.0.lock().unwrap().take().unwrap();
    let error = http.get(&leaked, web.url("/")).send().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::Stopped), "{error:?}");
    let error = http.get(&cx, web.url("/")).send().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::NoCall), "{error:?}");
    assert!(web.asked().is_empty());
}
