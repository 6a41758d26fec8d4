//! The client for tools, as a tool's author uses it: methods, headers, bodies, bounds, endings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustls::pki_types::PrivateKeyDer;
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use toolkit::http::{Http, HttpError, HttpFailure, Method, Response};
use toolkit::prelude::*;
use toolkit::{CancellationToken, Hosts};

use crate::local::{Asked, Canary, Dns, Web, answer, moved};
use crate::support::within_marks;

fn hosts(webs: &[&Web]) -> Hosts {
    Hosts::new(webs.iter().map(|web| web.host())).unwrap()
}

fn echo(asked: &Asked) -> Vec<u8> {
    let body = json!({ "line": asked.line, "body": asked.body }).to_string();
    answer("200 OK", "content-type: Application/JSON; charset=utf-8\r\n", body)
}

#[derive(Debug, Deserialize)]
struct Echo {
    line: String,
    body: String,
}

#[tokio::test]
async fn methods_queries_headers_and_bodies_arrive() {
    let web = Web::new(echo).await;
    let (http, hosts) = (Http::new().unwrap(), hosts(&[&web]));
    let request = http.post(&hosts, web.url("/notes?a=b")).json(&json!({ "text": "é" }));
    let request = request.query("q", "x&y=ü #").query("n", "1").bearer("k3y").header("x-id", "7");
    let page = request.send().await.unwrap().success().unwrap();
    assert_eq!(page.media_type().unwrap(), "application/json");
    assert_eq!(page.url(), web.url("/notes?a=b&q=x%26y%3D%C3%BC+%23&n=1"));
    let echo: Echo = page.json().await.unwrap();
    assert_eq!(echo.line, "POST /notes?a=b&q=x%26y%3D%C3%BC+%23&n=1 HTTP/1.1");
    assert_eq!(echo.body, r#"{"text":"é"}"#);
    let headers = web.asked().remove(0).headers;
    for (name, value) in [
        ("host", &*web.host()),
        ("content-type", "application/json"),
        ("authorization", "Bearer k3y"),
        ("x-id", "7"),
        ("accept-encoding", "identity"),
        ("user-agent", concat!("toolkit/", env!("CARGO_PKG_VERSION"))),
    ] {
        assert_eq!(headers.get(name).map(String::as_str), Some(value), "{name}");
    }
    let head = http.head(&hosts, web.url("/")).send().await.unwrap();
    assert!(head.headers().contains_key("content-length"));
    assert_eq!(head.text().await.unwrap(), "");
    let put = http.request(Method::PUT, &hosts, web.url("/")).body("text/plain", "x");
    assert_eq!(put.send().await.unwrap().status(), 200);
    let asked = web.asked();
    assert_eq!((&*asked[0].line, &*asked[1].line), ("HEAD / HTTP/1.1", "PUT / HTTP/1.1"));
    assert_eq!(asked[1].headers["content-type"], "text/plain");
}

#[tokio::test]
async fn what_the_client_itself_says_cannot_be_set() {
    let web = Web::new(echo).await;
    let (http, hosts) = (Http::new().unwrap(), hosts(&[&web]));
    for (name, value) in [
        ("host", "inside.test"),
        ("Host", "inside.test"),
        ("content-length", "5"),
        ("transfer-encoding", "chunked"),
        ("connection", "upgrade"),
        ("accept-encoding", "gzip"),
        ("proxy-authorization", "x"),
        ("x-a\r\nhost", "inside.test"),
        ("x-a", "b\r\nhost: inside.test"),
        ("", "x"),
    ] {
        let error = http.get(&hosts, web.url("/")).header(name, value).send().await.unwrap_err();
        assert!(matches!(error.error(), HttpError::Request(_)), "{name}: {error:?}");
        assert!(ToolError::from(error).for_model().is_none());
    }
    let error = http.request(Method::CONNECT, &hosts, web.url("/")).send().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::Request(_)), "{error:?}");
    assert!(web.asked().is_empty());
}

