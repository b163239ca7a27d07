//! Source, store, schedule and the other tables of a feed file that `run` needs (CONTRACTS 1):
//! converts them into settings that cannot contradict themselves. Nothing is opened, connected to
//! or read here, secrets least of all.

use std::net::SocketAddr;
use std::path::Path;

use super::approvers::{self, Approvers};
use super::columns::is_no_name;
use super::file::{
    self, Approval, FeedFile, HttpTable, LogFormat, PublishTable, ScheduleTable, StoreTable,
};
use super::notes::Notes;
use super::notify::{self, Notify};
use super::secret::Secret;
use super::source::{SourcePlace, SourceSettings};
use super::words::{Period, Root};
use crate::engine::model::ReleaseColumn;
use crate::engine::release::Language;

/// The settings that only the daemon needs.
#[derive(Debug)]
pub struct Services {
    /// Where records come from.
    pub source: Option<SourceSettings>,
    /// The roots of the log and of releases.
    pub store: Option<StoreSettings>,
    /// When a release is made.
    pub schedule: Option<Schedule>,
    /// What is published besides the rows.
    pub publish: Publish,
    /// Who is notified.
    pub notify: Notify,
    /// The daemon's HTTP pages.
    pub http: Http,
    /// The daemon's log lines.
    pub log: LogFormat,
    /// How far the clock may jump ahead.
    pub max_clock_step: Period,
}

impl Services {
    /// The key that encrypts all personal data, if one is named.
    pub fn key(&self) -> Option<&Secret> {
        self.store.as_ref().and_then(|store| store.key.as_ref())
    }
}

/// `[store]`
#[derive(Debug)]
pub struct StoreSettings {
    /// The root of the log and all personal data.
    pub private: Option<Root>,
    /// The root that all readers may read.
    pub public: Option<Root>,
    /// The key that encrypts all personal data.
    pub key: Option<Secret>,
    /// The key that signs manifests.
    pub signing_key: Option<Secret>,
    /// How long accepted rows of published increments are kept.
    pub keep_raw: Period,
    /// How long messages that were set aside are kept.
    pub quarantine_days: u64,
}

/// `[schedule]`
#[derive(Debug)]
pub struct Schedule {
    /// When ticks are due.
    pub ticks: Ticks,
    /// A tick with fewer new rows is skipped.
    pub min_records: u64,
    /// Whether a person approves.
    pub approval: Approval,
    /// The people who approve, and how many of them have to.
    pub approvers: Approvers,
}

/// When ticks are due.
#[derive(Debug)]
pub enum Ticks {
    /// At multiples of a period since 1970-01-01 UTC.
    Every(Period),
    /// At the times of a cron pattern in a time zone.
    Cron {
        /// The pattern.
        pattern: Box<croner::Cron>,
        /// The zone.
        zone: jiff::tz::TimeZone,
    },
    /// Every file is a tick.
    PerFile,
}

/// `[publish]`
#[derive(Debug)]
pub struct Publish {
    /// Whether the table of a new chain has a Delta log, if it grows.
    pub delta: bool,
    /// The column for the number of the release, if the file names it.
    pub release_column: Option<ReleaseColumn>,
    /// How long manifests stay.
    pub keep: Option<Period>,
    /// How long rows stay in the newest release.
    pub retain: Option<Period>,
    /// Additional information for readers on the pages.
    pub pages: PageTexts,
}

/// Additional information for readers on the pages.
#[derive(Debug, Clone, Default)]
pub struct PageTexts {
    /// What the data may be used for.
    pub purpose: Option<String>,
    /// How readers reach the people who are responsible for it.
    pub contact: Option<String>,
    /// The language of reports.
    pub language: Language,
}

impl Default for Publish {
    fn default() -> Publish {
        Publish {
            delta: true,
            release_column: None,
            keep: None,
            retain: None,
            pages: PageTexts::default(),
        }
    }
}

/// `[http]`
#[derive(Debug, Clone)]
pub struct Http {
    /// Address and port.
    pub bind: SocketAddr,
    /// Tokens, of which a reader has to present one; empty only if other machines cannot reach the
    /// address.
    pub tokens: Vec<Secret>,
}

impl Http {
    /// Whether other machines can reach the address.
    pub fn is_reached_from_outside(&self) -> bool {
        !self.bind.ip().to_canonical().is_loopback()
    }

    /// Whether other machines can reach the pages without a token.
    pub fn is_open(&self) -> bool {
        self.tokens.is_empty() && self.is_reached_from_outside()
    }

