//! The labels of metrics: the feed, words of closed enumerations, and numbers of partitions. No
//! label accepts a text, so the number of series is known in advance.

use std::fmt;

use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};

use crate::observe::words::{Answer, Decision, Receiver, Request, RowOutcome, Step, TickOutcome};

/// Declares sets of labels: the feed, and words.
macro_rules! sets {
    ($($(#[$about:meta])* $name:ident { $($label:ident: $type:ty),* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
        pub(super) struct $name {
            feed: String,
            $($label: $type,)*
        }

        impl $name {
            /// For this feed.
            pub(super) fn new(feed: &str, $($label: $type),*) -> $name {
                $name { feed: feed.to_owned(), $($label),* }
            }
        }
    )*};
}

sets! {
    /// The feed alone.
    OfFeed {}
    /// A partition of the source.
    OfPartition { partition: i32 }
    /// The outcome of a row.
    OfRow { outcome: RowOutcome }
    /// The outcome of a tick.
    OfTick { outcome: TickOutcome }
    /// The decision.
    OfDecision { outcome: Decision }
    /// The kind of request, and its answer.
    OfRequest { kind: Request, outcome: Answer }
    /// The receiver of notifications.
    OfReceiver { receiver: Receiver }
    /// A step of the work.
    OfStep { step: Step }
}

/// Makes words values of labels.
macro_rules! values {
    ($($name:ident),*) => {$(
        impl EncodeLabelValue for $name {
            fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
                self.word().encode(encoder)
            }
        }
    )*};
}

values!(
    RowOutcome,
    TickOutcome,
    Step,
    Decision,
    Request,
    Answer,
    Receiver
);
