//! The feed file as it is written (CONTRACTS 1): one type per table, from which the JSON Schema is made, by which keys
//! and types are checked, and into which serde reads. Nothing here judges; the types that do are built from these.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::secret::{Secret, WebAddress};
use super::words::{Period, Root};
use crate::engine::model::forms::TaxonomyTable;
use crate::engine::model::{Kind, Role};
use crate::engine::policy::{ChainKind, Decimal, PolicySettings};
use crate::engine::release::Language;

/// A feed file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedFile {
    /// What the feed is called and what its releases hold.
    pub feed: FeedTable,
    /// Where records come from; needed by `run` only.
    pub source: Option<SourceTable>,
    /// Where the log and releases lie; needed by `run` only.
    pub store: Option<StoreTable>,
    /// When a release is made; needed by `run` only.
    pub schedule: Option<ScheduleTable>,
    /// What is promised to the people in the data.
    pub policy: PolicySettings,
    /// The columns; those of the source that are not declared are dropped.
    #[schemars(length(min = 1))]
    pub column: Vec<ColumnTable>,
    /// Who is told of a release, and who of trouble.
    pub notify: Option<NotifyTable>,
    /// What is published beside the rows, and for how long.
    pub publish: Option<PublishTable>,
    /// The daemon's own pages.
    pub http: Option<HttpTable>,
    /// The daemon's log lines.
    pub log: Option<LogTable>,
}

/// `[feed]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedTable {
    /// The name in every release, metric and log line.
    #[schemars(regex(pattern = r"^[a-z0-9_-]{1,64}$"))]
    pub name: String,
    /// What a release holds; `cumulative` when left out.
    pub chain: Option<ChainKind>,
    /// How far the clock may step ahead before nothing is destroyed any more for its age; `1h` when left out.
    pub max_clock_step: Option<Period>,
}

/// `[[column]]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnTable {
    /// The name in published files, and in the source unless `path` says otherwise.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What the column is for.
    pub role: Role,
    /// What its values are; by its taxonomy or role when left out.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// How its values are generalised; needed for `quasi`.
    pub taxonomy: Option<TaxonomyTable>,
    /// Where the value lies in a message: `$.patient.birthDate`, `$.code.coding[0].code`.
    pub path: Option<String>,
    /// Whether the value may be missing; false when left out.
    pub optional: Option<bool>,
    /// The leaf for values outside the taxonomy; `quarantine` when left out.
    pub unknown: Option<String>,
    /// Sets of values that no person may be tied to; sensitive columns only.
    pub guarded: Option<Vec<Vec<String>>>,
    /// How much the column's detail counts beside that of others; quasi columns only. From 0.01 to 100; 1 when left out.
    #[schemars(range(min = 0.01, max = 100))]
    pub weight: Option<Decimal>,
    /// The level that the column is never published above; quasi columns only. A number of levels above the values, a label of that
    /// level, or a width: `2`, `"20-29"`, `"10 years"`, `"month"`.
    pub floor: Option<LevelName>,
}

/// A level, by its number or by what is written of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "must be a level such as 2, a label, or a width such as \"10 years\"")]
pub enum LevelName {
    /// How many levels above the values.
    Level(u64),
    /// A label of the level, or its width.
    Text(String),
}

/// `[publish]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PublishTable {
    /// Whether the table of a chain that begins has a Delta Lake log, where each release adds rows to it (`search = "halves"`); true
    /// when left out.
    pub delta: Option<bool>,
    /// What the column is called that says in which release a row came, where each release adds rows to a table (`search =
    /// "halves"`), or `false` for no such column, so that each file holds the rows of one release; `tidegate_release` when left out.
    pub release_column: Option<ReleaseColumnName>,
    /// How long manifests stay, and the files that only they list: `"90d"`; for ever when left out. The newest of each chain stays.
    pub keep: Option<Period>,
    /// How long rows stay in the newest release of a chain whose table grows: `"2y"` is `"730d"`; for ever when left out.
    pub retain: Option<Period>,
    /// What the data may be used for: a sentence for readers, in manifests and reports.
    pub purpose: Option<String>,
    /// How readers reach the people who are responsible for the data: an address, in manifests and reports.
    pub contact: Option<String>,
    /// The language of reports; `en` when left out.
    pub language: Option<Language>,
}

