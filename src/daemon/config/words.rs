//! The small words of a feed file (CONTRACTS 1): periods such as `30d`, secrets that are named and not written, roots of
//! a store, addresses. Each is checked when it is parsed and remembers what was written.
//!
//! Nothing here reads a secret before [`Secret::read`] is called, and nothing prints one.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::daemon::error::{Error, Kind, Result};

/// A length of time as it is written: a whole number and `s`, `m`, `h`, `d` or `w`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Period(Duration);

/// Units, largest first.
const UNITS: [(char, u64); 5] = [('w', 604_800), ('d', 86_400), ('h', 3600), ('m', 60), ('s', 1)];

impl Period {
    /// So many days.
    pub const fn days(days: u64) -> Period {
        Period(Duration::from_secs(days * 86_400))
    }

    /// So many seconds.
    pub const fn seconds(seconds: u64) -> Period {
        Period(Duration::from_secs(seconds))
    }

    /// The length.
    pub const fn get(self) -> Duration {
        self.0
    }

    /// Whether it is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0.is_zero()
    }
}

impl TryFrom<String> for Period {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Period, String> {
        let wrong = || "is a length of time: a whole number and s, m, h, d or w, such as \"90m\" or \"30d\"".to_owned();
        let unit = text.chars().next_back().ok_or_else(wrong)?;
        let (_, seconds) = UNITS.into_iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        let count = &text[..text.len() - 1];
        if count.is_empty() || !count.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let total = count.parse::<u64>().ok().and_then(|count| count.checked_mul(seconds));
        let total = total.filter(|total| *total <= 100 * 366 * 86_400).ok_or("is longer than a hundred years")?;
        Ok(Period(Duration::from_secs(total)))
    }
}

impl From<Period> for String {
    fn from(period: Period) -> String {
        period.to_string()
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.0.as_secs();
        let fitting = |(_, seconds): &(char, u64)| total != 0 && total.is_multiple_of(*seconds);
        let (name, seconds) = UNITS.into_iter().find(fitting).unwrap_or(('s', 1));
        write!(f, "{}{name}", total / seconds)
    }
}

impl JsonSchema for Period {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Period".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+[smhdw]$" })
    }
}

/// Where a secret lies: `file:path` or `${NAME}`. The secret itself never stands in a feed file.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Secret(Lies);

#[derive(Clone, PartialEq, Eq)]
enum Lies {
    In(PathBuf),
    Env(String),
}

impl Secret {
    /// Reads the secret, without white space around it.
    ///
    /// # Errors
    /// The file cannot be read, the variable is not set; the message names the place only.
    pub fn read(&self) -> Result<String> {
        let secret = match &self.0 {
            Lies::In(file) => {
                std::fs::read_to_string(file).map_err(|error| Error::io(file, "read the secret", &error))?
            }
            Lies::Env(name) => std::env::var(name)
                .map_err(|_| Error::new(Kind::Usage, format!("the environment variable {name} is not set")))?,
        };
        Ok(secret.trim().to_owned())
    }

    /// A file of this name lies relative to `base`.
    #[must_use]
    pub fn under(self, base: &Path) -> Secret {
        match self.0 {
            Lies::In(file) => Secret(Lies::In(base.join(file))),
            Lies::Env(name) => Secret(Lies::Env(name)),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl TryFrom<String> for Secret {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Secret, String> {
        let wrong = "holds a secret, which never stands in a feed file: write \"file:path\", or \"${NAME}\" for an \
                     environment variable";
        if let Some(file) = text.strip_prefix("file:").filter(|file| !file.is_empty()) {
            return Ok(Secret(Lies::In(file.into())));
        }
        let name = text.strip_prefix("${").and_then(|text| text.strip_suffix('}')).ok_or(wrong)?;
        let letter =
            |at: usize, char: char| char == '_' || char.is_ascii_alphabetic() || (at > 0 && char.is_ascii_digit());
        let is_name = !name.is_empty() && name.chars().enumerate().all(|(at, char)| letter(at, char));
        if is_name { Ok(Secret(Lies::Env(name.to_owned()))) } else { Err(wrong.to_owned()) }
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "pattern": "^(file:.+|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\})$", "writeOnly": true
        })
    }
}

/// A web address. What follows the host often holds a token, so it counts as a secret: it may be written, is never
/// printed, and may lie elsewhere like a [`Secret`].
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Address {
    /// As written.
    Plain(String),
    /// Elsewhere.
    Secret(Secret),
}

impl Address {
    /// `https` or `http`, and the host; `None` while it lies elsewhere.
    pub fn host(&self) -> Option<(&str, &str)> {
        let Address::Plain(text) = self else { return None };
        let (scheme, rest) = text.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        Some((scheme, host_of(host)))
    }

