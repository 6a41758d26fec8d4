//! A small web server on a free port of this machine, so that `web.fetch` has something real to
//! fetch. It is the only host that the tool may reach.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// What stands in a script or in arguments for the address of the pages, e.g. `{{page}}/status`.
pub const PLACEHOLDER: &str = "{{page}}";

const STATUS: &str = "\
Status of our services

Sign-in: works.
Export: works.
Payments: the provider reports an incident since 09:50 UTC. Some card payments are refused; nothing
is charged. Retrying after the incident is safe.
";

/// The running server; it stops when the value is dropped.
#[derive(Debug)]
pub struct Pages {
    address: SocketAddr,
    _server: JoinSet<()>,
}

impl Pages {
    /// Serves on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// The machine has no free port, or no loopback address.
    ///
    /// # Cancellation
    /// Dropping the future serves nothing.
    pub async fn serve() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let mut server = JoinSet::new();
        server.spawn(accept(listener));
        Ok(Self { address, _server: server })
    }

    /// Host and port, as a list of hosts takes them: `127.0.0.1:41231`.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// The text with each [`PLACEHOLDER`] replaced by the address, `http://127.0.0.1:41231`.
    pub fn fill_in(&self, text: &str) -> String {
        text.replace(PLACEHOLDER, &format!("http://{}", self.address))
    }
}

async fn accept(listener: TcpListener) {
    // Dropped with this task, and each connection with it.
    let mut connections = JoinSet::new();
    loop {
        // A connection that fails is the client's loss; the next may be well.
        let Ok((stream, _)) = listener.accept().await else { continue };
        while connections.try_join_next().is_some() {}
        connections.spawn(async move {
            let service = service_fn(|request| async move { Ok::<_, Infallible>(page(&request)) });
            let mut http = http1::Builder::new();
            // Its error is the client's: it went away or spoke no HTTP.
            let _ =
                http.timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

fn page<B>(request: &Request<B>) -> Response<Full<Bytes>> {
    let text = |status, text| {
        let mut response = Response::new(Full::new(Bytes::from_static(text)));
        *response.status_mut() = status;
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, plain);
        response
    };
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/status") => text(StatusCode::OK, STATUS.as_bytes()),
        // Leads to a host that isn't listed: a client that followed it would have crossed the gate.
        (&Method::GET, "/moved") => {
            let mut response = text(StatusCode::FOUND, b"moved\n");
            let elsewhere = HeaderValue::from_static("http://status.example.com/");
            response.headers_mut().insert(LOCATION, elsewhere);
            response
        }
        (&Method::GET, _) => text(StatusCode::NOT_FOUND, b"no such page\n"),
        _ => text(StatusCode::METHOD_NOT_ALLOWED, b"only GET\n"),
    }
}
