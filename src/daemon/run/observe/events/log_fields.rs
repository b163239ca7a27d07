//! What makes a struct an event: a name, a level, fields, and the metrics that it changes.

use crate::observe::line::{Level, LogLine};
use crate::observe::metrics::Meters;
use crate::observe::state::FeedPhase;

/// The parts of a log line.
pub trait LogFields {
    /// The name of the event.
    const NAME: &'static str;
    /// Its level.
    const LEVEL: Level;

    /// Writes its fields.
    fn fields(&self, line: &mut LogLine);
}

/// An event of a feed.
pub trait Event: LogFields {
    /// The new state of the feed, if the event changes it.
    const STATE: Option<FeedPhase> = None;
    /// Whether it ends a halt. Attempts to continue are made again and again before that.
    const ENDS_HALT: bool = false;

    /// Changes its metrics.
    fn count(&self, to: &Meters<'_>);
}

/// An event of the whole process; it changes no metric.
pub trait ProcessEvent: LogFields {}

/// Declares an event; its fields are written in this order, under their names.
macro_rules! event {
    ($(#[$about:meta])* $name:ident = $word:literal, $level:ident { $($(#[$what:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $name { $($(#[$what])* pub $field: $type,)* }

        impl $crate::observe::events::log_fields::LogFields for $name {
            const NAME: &'static str = $word;
            const LEVEL: $crate::observe::line::Level = $crate::observe::line::Level::$level;

            fn fields(&self, _line: &mut $crate::observe::line::LogLine) {
                $($crate::observe::field::EventField::write(&self.$field, stringify!($field), _line);)*
            }
        }
    };
}

pub(super) use event;