    /// A file it may lie in is relative to `base`.
    #[must_use]
    pub fn under(self, base: &Path) -> Address {
        match self {
            Address::Plain(text) => Address::Plain(text),
            Address::Secret(secret) => Address::Secret(secret.under(base)),
        }
    }
}

/// `host` of `host:port`, `[::1]:port` or `host`.
pub fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => authority.split(':').next().unwrap_or(authority),
    }
}

/// Whether a host is this machine.
pub fn is_local(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host() {
            Some((scheme, host)) => write!(f, "Address({scheme}://{host}/..)"),
            None => f.write_str("Address(..)"),
        }
    }
}

impl TryFrom<String> for Address {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Address, String> {
        if let Ok(secret) = Secret::try_from(text.clone()) {
            return Ok(Address::Secret(secret));
        }
        let address = Address::Plain(text);
        match address.host() {
            Some(("http" | "https", host)) if !host.is_empty() => Ok(address),
            _ => {
                Err("is a web address: \"https://host/path\", or \"file:path\" or \"${NAME}\" where it lies".to_owned())
            }
        }
    }
}

impl JsonSchema for Address {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Address".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^(https?://|file:|\\$\\{)", "writeOnly": true })
    }
}

/// Where a store lies: a directory, or a bucket.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Root {
    /// A directory on this machine.
    Directory(PathBuf),
    /// `s3://bucket/prefix`, `gs://…`, `az://…`
    Bucket(String),
}

impl Root {
    /// A directory lies relative to `base`.
    #[must_use]
    pub fn under(self, base: &Path) -> Root {
        match self {
            Root::Directory(directory) => Root::Directory(base.join(directory)),
            Root::Bucket(bucket) => Root::Bucket(bucket),
        }
    }

    /// Whether one of the two is the other or lies inside it.
    pub fn overlaps(&self, other: &Root) -> bool {
        let parts = |root: &Root| -> (bool, Vec<String>) {
            let (bucket, text) = match root {
                Root::Directory(directory) => (false, directory.to_string_lossy().into_owned()),
                Root::Bucket(bucket) => (true, bucket.clone()),
            };
            let parts = text.split('/').filter(|part| !part.is_empty() && *part != ".");
            (bucket || text.starts_with('/'), parts.map(str::to_owned).collect())
        };
        let (mine, theirs) = (parts(self), parts(other));
        mine.0 == theirs.0 && mine.1.iter().zip(&theirs.1).all(|(a, b)| a == b)
    }
}

impl TryFrom<String> for Root {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Root, String> {
        match text.split_once("://") {
            None if text.is_empty() => Err("is empty: write a directory, or \"s3://bucket/prefix\"".to_owned()),
            None => Ok(Root::Directory(text.into())),
            Some(("s3" | "gs" | "az", rest)) if !rest.is_empty() && !rest.starts_with('/') => Ok(Root::Bucket(text)),
            Some(_) => {
                Err("is no place of a store: write a directory, or s3://, gs:// or az:// and a bucket".to_owned())
            }
        }
    }
}

impl JsonSchema for Root {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Root".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, Period, Root, Secret};

    #[test]
    fn periods_come_back_as_they_mean() {
        for (written, shown) in [("1d", "1d"), ("24h", "1d"), ("90m", "90m"), ("2s", "2s"), ("14d", "2w"), ("0s", "0s")]
        {
            assert_eq!(Period::try_from(written.to_owned()).map(|period| period.to_string()), Ok(shown.to_owned()));
        }
        for text in ["", "d", "1", "1.5h", "-1d", "1 d", "1y", "99999999999999999999s", "9999w", "1µ"] {
            assert!(Period::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn secrets_do_not_print() {
        let secret = Secret::try_from("${PLANTED}".to_owned()).expect("a place");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        let address = Address::try_from("https://user:planted@hooks.example/planted?planted".to_owned()).expect("one");
        assert_eq!(format!("{address:?}"), "Address(https://hooks.example/..)");
        for text in ["hunter2", "${", "${}", "${1A}", "file:", "${A B}"] {
            let refused = Secret::try_from(text.to_owned()).expect_err("no place of a secret");
            assert!(!refused.contains("hunter2"));
        }
    }

    #[test]
    fn one_root_inside_the_other_is_seen() {
        let root = |text: &str| Root::try_from(text.to_owned()).expect("a root");
        assert!(root("a/b").overlaps(&root("a/b/c")));
        assert!(root("./a").overlaps(&root("a/")));
        assert!(!root("a/b").overlaps(&root("a/bc")));
        assert!(!root("s3://one/x").overlaps(&root("s3://two/x")));
        assert!(root("s3://one").overlaps(&root("s3://one/x")));
    }
}
