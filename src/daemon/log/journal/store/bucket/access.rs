//! The access to a bucket: its address, and the environment's settings for endpoint, region and
//! credentials. A variable reaches the client only if it is listed here: the library knows others,
//! by which it would accept any certificate, or send requests unsigned, and which another program
//! may have set for itself. Each root may have its own, so `TIDEGATE_PRIVATE_AWS_…` and
//! `TIDEGATE_PUBLIC_AWS_…` take precedence over `AWS_…` (likewise `GOOGLE_…` and `AZURE_…`). Never
//! prints a value.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use super::super::fitting;
use crate::error::{Error, ErrorCategory, Result};

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

    /// The variables that reach its client, without the prefix.
    fn variables(self) -> &'static [&'static str] {
        match self {
            BucketService::Aws => &AWS,
            BucketService::Google => &GOOGLE,
            BucketService::Azure => &AZURE,
        }
    }
}

/// What of the environment reaches a client, without the prefix of the service. Nothing here
/// weakens a connection.
const AWS: [&str; 21] = [
    "REGION",
    "DEFAULT_REGION",
    "ENDPOINT",
    "ENDPOINT_URL",
    "ENDPOINT_URL_S3",
    "ACCESS_KEY_ID",
    "SECRET_ACCESS_KEY",
    "SESSION_TOKEN",
    "TOKEN",
    "WEB_IDENTITY_TOKEN_FILE",
    "ROLE_ARN",
    "ROLE_SESSION_NAME",
    "CONTAINER_CREDENTIALS_RELATIVE_URI",
    "CONTAINER_CREDENTIALS_FULL_URI",
    "CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "VIRTUAL_HOSTED_STYLE_REQUEST",
    "REQUEST_PAYER",
    "SERVER_SIDE_ENCRYPTION",
    "SSE_KMS_KEY_ID",
    "SSE_BUCKET_KEY_ENABLED",
    "SSE_CUSTOMER_KEY_BASE64",
];
const GOOGLE: [&str; 6] = [
    "APPLICATION_CREDENTIALS",
    "SERVICE_ACCOUNT",
    "SERVICE_ACCOUNT_PATH",
    "SERVICE_ACCOUNT_KEY",
    "BEARER_TOKEN",
    "BASE_URL",
];
const AZURE: [&str; 20] = [
    "STORAGE_ACCOUNT_NAME",
    "STORAGE_ACCOUNT_KEY",
    "STORAGE_ACCESS_KEY",
    "STORAGE_MASTER_KEY",
    "STORAGE_SAS_KEY",
    "STORAGE_SAS_TOKEN",
    "STORAGE_TOKEN",
    "STORAGE_CLIENT_ID",
    "CLIENT_ID",
    "STORAGE_CLIENT_SECRET",
    "CLIENT_SECRET",
    "STORAGE_TENANT_ID",
    "TENANT_ID",
    "STORAGE_AUTHORITY_ID",
    "AUTHORITY_HOST",
    "FEDERATED_TOKEN_FILE",
    "OBJECT_ID",
    "MSI_RESOURCE_ID",
    "STORAGE_ENDPOINT",
    "ENDPOINT",
];
/// Permits an unencrypted endpoint, if it is written for one root: another program may have set the
/// shared variable for itself.
const ALLOW_HTTP: &str = "ALLOW_HTTP";

/// A bucket and the folder in it. Contains no secret: only names fit in.
#[derive(Debug, Clone)]
pub(super) struct BucketAddress {
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
    pub(super) fn parse(url: &str) -> Result<BucketAddress> {
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
        Ok(BucketAddress {
            keeper,
            bucket,
            folder,
            written: url.trim_end_matches('/').to_owned(),
        })
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
        let own = if private {
            "TIDEGATE_PRIVATE_"
        } else {
            "TIDEGATE_PUBLIC_"
        };
        Variables {
            own,
            all: all.into_iter().collect(),
        }
    }