#[tokio::test]
async fn keys_stay_with_the_origin_that_they_are_for() {
    let other = Web::new(echo).await;
    let away = other.url("/landed");
    let web = Web::new(move |asked| match asked.path() {
        "/home" => moved("302 Found", "/landed"),
        "/away" => moved("307 Temporary Redirect", &away),
        _ => echo(asked),
    })
    .await;
    let (http, hosts) = (Http::new().unwrap(), hosts(&[&web, &other]));
    let names = ["authorization", "cookie", "x-api-key", "accept", "content-type"];
    for (path, lands, kept) in [("/home", &web, 5), ("/away", &other, 2)] {
        let request = http.get(&hosts, web.url(path)).bearer("k3y").header("cookie", "id=k3y");
        let request = request.header("x-api-key", "k3y").header("accept", "text/plain");
        let page = request.header("content-type", "text/plain").send().await.unwrap();
        assert_eq!(page.url(), lands.url("/landed"));
        let asked = lands.asked().pop().unwrap();
        let there = names.iter().filter(|name| asked.headers.contains_key(**name)).count();
        assert_eq!(there, kept, "{path}: {asked:?}");
        assert_eq!(asked.headers.values().any(|v| v.contains("k3y")), kept == 5);
        assert!(!asked.headers.contains_key("referer"));
        assert_eq!(asked.headers["host"], lands.host());
    }
}

#[tokio::test]
async fn a_redirect_changes_the_method_as_browsers_do() {
    let web = Web::new(|asked| match asked.path()[1..].split_once('/') {
        Some((status, "x")) => moved(&format!("{status} Moved"), "/"),
        _ => echo(asked),
    })
    .await;
    let (http, hosts) = (Http::new().unwrap(), hosts(&[&web]));
    for (method, status, then) in [
        ("POST", 301, "GET"),
        ("POST", 302, "GET"),
        ("POST", 303, "GET"),
        ("POST", 307, "POST"),
        ("POST", 308, "POST"),
        ("PUT", 302, "PUT"),
        ("PUT", 303, "GET"),
        ("HEAD", 303, "HEAD"),
        ("HEAD", 302, "HEAD"),
    ] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = http.request(method.clone(), &hosts, web.url(&format!("/{status}/x")));
        request.body("text/plain", "body").send().await.unwrap();
        let last = web.asked().pop().unwrap();
        assert_eq!(last.line, format!("{then} / HTTP/1.1"), "{method} {status}");
        let body = if then == "GET" { "" } else { "body" };
        assert_eq!(last.body, body, "{method} {status}");
        assert_eq!(last.headers.contains_key("content-type"), !body.is_empty());
    }
}

#[tokio::test]
async fn bodies_are_bounded_and_never_unpacked() {
    let web = Web::new(|asked| match asked.path() {
        "/long" => answer("200 OK", "", "é".repeat(1 << 20)),
        "/endless" => {
            let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000)).repeat(32);
            format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{chunk}").into_bytes()
        }
        // Ten bytes that are said to be more.
        "/bomb" => answer("200 OK", "content-encoding: gzip\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\x03"),
        "/short" => b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf".to_vec(),
        "/latin" => answer("200 OK", "", b"caf\xe9"),
        "/odd" => b"SSH-2.0-x\r\n".to_vec(),
        "/no" => answer("403 Forbidden", "", "secret"),
        _ => unreachable!(),
    })
    .await;
    let (http, hosts) = (Http::new().unwrap(), hosts(&[&web]));
    let get = async |path: &str| http.get(&hosts, web.url(path)).send().await;
    for path in ["/long", "/endless"] {
        let error = get(path).await.unwrap().text().await.unwrap_err();
        assert!(matches!(error.error(), HttpError::TooLong(1_048_576)), "{path}: {error:?}");
        let error = get(path).await.unwrap().json::<()>().await.unwrap_err();
        assert!(matches!(error.error(), HttpError::TooLong(_)), "{path}: {error:?}");
    }
    let (text, cut) = get("/long").await.unwrap().text_up_to(1001).await.unwrap();
    assert_eq!((text, cut), ("é".repeat(500), true));
    let (text, cut) = get("/endless").await.unwrap().text_up_to(usize::MAX).await.unwrap();
    assert_eq!((text.len(), cut), (1 << 20, true));
    let request = http.get(&hosts, web.url("/long")).limit(2 << 20);
    let (text, cut) = request.send().await.unwrap().text_up_to(2 << 20).await.unwrap();
    assert_eq!((text.len(), cut), (2 << 20, false));
    let request = http.get(&hosts, web.url("/long")).limit(2 << 20);
    assert_eq!(request.send().await.unwrap().text().await.unwrap().len(), 2 << 20);

    let error = get("/bomb").await.unwrap().text().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::Encoded(name) if name == "gzip"), "{error:?}");
    assert_eq!(get("/bomb").await.unwrap().bytes().await.unwrap().len(), 10);
    assert_eq!(get("/latin").await.unwrap().text().await.unwrap(), "caf\u{fffd}");
    let error = get("/latin").await.unwrap().json::<String>().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::Json(_)), "{error:?}");
    assert!(ToolError::from(error).for_model().is_none());

    let told = |error: HttpFailure| ToolError::from(error).for_model().unwrap().to_owned();
    let broken = get("/short").await.unwrap().text().await.unwrap_err();
    assert_eq!(told(broken), "the connection broke before the answer's end; try again");
    let odd = told(get("/odd").await.unwrap_err());
    assert_eq!(odd, "`127.0.0.1` doesn't answer; try again later or go on without it");
    let no = get("/no").await.unwrap().success().map(|_| ()).unwrap_err();
    assert_eq!(told(no), "the host answered 403 Forbidden; check the address and the arguments");
}

