//! Hosts that a network tool lists: exact names or addresses, each with a port or without. Pure.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Checks one entry of `hosts`; the error says what to write instead.
pub(crate) fn check(host: &str) -> Result<(), String> {
    if let Some((_, rest)) = host.split_once("://") {
        let bare = rest.split(['/', '?', '#']).next().unwrap_or_default();
        return Err(match check(bare) {
            Ok(()) => format!("write the host alone, `{bare}`"),
            Err(_) => "write the host alone, e.g. `example.com`".to_owned(),
        });
    }
    if host.contains('*') {
        return Err("hosts are exact: list each, without a wildcard".to_owned());
    }
    if host.contains(['/', '?', '#', '@']) {
        return Err("write the host alone, e.g. `example.com` or `example.com:8443`".to_owned());
    }
    if !host.is_ascii() {
        return Err("write the host in its ASCII form, e.g. `xn--bcher-kva.example`".to_owned());
    }
    if host.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err(format!("write `{}`", host.to_ascii_lowercase()));
    }
    if host.parse::<Ipv6Addr>().is_ok() {
        return Ok(());
    }
    if let Some(rest) = host.strip_prefix('[') {
        let legal = rest.split_once(']').is_some_and(|(address, port)| {
            address.parse::<Ipv6Addr>().is_ok()
                && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
        });
        return if legal { Ok(()) } else { Err("write `[::1]:8443`".to_owned()) };
    }
    let (name, port) = match host.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (host, None),
    };
    if !port.is_none_or(is_port) {
        return Err("a port is a number from 1 to 65535, e.g. `example.com:8443`".to_owned());
    }
    if name.parse::<Ipv4Addr>().is_ok() || is_name(name) {
        return Ok(());
    }
    Err("write a host name or an address, e.g. `example.com`, `127.0.0.1:8080`".to_owned())
}

fn is_port(text: &str) -> bool {
    !text.starts_with(['+', '0']) && text.parse::<u16>().is_ok()
}

fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    // A name that ends in a number would be read as an address.
    let numeric = name.rsplit('.').next().is_some_and(|l| l.bytes().all(|b| b.is_ascii_digit()));
    name.len() <= 253 && !numeric && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_hosts() {
        for host in [
            "example.com",
            "localhost",
            "localhost:8080",
            "127.0.0.1",
            "127.0.0.1:80",
            "::1",
            "[::1]",
            "[::1]:8443",
            "my_db.internal",
            "xn--bcher-kva.example",
            "a-b.c",
        ] {
            assert_eq!(check(host), Ok(()), "{host}");
        }
    }

    #[test]
    fn illegal_hosts() {
        for host in [
            "",
            "https://example.com",
            "example.com/path",
            "*.example.com",
            "example.com:",
            "a:0",
            "a:65536",
            "a:+80",
            "a:080",
            "Example.com",
            "user@example.com",
            "bücher.example",
            "example..com",
            "example.com.",
            "-a.com",
            "999.1.1.1",
            "1.2.3",
            "0x7f.1",
            "[::1",
            "[::1]8080",
            "a b",
        ] {
            assert!(check(host).is_err(), "{host}");
        }
        assert_eq!(
            check("https://example.com/a"),
            Err("write the host alone, `example.com`".into())
        );
    }
}
