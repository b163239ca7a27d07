//! What makes a struct an event: a name, a level, fields, and the metrics that it moves.

use crate::daemon::observe::line::{Level, LogLine};
use crate::daemon::observe::metrics::Meters;
use crate::daemon::observe::state::FeedPhase;

/// What a log line is made of.
pub trait LogFields {
    /// The name of the event.
    const NAME: &'static str;
    /// How much it matters.
    const LEVEL: Level;

    /// Writes its fields.
    fn fields(&self, line: &mut LogLine);
}

/// An event of a feed.
pub trait Event: LogFields {
    /// The state that the feed is in from now on, where it changes.
    const STATE: Option<FeedPhase> = None;
    /// Whether a halted feed leaves that state with it; it is tried again and again before that.
    const ENDS_HALT: bool = false;

    /// Moves its metrics.
    fn count(&self, to: &Meters<'_>);
}

/// An event of the whole process; no metric belongs to one.
pub trait ProcessEvent: LogFields {}

/// Declares an event; its fields are told in this order, under their names.
macro_rules! event {
    ($(#[$about:meta])* $name:ident = $word:literal, $level:ident { $($(#[$what:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone)]
        pub struct $name { $($(#[$what])* pub $field: $type,)* }

        impl $crate::daemon::observe::events::log_fields::LogFields for $name {
            const NAME: &'static str = $word;
            const LEVEL: $crate::daemon::observe::line::Level = $crate::daemon::observe::line::Level::$level;

            fn fields(&self, _line: &mut $crate::daemon::observe::line::LogLine) {
                $($crate::daemon::observe::field::EventField::write(&self.$field, stringify!($field), _line);)*
            }
        }
    };
}

pub(super) use event;
