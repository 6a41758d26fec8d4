//! Exact lists of hosts, and the strict reading of a URL that is held against them. What two parsers
//! might read in two ways is refused here, so that the tool's own client can't reach another host
//! than the one that was judged.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use crate::address::AddressKind;

/// Hosts that a network tool may reach: exact names or addresses, any port unless one is given. Cheap
/// to clone.
///
/// A name leads to public addresses alone, whatever its owner says, unless the address is listed as
/// well; `localhost` and the names below it lead to this machine.
///
/// ```
/// use toolkit::Hosts;
///
/// let hosts = Hosts::new(["example.com", "127.0.0.1:8080"])?;
/// assert!(hosts.allow("https://example.com/a?b").is_ok());
/// assert!(hosts.allow("http://127.0.0.1/").is_err());
/// // What a name's owner answers is judged as well.
/// assert!(hosts.allow_at("http://example.com/", "93.184.216.34".parse().unwrap()).is_ok());
/// assert!(hosts.allow_at("http://example.com/", "169.254.169.254".parse().unwrap()).is_err());
/// # Ok::<(), toolkit::HostError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Arc<Vec<(Host, Option<u16>)>>);

/// A host as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Name(String),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}

impl Host {
    /// Whether it names this machine by itself.
    fn is_local(&self) -> bool {
        matches!(self, Self::Name(name) if name == "localhost" || name.ends_with(".localhost"))
    }
}

/// Why a text is no exact host, or no URL that can be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` {what}")]
pub struct HostError {
    given: String,
    what: &'static str,
}

impl HostError {
    fn new(given: &str, what: &'static str) -> Self {
        Self { given: crate::text::excerpt(given, 80), what }
    }

    /// The same error about a text as it may be shown.
    pub(crate) fn quoting(self, shown: &str) -> Self {
        Self::new(shown, self.what)
    }
}

impl Hosts {
    /// The hosts of this list, each as [`Hosts::add`] takes it.
    ///
    /// # Errors
    /// The first that is no exact host; whoever wrote it mends it.
    pub fn new<H: AsRef<str>>(hosts: impl IntoIterator<Item = H>) -> Result<Self, HostError> {
        let mut list = Self::default();
        for host in hosts {
            list.add(host.as_ref())?;
        }
        Ok(list)
    }

    /// Adds `name`, `name:port`, an IPv4 address or an IPv6 address in brackets.
    ///
    /// # Errors
    /// The text is something else, such as a URL, a wildcard or a number; whoever wrote it mends it.
    pub fn add(&mut self, text: &str) -> Result<(), HostError> {
        let (host, port) = authority(text).map_err(|what| HostError::new(text, what))?;
        Arc::make_mut(&mut self.0).push((host, port));
        Ok(())
    }

    /// Whether nothing is listed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the host of this `http` or `https` URL is listed.
    ///
    /// # Errors
    /// Why it may not be reached, for whoever made the call.
    pub fn allow(&self, url: &str) -> Result<(), HostError> {
        self.listed(url).map(|_| ())
    }

    /// Whether this URL may be fetched from this address, which is what its host leads to: a client
    /// that resolves names asks this of every answer, and connects to what was asked of.
    ///
    /// # Errors
    /// Why it may not be reached, for whoever made the call; the text doesn't name the address.
    pub fn allow_at(&self, url: &str, address: IpAddr) -> Result<(), HostError> {
        let (host, port) = self.listed(url)?;
        let kind = AddressKind::of(address);
        let address = match address {
            IpAddr::V4(address) => Host::V4(address),
            IpAddr::V6(address) => Host::V6(address),
        };
        let leads_there = match &host {
            Host::Name(_) if host.is_local() => kind == AddressKind::Loopback,
            Host::Name(_) => kind.is_public(),
            literal => *literal == address,
        };
        if leads_there || matches!(host, Host::Name(_)) && self.holds(&address, port) {
            return Ok(());
        }
        Err(HostError::new(url, "leads to an address that this tool may not reach"))
    }

    /// Whether this `http` or `https` URL is on a host of the list.
    ///
    /// # Errors
    /// Why it can't be told which host it is on.
    pub(crate) fn lists(&self, url: &str) -> Result<bool, HostError> {
        let (host, port) = target(url).map_err(|what| HostError::new(url, what))?;
        Ok(self.holds(&host, port))
    }

    /// The host and port of a URL that may be reached.
    fn listed(&self, url: &str) -> Result<(Host, u16), HostError> {
        let (host, port) = target(url).map_err(|what| HostError::new(url, what))?;
        if self.holds(&host, port) {
            return Ok((host, port));
        }
        Err(HostError::new(url, "is on no host that this tool may reach"))
    }

    fn holds(&self, host: &Host, port: u16) -> bool {
        self.0.iter().any(|(held, only)| held == host && only.is_none_or(|only| only == port))
    }
}

/// Reads the host and the port of an `http` or `https` URL, in its one plain spelling.
fn target(url: &str) -> Result<(Host, u16), &'static str> {
    let (rest, standard) = match url.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (rest, 443),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (rest, 80),
        _ => return Err("is no `http` or `https` URL"),
    };
    // Parsers disagree about these anywhere in a URL; none belongs into a plain one.
    if url.chars().any(|c| c == '\\' || c.is_control() || c.is_whitespace()) {
        return Err("has a backslash, a space or a control character");
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, port) = authority(&rest[..end])?;
    Ok((host, port.unwrap_or(standard)))
}

