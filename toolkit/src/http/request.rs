//! One request, and the hops that it takes.

use std::error::Error as StdError;
use std::io;
use std::net::IpAddr;

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, AUTHORIZATION, CONNECTION, CONTENT_LENGTH,
    CONTENT_TYPE, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, LOCATION, PROXY_AUTHORIZATION,
    RANGE, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use reqwest::{Method, StatusCode, Url};
use serde::Serialize;

use super::resolve::{JUDGED, judged};
use super::{Http, HttpError, HttpFailure, Response, Within};
use crate::address::AddressKind;
use crate::hosts::Hosts;

/// What the client itself says, since it depends on where the request goes and how it is read.
const OURS: [HeaderName; 10] = [
    ACCEPT_ENCODING,
    CONNECTION,
    CONTENT_LENGTH,
    EXPECT,
    HOST,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// What goes along to another origin.
const HARMLESS: [HeaderName; 5] = [ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, RANGE, USER_AGENT];

/// A request that isn't sent yet.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// use toolkit::http::{Http, HttpFailure};
/// use toolkit::CallContext;
///
/// #[derive(Serialize)]
/// struct Note<'a> { text: &'a str }
///
/// #[derive(Deserialize)]
/// struct Kept { id: u64 }
///
/// async fn keep(http: &Http, cx: &CallContext, key: &str) -> Result<u64, HttpFailure> {
///     let request = http.post(cx, "https://notes.example.com/v1/notes");
///     let answer = request
///         .query("draft", "true")
///         .bearer(key)
///         .json(&Note { text: "Call back" })
///         .send()
///         .await?;
///     Ok(answer.success()?.json::<Kept>().await?.id)
/// }
/// ```
#[derive(Debug)]
#[must_use = "nothing is sent before `send`"]
pub struct Request {
    http: Http,
    within: Within,
    method: Method,
    url: String,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
    limit: u64,
    /// The first thing that can't be sent.
    fault: Option<String>,
}

impl Request {
    pub(super) fn new(http: Http, method: Method, within: Within, url: String) -> Self {
        let limit = http.inner.body_limit;
        let fault = (method == Method::CONNECT).then(|| "no `CONNECT` is sent".to_owned());
        Self {
            http,
            within,
            method,
            url,
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
            limit,
            fault,
        }
    }

    /// Adds to the URL's query, encoded, so that a value stays one.
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.query.push((name.into(), value.into()));
        self
    }

    /// Sets a header; the last of one name counts. Those by which the client says where the request goes
    /// and how it is read (`host`, `accept-encoding`, `content-length`, …) can't be set.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let header = HeaderName::try_from(name).ok().filter(|name| !OURS.contains(name));
        match (header, HeaderValue::try_from(value)) {
            (Some(name), Ok(mut value)) => {
                // Left out where headers are shown.
                value.set_sensitive(!HARMLESS.contains(&name));
                self.headers.insert(name, value);
            }
            (None, _) => self.mark(format!("the header `{}` can't be set", excerpt(name))),
            (_, Err(_)) => self.mark(format!("the header `{name}` can't have that value")),
        }
        self
    }

    /// Sets `authorization: Bearer …`.
    pub fn bearer(self, token: &str) -> Self {
        self.header(AUTHORIZATION.as_str(), &format!("Bearer {token}"))
    }

    /// Sets the body, and its `content-type` unless one is set.
    pub fn body(mut self, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        if !self.headers.contains_key(CONTENT_TYPE) {
            self = self.header(CONTENT_TYPE.as_str(), content_type);
        }
        self
    }

    /// Sets a body of JSON.
    pub fn json<T: Serialize + ?Sized>(mut self, value: &T) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => self.body("application/json", body),
            Err(error) => {
                self.mark(format!("its body is no JSON: {error}"));
                self
            }
        }
    }

    /// Sets how many bytes the answer's body may have.
    pub fn limit(mut self, bytes: u64) -> Self {
        self.limit = bytes;
        self
    }

    fn mark(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }

    /// Sends it, and follows redirects. An answer of any status is one: see
    /// [`Response::success`].
    ///
    /// # Errors
    /// - [`HttpError::Refused`], [`HttpError::Redirect`]: the tool may not go there; the model chooses
    ///   another URL.
    /// - [`HttpError::Address`]: the name leads where the tool may not go; the operator lists the address
    ///   if it is meant to be.
    /// - [`HttpError::Unknown`], [`HttpError::Unreachable`], [`HttpError::Untrusted`],
    ///   [`HttpError::TooManyRedirects`]: the host's trouble; the model goes on without it.
    /// - [`HttpError::Stopped`]: the call is cancelled or its time is up.
    /// - [`HttpError::NoCall`], [`HttpError::Request`]: the tool's author mends it.
    ///
    /// # Cancellation
    /// Dropping the future closes the connection. The host may have had the request by then.
    pub async fn send(self) -> Result<Response, HttpFailure> {
        let within = self.within.clone();
        Ok(within.run(self.hops()).await??)
    }

    async fn hops(mut self) -> Result<Response, HttpError> {
        if let Some(fault) = self.fault.take() {
            return Err(HttpError::Request(fault));
        }
        let within = self.within.clone();
        let hosts = within.hosts()?;
        hosts.allow(&self.url).map_err(HttpError::Refused)?;
        let mut url = Url::parse(&self.url)
            .map_err(|error| HttpError::Request(format!("its URL can't be read: {error}")))?;
        // What the client's own parser makes of it is where it goes.
        hosts.allow(url.as_str()).map_err(HttpError::Refused)?;
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        let mut seen = Vec::new();
        loop {
            let answer = self.hop(hosts, &url).await?;
            let most = self.http.inner.redirects;
            let Some(target) = (most > 0).then(|| moved_to(&answer, &url)).flatten() else {
                return Ok(Response::new(answer, url, self.limit, within));
            };
            let status = answer.status();
            drop(answer);
            let next = followed(hosts, &url, target)?;
            seen.push((self.method.clone(), url.clone()));
            self.redirect(status, &url, &next);
            url = next;
            let circle =
                seen.iter().any(|(method, before)| (method, before) == (&self.method, &url));
            if seen.len() > most || circle {
                return Err(HttpError::TooManyRedirects(most));
            }
        }
    }

    /// One connection, one request, one answer.
    async fn hop(&self, hosts: &Hosts, url: &Url) -> Result<reqwest::Response, HttpError> {
        let inner = &self.http.inner;
        let judged = judged(&*inner.resolver, hosts, url, inner.connect_timeout).await?;
        let mut request = inner
            .client
            .request(self.method.clone(), url.clone())
            .header(ACCEPT_ENCODING, "identity")
            .headers(self.headers.clone());
        if let Some(body) = &self.body {
            request = request.body(body.clone());
        }
        let sent = JUDGED.scope(judged, request.send()).await;
        sent.map_err(|error| unanswered(error, url))
    }

    /// Makes it the request that a redirect asks for.
    fn redirect(&mut self, status: StatusCode, from: &Url, to: &Url) {
        let reads = match status {
            StatusCode::SEE_OTHER => self.method != Method::HEAD,
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => self.method == Method::POST,
            _ => false,
        };
        if reads {
            self.method = Method::GET;
            self.body = None;
            self.headers.remove(CONTENT_TYPE);
        }
        if from.origin() != to.origin() {
            let kept = std::mem::take(&mut self.headers);
            let harmless =
                |name: &HeaderName| kept.get(name).map(|value| (name.clone(), value.clone()));
            self.headers = HARMLESS.iter().filter_map(harmless).collect();
        }
    }
}

