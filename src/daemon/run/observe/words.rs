//! Closed enumerations of words, used as fields of events and as values of labels. No other word
//! can be either.

use super::field::{EventField, sealed};
use super::line::LogLine;

/// An enumeration of words that are a field of events and a value of a label.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(unreachable_pub)]
        pub enum $name { $($(#[$what])* $variant,)* }

        impl $name {
            /// All of them, for words that are labels of metrics.
            #[allow(dead_code)]
            pub(crate) const ALL: &[$name] = &[$($name::$variant,)*];

            /// As it is written.
            pub(crate) fn word(self) -> &'static str {
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
    /// The decision of an entry of the log about a release.
    Decision {
        /// It is published.
        Publish = "publish",
        /// It is rejected.
        Reject = "reject",
        /// A person decides.
        Hold = "hold",
    }
    /// Why a tick has made no decision yet.
    Hold {
        /// There is no release yet, and there are too few rows for one.
        TooFew = "too_few",
        /// A person has to approve.
        Approval = "approval",
    }
    /// The kind of request.
    Request {
        /// Publish a release that waits for approval.
        Approve = "approve",
        /// Reject it.
        Reject = "reject",
        /// Erase a person.
        Erase = "erase",
        /// Withdraw releases.
        Withdraw = "withdraw",
        /// Begin a new chain.
        NewChain = "new_chain",
        /// Read messages again that were set aside.
        QuarantineRetry = "quarantine_retry",
    }
    /// The answer to a request.
    Answer {
        /// It is in the log.
        Done = "done",
        /// It was refused, and the operator learns why.
        Refused = "refused",
    }
    /// A receiver of notifications.
    Receiver {
        /// It receives public facts of releases.
        Topic = "topic",
        /// It receives public facts of releases.
        Webhook = "webhook",
        /// It receives what the operator has to know.
        OperatorTopic = "operator_topic",
        /// It receives what the operator has to know.
        OperatorWebhook = "operator_webhook",
    }
    /// The kind of notification.
    Notice {
        /// A release was published.
        Release = "release",
        /// Releases were withdrawn.
        Withdrawn = "withdrawn",
        /// Manifests that list erased rows were deleted.
        Erased = "erased",
        /// Old manifests were deleted.
        Expired = "expired",
        /// A release was rejected.
        Rejected = "rejected",
        /// A release waits for approval.
        Approval = "approval",
        /// The feed has halted.
        Halted = "halted",
        /// The feed continues after a halt.
        Resumed = "resumed",
    }
    /// The outcome of a row.
    RowOutcome {
        /// Accepted.
        Kept = "kept",
        /// Of a person who is in the feed already.
        Duplicate = "duplicate",
        /// Left out by a rule of the feed file.
        Skipped = "skipped",
        /// Set aside.
        Quarantined = "quarantined",
    }
    /// The outcome of a tick.
    TickOutcome {
        /// There are fewer new rows than the schedule requires, or rows wait for a later tick.
        Skipped = "skipped",
        /// No atom was added.
        Waiting = "waiting",
        /// There are too few rows for a first release, or a person has to approve.
        Held = "held",
        /// The gate rejected the release.
        Rejected = "rejected",
        /// A check that reads sensitive values rejected it.
        Stopped = "stopped",
        /// The release was published without asking a person.
        Published = "published",
    }
    /// A step whose time is measured.
    Step {
        /// Reading a file.
        Ingest = "ingest",
        /// Closing an increment.
        Closing = "closing",
        /// Making a release and checking it.
        Judging = "judging",
        /// Copying a release to the public root.
        Publishing = "publishing",
    }
}
