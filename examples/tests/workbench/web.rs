//! Fetching: from the hosts that the operator listed, and from no other.

use examples::workbench::host::Bench;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use toolkit::prelude::*;

use super::Desk;

/// Fetches from a server that answers every request with this, where its host is listed.
async fn fetched(method: &str, head: &str, body: &str) -> ToolReply {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let answer =
        format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let body = if method == "HEAD" { "" } else { body };
    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let read = stream.read(&mut request).await.unwrap();
        assert!(request[..read].starts_with(format!("{method} /x HTTP/1.1\r\n").as_bytes()));
        // The tool may hang up in the middle.
        let _ = stream.write_all((answer + body).as_bytes()).await;
    };
    let bench = Bench::open(&Desk::new("web").top, vec![host.clone()]).unwrap();
    let toolkit = bench.builder().unwrap().build().unwrap();
    let arguments = json!({"url": format!("http://{host}/x"), "method": method}).to_string();
    let (cx, call) = (CallContext::human(), ToolCall::new("http.fetch", arguments));
    tokio::join!(toolkit.call(&cx, call), server).0
}

#[tokio::test]
async fn a_page_is_text_within_bounds() {
    let reply = fetched("GET", "200 OK\r\ncontent-type: text/plain", "Hé").await;
    assert!(reply.text().contains("/x, text/plain, 3 bytes\n\nHé"), "{}", reply.text());
    let reply = fetched("HEAD", "200 OK\r\ncontent-type: image/png", "12345").await;
    assert!(reply.text().contains("/x, image/png, 5 bytes"), "{}", reply.text());
    let page =
        fetched("GET", "200 OK\r\ncontent-type: application/json", &"x".repeat(300_000)).await;
    let page = page.value().unwrap();
    assert_eq!(
        (page["text"].as_str().unwrap().len(), page["cut"].as_bool()),
        (256 * 1024, Some(true))
    );
    for (head, says) in [
        ("200 OK\r\ncontent-type: image/png", "no text, but `image/png`"),
        ("404 Not Found\r\ncontent-type: text/plain", "404"),
        ("302 Found\r\nlocation: http://169.254.169.254/", "redirects"),
    ] {
        let reply = fetched("GET", head, "x").await;
        assert_eq!(reply.code(), Code::Failed);
        assert!(reply.text().contains(says), "{}", reply.text());
    }
}

#[tokio::test]
async fn without_a_host_nothing_is_fetched() {
    let desk = Desk::new("no-host");
    let reply = desk.reply("http.fetch", json!({"url": "http://127.0.0.1:1/"})).await;
    assert_eq!(reply.code(), Code::Denied);
}