/// Fetch a log, however long it is.
#[tool(name = "web.log", risk = "network")]
async fn log(
    /// Address of the log, e.g. `http://example.com/log`.
    #[arg(url)]
    url: &str,
    #[state] http: &Http,
    #[context] cx: &CallContext,
) -> Result<(), ToolError> {
    let page: Response = http.get(cx, url).limit(4 << 20).send().await?.success()?;
    page.into_output(cx).await?;
    Ok(())
}

fn logs(web: &Web) -> Toolkit {
    let builder = Toolkit::builder().only([id(log)]).hosts("web.log", [web.host()]);
    builder.state(Http::new().unwrap()).build().unwrap()
}

#[tokio::test]
async fn a_body_streams_into_the_output_with_its_characters_whole() {
    let text = "aé€😀".repeat(3);
    let bytes = text.clone().into_bytes();
    let web = Web::new(move |asked| {
        // In pieces of this size, so that characters are cut everywhere.
        let size = asked.path()[1..].parse::<usize>().unwrap();
        let mut answer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        for chunk in [&bytes[..], b"\xe2\x82"].concat().chunks(size) {
            answer.extend(format!("{:x}\r\n", chunk.len()).bytes().chain(chunk.iter().copied()));
            answer.extend(b"\r\n");
        }
        [&answer, &b"0\r\n\r\n"[..]].concat()
    })
    .await;
    let toolkit = logs(&web);
    for size in [1, 2, 3, 5, 7, 1000] {
        let arguments = json!({ "url": web.url(&format!("/{size}")) }).to_string();
        let reply = toolkit.call(&CallContext::model(), ToolCall::new("web.log", &arguments)).await;
        assert_eq!(reply.code(), Code::Ok, "{size}");
        assert_eq!(within_marks(reply.text()), format!("{text}\u{fffd}"), "{size}");
    }
}

#[tokio::test]
async fn a_request_ends_with_its_call() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    for (head, dropped) in [("", false), ("", true), ("HTTP/1.1 200 OK\r\n\r\nhalf", false)] {
        let toolkit = Toolkit::builder()
            .only([id(log)])
            .hosts("web.log", [address.to_string()])
            .state(Http::new().unwrap())
            .build()
            .unwrap();
        let token = CancellationToken::new();
        let cx = CallContext::model().cancellation(token.clone());
        let arguments = json!({ "url": format!("http://{address}/") }).to_string();
        let call =
            tokio::spawn(
                async move { toolkit.call(&cx, ToolCall::new("web.log", &arguments)).await },
            );
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 1000];
        assert!(stream.read(&mut request).await.unwrap() > 0);
        stream.write_all(head.as_bytes()).await.unwrap();
        if dropped {
            call.abort()
        } else {
            token.cancel()
        }
        // It hangs up.
        while stream.read(&mut request).await.is_ok_and(|read| read > 0) {}
        match call.await {
            Ok(reply) => assert_eq!(reply.code(), Code::Cancelled, "{}", reply.text()),
            Err(_) => assert!(dropped),
        }
    }
}

