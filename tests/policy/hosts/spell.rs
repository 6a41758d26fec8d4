//! A thousand ways to write that a URL leads elsewhere, or to hide that it does.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Addresses that are somebody's own, the canary's first.
const INSIDE: [[u8; 4]; 8] = [
    [127, 0, 0, 1],
    [10, 1, 2, 3],
    [172, 16, 0, 1],
    [192, 168, 1, 1],
    [169, 254, 169, 254],
    [100, 100, 100, 200],
    [0, 0, 0, 0],
    [127, 8, 9, 10],
];

/// The spellings of an IPv4 address that some client or other reads.
fn v4(octets: [u8; 4]) -> Vec<String> {
    let [a, b, c, d] = octets;
    let whole = u32::from_be_bytes(octets);
    let low = u32::from_be_bytes([0, b, c, d]);
    let dotted = Ipv4Addr::from(octets).to_string();
    let each = |f: &dyn Fn(u8) -> String| octets.map(f).join(".");
    let mapped = Ipv4Addr::from(octets).to_ipv6_mapped().segments();
    vec![
        dotted.clone(),
        format!("{dotted}."),
        format!("{dotted}.."),
        whole.to_string(),
        format!("{whole:#x}"),
        format!("{whole:#X}"),
        format!("0{whole:o}"),
        format!("{}", u64::from(whole) + (1 << 32)),
        format!("{a}.{low}"),
        format!("{a}.{b}.{}", u16::from_be_bytes([c, d])),
        format!("{a:#x}.{low:#x}"),
        each(&|n| format!("0{n:o}")),
        each(&|n| format!("{n:#x}")),
        each(&|n| format!("{n:#04X}")),
        each(&|n| format!("{n:03}")),
        each(&|n| format!("000{n:o}")),
        format!("{a:#x}.0{b:o}.{c}.{d}"),
        format!("{}.{b}.{c}.{d}", u16::from(a) + 256),
        dotted.replace('.', "。"),
        dotted.replace('.', "．"),
        dotted.replace('.', "%2e"),
        dotted.chars().map(|c| format!("%{:02X}", c as u32)).collect(),
        dotted.chars().map(|c| shifted(c, '0', '０')).collect(),
        dotted.chars().map(|c| shifted(c, '0', '𝟎')).collect(),
        dotted.chars().map(|c| shifted(c, '1', '①')).collect::<String>().replace('0', "⓪"),
        format!("{dotted}%00.good.test"),
        format!("{dotted}\u{0}"),
        format!("{dotted}\t"),
        format!("{}\n{}", &dotted[..2], &dotted[2..]),
        format!("{dotted}\u{ad}"),
        format!("\u{200b}{dotted}"),
        format!("[::ffff:{dotted}]"),
        format!("[::FFFF:{:x}:{:x}]", mapped[6], mapped[7]),
        format!("[0:0:0:0:0:ffff:{dotted}]"),
        format!("[::{dotted}]"),
        format!("[::ffff:0:{dotted}]"),
        format!("[64:ff9b::{dotted}]"),
        format!("[64:ff9b:1::{dotted}]"),
        format!("[2002:{:x}:{:x}::1]", mapped[6], mapped[7]),
        format!("[2001:0:{:x}:{:x}::1]", mapped[6], mapped[7]),
        format!("[{dotted}]"),
        format!("[v1.{dotted}]"),
    ]
}

fn shifted(c: char, from: char, to: char) -> String {
    match c {
        '0'..='9' if c >= from => {
            char::from_u32(to as u32 + (c as u32 - from as u32)).unwrap().to_string()
        }
        _ => c.to_string(),
    }
}

/// The same of IPv6.
fn v6() -> Vec<String> {
    let mut hosts = Vec::new();
    for address in ["::1", "::", "fe80::1", "fd00:ec2::254", "fc00::1", "ff02::1", "fec0::1"] {
        let parsed: Ipv6Addr = address.parse().unwrap();
        let long = parsed.segments().map(|s| format!("{s:04x}")).join(":");
        hosts.extend([
            format!("[{address}]"),
            format!("[{long}]"),
            format!("[{}]", long.to_uppercase()),
            format!("[{address}%25lo]"),
            format!("[{address}%lo]"),
            format!("[{address}%251]"),
            format!("%5B{address}%5D"),
            address.to_owned(),
            format!("[{address}"),
            format!("[{address}]x"),
            format!("[[{address}]]"),
            format!("[{address}].good.test"),
        ]);
    }
    hosts
}

