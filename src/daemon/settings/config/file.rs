//! The feed file as it is written (CONTRACTS 1): one type per table, from which the JSON Schema is
//! generated, by which keys and types are checked, and into which serde reads. Nothing here judges;
//! the types that do are built from these.

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
pub(super) struct FeedFile {
    /// The name of the feed, and what its releases contain.
    pub feed: FeedTable,
    /// Where records come from; required only by `run`.
    pub source: Option<SourceTable>,
    /// The folders or buckets of the log and of releases; required only by `run`.
    pub store: Option<StoreTable>,
    /// When a release is made; required only by `run`.
    pub schedule: Option<ScheduleTable>,
    /// The promise to the people in the data.
    pub policy: PolicySettings,
    /// The columns; columns of the source that are not declared are dropped.
    #[schemars(length(min = 1))]
    pub column: Vec<ColumnTable>,
    /// Who is notified of releases, and of halts and rejections.
    pub notify: Option<NotifyTable>,
    /// What is published besides the rows, and for how long.
    pub publish: Option<PublishTable>,
    /// The daemon's HTTP pages.
    pub http: Option<HttpTable>,
    /// The daemon's log lines.
    pub log: Option<LogTable>,
}

/// `[feed]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FeedTable {
    /// The name in every release, metric and log line.
    #[schemars(regex(pattern = r"^[a-z0-9_-]{1,64}$"))]
    pub name: String,
    /// Which people a release contains; the default is `cumulative`.
    pub chain: Option<ChainKind>,
    /// How far the clock may jump ahead before nothing is deleted because of its age any more; the
    /// default is `1h`.
    pub max_clock_step: Option<Period>,
}

/// `[[column]]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnTable {
    /// The name in published files, and in the source unless `path` says otherwise.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The role of the column.
    pub role: Role,
    /// The type of its values; the default follows from its taxonomy or role.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// How its values are generalised; required for `quasi`.
    pub taxonomy: Option<TaxonomyTable>,
    /// The path of the value in a message: `$.patient.birthDate`, `$.code.coding[0].code`,
    /// `$.code.coding[?system='http://loinc.org'].code`; or a list of paths, of which the first counts
    /// that leads to a value.
    pub path: Option<ColumnPaths>,
    /// What is done to the text before its type is read, in this order.
    pub clean: Option<Vec<CleanStep>>,
    /// The notation of days in the source: `iso`, `hl7`, `epoch-days`, `epoch-ms`, `epoch-us`, or a
    /// pattern such as `%d.%m.%Y`.
    pub format: Option<String>,
    /// The value is computed from the text.
    pub derive: Option<DeriveTable>,
    /// Whether the value may be missing; the default is false.
    pub optional: Option<bool>,
    /// The leaf for values outside the taxonomy; the default is `quarantine`, which sets such rows
    /// aside.
    pub unknown: Option<String>,
    /// Sets of values that no person may be linked to; only for sensitive columns.
    pub guarded: Option<Vec<Vec<String>>>,
    /// The weight of the column's detail compared with that of others; only for quasi columns. From
    /// 0.01 to 100; the default is 1.
    #[schemars(range(min = 0.01, max = 100))]
    pub weight: Option<Decimal>,
    /// The coarsest level at which the column is published; only for quasi columns. A number of
    /// levels above the values, a label of that level, or a width: `2`, `"20-29"`, `"10 years"`,
    /// `"month"`.
    pub floor: Option<LevelName>,
    /// Whether a measure does not depend on guarded values; it is then published beside masked ones
    /// (`m`), and no check examines that. Only for measures; the default is false.
    pub unrelated: Option<bool>,
}

/// The paths of a column.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "must be a path such as \"$.code.text\", or a list of paths"
)]
pub(super) enum ColumnPaths {
    /// One path.
    One(String),
    /// Paths, of which the first counts that leads to a value.
    Several(Vec<String>),
}

impl ColumnPaths {
    /// All of them.
    pub(super) fn all(&self) -> &[String] {
        match self {
            ColumnPaths::One(path) => std::slice::from_ref(path),
            ColumnPaths::Several(paths) => paths,
        }
    }
}

/// A change of a text.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum CleanStep {
    /// Spaces at both ends are removed.
    Trim,
    /// Letters become capitals.
    Upper,
    /// Letters become small.
    Lower,
    /// Equal characters have one form (Unicode NFC).
    Nfc,
    /// Everything but digits is removed.
    Digits,
    /// A decimal comma becomes a point.
    Comma,
}

