//! The metrics by name, with what each counts and means. A test fixes the exposition, so that no
//! name that a dashboard relies on changes unnoticed.

use prometheus_client::registry::Unit;

/// An enumeration of metrics, with the texts of each.
macro_rules! table {
    ($($(#[$about:meta])* $name:ident { $($variant:ident = $word:literal, $help:literal;)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = $help] $variant,)* }

        impl $name {
            /// All of them, in order.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// As it is written.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// Its description, a sentence without the full stop.
            pub fn help(self) -> &'static str {
                match self { $($name::$variant => $help,)* }
            }
        }
    )*};
}

table! {
    /// Counters, by feed.
    Total {
        Files = "files", "Files of a directory source that were accepted";
        Batches = "batches", "Batches of messages of a topic that were accepted";
        LateFiles = "late_files", "Files that appeared after one with a later name had been read";
        NullCells = "null_cells", "Missing or malformed values of sensitive columns, published as null";
        MissedTicks = "missed_ticks", "Ticks that passed while no process was running, and that one later tick replaced";
        Releases = "releases", "Releases that were published";
        ErasedPeople = "erased_people", "People who were erased on request";
        ForgottenObjects = "forgotten_objects", "Objects that were deleted because their retention period was over";
        SweptObjects = "swept_objects", "Unreferenced objects of earlier writers deleted (count)";
        Checkpoints = "checkpoints", "Checkpoints that were written";
        Scrubs = "scrubs", "Completed scrubs: checks of everything that the log names, while the feed was running";
        Halts = "halts", "Halts of the feed";
    }
    /// Gauges, by feed.
    Gauge {
        NewRows = "new_rows", "Rows that arrived since the last closed tick";
        WaitingRows = "waiting_rows", "Rows that wait because their class is too small";
        PendingRows = "pending_rows", "Rows in atoms that no release contains yet";
        NewestRelease = "newest_release", "Number of the newest release";
        NewestReleaseRows = "newest_release_rows", "Rows of the newest release";
        MeasureSums = "measure_sums", "Sums of measures that the newest release publishes";
        MeasureSumsLeftOut = "measure_sums_left_out", "Sums of measures that the newest release suppresses";
        LogEntries = "log_entries", "Entries of the log";
        Epoch = "epoch", "Epoch of the writer";
        LastTick = "last_tick_timestamp", "Time of the last tick, closed or skipped, in seconds since 1970";
        LastPublication = "last_publication_timestamp", "Time of the last publication, in seconds since 1970";
        LastScrub = "last_scrub_timestamp", "Time of the last completed scrub, in seconds since 1970";
        Damaged = "damaged", "Entries, objects and published files that scrubs have found missing or changed";
        Quarantine = "quarantine", "Share of messages set aside since the last tick, when it was last compared with \
            the limit";
        SourceOldest = "source_oldest", "Age of the oldest message that is not accepted yet, in seconds";
        BrokersAway = "brokers_away", "1 while no broker answers, else 0";
        RegistryAway = "registry_away", "1 while the schema registry does not answer, else 0";
        ClockOff = "clock_off", "How far the clock was set while the process ran, or how far the newest tick lies in \
            the future, in seconds; no tick closes while it is not 0";
        Halted = "halted", "1 while the feed is halted and needs an operator, else 0";
    }
}

impl Gauge {
    /// The unit, if the name does not contain it.
    pub fn unit(self) -> Option<Unit> {
        match self {
            Gauge::LastTick
            | Gauge::LastPublication
            | Gauge::LastScrub
            | Gauge::SourceOldest
            | Gauge::ClockOff => Some(Unit::Seconds),
            Gauge::Quarantine => Some(Unit::Other("ratio".to_owned())),
            _ => None,
        }
    }

    /// Whether 0 is correct before the first event.
    pub fn begins_at_zero(self) -> bool {
        matches!(
            self,
            Gauge::NewRows | Gauge::Damaged | Gauge::ClockOff | Gauge::Halted
        )
    }
}
