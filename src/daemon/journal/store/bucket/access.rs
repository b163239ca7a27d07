//! The access to a bucket: its address, and the environment's settings for endpoint, region and credentials. Each root
//! may have its own, so `TIDEGATE_PRIVATE_AWS_…` and `TIDEGATE_PUBLIC_AWS_…` take precedence over `AWS_…` (likewise
//! `GOOGLE_…` and `AZURE_…`). Never prints a value.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use super::super::fitting;
use crate::daemon::error::{Error, ErrorCategory, Result};

/// The service of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BucketService {
    /// S3 and compatible services.
    Aws,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

impl BucketService {
    /// The prefix of its variables.
    pub fn prefix(self) -> &'static str {
        match self {
            BucketService::Aws => "AWS_",
            BucketService::Google => "GOOGLE_",
            BucketService::Azure => "AZURE_",
        }
    }
}

/// A bucket and the folder in it. Contains no secret: only names fit in.
#[derive(Debug, Clone)]
pub struct BucketAddress {
    /// The service.
    pub keeper: BucketService,
    /// The bucket.
    pub bucket: String,
    /// The folder, without `/` at either end; empty for the whole bucket.
    pub folder: String,
    /// As it was written.
    pub written: String,
}

impl BucketAddress {
    /// Reads `s3://bucket/folder` and the like.
    pub fn parse(url: &str) -> Result<BucketAddress> {
        let wrong = || {
            let text = "is not the place of a store: write s3://, gs:// or az://, a bucket and a folder, of letters, \
                        digits, `.`, `_` and `-`; credentials come from the environment";
            Error::new(ErrorCategory::Feed, text)
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
        let keeper = match scheme {
            "s3" => BucketService::Aws,
            "gs" => BucketService::Google,
            "az" => BucketService::Azure,
            _ => return Err(wrong()),
        };
        let (bucket, folder) = rest.split_once('/').unwrap_or((rest, ""));
        let folder = folder.trim_end_matches('/');
        if fitting(bucket).is_err() || (!folder.is_empty() && fitting(folder).is_err()) {
            return Err(wrong());
        }
        let (bucket, folder) = (bucket.to_owned(), folder.to_owned());
        Ok(BucketAddress { keeper, bucket, folder, written: url.trim_end_matches('/').to_owned() })
    }
}

/// The environment's settings for one of the two roots.
#[derive(Clone)]
pub struct Variables {
    /// `TIDEGATE_PRIVATE_` or `TIDEGATE_PUBLIC_`.
    own: &'static str,
    all: BTreeMap<String, String>,
}

impl Variables {
    /// The variables of this process.
    pub fn of_process(private: bool) -> Variables {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Variables::new(private, std::env::vars_os().filter_map(text))
    }

    /// These variables and no others.
    pub fn new(private: bool, all: impl IntoIterator<Item = (String, String)>) -> Variables {
        let own = if private { "TIDEGATE_PRIVATE_" } else { "TIDEGATE_PUBLIC_" };
        Variables { own, all: all.into_iter().collect() }
    }

    /// The prefix of the variables for this root alone.
    pub fn own(&self) -> &'static str {
        self.own
    }

    /// The variables of a service, by their common names in lower case. Those for this root alone take precedence, and
    /// with one of them all of its group: half of other credentials would be useless.
    pub fn of(&self, keeper: BucketService) -> BTreeMap<String, String> {
        let under = |prefix: String| {
            let cut = prefix.len() - keeper.prefix().len();
            self.all
                .iter()
                .filter(move |(name, _)| name.starts_with(&prefix))
                .map(move |(name, value)| (name[cut..].to_ascii_lowercase(), value.clone()))
        };
        let own: BTreeMap<String, String> = under(format!("{}{}", self.own, keeper.prefix())).collect();
        let taken: BTreeSet<&str> = own.keys().map(|name| group(name)).collect();
        let shared = under(keeper.prefix().to_owned()).filter(|(name, _)| !taken.contains(group(name)));
        let mut all: BTreeMap<String, String> = shared.collect();
        all.extend(own);
        all
    }
}

impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Variables({} of {}…)", self.all.len(), self.own)
    }
}

/// The group of a variable; most are groups of their own.
fn group(name: &str) -> &str {
    match name {
        "aws_region" | "aws_default_region" => "aws region",
        "aws_endpoint" | "aws_endpoint_url" | "aws_endpoint_url_s3" => "aws endpoint",
        "aws_access_key_id"
        | "aws_secret_access_key"
        | "aws_session_token"
        | "aws_token"
        | "aws_web_identity_token_file"
        | "aws_role_arn"
        | "aws_role_session_name"
        | "aws_container_credentials_relative_uri"
        | "aws_container_credentials_full_uri"
        | "aws_container_authorization_token_file"
        | "aws_skip_signature" => "aws credentials",
        "google_base_url" | "azure_storage_endpoint" | "azure_endpoint" | "azure_storage_use_emulator" => "endpoint",
        name if name.starts_with("google_") && !name.ends_with("_http") => "google credentials",
        name if name.starts_with("azure_") && !name.ends_with("_http") => "azure credentials",
        name => name,
    }
}