/// `derive`: one of these keys. The first three change the column's own text, the others compute it
/// from columns with days.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeriveTable {
    /// One part of the text: the separator, and the index of the part from 0, or from the end: -1
    /// is the last.
    pub part: Option<Vec<PartSetting>>,
    /// The first characters of the text.
    #[schemars(range(min = 1))]
    pub first: Option<u32>,
    /// Other texts in the place of some; the rest stays.
    pub map: Option<std::collections::BTreeMap<String, String>>,
    /// The whole years between the days of two other columns: an age from a birth day.
    pub years: Option<Vec<String>>,
    /// The whole months between the days of two other columns.
    pub months: Option<Vec<String>>,
    /// The days between those of two other columns.
    pub days: Option<Vec<String>>,
    /// The year of a day in another column.
    pub year: Option<String>,
    /// The month of a day in another column.
    pub month: Option<String>,
    /// The day of the month of a day in another column.
    pub day: Option<String>,
}

impl DeriveTable {
    /// Whether it computes a column from others.
    pub(super) fn is_computed(&self) -> bool {
        let several = [&self.years, &self.months, &self.days];
        let one = [&self.year, &self.month, &self.day];
        several.iter().any(|key| key.is_some()) || one.iter().any(|key| key.is_some())
    }
}

/// The separator of a text, or the index of a part.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "must be a separator and an index such as [\"/\", -1]"
)]
pub(super) enum PartSetting {
    /// The separator.
    Separator(String),
    /// The index.
    Index(i32),
}

/// A level, by its number, a label or a width.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "must be a level such as 2, a label, or a width such as \"10 years\""
)]
pub(super) enum LevelName {
    /// The number of levels above the values.
    Level(u64),
    /// A label of the level, or its width.
    Text(String),
}

/// `[publish]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishTable {
    /// Whether the table of a new chain has a Delta Lake log, if each release adds rows to it
    /// (every chain but `bcf` and disjoint ones of other searches than `halves`); the default is true.
    pub delta: Option<bool>,
    /// The name of the column with the number of the release in which a row came, if each release
    /// adds rows to a table (as for `delta`), or `false` for no such column, so that each file
    /// contains the rows of one release; the default is `tidegate_release`.
    pub release_column: Option<ReleaseColumnName>,
    /// How long manifests stay, and the files that only they list: `"90d"`; for ever by default.
    /// The newest manifest of each chain stays.
    pub keep: Option<Period>,
    /// How long rows stay in the newest release of a chain whose table grows: `"2y"` is `"730d"`;
    /// for ever by default.
    pub retain: Option<Period>,
    /// What the data may be used for: a sentence for readers, in manifests and reports.
    pub purpose: Option<String>,
    /// How readers reach the people who are responsible for the data: an address, in manifests and
    /// reports.
    pub contact: Option<String>,
    /// The language of reports; the default is `en`.
    pub language: Option<Language>,
}

/// A name, or `false`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "must be the name of a column, or false")]
pub(super) enum ReleaseColumnName {
    /// The name of the column.
    Name(String),
    /// Whether the column exists.
    Whether(bool),
}

/// `[source]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceTable {
    /// The kind of the source.
    pub kind: SourceKind,
    /// Kafka: `host:port`, several separated by commas.
    pub brokers: Option<String>,
    /// Kafka: the topic.
    pub topic: Option<String>,
    /// Kafka: where a new feed begins to read; the default is `earliest`.
    pub start: Option<Start>,
    /// Kafka: encryption and authentication.
    pub security: Option<SecurityTable>,
    /// Kafka: the id of the topic that replaces a deleted one of the same name.
    pub topic_id: Option<String>,
    /// Kafka: where to continue in partitions that have lost messages: for each partition, the next
    /// offset and the one that is read instead of it.
    pub resume: Option<BTreeMap<String, (u64, u64)>>,
    /// Kafka: how old unread messages may be before the feed counts as behind; the default is
    /// `60s`.
    pub max_lag: Option<Period>,
    /// Kafka: whether records may be sent unencrypted to another host; the default is false.
    pub allow_plaintext: Option<bool>,
    /// Directory: the folder in which files appear.
    pub path: Option<String>,
    /// Directory: how long a file must have been unchanged; the default is `2s`.
    pub settle: Option<Period>,
    /// The format of records; the default follows from the file name.
    pub format: Option<Format>,
    /// JSON: the path of the records of a message, `$.entry[*]`; the default is one record a message.
    pub each: Option<String>,
    /// Which records are read: a text for each path, `*` at its end for any further text; or a list of
    /// such tables, of which one must hold. The others are skipped, and counted.
    #[serde(rename = "where")]
    pub wanted: Option<WhereTables>,
    /// The registry of the records' schemas.
    pub schema_registry: Option<RegistryTable>,
    /// What happens to a message without content; the default is `quarantine`.
    pub tombstones: Option<Unwanted>,
    /// What happens to a message that deletes a record; the default is `quarantine`.
    pub deletes: Option<Unwanted>,
    /// The share of messages that may be set aside before the feed halts; the default is 0.01.
    #[schemars(range(min = 0, max = 1))]
    pub max_quarantine_share: Option<Decimal>,
}

/// `source.where`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "is a table of paths and texts, or a list of such tables"
)]
pub(super) enum WhereTables {
    /// All of these must hold.
    One(BTreeMap<String, String>),
    /// One of these must hold.
    Several(Vec<BTreeMap<String, String>>),
}