/// Reads `host` or `host:port`, in its one plain spelling.
fn authority(text: &str) -> Result<(Host, Option<u16>), &'static str> {
    if text.contains('@') {
        return Err("has user information before its host");
    }
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (address, after) = rest.split_once(']').ok_or("has an unclosed bracket")?;
            let address = address.parse().map_err(|_| "has no IPv6 address in its brackets")?;
            let port = match after {
                "" => None,
                _ => Some(after.strip_prefix(':').ok_or("has text after its bracket")?),
            };
            (Host::V6(address), port)
        }
        None => {
            let (host, port) = match text.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            };
            (name(host)?, port)
        }
    };
    let port = match port {
        None => None,
        Some(port) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            Some(port.parse().map_err(|_| "has a port above 65535")?)
        }
        Some(_) => return Err("has no port number after its colon"),
    };
    Ok((host, port))
}

fn name(host: &str) -> Result<Host, &'static str> {
    if host.is_empty() {
        return Err("has no host");
    }
    if host.len() > 253 {
        return Err("has a host name of more than 253 bytes");
    }
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if !host.split('.').all(label) {
        return Err("has a host that isn't a plain ASCII name (no wildcard, no final dot)");
    }
    // `127.1`, `2130706433` and `0x7f.0.0.1` are addresses to some parsers and names to others.
    let last = host.rsplit('.').next().unwrap_or(host);
    let hexadecimal = last.len() > 1 && (last.starts_with("0x") || last.starts_with("0X"));
    if hexadecimal || last.bytes().all(|b| b.is_ascii_digit()) {
        return host
            .parse()
            .map(Host::V4)
            .map_err(|_| "has a host that isn't a plain IPv4 address");
    }
    Ok(Host::Name(host.to_ascii_lowercase()))
}

impl fmt::Display for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (host, port)) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            match host {
                Host::Name(name) => f.write_str(name)?,
                Host::V4(address) => write!(f, "{address}")?,
                Host::V6(address) => write!(f, "[{address}]")?,
            }
            if let Some(port) = port {
                write!(f, ":{port}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_hosts_pass() {
        let hosts = Hosts::new(["example.com", "127.0.0.1:8080", "[::1]:9000"]).unwrap();
        for url in [
            "https://example.com",
            "HTTP://EXAMPLE.com:81/a?b#c",
            "http://127.0.0.1:8080/x",
            "http://[::1]:9000/",
            "http://[0:0:0:0:0:0:0:1]:9000",
            "http://example.com#@evil.test",
            "http://example.com/@evil.test",
        ] {
            assert!(hosts.allow(url).is_ok(), "{url}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let hosts = Hosts::new(["example.com", "127.0.0.1:8080"]).unwrap();
        for url in [
            "",
            "example.com",
            "//example.com",
            "ftp://example.com",
            "file:///etc/passwd",
            "http://",
            "http:///",
            "http://evil.test",
            "http://example.com.evil.test",
            "http://sub.example.com",
            "http://evil.test#example.com",
            "http://example.com@evil.test",
            "http://example.com:80@evil.test/",
            "http://user@example.com",
            "http://example.com.",
            "http://example.com\\@evil.test",
            "http://exam\tple.com",
            " http://example.com",
            "http://example.com ",
            "http://ex%61mple.com",
            "http://exämple.com",
            "http://example.com:",
            "http://example.com:99999",
            "http://example.com:+80",
            "http://127.0.0.1",
            "http://127.0.0.1:8081",
            "http://127.1:8080",
            "http://2130706433:8080",
            "http://0x7f000001:8080",
            "http://0177.0.0.1:8080",
            "http://127.0.0.0x1:8080",
            "http://[::ffff:127.0.0.1]:8080",
            "http://[::1",
            "http://[::1]x",
            "http://[::1%25eth0]:8080",
            "http:example.com",
            "http:/example.com",
            "https:\\\\example.com",
            "javascript://example.com",
            "http://*.example.com",
        ] {
            assert!(hosts.allow(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_name_leads_to_public_addresses_and_to_listed_ones() {
        let list = ["a.test", "localhost", "b.localhost", "10.0.0.1:80", "[::1]", "192.0.2.1"];
        let hosts = Hosts::new(list).unwrap();
        for (url, address, allowed) in [
            ("http://a.test/", "8.8.8.8", true),
            ("http://a.test/", "2606:4700::1111", true),
            ("http://a.test/", "127.0.0.1", false),
            ("http://a.test/", "169.254.169.254", false),
            ("http://a.test/", "::ffff:8.8.8.8", false),
            ("http://a.test/", "10.0.0.1", true),
            ("http://a.test:81/", "10.0.0.1", false),
            ("https://a.test/", "10.0.0.1", false),
            ("https://a.test/", "::1", true),
            ("https://a.test/", "::ffff:0.0.0.1", false),
            ("http://localhost/", "127.0.0.2", true),
            ("http://LOCALHOST/", "::1", true),
            ("http://b.localhost/", "127.0.0.1", true),
            ("http://localhost/", "8.8.8.8", false),
            ("http://localhost/", "10.0.0.2", false),
            ("http://localhost/", "10.0.0.1", true),
            ("http://10.0.0.1/", "10.0.0.1", true),
            ("http://10.0.0.1/", "8.8.8.8", false),
            // Not even where that other one is listed too.
            ("http://10.0.0.1/", "192.0.2.1", false),
            ("http://b.test/", "8.8.8.8", false),
            ("http://u@a.test/", "8.8.8.8", false),
        ] {
            let judged = hosts.allow_at(url, address.parse().unwrap());
            assert_eq!(judged.is_ok(), allowed, "{url} at {address}: {judged:?}");
            assert!(!judged.is_err_and(|error| error.to_string().contains(address)), "{url}");
        }
    }

    #[test]
    fn a_listed_host_is_exact() {
        for host in ["*.example.com", "http://example.com", "example.com/", "", "a b", "127.1"] {
            assert!(Hosts::default().add(host).is_err(), "{host}");
        }
    }
}
