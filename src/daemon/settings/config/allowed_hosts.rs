//! The permitted targets of webhooks (CONTRACTS 1, `notify.allowed_hosts`): hosts that the feed
//! file names, and of a host's addresses only those in a permitted network. Nothing is resolved
//! here: addresses are passed in as values, just before a connection to one of them is made.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

use super::secret::is_local;

/// The permitted hosts of webhooks.
#[derive(Debug, Clone, Default)]
pub struct AllowedHosts {
    /// The only hosts that a webhook may name; `None`: those of the configured webhooks.
    allowed: Option<Vec<String>>,
    /// Hosts that may have addresses in a private network.
    private: Vec<String>,
}

/// The network of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Network {
    /// The public network.
    Public,
    /// The network of an organisation.
    Private,
    /// This machine.
    Loopback,
    /// A network to which webhooks are never sent, and its name.
    Never(&'static str),
}

/// Services of clouds that give a machine its own credentials; those of other clouds have
/// link-local addresses.
const METADATA: [Ipv4Addr; 3] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];

impl AllowedHosts {
    /// From these lists, each with the path of its key.
    ///
    /// # Errors
    /// The key of an entry that is no host, and what is wrong with it.
    pub fn new(
        allowed: Option<&[String]>,
        private: &[String],
    ) -> std::result::Result<AllowedHosts, (&'static str, &'static str)> {
        let text = "write a list of hosts, without scheme, port and path: [\"hooks.example\", \"10.1.2.3\"]";
        let hosts = |key, entries: &[String]| {
            entries
                .iter()
                .map(|entry| host(entry).ok_or((key, text)))
                .collect::<std::result::Result<Vec<_>, _>>()
        };
        let allowed = allowed
            .map(|entries| hosts("notify.allowed_hosts", entries))
            .transpose()?;
        Ok(AllowedHosts {
            allowed,
            private: hosts("notify.private_hosts", private)?,
        })
    }

    /// The same, if a host that the feed file names as a proxy may be in a private network.
    #[must_use]
    pub fn with_private(mut self, host: &str) -> AllowedHosts {
        self.private.push(host.to_owned());
        self
    }

    /// The address of a webhook for connecting, if a webhook may go there according to the text of
    /// the address.
    ///
    /// # Errors
    /// Why it may not, without any part of the address except its host.
    pub fn url(&self, address: &str) -> std::result::Result<Url, String> {
        let url = Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some((url, host)) =
            url.and_then(|url| url.host_str().map(str::to_owned).map(|host| (url, host)))
        else {
            return Err(
                "this is not a web address: write one that begins with https://".to_owned(),
            );
        };
        if self
            .allowed
            .as_ref()
            .is_some_and(|allowed| !allowed.contains(&host))
        {
            return Err(format!(
                "the host {host} is not in `notify.allowed_hosts`: add it, or write another address"
            ));
        }
        match literal(&host).map(|address| self.permits(&host, address)) {
            Some(Err(why)) => Err(why),
            Some(Ok(())) | None => Ok(url),
        }
    }

    /// Checks that a webhook with this host may be sent to this address.
    ///
    /// # Errors
    /// Why it may not, and what to do.
    pub fn permits(&self, host: &str, address: IpAddr) -> std::result::Result<(), String> {
        let is_named =
            literal(host) == Some(address) || self.private.iter().any(|private| private == host);
        match network(address) {
            Network::Public => Ok(()),
            Network::Loopback if is_local(bare(host)) => Ok(()),
            Network::Private if is_named => Ok(()),
            Network::Never(what) => Err(format!(
                "{} is {what}: no webhook is sent there",
                shown(host, address)
            )),
            Network::Loopback => Err(format!(
                "{} is this machine, but the address does not say so: write localhost if that is intended",
                shown(host, address)
            )),
            Network::Private => Err(format!(
                "{} is in a private network: add {} to `notify.private_hosts` if that is intended",
                shown(host, address),
                bare(host)
            )),
        }
    }
}

/// A host and its address, in words; they may be equal.
fn shown(host: &str, address: IpAddr) -> String {
    if literal(host).is_some() {
        address.to_string()
    } else {
        format!("{host}, at {address},")
    }
}

/// A host as in web addresses, without the brackets of IPv6.
fn bare(host: &str) -> &str {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}

