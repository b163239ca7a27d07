//! Receivers of notifications: one interface for topics and web addresses.

use super::notification::Notification;
use crate::error::{Complaint, Result};

/// The outcome of a delivery.
#[derive(Debug)]
pub(super) enum HandoverOutcome {
    /// It was accepted.
    Done,
    /// Trying again may help.
    Away(Complaint),
    /// It is rejected permanently.
    Refused(Complaint),
    /// There is no time to wait for the answer.
    Ending,
}

/// Accepts notifications.
pub(super) trait NotificationReceiver: Send {
    /// A description of the receiver, without sending anything.
    ///
    /// # Errors
    /// It cannot be described.
    fn look(&self) -> Result<String>;

    /// Delivers a notification; `ends` says when the answer is not waited for any more.
    fn hand(&mut self, notification: &Notification, ends: &dyn Fn() -> bool) -> HandoverOutcome;
}