/// The settings of a client: those of the environment, then those that this program requires.
pub fn settings(address: &BucketAddress, variables: &Variables, times: &Times) -> Result<BTreeMap<String, String>> {
    let mut settings = variables.of(address.keeper);
    let prefix = address.keeper.prefix();
    let small = prefix.to_ascii_lowercase();
    let plain =
        settings.iter().filter(|(name, value)| group(name).ends_with("endpoint") && value.starts_with("http://"));
    let plain: Vec<&str> = plain.map(|(_, value)| value.as_str()).collect();
    let allow = format!("{small}allow_http");
    if !settings.get(&allow).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        if !plain.iter().all(|url| stays_here(url)) {
            let text = format!(
                "the store at {} would be reached without encryption: name an https:// endpoint, or set {prefix}ALLOW_HTTP \
                 to true",
                address.written
            );
            return Err(Error::new(ErrorCategory::Usage, text));
        }
        settings.insert(allow, (!plain.is_empty()).to_string());
    }
    let time = |time: Duration| format!("{}ms", time.as_millis());
    settings.insert(format!("{small}connect_timeout"), time(times.connect));
    settings.insert(format!("{small}timeout"), time(times.whole));
    if address.keeper == BucketService::Aws {
        settings.insert("aws_conditional_put".to_owned(), "etag".to_owned());
        // Not every service supports it, and only single objects are removed here.
        settings.insert("aws_disable_bulk_delete".to_owned(), "true".to_owned());
    }
    Ok(settings)
}

/// The timeouts for a bucket.
#[derive(Debug, Clone, Copy)]
pub struct BucketTimeouts {
    /// For a connection.
    pub connect: Duration,
    /// For an answer.
    pub answer: Duration,
    /// The pause before an unclear result is checked, and before the second attempt.
    pub pause: Duration,
    /// The time after which a read or a list fails.
    pub give_up: Duration,
}

impl Default for BucketTimeouts {
    fn default() -> BucketTimeouts {
        BucketTimeouts {
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(30),
            pause: Duration::from_millis(500),
            give_up: Duration::from_secs(60),
        }
    }
}

/// The timeouts of a client.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// For a connection.
    pub connect: Duration,
    /// For a request including its whole answer.
    pub whole: Duration,
}

/// Whether an unencrypted address leads to this machine.
fn stays_here(url: &str) -> bool {
    let host = url.trim_start_matches("http://").split(['/', '?', '#']).next().unwrap_or("");
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    };
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times = Times { connect: Duration::ZERO, whole: Duration::ZERO };

    fn variables(private: bool, all: &[(&str, &str)]) -> Variables {
        Variables::new(private, all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
    }

    #[test]
    fn addresses_hold_names_and_nothing_else() {
        let address = BucketAddress::parse("s3://a-bucket/some/where/").expect("an address");
        assert_eq!((address.bucket.as_str(), address.folder.as_str()), ("a-bucket", "some/where"));
        assert_eq!(BucketAddress::parse("gs://b").map(|address| address.folder).ok().as_deref(), Some(""));
        for wrong in ["s3://", "s3:///a", "ftp://a", "s3://key:secret@a", "s3://a/b?c", "az://a/../b", "a/b"] {
            let error = BucketAddress::parse(wrong).expect_err(wrong).to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn each_root_may_have_its_own_credentials() {
        let all = [
            ("AWS_ACCESS_KEY_ID", "shared"),
            ("AWS_SECRET_ACCESS_KEY", "shared"),
            ("AWS_SESSION_TOKEN", "shared"),
            ("AWS_DEFAULT_REGION", "shared"),
            ("AWS_ENDPOINT_URL", "shared"),
            ("TIDEGATE_PUBLIC_AWS_ACCESS_KEY_ID", "own"),
            ("TIDEGATE_PUBLIC_AWS_SECRET_ACCESS_KEY", "own"),
            ("TIDEGATE_PUBLIC_AWS_REGION", "own"),
            ("GOOGLE_BEARER_TOKEN", "other"),
        ];
        let public = variables(false, &all).of(BucketService::Aws);
        let shown: Vec<_> = public.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let expected = ["access_key_id=own", "endpoint_url=shared", "region=own", "secret_access_key=own"];
        assert_eq!(shown, expected.map(|text| format!("aws_{text}")));
        let private = variables(true, &all).of(BucketService::Aws);
        assert_eq!(private.len(), 5);
        assert!(private.values().all(|value| value == "shared"));
        assert!(!format!("{:?}", variables(true, &all)).contains("shared"));
    }

    #[test]
    fn without_encryption_only_to_this_machine() {
        let address = BucketAddress::parse("s3://a").expect("an address");
        let allowed = |all: &[(&str, &str)]| {
            settings(&address, &variables(true, all), &TIMES).map(|settings| settings["aws_allow_http"].clone()).ok()
        };
        for here in ["http://127.0.0.1:9000", "http://localhost/", "http://[::1]:80/a"] {
            assert_eq!(allowed(&[("AWS_ENDPOINT_URL", here)]).as_deref(), Some("true"), "{here}");
        }
        let there = "http://localhost.example.org:9000";
        assert_eq!(allowed(&[("AWS_ENDPOINT_URL", there)]), None);
        assert_eq!(allowed(&[("AWS_ENDPOINT_URL", "http://127.0.0.1@example.org")]), None);
        assert_eq!(allowed(&[("AWS_ENDPOINT_URL", there), ("AWS_ALLOW_HTTP", "true")]).as_deref(), Some("true"));
        assert_eq!(allowed(&[("AWS_ENDPOINT_URL", "https://example.org")]).as_deref(), Some("false"));
    }
}
