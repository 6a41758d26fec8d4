//! From names to addresses: asked once a connection, judged, and handed to the connection as judged.

use std::error::Error as StdError;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::HttpError;
use crate::hook::BoxFuture;
use crate::hosts::Hosts;

/// Says which addresses a name has. What it says is judged by the client, so that it needs no care of
/// its own.
///
/// ```
/// use std::io;
/// use std::net::IpAddr;
/// use toolkit::BoxFuture;
/// use toolkit::http::{Http, Resolver};
///
/// /// One name, wherever it is asked.
/// struct Fixed(&'static str, IpAddr);
///
/// impl Resolver for Fixed {
///     fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
///         let known = if name == self.0 { vec![self.1] } else { Vec::new() };
///         Box::pin(async { Ok(known) })
///     }
/// }
///
/// let http = Http::builder().resolver(Fixed("example.com", [93, 184, 216, 34].into())).build()?;
/// # Ok::<(), toolkit::http::HttpError>(())
/// ```
pub trait Resolver: Send + Sync + 'static {
    /// The addresses of this name, in lower case and without a final dot; none where it isn't known.
    ///
    /// # Errors
    /// Nobody answers, or not in a way that can be read; the operator sees it in the log.
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The system's own resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Resolver for System {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// What a connection may be made to.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    name: String,
    addresses: Vec<IpAddr>,
}

tokio::task_local! {
    /// For the connection that the request within makes.
    pub(super) static JUDGED: Judged;
}

/// Resolves the host of a URL that was judged, and judges where it leads.
pub(super) async fn judged(
    resolver: &dyn Resolver,
    hosts: &Hosts,
    url: &Url,
    within: Duration,
) -> Result<Judged, HttpError> {
    let name = url.host_str().unwrap_or_default();
    if url.domain().is_none() {
        // An address is its own answer, and no resolver is asked: that it is listed was looked at.
        return Ok(Judged { name: name.to_owned(), addresses: Vec::new() });
    }
    let unknown = || HttpError::Unknown { host: name.to_owned() };
    let addresses = match tokio::time::timeout(within, resolver.resolve(name)).await {
        Ok(Ok(addresses)) => addresses,
        Ok(Err(error)) => {
            tracing::debug!(target: super::client::TARGET, name, %error, "not resolved");
            return Err(unknown());
        }
        Err(_) => {
            tracing::debug!(target: super::client::TARGET, name, "not resolved in time");
            return Err(unknown());
        }
    };
    if addresses.is_empty() {
        return Err(unknown());
    }
    if let Some(address) =
        addresses.iter().find(|address| hosts.allow_at(url.as_str(), **address).is_err())
    {
        tracing::warn!(target: super::client::TARGET, name, %address, "leads where it may not");
        return Err(HttpError::Address { host: name.to_owned() });
    }
    Ok(Judged { name: name.to_owned(), addresses })
}

/// Gives a connection the addresses that were judged for it, and never asks anybody.
#[derive(Debug)]
pub(super) struct Handed;

impl Resolve for Handed {
    fn resolve(&self, name: Name) -> Resolving {
        let judged = JUDGED
            .try_with(|judged| (judged.name == name.as_str()).then(|| judged.addresses.clone()));
        let handed = match judged {
            Ok(Some(addresses)) => {
                // The port is the URL's.
                let addresses = addresses.into_iter().map(|address| SocketAddr::new(address, 0));
                Ok(Box::new(addresses) as Addrs)
            }
            _ => Err("nobody has judged where it leads".into()),
        };
        Box::pin(async { handed.map_err(|what: Box<dyn StdError + Send + Sync>| what) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(&'static [&'static str]);

    impl Resolver for Fixed {
        fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
            let addresses = self.0.iter().map(|address| address.parse().unwrap()).collect();
            Box::pin(async { Ok(addresses) })
        }
    }

    // Here, since nobody may connect to what is outside of this machine.
    #[tokio::test]
    async fn an_answer_of_public_addresses_is_handed_on_whole() {
        let hosts = Hosts::new(["a.test", "192.168.7.7:80"]).unwrap();
        let url = Url::parse("http://a.test/").unwrap();
        let led = async |answer| {
            let judged = judged(&Fixed(answer), &hosts, &url, Duration::MAX).await;
            judged.map(|judged| judged.addresses.len())
        };
        assert_eq!(led(&["8.8.8.8", "1.1.1.1", "2606:4700::1111"]).await.unwrap(), 3);
        assert_eq!(led(&["192.168.7.7", "1.1.1.1"]).await.unwrap(), 2);
        for answer in [&["8.8.8.8", "192.168.7.8"][..], &["2606:4700::1111", "::1"], &["::"]] {
            assert!(matches!(led(answer).await, Err(HttpError::Address { .. })), "{answer:?}");
        }
    }

    #[tokio::test]
    async fn a_connection_gets_what_was_judged_for_it_and_nothing_else() {
        let name = |name: &str| name.parse::<Name>().unwrap();
        let judged = Judged { name: "a.test".to_owned(), addresses: vec![[8, 8, 8, 8].into()] };
        assert!(Handed.resolve(name("a.test")).await.is_err());
        JUDGED
            .scope(judged, async {
                let handed = Handed.resolve(name("a.test")).await.unwrap();
                assert_eq!(handed.collect::<Vec<_>>(), ["8.8.8.8:0".parse().unwrap()]);
                assert!(Handed.resolve(name("b.test")).await.is_err());
            })
            .await;
    }
}
