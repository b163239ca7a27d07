//! The secrets of a feed file (CONTRACTS 1 and 5): the file names their places, and they are only
//! read when they are used. Nothing here prints a secret, and nothing reads one before
//! [`Secret::read`] is called.

use std::fmt;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::error::{Error, ErrorCategory, Result};
use crate::small_file::{self, Readers};

/// The place of a secret: `file:path` or `${NAME}`. A feed file never contains the secret itself.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Secret(SecretPlace);

#[derive(Clone, PartialEq, Eq)]
enum SecretPlace {
    In(PathBuf),
    Env(String),
}

impl Secret {
    /// The secret in a file that an option names.
    pub fn file(file: PathBuf) -> Secret {
        Secret(SecretPlace::In(file))
    }

    /// Reads the secret, without surrounding white space.
    ///
    /// # Errors
    /// The file cannot be read, other accounts can read it, or the variable is not set; the message
    /// names only the place.
    pub fn read(&self) -> Result<String> {
        let secret = match &self.0 {
            SecretPlace::In(file) => small_file::secret(file, "read the secret", Readers::Group)?,
            SecretPlace::Env(name) => std::env::var(name).map(Zeroizing::new).map_err(|_| {
                Error::new(
                    ErrorCategory::Usage,
                    format!("the environment variable {name} is not set"),
                )
            })?,
        };
        Ok(secret.trim().to_owned())
    }

    /// Makes the path of a file relative to `base`.
    #[must_use]
    pub fn under(self, base: &Path) -> Secret {
        match self.0 {
            SecretPlace::In(file) => Secret(SecretPlace::In(base.join(file))),
            SecretPlace::Env(name) => Secret(SecretPlace::Env(name)),
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
        let wrong = "is a secret, which must not be in a feed file: write \"file:path\", or \"${NAME}\" for an \
                     environment variable";
        if let Some(file) = text.strip_prefix("file:").filter(|file| !file.is_empty()) {
            return Ok(Secret(SecretPlace::In(file.into())));
        }
        let name = text
            .strip_prefix("${")
            .and_then(|text| text.strip_suffix('}'))
            .ok_or(wrong)?;
        let letter = |at: usize, char: char| {
            char == '_' || char.is_ascii_alphabetic() || (at > 0 && char.is_ascii_digit())
        };
        let is_name =
            !name.is_empty() && name.chars().enumerate().all(|(at, char)| letter(at, char));
        if is_name {
            Ok(Secret(SecretPlace::Env(name.to_owned())))
        } else {
            Err(wrong.to_owned())
        }
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

/// A web address. The part after the host often contains a token, so it counts as a secret: it may
/// be written in the feed file, is never printed, and may be in another place like a [`Secret`].
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum WebAddress {
    /// Written in the feed file.
    Plain(String),
    /// In another place.
    Secret(Secret),
}

impl WebAddress {
    /// `https` or `http`, and the host; `None` if the address is in another place.
    pub fn host(&self) -> Option<(&str, &str)> {
        let WebAddress::Plain(text) = self else {
            return None;
        };
        parts(text)
    }

    /// The address itself.
    ///
    /// # Errors
    /// It is in another place and cannot be read.
    pub fn read(&self) -> Result<String> {
        match self {
            WebAddress::Plain(text) => Ok(text.clone()),
            WebAddress::Secret(secret) => secret.read(),
        }
    }

    /// Makes the path of its file, if it has one, relative to `base`.
    #[must_use]
    pub fn under(self, base: &Path) -> WebAddress {
        match self {
            WebAddress::Plain(text) => WebAddress::Plain(text),
            WebAddress::Secret(secret) => WebAddress::Secret(secret.under(base)),
        }
    }
}

/// The scheme and the host of a web address.
pub fn parts(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    Some((scheme, host_of(host)))
}

/// `host` of `host:port`, `[::1]:port` or `host`.
pub(super) fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => authority.split(':').next().unwrap_or(authority),
    }
}

/// Whether a host is this machine.
pub fn is_local(host: &str) -> bool {
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

impl fmt::Debug for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host() {
            Some((scheme, host)) => write!(f, "Address({scheme}://{host}/..)"),
            None => f.write_str("Address(..)"),
        }
    }
}

impl TryFrom<String> for WebAddress {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<WebAddress, String> {
        if let Ok(secret) = Secret::try_from(text.clone()) {
            return Ok(WebAddress::Secret(secret));
        }
        let address = WebAddress::Plain(text);
        match address.host() {
            Some(("http" | "https", host)) if !host.is_empty() => Ok(address),
            _ => Err("must be a web address such as \"https://host/path\", or \"file:path\" or \"${NAME}\", which \
                    contain one"
                .to_owned()),
        }
    }
}

impl JsonSchema for WebAddress {
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

#[cfg(test)]
mod tests {
    use super::{Secret, WebAddress};

    #[test]
    fn secrets_do_not_print() {
        let secret = Secret::try_from("${PLANTED}".to_owned()).expect("a place");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        let address =
            WebAddress::try_from("https://user:planted@hooks.example/planted?planted".to_owned())
                .expect("one");
        assert_eq!(format!("{address:?}"), "Address(https://hooks.example/..)");
        for text in ["hunter2", "${", "${}", "${1A}", "file:", "${A B}"] {
            let refused = Secret::try_from(text.to_owned()).expect_err("no place of a secret");
            assert!(!refused.contains("hunter2"));
        }
    }
}
