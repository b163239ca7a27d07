//! Who was told what of a feed, and who does not listen. What was told is not repeated here.

use super::log_fields::{Event, event};
use crate::daemon::observe::field::ErrorText;
use crate::daemon::observe::metrics::Meters;
use crate::daemon::observe::words::{Notice, Receiver};

event! {
    /// A receiver has a notification.
    NotificationSent = "notification_sent", Info {
        /// The receiver.
        receiver: Receiver,
        /// What it was told.
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
    /// A receiver does not want a notification, or it is not known any more what it was to be told; it is not tried again.
    NotificationRefused = "notification_refused", Warn {
        /// The receiver.
        receiver: Receiver,
        /// What it was told.
        notice: Notice,
        /// Why not, in words of our own.
        why: ErrorText,
    }
}

impl Event for NotificationRefused {
    fn count(&self, to: &Meters<'_>) {
        to.receiver_away(self.receiver, false);
    }
}

event! {
    /// A receiver does not take what it is told; it is tried again, and nothing else waits for it.
    ReceiverAway = "receiver_away", Warn {
        /// The receiver.
        receiver: Receiver,
        /// Why not, in words of our own.
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