/// Where a redirect leads, as it says; `None` where the answer is none.
fn moved_to(answer: &reqwest::Response, url: &Url) -> Option<Result<Url, HttpError>> {
    match answer.status() {
        StatusCode::MOVED_PERMANENTLY
        | StatusCode::FOUND
        | StatusCode::SEE_OTHER
        | StatusCode::TEMPORARY_REDIRECT
        | StatusCode::PERMANENT_REDIRECT => {}
        _ => return None,
    }
    let location = answer.headers().get(LOCATION)?;
    let joined = str::from_utf8(location.as_bytes()).ok().and_then(|to| url.join(to).ok());
    Some(joined.ok_or_else(|| HttpError::Redirect {
        to: "something else".to_owned(),
        why: "which can't be read as a URL",
    }))
}

/// The target of a redirect, where the tool may go there.
fn followed(hosts: &Hosts, from: &Url, target: Result<Url, HttpError>) -> Result<Url, HttpError> {
    let mut to = target?;
    let refused = |why| Err(HttpError::Redirect { to: shown(&to), why });
    if !matches!(to.scheme(), "http" | "https") {
        return refused("which is no `http` or `https` URL");
    }
    if !to.username().is_empty() || to.password().is_some() {
        return refused("with a user's name, which isn't followed");
    }
    if hosts.allow(to.as_str()).is_err() {
        return refused("which is on no host that this tool may reach");
    }
    if from.scheme() == "https" && to.scheme() == "http" {
        return refused("which isn't secure as the first address is");
    }
    to.set_fragment(None);
    Ok(to)
}

/// A URL's origin, for the model, where it is a plain one: what is behind it may hold keys, and an
/// address of somebody's own network is nobody's business.
fn shown(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let own = address.is_ok_and(|address| !AddressKind::of(address).is_public());
    if own || Hosts::new([host]).is_err() {
        return "another address".to_owned();
    }
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("`{}`", excerpt(&format!("{}://{host}{port}", url.scheme())))
}

fn excerpt(text: &str) -> String {
    crate::text::excerpt(text, 80)
}

/// Why there is no answer.
fn unanswered(error: reqwest::Error, url: &Url) -> HttpError {
    let error = error.without_url();
    if error.is_builder() {
        return HttpError::Request(crate::error::chain(&error));
    }
    let host = excerpt(url.host_str().unwrap_or_default());
    let untrusted = is_untrusted(&error);
    let source: Box<dyn StdError + Send + Sync> = error.into();
    tracing::debug!(
        target: super::client::TARGET, host, error = crate::error::chain(&*source), "unanswered"
    );
    if untrusted {
        HttpError::Untrusted { host, source }
    } else {
        HttpError::Unreachable { host, source }
    }
}

/// Whether a certificate is at the bottom of it.
fn is_untrusted(error: &(dyn StdError + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            return matches!(tls, rustls::Error::InvalidCertificate(_));
        }
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            // What an `io::Error` was made of isn't among its causes.
            Some(inside) => Some(inside),
            None => error.source(),
        };
    }
    false
}
