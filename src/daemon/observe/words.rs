//! Closed enumerations of words: fields of events and values of labels alike. A word that is not here can be neither.

use super::field::{EventField, sealed};
use super::line::LogLine;

/// An enumeration of words, which are a field of events and a value of a label alike.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$what])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// As it is written.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl sealed::Sealed for $name {}
        impl EventField for $name {
            fn write(&self, key: &'static str, line: &mut LogLine) {
                line.text(key, self.word());
            }
        }
    )*};
}

words! {
    /// What an entry of the log says of a release.
    Decision {
        /// It leaves.
        Publish = "publish",
        /// It does not.
        Reject = "reject",
        /// A person is asked.
        Hold = "hold",
    }
    /// Why a tick made no decision yet.
    Hold {
        /// There is no release yet, and too few rows for one.
        TooFew = "too_few",
        /// A person has to approve.
        Approval = "approval",
    }
    /// What a person asks for.
    Request {
        /// That a held release leaves.
        Approve = "approve",
        /// That it does not.
        Reject = "reject",
        /// That a person is forgotten.
        Erase = "erase",
        /// Releases are to be withdrawn.
        Withdraw = "withdraw",
        /// That a new chain begins.
        NewChain = "new_chain",
        /// That what was set aside is tried again.
        QuarantineRetry = "quarantine_retry",
    }
    /// What came of it.
    Answer {
        /// It is in the log.
        Done = "done",
        /// It could not be, and the operator who asked is told why.
        Refused = "refused",
    }
    /// Who is told of a feed.
    Receiver {
        /// Public facts of releases.
        Topic = "topic",
        /// Public facts of releases.
        Webhook = "webhook",
        /// What the operator is to know.
        OperatorTopic = "operator_topic",
        /// What the operator is to know.
        OperatorWebhook = "operator_webhook",
    }
    /// What a receiver is told.
    Notice {
        /// A release is visible.
        Release = "release",
        /// Releases were withdrawn.
        Withdrawn = "withdrawn",
        /// Manifests that list erased rows are gone.
        Erased = "erased",
        /// Old manifests are gone.
        Expired = "expired",
        /// A release may not leave.
        Rejected = "rejected",
        /// Everything goes to the root for the rest of a chain.
        Coarsest = "coarsest",
        /// A release waits for a person.
        Approval = "approval",
        /// The feed has halted.
        Halted = "halted",
        /// The feed goes on after a halt.
        Resumed = "resumed",
    }
    /// What became of a row.
    RowOutcome {
        /// Accepted.
        Kept = "kept",
        /// Of a person who is in the feed already.
        Duplicate = "duplicate",
        /// Left out by policy.
        Skipped = "skipped",
        /// Set aside.
        Quarantined = "quarantined",
    }
    /// How a tick ended.
    TickOutcome {
        /// Fewer new rows than the schedule asks for, or rows gather for a later tick.
        Skipped = "skipped",
        /// No atom was added.
        Waiting = "waiting",
        /// Too few rows for a first release, or a person has to approve.
        Held = "held",
        /// The gate refused the release.
        Rejected = "rejected",
        /// A check that reads sensitive values refused it.
        Stopped = "stopped",
        /// The release left without anybody being asked.
        Published = "published",
    }
    /// What time is spent on.
    Step {
        /// Taking a file.
        Ingest = "ingest",
        /// Closing an increment.
        Closing = "closing",
        /// Making a release and judging it.
        Judging = "judging",
        /// Copying a release to the public root.
        Publishing = "publishing",
    }
}
