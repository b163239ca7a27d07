//! The `[source]` table (CONTRACTS 1): a Kafka topic or a directory, with the keys of each. Whether
//! records may be sent unencrypted is checked here, before any connection is made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::file::{
    Format, Mechanism, RegistryTable, SaslTable, SecurityTable, SourceKind, SourceTable, Start,
};
use super::notes::Notes;
use super::secret::{Secret, WebAddress, host_of, is_local};
use super::words::Period;
use crate::engine::policy::Decimal;

/// Where records come from.
#[derive(Debug)]
pub struct SourceSettings {
    /// A topic or a directory.
    pub place: SourcePlace,
    /// The format of records; `None` = by file name.
    pub format: Option<Format>,
    /// The registry of schemas.
    pub registry: Option<RegistrySettings>,
    /// The share of messages that may be set aside before the feed halts.
    pub max_quarantine_share: Decimal,
}

/// A topic or a directory.
#[derive(Debug)]
pub enum SourcePlace {
    /// `kind = "kafka"`
    Kafka {
        /// `host:port`, separated by commas.
        brokers: String,
        /// The topic.
        topic: String,
        /// Where a new feed begins to read.
        start: Start,
        /// `None`: unencrypted and without authentication.
        security: Option<Box<Security>>,
        /// The id of the topic that replaces a deleted one of the same name.
        topic_id: Option<String>,
        /// Where to continue in partitions that have lost messages: the expected offset, and the
        /// one that is read instead.
        resume: BTreeMap<i32, (u64, u64)>,
        /// How old unread messages may be before the feed counts as behind.
        max_lag: Period,
    },
    /// `kind = "directory"`
    Directory {
        /// The folder in which files appear.
        path: PathBuf,
        /// How long a file must have been unchanged.
        settle: Period,
    },
}

/// Encryption and authentication.
#[derive(Debug)]
pub struct Security {
    /// Whether the connection is encrypted.
    pub tls: bool,
    /// The certificates of authorities for the brokers.
    pub ca: Option<PathBuf>,
    /// The client certificate and its key.
    pub certificate: Option<(PathBuf, Secret)>,
    /// User and password.
    pub sasl: Option<Sasl>,
}

/// User and password.
#[derive(Debug)]
pub struct Sasl {
    /// The mechanism of authentication.
    pub mechanism: Mechanism,
    /// The user.
    pub user: String,
    /// The password.
    pub password: Secret,
}

/// The registry of schemas.
#[derive(Debug, Clone)]
pub struct RegistrySettings {
    /// The web address.
    pub url: WebAddress,
    /// User and password.
    pub login: Option<(String, Secret)>,
    /// The certificates of authorities for the registry.
    pub ca: Option<PathBuf>,
    /// Whether a registry on another host may be used unencrypted.
    pub allow_plaintext: bool,
}

/// The default of `source.max_quarantine_share`.
const QUARANTINE_SHARE: Decimal = Decimal::new(1, 2).expect("two decimals");

/// The rule for names of topics.
pub(super) const TOPIC: &str =
    "a topic's name is 1 to 249 letters, digits, dots, dashes and underscores";

/// Whether a text is a valid name of a topic.
pub(super) fn is_topic(text: &str) -> bool {
    let fits = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '_' | '-');
    !matches!(text, "" | "." | "..") && text.len() <= 249 && text.chars().all(fits)
}

/// Reads the table; `None` if a key is missing, which `notes` then names.
pub(super) fn read(
    mut table: SourceTable,
    base: &Path,
    notes: &mut Notes,
) -> Option<SourceSettings> {
    let allow_plaintext = table.allow_plaintext == Some(true);
    let registry = table
        .schema_registry
        .take()
        .map(|table| registry(table, allow_plaintext, base, notes));
    if registry.is_some() && table.format.is_some_and(|format| format != Format::Avro) {
        notes.refuse(
            "source.schema_registry",
            "messages in this format need no schemas: remove the registry",
        );
    }
    if table
        .max_quarantine_share
        .is_some_and(|share| share > Decimal::ONE)
    {
        notes.refuse(
            "source.max_quarantine_share",
            "`max_quarantine_share` is a share of messages: a number from 0 to 1",
        );
    }
    let format = table.format;
    let max_quarantine_share = table.max_quarantine_share.unwrap_or(QUARANTINE_SHARE);
    let place = match table.kind {
        SourceKind::Kafka => kafka(table, registry.is_some(), base, notes),
        SourceKind::Directory => directory(table, base, notes),
    }?;
    Some(SourceSettings {
        place,
        format,
        registry,
        max_quarantine_share,
    })
}