/// A server of `https` for this name, and the certificate that says so.
async fn secure(
    name: &str,
    answer: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static,
) -> (Web, String) {
    let pair = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(pair.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![pair.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let web = Web::with(answer, move |stream| {
        let accepted = acceptor.accept(stream);
        Box::pin(async move { accepted.await.ok() })
    });
    (web.await, pair.cert.pem())
}

#[tokio::test]
async fn a_secure_host_shows_that_it_is_the_one() {
    let plain = Web::new(echo).await;
    let down = plain.url("/down");
    let (web, pem) = secure("good.test", move |asked| match asked.path() {
        "/down" => moved("302 Found", &down),
        _ => echo(asked),
    })
    .await;
    let zone: &[&[&str]] = &[&["127.0.0.1"]];
    let dns = Dns::new(&[("good.test", zone), ("other.test", zone)]).await;
    let trusting = Http::builder().resolver(dns.resolver()).root_certificates(pem);
    let trusting = trusting.build().unwrap();
    let strange = Http::builder().resolver(dns.resolver()).build().unwrap();
    let (host, plain_host) = (web.host(), plain.host());
    let hosts = Hosts::new(["good.test", "other.test", &host, &plain_host]).unwrap();
    let url = |name: &str, path: &str| format!("https://{name}:{}{path}", web.port);
    let page = trusting.get(&hosts, url("good.test", "/")).send().await.unwrap();
    assert_eq!(page.json::<Echo>().await.unwrap().line, "GET / HTTP/1.1");
    for (http, name) in
        [(&trusting, "other.test"), (&trusting, "127.0.0.1"), (&strange, "good.test")]
    {
        let error = http.get(&hosts, url(name, "/")).send().await.unwrap_err();
        assert!(matches!(error.error(), HttpError::Untrusted { .. }), "{name}: {error:?}");
        let text = format!("`{name}` has no certificate that is trusted; go on without it");
        assert_eq!(ToolError::from(error).for_model(), Some(&*text));
    }
    // From a secure page none leads to one that isn't.
    let error = trusting.get(&hosts, url("good.test", "/down")).send().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::Redirect { .. }), "{error:?}");
    assert!(error.to_string().ends_with("which isn't secure as the first address is"), "{error}");
    assert!(plain.asked().is_empty());
    // Where nobody speaks TLS, nobody is trusted and nothing is asked.
    let url = plain.url("/").replace("http:", "https:");
    let error = trusting.get(&hosts, url).send().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::Unreachable { .. }), "{error:?}");
    assert!(plain.asked().is_empty());
    for pem in
        ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"]
    {
        let built = Http::builder().root_certificates(pem).build();
        assert!(matches!(built, Err(HttpError::Setup(_))), "{pem}");
    }
}

/// Goes through no proxy, although the environment names one.
#[tokio::test]
#[ignore = "run by the test below, in an environment with proxies"]
async fn within_proxies() {
    let web = Web::new(echo).await;
    let (http, hosts) = (Http::new().unwrap(), hosts(&[&web]));
    assert_eq!(http.get(&hosts, web.url("/")).send().await.unwrap().status(), 200);
    assert_eq!(web.asked().len(), 1);
}

#[tokio::test]
async fn no_proxy_of_the_environment_is_used() {
    let canary = Canary::at([127, 0, 0, 1], 0).await;
    let proxy = format!("http://127.0.0.1:{}", canary.port);
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "http::within_proxies", "--ignored"]).env_remove("NO_PROXY");
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        child.env(name, &proxy);
    }
    let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
    assert_eq!(canary.met().await, 0);
}

/// Who resolves is asked nothing about an address, and once about a name.
#[tokio::test]
async fn localhost_is_this_machine_where_it_is_listed() {
    let web = Web::new(echo).await;
    let http = Http::new().unwrap();
    let port = web.port;
    let hosts = Hosts::new([format!("localhost:{port}")]).unwrap();
    // A system may give `::1` as well, where nobody listens: the next address is tried.
    let page = http.get(&hosts, format!("http://localhost:{port}/")).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let error = http.get(&hosts, web.url("/")).send().await.unwrap_err();
    assert!(matches!(error.error(), HttpError::Refused(_)), "{error:?}");
}

/// A resolver that hangs, or fails, is no way around.
#[tokio::test]
async fn without_an_answer_nobody_is_known() {
    struct Hangs(Arc<AtomicBool>);
    impl toolkit::http::Resolver for Hangs {
        fn resolve<'a>(
            &'a self,
            name: &'a str,
        ) -> toolkit::BoxFuture<'a, std::io::Result<Vec<std::net::IpAddr>>> {
            self.0.store(true, Ordering::SeqCst);
            Box::pin(async move {
                match name {
                    "fails.test" => Err(std::io::Error::other("10.0.0.53 is down")),
                    _ => std::future::pending().await,
                }
            })
        }
    }
    let asked = Arc::new(AtomicBool::new(false));
    let http = Http::builder()
        .resolver(Hangs(Arc::clone(&asked)))
        .connect_timeout(std::time::Duration::ZERO)
        .build()
        .unwrap();
    let hosts = Hosts::new(["fails.test", "hangs.test"]).unwrap();
    for name in ["fails", "hangs"] {
        let error = http.get(&hosts, format!("http://{name}.test/")).send().await.unwrap_err();
        assert!(matches!(error.error(), HttpError::Unknown { .. }), "{error:?}");
        let text = format!("no host `{name}.test` is known; check the address, or try again later");
        assert_eq!(error.to_string(), text);
        assert!(asked.swap(false, Ordering::SeqCst));
    }
}
