//! Exact lists of hosts, and the strict reading of a URL that is held against them. What two parsers
//! might read in two ways is refused here, so that the tool's own client can't reach another host
//! than the one that was judged.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Hosts that a network tool may reach: exact names or addresses, any port unless one is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts(Vec<(Host, Option<u16>)>);

/// A host as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Name(String),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
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
    /// Adds `name`, `name:port`, an IPv4 address or an IPv6 address in brackets.
    ///
    /// # Errors
    /// The text is something else, such as a URL, a wildcard or a number; whoever wrote it mends it.
    pub fn add(&mut self, text: &str) -> Result<(), HostError> {
        let (host, port) = authority(text).map_err(|what| HostError::new(text, what))?;
        self.0.push((host, port));
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
        let refuse = |what| HostError::new(url, what);
        let (rest, standard) = match url.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (rest, 443),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (rest, 80),
            _ => return Err(refuse("is no `http` or `https` URL")),
        };
        // Parsers disagree about these anywhere in a URL; none belongs into a plain one.
        if url.chars().any(|c| c == '\\' || c.is_control() || c.is_whitespace()) {
            return Err(refuse("has a backslash, a space or a control character"));
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, port) = authority(&rest[..end]).map_err(refuse)?;
        let port = port.unwrap_or(standard);
        let listed = self.0.iter().any(|(h, p)| *h == host && p.is_none_or(|p| p == port));
        if listed { Ok(()) } else { Err(refuse("is on no host that this tool may reach")) }
    }
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

    fn listed(hosts: &[&str]) -> Hosts {
        let mut list = Hosts::default();
        for host in hosts {
            list.add(host).unwrap();
        }
        list
    }

    #[test]
    fn exact_hosts_pass() {
        let hosts = listed(&["example.com", "127.0.0.1:8080", "[::1]:9000"]);
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
        let hosts = listed(&["example.com", "127.0.0.1:8080"]);
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
    fn a_listed_host_is_exact() {
        for host in ["*.example.com", "http://example.com", "example.com/", "", "a b", "127.1"] {
            assert!(Hosts::default().add(host).is_err(), "{host}");
        }
    }
}