    /// The prefix of the variables for this root alone.
    pub fn own(&self) -> &'static str {
        self.own
    }

    /// The variables of a service, by their common names in lower case. Those for this root alone
    /// take precedence, and with one of them all of its group: half of other credentials would be
    /// useless.
    pub fn of(&self, keeper: BucketService) -> BTreeMap<String, String> {
        let (mut own, mut shared) = (BTreeMap::new(), BTreeMap::new());
        for (name, value) in &self.all {
            let Some((name, is_own)) = self.listed(keeper, name) else {
                continue;
            };
            let settings = if is_own { &mut own } else { &mut shared };
            settings.insert(
                format!("{}{name}", keeper.prefix()).to_ascii_lowercase(),
                value.clone(),
            );
        }
        let taken: BTreeSet<&str> = own.keys().map(|name| group(name)).collect();
        shared.retain(|name, _| !taken.contains(group(name)));
        shared.extend(own);
        shared
    }

    /// The variables of a service that do not reach its client, by their whole names.
    pub fn ignored(&self, keeper: BucketService) -> Vec<String> {
        let of_service = |name: &&String| {
            name.starts_with(keeper.prefix())
                || name
                    .strip_prefix(self.own)
                    .is_some_and(|rest| rest.starts_with(keeper.prefix()))
        };
        let names = self.all.keys().filter(of_service);
        names
            .filter(|name| self.listed(keeper, name).is_none())
            .cloned()
            .collect()
    }

    /// The name of a listed variable without its prefixes, and whether it is for this root alone.
    fn listed<'n>(&self, keeper: BucketService, name: &'n str) -> Option<(&'n str, bool)> {
        let (rest, is_own) = match name.strip_prefix(self.own) {
            Some(rest) => (rest, true),
            None => (name, false),
        };
        let rest = rest.strip_prefix(keeper.prefix())?;
        let is_listed = keeper.variables().contains(&rest) || (is_own && rest == ALLOW_HTTP);
        is_listed.then_some((rest, is_own))
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
        | "aws_container_authorization_token_file" => "aws credentials",
        "google_base_url" | "azure_storage_endpoint" | "azure_endpoint" => "endpoint",
        name if name.starts_with("google_") && !name.ends_with("_http") => "google credentials",
        name if name.starts_with("azure_") && !name.ends_with("_http") => "azure credentials",
        name => name,
    }
}