fn directory(table: SourceTable, base: &Path, notes: &mut Notes) -> Option<SourcePlace> {
    let foreign = [
        ("brokers", table.brokers.is_some()),
        ("topic", table.topic.is_some()),
        ("start", table.start.is_some()),
        ("security", table.security.is_some()),
        ("topic_id", table.topic_id.is_some()),
        ("resume", table.resume.is_some()),
        ("max_lag", table.max_lag.is_some()),
    ];
    refuse_foreign(&foreign, "kafka", "directory", notes);
    let Some(path) = table.path else {
        notes.refuse(
            "source.path",
            "a directory source needs `path`: write `path = \"incoming\"`",
        );
        return None;
    };
    notes.refuse_if(
        path.is_empty(),
        "source.path",
        "`path` is empty: write where files appear",
    );
    Some(SourcePlace::Directory {
        path: base.join(path),
        settle: table.settle.unwrap_or(Period::seconds(2)),
    })
}

fn kafka(
    table: SourceTable,
    has_registry: bool,
    base: &Path,
    notes: &mut Notes,
) -> Option<SourcePlace> {
    let foreign = [
        ("path", table.path.is_some()),
        ("settle", table.settle.is_some()),
    ];
    refuse_foreign(&foreign, "directory", "kafka", notes);
    let text =
        "a topic has no file names that show the format: write `format = \"json\"`, or another one";
    notes.refuse_if(table.format.is_none(), "source.format", text);
    let text = "messages of a topic are not Parquet files: write another `format`, or `kind = \"directory\"`";
    notes.refuse_if(table.format == Some(Format::Parquet), "source.format", text);
    let text = "messages of a topic are not CSV files: write `format = \"json\"`, or `kind = \"directory\"`";
    notes.refuse_if(table.format == Some(Format::Csv), "source.format", text);
    let text = "messages in Avro do not contain their schemas: name the registry, `schema_registry = { url = \
                \"http://localhost:8081\" }`";
    notes.refuse_if(
        table.format == Some(Format::Avro) && !has_registry,
        "source.schema_registry",
        text,
    );
    let text = "a Kafka source needs `brokers`: write `brokers = \"localhost:9092\"`";
    notes.refuse_if(table.brokers.is_none(), "source.brokers", text);
    notes.refuse_if(
        table.topic.is_none(),
        "source.topic",
        "a Kafka source needs `topic`: write `topic = \"hospital.admissions\"`",
    );
    let security = table
        .security
        .map(|table| Box::new(security(table, base, notes)));
    let (brokers, topic) = (table.brokers?, table.topic?);
    notes.refuse_if(!is_topic(&topic), "source.topic", TOPIC);
    if !brokers.split(',').all(|broker| is_broker(broker.trim())) {
        notes.refuse(
            "source.brokers",
            "`brokers` is a host and a port, several with commas: \"one:9092,two:9092\"",
        );
    }
    let remote = brokers
        .split(',')
        .any(|broker| !is_local(host_of(broker.trim())));
    let tls = security.as_ref().is_some_and(|security| security.tls);
    if remote && !tls {
        let text = "records would travel to another host unencrypted: write `security = { tls = true }`, or \
                    `allow_plaintext = true` if that is intended";
        notes.refuse_if(table.allow_plaintext != Some(true), "source.brokers", text);
        if table.allow_plaintext == Some(true) {
            notes.warn(
                "source.allow_plaintext",
                "records of patients travel unencrypted: every machine on the way can read them",
            );
        }
        if security
            .as_ref()
            .is_some_and(|security| security.sasl.is_some())
        {
            notes.warn(
                "source.security.sasl",
                "the password travels unencrypted, or can be guessed from what travels \
                 unencrypted",
            );
        }
    }
    let start = table.start.unwrap_or(Start::Earliest);
    let mut resume = BTreeMap::new();
    for (partition, offsets) in table.resume.unwrap_or_default() {
        match partition
            .parse::<i32>()
            .ok()
            .filter(|partition| *partition >= 0)
        {
            Some(partition) => _ = resume.insert(partition, offsets),
            None => notes.refuse(
                "source.resume",
                "`resume` names partitions: { \"3\" = [1042, 1100] }",
            ),
        }
    }
    let max_lag = table.max_lag.unwrap_or(Period::seconds(60));
    Some(SourcePlace::Kafka {
        brokers,
        topic,
        start,
        security,
        topic_id: table.topic_id,
        resume,
        max_lag,
    })
}