/// The address, if the host is written as one.
fn literal(host: &str) -> Option<IpAddr> {
    bare(host).parse().ok()
}

/// An entry of a list in the form of web addresses: in lower case, in ASCII, IPv6 in brackets.
fn host(entry: &str) -> Option<String> {
    let entry = match entry.parse::<Ipv6Addr>() {
        Ok(address) => format!("[{address}]"),
        Err(_) => entry.to_owned(),
    };
    let plain = !entry.is_empty()
        && !entry.contains(['/', '\\', '?', '#', '@', '*'])
        && entry.trim() == entry;
    let url = Url::parse(&format!("https://{entry}/"))
        .ok()
        .filter(|url| plain && url.port().is_none())?;
    // An entry with a port is refused even if it is the default port of https.
    let host = url.host_str()?.to_owned();
    (entry.starts_with('[') || !entry.contains(':')).then_some(host)
}

fn network(address: IpAddr) -> Network {
    match address {
        IpAddr::V4(address) => network_of_v4(address),
        IpAddr::V6(address) => match inner(address) {
            Some(inner) => network_of_v4(inner),
            None => network_of_v6(address),
        },
    }
}

/// The IPv4 address that an IPv6 address leads to: mapped, compatible, by NAT64, by 6to4.
fn inner(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, high, low] = address.segments();
    let joined = |high: u16, low: u16| Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => joined(high, low),
        [0, 0, 0, 0, 0, 0] if high != 0 || low > 1 => joined(high, low),
        [0x2002, ..] => joined(b, c),
        _ => None,
    }
}

fn network_of_v4(address: Ipv4Addr) -> Network {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        _ if METADATA.contains(&address) => {
            Network::Never("a service of a cloud for its own machines")
        }
        (0, ..) => Network::Never("not the address of a host"),
        (127, ..) => Network::Loopback,
        (169, 254, _) => Network::Never("link-local, where clouds keep credentials"),
        (224..=239, ..) => Network::Never("a multicast address"),
        (240..=255, ..) => Network::Never("reserved or a broadcast address"),
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => Network::Private,
        // Between customers and their provider; for tests of networks; for protocols.
        (100, 64..=127, _) | (198, 18..=19, _) | (192, 0, 0) => Network::Private,
        _ => Network::Public,
    }
}