/// Names that aren't the one that is listed, however much they look like it.
fn names() -> Vec<String> {
    [
        "evil.test",
        "good.test.evil.test",
        "evil-good.test",
        "evilgood.test",
        "sub.good.test",
        "good.test.",
        "good.test..",
        ".good.test",
        "good..test",
        "good.tes",
        "good.test2",
        "good",
        "test",
        "good%2etest",
        "good.test%00.evil.test",
        "good.test%2eevil.test",
        "good.test%2f.evil.test",
        "good.test%23.evil.test",
        "good.test%40evil.test",
        "g%6fod.test",
        "GOOD.TEST.",
        "good。test",
        "ｇｏｏｄ.test",
        "gооd.test",
        "xn--gd-jbba.test",
        "xn--good-.test",
        "xn--.test",
        "good.test\u{ad}",
        "good.te\u{200d}st",
        "ⓖⓞⓞⓓ.test",
        "good.test\u{2044}evil.test",
        "good.test\u{ff0f}evil.test",
        "good.test\u{2024}evil.test",
        "good.ſt",
        "*.test",
        "*",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "local%68ost",
        "ⓛocalhost",
        "localhost.localdomain",
        "ip6-localhost",
        "metadata.google.internal",
        "metadata",
        "127.0.0.1.nip.test",
        "0x7f.1.evil.test",
        "-good.test",
        "good-.test",
        "good_test",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Whole URLs whose authority isn't what it looks like; `E` stands for where evil listens.
const TRICKS: &[&str] = &[
    "",
    " ",
    "E",
    "//E/",
    "///E/",
    "/E",
    "http:E",
    "http:/E",
    "http:///E/",
    "http:\\\\E\\",
    "http:/\\E/",
    "\\\\E\\",
    "/\\E/",
    "http://",
    "http://:80/",
    "http://@E/",
    "http://@/",
    "http://?E",
    "http://#E",
    "http://good.test@E/",
    "http://good.test:80@E/",
    "http://good.test%40E/",
    "http://good.test\\@E/",
    "http://E\\@good.test/",
    "http://E#@good.test/",
    "http://E?@good.test/",
    "http://E/@good.test/",
    "http://E\\.good.test/",
    "http://good.test\\.E/",
    "http://u:p@good.test/",
    "http://u@good.test/",
    "http://:p@good.test/",
    "http://good.test&@E/",
    "http://good.test;@E/",
    "http://good.test #@E/",
    "http://good.test\t@E/",
    "http://good.test\n.E/",
    "ht\ntp://E/",
    "h\tttp://E/",
    "\u{1}http://E/",
    " http://E/",
    "http://E /",
    "http://E/ ",
    "http:// E/",
    "http://\tE/",
    "http://\u{a0}E/",
    "http://good.test:80:80/",
    "http://good.test:+80/",
    "http://good.test:-1/",
    "http://good.test:99999/",
    "http://good.test:8 0/",
    "http://good.test:８０/",
    "http://good.test:0x50/",
    "http://good.test:/",
    "http://good.test:80\\@E/",
    "http://good.test:80@E:80/",
    "http://good.test::80/",
    "file:///etc/passwd",
    "file://E/etc/passwd",
    "file:/etc/passwd",
    "FILE:///etc/passwd",
    "ftp://E/",
    "ftp://good.test/",
    "gopher://E/_x",
    "dict://E/",
    "ldap://E/",
    "tftp://E/",
    "sftp://good.test/",
    "jar:http://E/!/",
    "view-source:http://E/",
    "blob:http://E/x",
    "data:text/plain,x",
    "javascript:x()",
    "about:blank",
    "ws://E/",
    "wss://good.test/",
    "unix:/run/docker.sock",
    "unix://E/",
    "http+unix://%2Frun%2Fdocker.sock/",
    "netdoc:///etc/passwd",
    "url:http://E/",
    "http+x://good.test/",
    "https//E/",
    "http;//E/",
    "http：//E/",
    "http:／／E/",
    "http://good.test\u{2028}@E/",
    "http://good.test\u{85}.E/",
    "http\u{0}://good.test/",
    "http://good.test\u{0}/",
    "http://good.test/\r\nHost: E",
    "http://good.test/ HTTP/1.1\r\nHost: E",
    "http://[good.test]/",
    "http://(E)/",
    "http://{E}/",
    "http://<E>/",
    "http://good.test|E/",
    "http://good.test^E/",
    "http://good.test`E/",
    "http://good.test\"E/",
    "http://good.test,E/",
    "http://good.test!E/",
    "http://good.test=E/",
    "http://good.test'E/",
];

/// Every hostile URL, none of which leads to `good.test` as a plain URL does. What it leads to, if
/// anywhere, is on this port.
pub(crate) fn hostile(port: u16) -> Vec<String> {
    let mut urls = BTreeSet::new();
    let spelled = INSIDE.into_iter().flat_map(v4).chain(v6()).chain(names());
    for (index, host) in spelled.enumerate() {
        urls.insert(format!("http://{host}:{port}/"));
        // In turn, or there would be ten thousand.
        urls.insert(match index % 6 {
            0 => format!("https://{host}:{port}/"),
            1 => format!("HTTP://{host}:0{port}/x?y#z"),
            2 => format!("http://good.test@{host}:{port}/"),
            3 => format!("http://{host}:{port}#@good.test/"),
            4 => format!("http://{host}:{port}\\@good.test/"),
            _ => format!("//{host}:{port}/"),
        });
        if index % 2 == 0 {
            urls.insert(format!("http://{host}/"));
        }
    }
    for trick in TRICKS {
        for evil in ["evil.test", "127.0.0.1", "[::1]"] {
            urls.insert(trick.replace('E', &format!("{evil}:{port}")));
        }
    }
    urls.into_iter().collect()
}