/// A name, or `false`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "must be the name of a column, or false")]
pub enum ReleaseColumnName {
    /// The name of the column.
    Name(String),
    /// Whether there is one.
    Whether(bool),
}

/// `[source]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceTable {
    /// What it is.
    pub kind: SourceKind,
    /// Kafka: `host:port`, several with commas.
    pub brokers: Option<String>,
    /// Kafka: the topic.
    pub topic: Option<String>,
    /// Kafka: where a new feed begins to read; `earliest` when left out.
    pub start: Option<Start>,
    /// Kafka: encryption and who we are.
    pub security: Option<SecurityTable>,
    /// Kafka: the topic that takes the place of one of the same name which was deleted, by what tells it from that one.
    pub topic_id: Option<String>,
    /// Kafka: where to go on in partitions of which messages are lost: by partition, the offset that is next and the one that
    /// is read instead of it.
    pub resume: Option<BTreeMap<String, (u64, u64)>>,
    /// Kafka: how long messages may lie there before the feed counts as behind; `60s` when left out.
    pub max_lag: Option<Period>,
    /// Kafka: whether records may travel unencrypted to another host; false when left out.
    pub allow_plaintext: Option<bool>,
    /// Directory: where files appear.
    pub path: Option<String>,
    /// Directory: how long a file must have stood still; `2s` when left out.
    pub settle: Option<Period>,
    /// How records are written; by file name when left out.
    pub format: Option<Format>,
    /// Where schemas of records lie.
    pub schema_registry: Option<RegistryTable>,
    /// What a message without content does; `quarantine` when left out.
    pub tombstones: Option<Unwanted>,
    /// What a message that deletes a record does; `quarantine` when left out.
    pub deletes: Option<Unwanted>,
    /// The share of messages that may be set aside before the feed halts; 0.01 when left out.
    #[schemars(range(min = 0, max = 1))]
    pub max_quarantine_share: Option<Decimal>,
}

/// `source.security`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecurityTable {
    /// Whether the connection is encrypted; true when this table is written.
    pub tls: Option<bool>,
    /// Certificates of those who may vouch for the brokers; those of the system when left out.
    pub ca: Option<String>,
    /// Our certificate.
    pub certificate: Option<String>,
    /// Its key.
    pub key: Option<Secret>,
    /// User and password.
    pub sasl: Option<SaslTable>,
}

/// `source.security.sasl`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SaslTable {
    /// How the password is shown to be known.
    pub mechanism: Mechanism,
    /// Who we are.
    pub user: String,
    /// The password.
    pub password: Secret,
}

/// `source.schema_registry`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegistryTable {
    /// Its web address.
    pub url: WebAddress,
    /// Who we are.
    pub user: Option<String>,
    /// The password.
    pub password: Option<Secret>,
    /// Certificates of those who may vouch for it.
    pub ca: Option<String>,
}

/// `[store]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreTable {
    /// The log and everything personal. The daemon needs it.
    pub private: Option<Root>,
    /// The root that all readers may read. The daemon needs it.
    pub public: Option<Root>,
    /// The key that everything personal is encrypted with; made by `init`.
    pub key: Option<Secret>,
    /// The key that manifests are signed with; without one they are unsigned and say so.
    pub signing_key: Option<Secret>,
    /// How long accepted rows of published increments are kept; `30d` when left out.
    pub keep_raw: Option<Period>,
    /// How long messages that were set aside are kept; 30 when left out.
    pub quarantine_days: Option<u64>,
}