    /// The same pages at another address, or with one more token, as options say.
    #[must_use]
    pub fn changed_by(&self, bind: Option<SocketAddr>, token: Option<&Path>) -> Http {
        let more = token.map(|file| Secret::file(file.to_owned()));
        Http {
            bind: bind.unwrap_or(self.bind),
            tokens: more
                .into_iter()
                .chain(self.tokens.iter().cloned())
                .collect(),
        }
    }
}

/// Reads all these tables, which it takes out of the file. `None` if one of them is invalid;
/// `notes` says why.
pub(super) fn read(file: &mut FeedFile, base: &Path, notes: &mut Notes) -> Option<Services> {
    let topic = file.source.as_ref().and_then(|source| source.topic.clone());
    let source = file
        .source
        .take()
        .map(|table| super::source::read(table, base, notes));
    let directory = matches!(
        source,
        Some(Some(SourceSettings {
            place: SourcePlace::Directory { .. },
            ..
        }))
    );
    let kafka = matches!(
        source,
        Some(Some(SourceSettings {
            place: SourcePlace::Kafka { .. },
            ..
        }))
    );
    let store = file.store.take().map(|table| store(table, base, notes));
    let schedule = file
        .schedule
        .take()
        .map(|table| schedule(table, kafka, notes));
    let publish = publish(file.publish.take(), notes);
    let notify = notify::read(file.notify.take(), directory, topic.as_deref(), base, notes);
    let http = http(file.http.take(), base, notes);
    let log = file
        .log
        .take()
        .and_then(|table| table.format)
        .unwrap_or(LogFormat::Text);
    let max_clock_step = file.feed.max_clock_step.unwrap_or(Period::seconds(3_600));
    if max_clock_step.is_zero() {
        notes.refuse(
            "feed.max_clock_step",
            "`max_clock_step` is how far the clock may step ahead: write \"1h\", or another length above 0",
        );
    }
    Some(Services {
        source: whole(source)?,
        store,
        schedule: whole(schedule)?,
        publish,
        notify,
        http: http?,
        log,
        max_clock_step,
    })
}

/// `None` if a table exists that could not be read.
fn whole<T>(read: Option<Option<T>>) -> Option<Option<T>> {
    match read {
        Some(None) => None,
        Some(Some(read)) => Some(Some(read)),
        None => Some(None),
    }
}

/// The most letters of a text for readers.
const MOST_LETTERS: usize = 500;

fn publish(table: Option<PublishTable>, notes: &mut Notes) -> Publish {
    let Some(table) = table else {
        return Publish::default();
    };
    let PublishTable {
        delta,
        release_column,
        keep,
        retain,
        purpose,
        contact,
        language,
    } = table;
    for (path, text) in [("publish.purpose", &purpose), ("publish.contact", &contact)] {
        let wrong = |text: &String| {
            text.trim().is_empty()
                || text.chars().count() > MOST_LETTERS
                || text.chars().any(char::is_control)
        };
        let refused = "this is one line of text for readers: write 1 to 500 characters without control characters, or remove it";
        notes.refuse_if(text.as_ref().is_some_and(wrong), path, refused);
    }
    for (path, period) in [("publish.keep", &keep), ("publish.retain", &retain)] {
        let none = period.is_some_and(|period| period.is_zero());
        notes.refuse_if(
            none,
            path,
            "this is a length of time: write \"90d\", or another length above 0",
        );
    }
    let release_column = release_column.map(|column| match column {
        file::ReleaseColumnName::Name(name) => {
            let text = "the name of a column must not contain control characters";
            notes.refuse_if(is_no_name(&name), "publish.release_column", text);
            ReleaseColumn::Named(name.into())
        }
        file::ReleaseColumnName::Whether(true) => {
            let text = "write the name of the column, or `false` for none";
            notes.refuse("publish.release_column", text);
            ReleaseColumn::default()
        }
        file::ReleaseColumnName::Whether(false) => ReleaseColumn::Absent,
    });
    let pages = PageTexts {
        purpose,
        contact,
        language: language.unwrap_or_default(),
    };
    Publish {
        delta: delta.unwrap_or(true),
        release_column,
        keep,
        retain,
        pages,
    }
}

