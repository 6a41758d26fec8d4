//! What an address is for. Only one that the whole internet means by it is public; whatever else it may
//! be, a tool that was told a name must not be led there.
//!
//! After the registries of IANA, as of 2026:
//! [IPv4 special-purpose](https://www.iana.org/assignments/iana-ipv4-special-registry),
//! [IPv6 special-purpose](https://www.iana.org/assignments/iana-ipv6-special-registry),
//! [IPv6 address space](https://www.iana.org/assignments/ipv6-address-space) and the two of multicast.
//! Where those call a small block globally reachable that serves protocols alone (in `192.0.0.0/24` and
//! `2001::/23`), it is reserved here: no host of the web is there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is for.
///
/// ```
/// use toolkit::AddressKind;
///
/// let kind = |address: &str| AddressKind::of(address.parse().unwrap());
/// assert_eq!(kind("93.184.216.34"), AddressKind::Public);
/// assert_eq!(kind("169.254.169.254"), AddressKind::Metadata);
/// assert_eq!(kind("::ffff:10.0.0.1"), AddressKind::Embedded);
/// assert_eq!(kind("64:ff9b::10.0.0.1"), AddressKind::Private);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressKind {
    /// One that the whole internet means by it.
    Public,
    /// This machine: `127.0.0.0/8`, `::1`.
    Loopback,
    /// A private network: `10.0.0.0/8`, `172.16.0.0/12`, `192.168.0.0/16`, unique-local `fc00::/7`,
    /// site-local `fec0::/10`, and `64:ff9b:1::/48`, behind which a network has what it likes.
    Private,
    /// One link: `169.254.0.0/16`, `fe80::/10`.
    LinkLocal,
    /// Where a cloud tells a machine who it is, keys included, e.g. `169.254.169.254`,
    /// `fd00:ec2::254`.
    Metadata,
    /// Between a provider and its customers: `100.64.0.0/10`.
    Shared,
    /// Many at once: `224.0.0.0/4`, `ff00::/8`.
    Multicast,
    /// All of a link: `255.255.255.255`.
    Broadcast,
    /// None: `0.0.0.0`, `::`. Systems take it for themselves.
    Unspecified,
    /// For examples in texts: `192.0.2.0/24`, `198.51.100.0/24`, `203.0.113.0/24`, `2001:db8::/32`,
    /// `3fff::/20`.
    Documentation,
    /// An IPv4 address in the clothes of IPv6: mapped, compatible, translated, 6to4, Teredo, ISATAP;
    /// whatever is inside. No host of the web has one. (`64:ff9b::/96`, by which networks without IPv4
    /// reach the rest, is what the address inside is.)
    Embedded,
    /// Set aside for something else, or not given to anybody.
    Reserved,
}

/// Where clouds answer with metadata and keys, as far as no kind above says so already: Azure's is
/// public to look at.
const METADATA_V4: [Ipv4Addr; 6] = [
    Ipv4Addr::new(169, 254, 169, 254), // nearly all
    Ipv4Addr::new(169, 254, 170, 2),   // AWS, tasks of containers
    Ipv4Addr::new(169, 254, 170, 23),  // AWS, pods
    Ipv4Addr::new(168, 63, 129, 16),   // Azure, the host's agent
    Ipv4Addr::new(100, 100, 100, 200), // Alibaba
    Ipv4Addr::new(192, 0, 0, 192),     // Oracle, the old one
];

const METADATA_V6: [Ipv6Addr; 4] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), // AWS
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),  // AWS, pods
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),  // Google
    Ipv6Addr::new(0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe), // Oracle
];

impl AddressKind {
    /// The kind of this address.
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(address) => v4(address),
            IpAddr::V6(address) => v6(address),
        }
    }

    /// Whether the whole internet means the same by it.
    pub fn is_public(self) -> bool {
        self == Self::Public
    }
}