/// `[schedule]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScheduleTable {
    /// A tick at every multiple of this since 1970-01-01 UTC.
    pub every: Option<Period>,
    /// A tick at these times.
    pub cron: Option<String>,
    /// The time zone of `cron`; UTC when left out.
    pub timezone: Option<String>,
    /// Directory: every file is a tick; false when left out.
    pub per_file: Option<bool>,
    /// With fewer new rows the tick is skipped; 1 when left out.
    pub min_records: Option<u64>,
    /// Who approves a release that has passed the gate; `none` when left out.
    pub approval: Option<Approval>,
    /// How many of the approvers have to approve a release; 1 when left out.
    #[schemars(range(min = 1))]
    pub approvals: Option<u32>,
    /// The people who approve releases, by name, each with the public half of their key (64 hexadecimal digits): who is not named
    /// here approves and rejects nothing. Any account that has the operator's key when left out.
    pub approvers: Option<BTreeMap<String, String>>,
}

/// `[notify]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotifyTable {
    /// The topic that public facts of a release go to.
    pub topic: Option<String>,
    /// The address that public facts of a release go to.
    pub webhook: Option<WebAddress>,
    /// The topic that halts and rejections go to.
    pub operator_topic: Option<String>,
    /// The address that halts and rejections go to.
    pub operator_webhook: Option<WebAddress>,
    /// The key that requests to `webhook` are signed with: 32 or more characters, known to its receiver. Needed with `webhook`.
    pub webhook_key: Option<Secret>,
    /// The key that requests to `operator_webhook` are signed with, another one. Needed with `operator_webhook`.
    pub operator_webhook_key: Option<Secret>,
    /// The only hosts that the two addresses may name; the hosts that they name when left out.
    pub allowed_hosts: Option<Vec<String>>,
    /// Those hosts of the two addresses that may have addresses in a private network; none when left out.
    pub private_hosts: Option<Vec<String>>,
    /// The proxy that requests to other machines go through: `http://proxy:3128`; none when left out.
    pub proxy: Option<WebAddress>,
}

/// `[http]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpTable {
    /// Address and port; `127.0.0.1:9464` when left out.
    pub bind: Option<String>,
    /// Readers of the pages have to show one of these tokens. Needed where `bind` is an address that other machines reach.
    pub tokens: Option<Vec<Secret>>,
}

/// `[log]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogTable {
    /// How log lines are written; `text` when left out.
    pub format: Option<LogFormat>,
}

/// Declares enumerations of words.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $word:ident),* $(,)? })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$what])* $word),* }
    )*};
}

words! {
    /// `source.kind`
    SourceKind {
        /// A Kafka topic.
        Kafka,
        /// A directory in which files appear.
        Directory,
    }
    /// `source.start`
    Start {
        /// Everything that the topic still holds.
        Earliest,
        /// Only what comes from now on.
        Latest,
    }
    /// `source.format`
    Format {
        /// One object per message or line.
        Json,
        /// With the framing of a schema registry, or as a container file.
        Avro,
        /// Arrow IPC.
        Arrow,
        /// With a header.
        Csv,
        /// Files only.
        Parquet,
    }
    /// What a message that is no record does.
    Unwanted {
        /// It is counted and left out.
        Skip,
        /// It is set aside.
        Quarantine,
        /// The feed halts.
        Halt,
    }
    /// `schedule.approval`
    Approval {
        /// The gate alone decides.
        None,
        /// A person approves after the gate has.
        Manual,
    }
    /// `log.format`
    LogFormat {
        /// For people.
        Text,
        /// For programs.
        Json,
    }
}

/// `source.security.sasl.mechanism`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Mechanism {
    /// The password itself.
    #[serde(rename = "PLAIN")]
    Plain,
    /// Proof of the password.
    #[serde(rename = "SCRAM-SHA-256")]
    ScramSha256,
    /// Proof of the password.
    #[serde(rename = "SCRAM-SHA-512")]
    ScramSha512,
}