/// The settings of a client: those of the environment, then those that this program requires.
pub(super) fn settings(
    address: &BucketAddress,
    variables: &Variables,
    times: &Times,
) -> Result<BTreeMap<String, String>> {
    let mut settings = variables.of(address.keeper);
    let prefix = address.keeper.prefix();
    let small = prefix.to_ascii_lowercase();
    let plain = settings
        .iter()
        .filter(|(name, value)| group(name).ends_with("endpoint") && value.starts_with("http://"));
    let plain: Vec<&str> = plain.map(|(_, value)| value.as_str()).collect();
    let allow = format!("{small}allow_http");
    if !settings
        .get(&allow)
        .is_some_and(|value| value.eq_ignore_ascii_case("true"))
    {
        if !plain.iter().all(|url| stays_here(url)) {
            let text = format!(
                "the store at {} would be reached without encryption: name an https:// endpoint, or set \
                 {}{prefix}{ALLOW_HTTP} to true",
                address.written, variables.own
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
pub(super) struct Times {
    /// For a connection.
    pub connect: Duration,
    /// For a request including its whole answer.
    pub whole: Duration,
}

/// Whether an unencrypted address leads to this machine.
fn stays_here(url: &str) -> bool {
    let host = url
        .trim_start_matches("http://")
        .split(['/', '?', '#'])
        .next()
        .unwrap_or("");
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    };
    host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times = Times {
        connect: Duration::ZERO,
        whole: Duration::ZERO,
    };

    fn variables(private: bool, all: &[(&str, &str)]) -> Variables {
        Variables::new(
            private,
            all.iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        )
    }

    #[test]
    fn addresses_hold_names_and_nothing_else() {
        let address = BucketAddress::parse("s3://a-bucket/some/where/").expect("an address");
        assert_eq!(
            (address.bucket.as_str(), address.folder.as_str()),
            ("a-bucket", "some/where")
        );
        assert_eq!(
            BucketAddress::parse("gs://b")
                .map(|address| address.folder)
                .ok()
                .as_deref(),
            Some("")
        );
        for wrong in [
            "s3://",
            "s3:///a",
            "ftp://a",
            "s3://key:secret@a",
            "s3://a/b?c",
            "az://a/../b",
            "a/b",
        ] {
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
        let shown: Vec<_> = public
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let expected = [
            "access_key_id=own",
            "endpoint_url=shared",
            "region=own",
            "secret_access_key=own",
        ];
        assert_eq!(shown, expected.map(|text| format!("aws_{text}")));
        let private = variables(true, &all).of(BucketService::Aws);
        assert_eq!(private.len(), 5);
        assert!(private.values().all(|value| value == "shared"));
        assert!(!format!("{:?}", variables(true, &all)).contains("shared"));
    }

    #[test]
    fn variables_that_are_not_listed_reach_no_client() {
        let all = [
            ("AWS_ALLOW_INVALID_CERTIFICATES", "true"),
            ("TIDEGATE_PRIVATE_AWS_ALLOW_INVALID_CERTIFICATES", "true"),
            ("TIDEGATE_PUBLIC_AWS_SKIP_SIGNATURE", "true"),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_PROXY_URL", "http://proxy"),
            ("AWS_METADATA_ENDPOINT", "http://else"),
            ("AWS_REGION", "here"),
            ("GOOGLE_ALLOW_INVALID_CERTIFICATES", "true"),
            ("AZURE_STORAGE_USE_EMULATOR", "true"),
        ];
        let private = variables(true, &all);
        for (keeper, names) in [
            (BucketService::Aws, &["aws_region"][..]),
            (BucketService::Google, &[]),
            (BucketService::Azure, &[]),
        ] {
            assert_eq!(
                private.of(keeper).keys().collect::<Vec<_>>(),
                names,
                "{keeper:?}"
            );
        }
        let ignored = [
            "AWS_ALLOW_HTTP",
            "AWS_ALLOW_INVALID_CERTIFICATES",
            "AWS_METADATA_ENDPOINT",
            "AWS_PROXY_URL",
            "TIDEGATE_PRIVATE_AWS_ALLOW_INVALID_CERTIFICATES",
        ];
        assert_eq!(private.ignored(BucketService::Aws), ignored);
        assert_eq!(
            private.ignored(BucketService::Azure),
            ["AZURE_STORAGE_USE_EMULATOR"]
        );
    }

    /// The library reads the names as we write them.
    #[test]
    fn the_library_knows_each_listed_variable() {
        let written = |keeper: BucketService| {
            let names = keeper.variables().iter().chain([&ALLOW_HTTP]);
            names.map(move |name| format!("{}{name}", keeper.prefix()).to_ascii_lowercase())
        };
        for name in written(BucketService::Aws) {
            assert!(
                name.parse::<object_store::aws::AmazonS3ConfigKey>().is_ok(),
                "{name}"
            );
        }
        for name in written(BucketService::Google) {
            assert!(
                name.parse::<object_store::gcp::GoogleConfigKey>().is_ok(),
                "{name}"
            );
        }
        for name in written(BucketService::Azure) {
            assert!(
                name.parse::<object_store::azure::AzureConfigKey>().is_ok(),
                "{name}"
            );
        }
    }

    #[test]
    fn without_encryption_only_to_this_machine() {
        let address = BucketAddress::parse("s3://a").expect("an address");
        let allowed = |all: &[(&str, &str)]| {
            settings(&address, &variables(true, all), &TIMES)
                .map(|settings| settings["aws_allow_http"].clone())
                .ok()
        };
        for here in [
            "http://127.0.0.1:9000",
            "http://localhost/",
            "http://[::1]:80/a",
        ] {
            assert_eq!(
                allowed(&[("AWS_ENDPOINT_URL", here)]).as_deref(),
                Some("true"),
                "{here}"
            );
        }
        let there = "http://localhost.example.org:9000";
        assert_eq!(allowed(&[("AWS_ENDPOINT_URL", there)]), None);
        assert_eq!(
            allowed(&[("AWS_ENDPOINT_URL", "http://127.0.0.1@example.org")]),
            None
        );
        let own = ("TIDEGATE_PRIVATE_AWS_ALLOW_HTTP", "true");
        assert_eq!(
            allowed(&[("AWS_ENDPOINT_URL", there), own]).as_deref(),
            Some("true")
        );
        assert_eq!(
            allowed(&[("AWS_ENDPOINT_URL", there), ("AWS_ALLOW_HTTP", "true")]),
            None
        );
        assert_eq!(
            allowed(&[("AWS_ENDPOINT_URL", "https://example.org")]).as_deref(),
            Some("false")
        );
    }
}