fn store(table: StoreTable, base: &Path, notes: &mut Notes) -> StoreSettings {
    let [private, public] =
        [table.private, table.public].map(|root| root.map(|root| root.under(base)));
    let text = "the public root and the private one must be separate: personal data must never be in a place that readers can \
        access";
    let overlap = private
        .as_ref()
        .zip(public.as_ref())
        .is_some_and(|(private, public)| private.overlaps(public));
    notes.refuse_if(overlap, "store.public", text);
    if table.signing_key.is_none() {
        notes.warn(
            "store.signing_key",
            "without a signing key manifests are unsigned: readers cannot tell a forged release from yours",
        );
    }
    let text = "without a key only commands with --key can use the private root: `tidegate init` makes one";
    if table.key.is_none() {
        notes.warn("store.key", text);
    }
    StoreSettings {
        private,
        public,
        key: table.key.map(|key| key.under(base)),
        signing_key: table.signing_key.map(|key| key.under(base)),
        keep_raw: table.keep_raw.unwrap_or(Period::days(30)),
        quarantine_days: table.quarantine_days.unwrap_or(30),
    }
}

fn schedule(table: ScheduleTable, kafka: bool, notes: &mut Notes) -> Option<Schedule> {
    let per_file = table.per_file == Some(true);
    notes.refuse_if(
        per_file && kafka,
        "schedule.per_file",
        "a topic has no files: write `every` or `cron` instead",
    );
    if table.timezone.is_some() && table.cron.is_none() {
        notes.warn(
            "schedule.timezone",
            "`timezone` has no effect without `cron`: ticks of `every` are multiples since 1970-01-01 UTC",
        );
    }
    let zone = match table.timezone.as_deref() {
        None => Some(jiff::tz::TimeZone::UTC),
        Some(name) => jiff::tz::TimeZone::get(name).ok(),
    };
    notes.refuse_if(
        zone.is_none(),
        "schedule.timezone",
        "there is no such time zone: write \"Europe/Berlin\" or another name of the IANA list",
    );
    let pattern = table.cron.as_deref().map(cron);
    let ticks = match (table.every, pattern) {
        (Some(_), Some(_)) => {
            notes.refuse(
                "schedule.cron",
                "`every` and `cron` exclude each other: keep one of them",
            );
            None
        }
        (Some(every), None) => {
            notes.refuse_if(
                every.is_zero(),
                "schedule.every",
                "`every` is the time between two ticks: write \"1d\", or another length above 0",
            );
            Some(Ticks::Every(every))
        }
        (None, Some(None)) => {
            let text = "`cron` is five fields, minute hour day month weekday, such as \"0 3 * * *\" (or six, seconds first)";
            notes.refuse("schedule.cron", text);
            None
        }
        (None, Some(Some(pattern))) => zone.map(|zone| Ticks::Cron {
            pattern: Box::new(pattern),
            zone,
        }),
        (None, None) if per_file => Some(Ticks::PerFile),
        (None, None) => {
            notes.refuse(
                "schedule",
                "the times of ticks are missing: write `every = \"1d\"` or `cron = \"0 3 * * *\"`",
            );
            None
        }
    };
    let (min_records, approval) = (
        table.min_records.unwrap_or(1),
        table.approval.unwrap_or(Approval::None),
    );
    let approvers = approvers::read(table.approvers, table.approvals, approval, notes);
    ticks.map(|ticks| Schedule {
        ticks,
        min_records,
        approval,
        approvers,
    })
}

/// A cron pattern of five or six fields.
fn cron(text: &str) -> Option<croner::Cron> {
    let fields = text.split_whitespace().count();
    (5..=6)
        .contains(&fields)
        .then(|| text.parse().ok())
        .flatten()
}

fn http(table: Option<HttpTable>, base: &Path, notes: &mut Notes) -> Option<Http> {
    let (bind, tokens) = table.map_or((None, None), |table| (table.bind, table.tokens));
    let parsed = bind
        .as_deref()
        .unwrap_or("127.0.0.1:9464")
        .parse::<SocketAddr>();
    let Ok(bind) = parsed else {
        notes.refuse(
            "http.bind",
            "`bind` is an address and a port, such as \"127.0.0.1:9464\"",
        );
        return None;
    };
    let tokens: Vec<Secret> = tokens
        .into_iter()
        .flatten()
        .map(|token| token.under(base))
        .collect();
    let http = Http { bind, tokens };
    if http.is_reached_from_outside() {
        notes.warn(
            "http.bind",
            "the pages are unencrypted and other machines can reach them: put a proxy with TLS in \
                front",
        );
    }
    let text = "other machines can reach this address, and its pages say how many people wait and why a feed has \
                halted: write `tokens = [\"file:keys/metrics.token\"]` in [http], or an address of this machine, \
                127.0.0.1";
    notes.refuse_if(http.is_open(), "http.bind", text);
    Some(http)
}