fn v4(address: Ipv4Addr) -> AddressKind {
    if METADATA_V4.contains(&address) {
        return AddressKind::Metadata;
    }
    match address.octets() {
        [0, 0, 0, 0] => AddressKind::Unspecified,
        [0, ..] => AddressKind::Reserved,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => AddressKind::Private,
        [100, 64..=127, ..] => AddressKind::Shared,
        [127, ..] => AddressKind::Loopback,
        [169, 254, ..] => AddressKind::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => AddressKind::Documentation,
        // Protocols, the way into 6to4, benchmarks.
        [192, 0, 0, _] | [192, 88, 99, _] | [198, 18..=19, ..] => AddressKind::Reserved,
        [224..=239, ..] => AddressKind::Multicast,
        [255, 255, 255, 255] => AddressKind::Broadcast,
        [240..=255, ..] => AddressKind::Reserved,
        _ => AddressKind::Public,
    }
}

fn v6(address: Ipv6Addr) -> AddressKind {
    if METADATA_V6.contains(&address) {
        return AddressKind::Metadata;
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => AddressKind::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => AddressKind::Loopback,
        // Compatible, mapped, translated.
        [0, 0, 0, 0, 0, 0 | 0xffff, _, _] | [0, 0, 0, 0, 0xffff, 0, _, _] => AddressKind::Embedded,
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
            v4(Ipv4Addr::new(a, b, c, d))
        }
        [0x64, 0xff9b, 1, ..] | [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => {
            AddressKind::Private
        }
        [0xfe80..=0xfebf, ..] => AddressKind::LinkLocal,
        [0xff00..=0xffff, ..] => AddressKind::Multicast,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => AddressKind::Documentation,
        // 6to4, Teredo.
        [0x2002, ..] | [0x2001, 0, ..] => AddressKind::Embedded,
        // Protocols.
        [0x2001, 0..=0x1ff, ..] => AddressKind::Reserved,
        // ISATAP, by whatever prefix.
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => AddressKind::Embedded,
        // What is given to networks at all.
        [0x2000..=0x3fff, ..] => AddressKind::Public,
        _ => AddressKind::Reserved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_of_the_kind_that_the_registries_say() {
        use AddressKind::*;
        for (kind, addresses) in [
            (Public, "1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255"),
            (Public, "128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0"),
            (
                Public,
                "192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.1",
            ),
            (Public, "2606:4700::1111 2001:200::1 2a00:1450:4001::8a 2620:4f:8000::1 3ffe::1"),
            (Public, "64:ff9b::8.8.8.8 3fff:1000::1 2003::1"),
            (Loopback, "127.0.0.0 127.0.0.1 127.1.2.3 127.255.255.255 ::1 64:ff9b::127.0.0.1"),
            (Private, "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0"),
            (Private, "192.168.255.255 fc00:: fdff:ffff::1 fec0::1 feff::1 64:ff9b:1::8.8.8.8"),
            (Private, "64:ff9b::10.1.2.3 fd00:ec2::255"),
            (LinkLocal, "169.254.0.0 169.254.169.253 169.254.255.255 fe80::1 febf::1"),
            (Metadata, "169.254.169.254 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192"),
            (Metadata, "fd00:ec2::254 fd20:ce::254 64:ff9b::169.254.169.254"),
            (Shared, "100.64.0.0 100.127.255.255"),
            (Multicast, "224.0.0.1 239.255.255.255 ff02::1 ffff::1"),
            (Broadcast, "255.255.255.255"),
            (Unspecified, "0.0.0.0 ::"),
            (Documentation, "192.0.2.1 198.51.100.1 203.0.113.255 2001:db8::1 3fff::1 3fff:fff::1"),
            (Embedded, "::ffff:127.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 ::2 ::ffff:0:10.0.0.1"),
            (Embedded, "2002:7f00:1::1 2001:0:1::1 2a00::5efe:a00:1 2a00::200:5efe:a00:1"),
            (Reserved, "0.0.0.1 0.255.255.255 192.0.0.1 192.0.0.255 192.88.99.1 198.18.0.0"),
            (Reserved, "198.19.255.255 240.0.0.0 255.255.255.254 100::1 2001:1::1 2001:1ff::1"),
            (Reserved, "5f00::1 4000::1 1fff::1 fbff::1 fe00::1 64:ff9b:2::1 0:0:1::1"),
        ] {
            for address in addresses.split(' ') {
                assert_eq!(AddressKind::of(address.parse().unwrap()), kind, "{address}");
            }
        }
    }
}