fn network_of_v6(address: Ipv6Addr) -> Network {
    let segments = address.segments();
    match segments[0] {
        _ if address.is_unspecified() => Network::Never("not the address of a host"),
        _ if address.is_loopback() => Network::Loopback,
        0xfe80..=0xfebf => Network::Never("link-local, where clouds keep credentials"),
        0xff00..=0xffff => Network::Never("a multicast address"),
        0xfd00 if segments[1] == 0xec2 => {
            Network::Never("a service of a cloud for its own machines")
        }
        0xfd20 if segments[1] == 0xce => {
            Network::Never("a service of a cloud for its own machines")
        }
        // Unique local addresses, and the obsolete site-local ones.
        0xfc00..=0xfdff | 0xfec0..=0xfeff => Network::Private,
        // NAT64 within an organisation.
        0x64 if segments[1] == 0xff9b => Network::Private,
        _ => Network::Public,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permitted(host: &str, address: &str, private: &[&str]) -> bool {
        let private: Vec<String> = private.iter().map(|&host| host.to_owned()).collect();
        let reach = AllowedHosts::new(None, &private).expect("hosts");
        reach
            .permits(host, address.parse().expect("an address"))
            .is_ok()
    }

    /// In every form in which such an address can be written, whatever the feed file names.
    #[test]
    fn addresses_that_no_webhook_is_sent_to() {
        for address in [
            "169.254.169.254",
            "169.254.0.1",
            "::ffff:169.254.169.254",
            "::169.254.169.254",
            "64:ff9b::169.254.169.254",
            "2002:a9fe:a9fe::1",
            "fe80::1",
            "febf::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "0.0.0.0",
            "0.1.2.3",
            "::",
            "::ffff:0.0.0.0",
            "224.0.0.1",
            "239.255.255.250",
            "ff02::1",
            "255.255.255.255",
            "240.0.0.1",
            "::ffff:255.255.255.255",
        ] {
            for host in ["hooks.example", "localhost", address] {
                assert!(
                    !permitted(host, address, &["hooks.example", "localhost", address]),
                    "{host} at {address}"
                );
            }
        }
    }

    #[test]
    fn loopback_is_for_addresses_that_say_so() {
        for address in [
            "127.0.0.1",
            "127.8.9.10",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::127.0.0.1",
        ] {
            assert!(permitted("localhost", address, &[]), "{address}");
            assert!(permitted("127.0.0.1", address, &[]), "{address}");
            assert!(permitted("[::1]", address, &[]), "{address}");
            assert!(
                !permitted("hooks.example", address, &["hooks.example"]),
                "{address}"
            );
            assert!(!permitted("10.1.2.3", address, &[]), "{address}");
        }
    }

    #[test]
    fn private_networks_are_for_hosts_that_are_named_for_it() {
        for address in [
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.1",
            "192.168.1.1",
            "100.64.0.1",
            "fd12:3456::1",
            "fec0::1",
        ] {
            assert!(!permitted("hooks.example", address, &[]), "{address}");
            assert!(
                !permitted("hooks.example", address, &["other.example"]),
                "{address}"
            );
            assert!(
                permitted("hooks.example", address, &["Hooks.Example"]),
                "{address}"
            );
            // An address that is written in the webhook is intended.
            let host = if address.contains(':') {
                format!("[{address}]")
            } else {
                address.to_owned()
            };
            assert!(permitted(&host, address, &[]), "{address}");
        }
        for address in [
            "192.0.2.1",
            "172.32.0.1",
            "8.8.8.8",
            "2001:db8::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert!(permitted("hooks.example", address, &[]), "{address}");
        }
    }

    #[test]
    fn a_web_address_is_read_as_it_is_connected_to() {
        let reach = AllowedHosts::new(None, &[]).expect("no hosts");
        for address in [
            "https://hooks.example/a?b",
            "http://localhost:1/",
            "http://127.0.0.1/",
            "https://10.1.2.3/",
        ] {
            assert!(reach.url(address).is_ok(), "{address}");
        }
        for address in [
            "http://169.254.169.254/latest/meta-data/",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "https://[::ffff:169.254.169.254]/",
            "https://[::ffff:a9fe:a9fe]/",
            "https://u:hunter2@169.254.169.254/hunter2?hunter2",
            "http://0/",
            "http://255.255.255.255/",
            "ftp://hooks.example/hunter2",
            "hunter2",
        ] {
            let why = reach.url(address).expect_err(address);
            assert!(!why.contains("hunter2"), "{why}");
        }
    }

    #[test]
    fn hosts_of_a_list_are_all_there_are() {
        let list = |hosts: &[&str]| {
            hosts
                .iter()
                .map(|&host| host.to_owned())
                .collect::<Vec<_>>()
        };
        let allowed = list(&["Hooks.Example", "bücher.example", "10.1.2.3", "2001:DB8::1"]);
        let reach = AllowedHosts::new(Some(&allowed), &[]).expect("hosts");
        for address in [
            "https://hooks.example/x",
            "https://HOOKS.example:8443/",
            "https://xn--bcher-kva.example/",
            "https://10.1.2.3/",
            "https://[2001:db8::1]/",
        ] {
            assert!(reach.url(address).is_ok(), "{address}");
        }
        for address in [
            "https://hooks.example.evil.example/",
            "https://evil.example/hooks.example",
            "https://hooks.example@evil.example/",
            "https://evil.example#hooks.example",
            "https://localhost/",
            "https://sub.hooks.example/",
        ] {
            let why = reach.url(address).expect_err(address);
            assert!(why.contains("is not in `notify.allowed_hosts`"), "{why}");
        }
        assert!(
            AllowedHosts::new(Some(&[]), &[])
                .expect("none")
                .url("https://hooks.example/")
                .is_err()
        );
        for entry in [
            "",
            "https://hooks.example",
            "hooks.example:443",
            "hooks.example/",
            "*.example",
            "a@b",
            " a",
            "a b",
        ] {
            for [allowed, private] in [[Some(list(&[entry])), None], [None, Some(list(&[entry]))]] {
                let refused = AllowedHosts::new(allowed.as_deref(), &private.unwrap_or_default());
                assert!(refused.is_err(), "{entry:?}");
            }
        }
    }
}