fn refuse_foreign(keys: &[(&str, bool)], owner: &str, kind: &str, notes: &mut Notes) {
    for (key, _) in keys.iter().filter(|(_, written)| *written) {
        let text = format!(
            "`{key}` belongs to `kind = \"{owner}\"`, but this source is `{kind}`: remove it"
        );
        notes.refuse(&format!("source.{key}"), text);
    }
}

fn is_broker(text: &str) -> bool {
    let port = text
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse::<u16>().ok());
    port.is_some_and(|port| port > 0)
        && !host_of(text).is_empty()
        && !text.contains(char::is_whitespace)
}

fn security(table: SecurityTable, base: &Path, notes: &mut Notes) -> Security {
    let tls = table.tls.unwrap_or(true);
    for (key, written) in [
        ("ca", table.ca.is_some()),
        ("certificate", table.certificate.is_some()),
        ("key", table.key.is_some()),
    ] {
        let text = "certificates are for encrypted connections: write `tls = true`, or remove it";
        notes.refuse_if(written && !tls, &format!("source.security.{key}"), text);
    }
    let text = "a certificate needs its key: write `certificate` and `key`, or neither";
    notes.refuse_if(
        table.certificate.is_some() && table.key.is_none(),
        "source.security.certificate",
        text,
    );
    notes.refuse_if(
        table.certificate.is_none() && table.key.is_some(),
        "source.security.key",
        text,
    );
    let sasl = table.sasl.map(
        |SaslTable {
             mechanism,
             user,
             password,
         }| {
            notes.refuse_if(
                user.is_empty(),
                "source.security.sasl.user",
                "`user` is empty: write the user's name",
            );
            Sasl {
                mechanism,
                user,
                password: password.under(base),
            }
        },
    );
    Security {
        tls,
        ca: table.ca.map(|file| base.join(file)),
        certificate: table
            .certificate
            .zip(table.key)
            .map(|(file, key)| (base.join(file), key.under(base))),
        sasl,
    }
}

fn registry(
    table: RegistryTable,
    allow_plaintext: bool,
    base: &Path,
    notes: &mut Notes,
) -> RegistrySettings {
    let plain = matches!(table.url.host(), Some(("http", host)) if !is_local(host));
    let text = "schemas and passwords would travel to another host unencrypted: write an https address, or \
                `allow_plaintext = true` in [source] if that is intended";
    notes.refuse_if(
        plain && !allow_plaintext,
        "source.schema_registry.url",
        text,
    );
    let text = "user and password belong together: write both, or neither";
    notes.refuse_if(
        table.user.is_some() && table.password.is_none(),
        "source.schema_registry.user",
        text,
    );
    notes.refuse_if(
        table.user.is_none() && table.password.is_some(),
        "source.schema_registry.password",
        text,
    );
    RegistrySettings {
        url: table.url.under(base),
        login: table
            .user
            .zip(table.password)
            .map(|(user, password)| (user, password.under(base))),
        ca: table.ca.map(|file| base.join(file)),
        allow_plaintext,
    }
}
