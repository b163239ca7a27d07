//! Events of notifications: who received one, and which receiver does not answer. Their content is
//! not repeated here.

use super::log_fields::{Event, event};
use crate::observe::field::ErrorText;
use crate::observe::metrics::Meters;
use crate::observe::words::{Notice, Receiver};

event! {
    /// A receiver has received a notification.
    NotificationSent = "notification_sent", Info {
        /// The receiver.
        receiver: Receiver,
        /// The kind of notification.
        notice: Notice,
    }
}

impl Event for NotificationSent {
    fn count(&self, to: &Meters<'_>) {
        to.notified(self.receiver);
        to.receiver_away(self.receiver, false);
    }
}

event! {
    /// A receiver rejected a notification, or its content is no longer known; it is not sent again.
    NotificationRefused = "notification_refused", Warn {
        /// The receiver.
        receiver: Receiver,
        /// The kind of notification.
        notice: Notice,
        /// The reason, in words of this program.
        why: ErrorText,
    }
}

impl Event for NotificationRefused {
    fn count(&self, to: &Meters<'_>) {
        to.receiver_away(self.receiver, false);
    }
}

event! {
    /// A receiver does not accept notifications; they are sent again, and nothing else waits for
    /// that.
    ReceiverAway = "receiver_away", Warn {
        /// The receiver.
        receiver: Receiver,
        /// The reason, in words of this program.
        why: ErrorText,
    }
}

impl Event for ReceiverAway {
    fn count(&self, to: &Meters<'_>) {
        to.receiver_away(self.receiver, true);
    }
}

event! {
    /// A receiver answers again.
    ReceiverBack = "receiver_back", Info {
        /// The receiver.
        receiver: Receiver,
    }
}

impl Event for ReceiverBack {
    fn count(&self, to: &Meters<'_>) {
        to.receiver_away(self.receiver, false);
    }
}