/// `source.security`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SecurityTable {
    /// Whether the connection is encrypted; the default is true if this table exists.
    pub tls: Option<bool>,
    /// The certificates of authorities for the brokers; the default are those of the system.
    pub ca: Option<String>,
    /// The client certificate.
    pub certificate: Option<String>,
    /// Its key.
    pub key: Option<Secret>,
    /// User and password.
    pub sasl: Option<SaslTable>,
}

/// `source.security.sasl`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SaslTable {
    /// The mechanism of authentication.
    pub mechanism: Mechanism,
    /// The user.
    pub user: String,
    /// The password.
    pub password: Secret,
}

/// `source.schema_registry`
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RegistryTable {
    /// Its web address.
    pub url: WebAddress,
    /// The user.
    pub user: Option<String>,
    /// The password.
    pub password: Option<Secret>,
    /// The certificates of authorities for the registry.
    pub ca: Option<String>,
}

/// `[store]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StoreTable {
    /// The root of the log and all personal data. Required by the daemon.
    pub private: Option<Root>,
    /// The root that all readers may read. Required by the daemon.
    pub public: Option<Root>,
    /// The key that encrypts all personal data; made by `init`.
    pub key: Option<Secret>,
    /// The key that signs manifests; without it manifests are unsigned and say so.
    pub signing_key: Option<Secret>,
    /// How long accepted rows of published increments are kept; the default is `30d`.
    pub keep_raw: Option<Period>,
    /// How many days messages that were set aside are kept; the default is 30.
    pub quarantine_days: Option<u64>,
}

/// `[schedule]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ScheduleTable {
    /// A tick at every multiple of this since 1970-01-01 UTC.
    pub every: Option<Period>,
    /// A tick at these times.
    pub cron: Option<String>,
    /// The time zone of `cron`; the default is UTC.
    pub timezone: Option<String>,
    /// Directory: whether every file is a tick; the default is false.
    pub per_file: Option<bool>,
    /// A tick with fewer new rows is skipped; the default is 1.
    pub min_records: Option<u64>,
    /// Who approves a release that has passed the gate; the default is `none`.
    pub approval: Option<Approval>,
    /// How many of the approvers have to approve a release; the default is 1.
    #[schemars(range(min = 1))]
    pub approvals: Option<u32>,
    /// The people who approve and reject releases, by name, each with their public key (64
    /// hexadecimal digits); no other person can. By default any account with the operator's key
    /// can.
    pub approvers: Option<BTreeMap<String, String>>,
}

/// `[notify]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NotifyTable {
    /// The topic for public facts about releases.
    pub topic: Option<String>,
    /// The address for public facts about releases.
    pub webhook: Option<WebAddress>,
    /// The topic for halts and rejections.
    pub operator_topic: Option<String>,
    /// The address for halts and rejections.
    pub operator_webhook: Option<WebAddress>,
    /// The key that signs requests to `webhook`: at least 32 characters, known to its receiver.
    /// Required with `webhook`.
    pub webhook_key: Option<Secret>,
    /// The key that signs requests to `operator_webhook`, which must differ. Required with
    /// `operator_webhook`.
    pub operator_webhook_key: Option<Secret>,
    /// The only hosts that the two addresses may name; the default are the hosts that they name.
    pub allowed_hosts: Option<Vec<String>>,
    /// Hosts of the two addresses that may have addresses in a private network; none by default.
    pub private_hosts: Option<Vec<String>>,
    /// The proxy for requests to other machines: `http://proxy:3128`; none by default.
    pub proxy: Option<WebAddress>,
}

/// `[http]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HttpTable {
    /// Address and port; the default is `127.0.0.1:9464`.
    pub bind: Option<String>,
    /// Tokens, of which readers of the pages have to present one. Required if `bind` is an address
    /// that other machines can reach.
    pub tokens: Option<Vec<Secret>>,
}

/// `[log]`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LogTable {
    /// The format of log lines; the default is `text`.
    pub format: Option<LogFormat>,
}

/// Declares enumerations of words.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $word:ident),* $(,)? })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        #[allow(unreachable_pub)]
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
        /// All messages that the topic still holds.
        Earliest,
        /// Only messages from now on.
        Latest,
    }
    /// `source.format`
    Format {
        /// One object per message or line.
        Json,
        /// In the framing of a schema registry, or as a container file.
        Avro,
        /// Arrow IPC.
        Arrow,
        /// With a header line.
        Csv,
        /// Files only.
        Parquet,
    }
    /// What happens to a message that is no record.
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
        /// A person approves after the gate.
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
    /// Sends the password.
    #[serde(rename = "PLAIN")]
    Plain,
    /// Proves knowledge of the password.
    #[serde(rename = "SCRAM-SHA-256")]
    ScramSha256,
    /// Proves knowledge of the password.
    #[serde(rename = "SCRAM-SHA-512")]
    ScramSha512,
}
