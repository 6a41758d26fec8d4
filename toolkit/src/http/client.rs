//! The client, and what can be set of it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, redirect};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use super::resolve::{Handed, Resolver, System};
use super::{HttpError, Request, Within};

/// The name of our log.
pub(super) const TARGET: &str = "toolkit::http";

/// How many redirects are followed unless set.
pub const DEFAULT_REDIRECTS: usize = 5;

/// How many bytes a body may have unless set.
pub const DEFAULT_BODY_LIMIT: u64 = 1 << 20;

/// How long resolving a name and connecting may take, each, unless set.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A client of HTTP for tools, by HTTP/1.1 with TLS 1.2 or 1.3; see [the module](crate::http). Cheap to clone;
/// one serves all tools, as a state.
#[derive(Clone)]
pub struct Http {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) client: reqwest::Client,
    pub(super) resolver: Box<dyn Resolver>,
    pub(super) redirects: usize,
    pub(super) body_limit: u64,
    pub(super) connect_timeout: Duration,
}

impl Http {
    /// A client with nothing set.
    ///
    /// # Errors
    /// [`HttpError::Setup`]: the operator looks into it.
    pub fn new() -> Result<Self, HttpError> {
        Self::builder().build()
    }

    /// A client on which more can be set.
    pub fn builder() -> HttpBuilder {
        HttpBuilder {
            resolver: Box::new(System),
            redirects: DEFAULT_REDIRECTS,
            body_limit: DEFAULT_BODY_LIMIT,
            connect_timeout: DEFAULT_CONNECT_TIMEOUT,
            user_agent: concat!("toolkit/", env!("CARGO_PKG_VERSION")).to_owned(),
            roots: Vec::new(),
        }
    }

    /// A request that reads, within the call of this context (`cx`) or these hosts (`&hosts`).
    pub fn get(&self, within: impl Into<Within>, url: impl Into<String>) -> Request {
        self.request(Method::GET, within, url)
    }

    /// A request for the headers alone.
    pub fn head(&self, within: impl Into<Within>, url: impl Into<String>) -> Request {
        self.request(Method::HEAD, within, url)
    }

    /// A request that hands something in.
    pub fn post(&self, within: impl Into<Within>, url: impl Into<String>) -> Request {
        self.request(Method::POST, within, url)
    }

    /// A request of any method but `CONNECT`.
    pub fn request(
        &self,
        method: Method,
        within: impl Into<Within>,
        url: impl Into<String>,
    ) -> Request {
        Request::new(self.clone(), method, within.into(), url.into())
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("redirects", &self.inner.redirects)
            .field("body_limit", &self.inner.body_limit)
            .field("connect_timeout", &self.inner.connect_timeout)
            .finish_non_exhaustive()
    }
}

/// Sets up an [`Http`].
#[must_use = "it is no client before `build`"]
pub struct HttpBuilder {
    resolver: Box<dyn Resolver>,
    redirects: usize,
    body_limit: u64,
    connect_timeout: Duration,
    user_agent: String,
    roots: Vec<Vec<u8>>,
}

impl HttpBuilder {
    /// Sets who is asked for the addresses of names; the system, unless set.
    pub fn resolver(mut self, resolver: impl Resolver) -> Self {
        self.resolver = Box::new(resolver);
        self
    }

    /// Sets how many redirects are followed; [`DEFAULT_REDIRECTS`] unless set. One more is an error.
    /// With 0 none is followed, and a redirect is an answer like others.
    pub fn redirects(mut self, most: usize) -> Self {
        self.redirects = most;
        self
    }

    /// Sets how many bytes a body may have; [`DEFAULT_BODY_LIMIT`] unless set. A request may differ.
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets how long resolving a name and connecting may take, each; [`DEFAULT_CONNECT_TIMEOUT`] unless
    /// set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets what the client calls itself; `toolkit/` and its version unless set.
    pub fn user_agent(mut self, name: impl Into<String>) -> Self {
        self.user_agent = name.into();
        self
    }

    /// Trusts these certificates, in PEM, beside those that the system trusts.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.roots.push(pem.into());
        self
    }

    /// Makes the client. Where the system trusts no certificate at all, that is logged, and no host is
    /// trusted over `https`.
    ///
    /// # Errors
    /// [`HttpError::Setup`]: a certificate can't be read, the client's name is no header, or the system
    /// can't judge certificates; the operator looks into it.
    pub fn build(self) -> Result<Http, HttpError> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls(&self.roots)?)
            .dns_resolver(Handed)
            .connect_timeout(self.connect_timeout)
            .user_agent(self.user_agent)
            // Each hop is judged by us, and nobody else may change where it goes.
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .retry(reqwest::retry::never())
            // A connection was judged for one request.
            .pool_max_idle_per_host(0)
            .http1_only()
            // Also where another crate of the program has switched them on.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .build()
            .map_err(|error| HttpError::Setup(error.into()))?;
        Ok(Http {
            inner: Arc::new(Inner {
                client,
                resolver: self.resolver,
                redirects: self.redirects,
                body_limit: self.body_limit,
                connect_timeout: self.connect_timeout,
            }),
        })
    }
}

/// What speaks TLS: by a provider that is named here, since a program may have set none, or two.
fn tls(roots: &[Vec<u8>]) -> Result<ClientConfig, HttpError> {
    let setup = |error: Box<dyn std::error::Error + Send + Sync>| HttpError::Setup(error);
    let mut extra: Vec<CertificateDer<'static>> = Vec::new();
    for pem in roots {
        let before = extra.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            extra.push(certificate.map_err(|error| setup(error.to_string().into()))?);
        }
        if extra.len() == before {
            return Err(setup("no certificate in the PEM text".into()));
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| setup(error.into()))?;
    let verifier = match verifier(extra, provider) {
        Ok(verifier) => verifier,
        Err(error) if roots.is_empty() => {
            tracing::warn!(target: TARGET, %error, "no host can be trusted over `https`");
            return Ok(builder
                .with_root_certificates(RootCertStore::empty())
                .with_no_client_auth());
        }
        Err(error) => return Err(setup(error.into())),
    };
    Ok(builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth())
}

#[cfg(not(target_os = "android"))]
fn verifier(
    extra: Vec<CertificateDer<'static>>,
    provider: Arc<rustls::crypto::CryptoProvider>,
) -> Result<rustls_platform_verifier::Verifier, rustls::Error> {
    rustls_platform_verifier::Verifier::new_with_extra_roots(extra, provider)
}

#[cfg(target_os = "android")]
fn verifier(
    extra: Vec<CertificateDer<'static>>,
    provider: Arc<rustls::crypto::CryptoProvider>,
) -> Result<rustls_platform_verifier::Verifier, rustls::Error> {
    if !extra.is_empty() {
        return Err(rustls::Error::General("this system takes no further certificates".into()));
    }
    rustls_platform_verifier::Verifier::new(provider)
}

impl fmt::Debug for HttpBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpBuilder")
            .field("redirects", &self.redirects)
            .field("body_limit", &self.body_limit)
            .field("connect_timeout", &self.connect_timeout)
            .finish_non_exhaustive()
    }
}
