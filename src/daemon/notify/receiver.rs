//! Receivers of notifications: one seam, with a topic and a web address behind it.

use super::notification::Notification;
use crate::daemon::error::{Complaint, Result};

/// What came of handing a notification over.
#[derive(Debug)]
pub enum HandoverOutcome {
    /// It is there.
    Done,
    /// Trying again may help.
    Away(Complaint),
    /// It is not wanted, and never will be.
    Refused(Complaint),
    /// There is no time to wait for the answer.
    Told,
}

/// Takes notifications.
pub trait NotificationReceiver: Send {
    /// What is there, in words; no receiver is told anything.
    ///
    /// # Errors
    /// It cannot be told.
    fn look(&self) -> Result<String>;

    /// Hands one over; `ends` tells when the answer is not waited for any more.
    fn hand(&mut self, notification: &Notification, ends: &dyn Fn() -> bool) -> HandoverOutcome;
}
