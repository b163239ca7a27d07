//! Delivers notifications to one receiver until it has accepted them, and reports when it is away
//! and when it is back.

use std::time::Duration;

use super::listeners::Listener;
use super::notification::{Notification, NotifiedEvent};
use super::receiver::HandoverOutcome;
use crate::error::Complaint;
use crate::observe::FeedObserver;
use crate::observe::events::{
    ErrorText, Notice, NotificationRefused, NotificationSent, ReceiverAway, ReceiverBack,
};

/// The pause between two attempts: at first, and at most.
const AGAIN: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(60)];

/// The outcome of a notification.
pub(super) struct NotifyOutcome {
    notice: Notice,
    refused: Option<Complaint>,
}

/// The delivery of notifications to one receiver.
pub(super) struct Delivery {
    /// The receiver.
    pub listener: Listener,
    observer: FeedObserver,
    away: bool,
    pause: Duration,
}

impl Delivery {
    /// For this receiver.
    pub(super) fn new(listener: Listener, observer: FeedObserver) -> Delivery {
        Delivery {
            listener,
            observer,
            away: false,
            pause: AGAIN[0],
        }
    }

    /// Reports that a notification could not be delivered; returns the pause before the next
    /// attempt.
    pub(super) fn fails(&mut self, why: ErrorText) -> Duration {
        if !self.away {
            self.away = true;
            self.observer.emit(&ReceiverAway {
                receiver: self.listener.name,
                why,
            });
        }
        let pause = self.pause;
        self.pause = (pause * 2).min(AGAIN[1]);
        pause
    }

    /// Reports that the receiver accepts notifications again.
    pub(super) fn back(&mut self) {
        self.pause = AGAIN[0];
        if std::mem::take(&mut self.away) {
            self.observer.emit(&ReceiverBack {
                receiver: self.listener.name,
            });
        }
    }

    /// Delivers a notification; `None` if there was no time. `waits` waits, and says whether there
    /// is time left.
    pub(super) fn deliver(
        &mut self,
        notification: &Notification,
        ends: &dyn Fn() -> bool,
        waits: &dyn Fn(Duration) -> bool,
    ) -> Option<NotifyOutcome> {
        loop {
            match self.listener.hand.hand(notification, ends) {
                HandoverOutcome::Ending => return None,
                HandoverOutcome::Done => {
                    self.back();
                    return Some(NotifyOutcome {
                        notice: notice(&notification.what),
                        refused: None,
                    });
                }
                HandoverOutcome::Refused(why) => {
                    self.back();
                    return Some(NotifyOutcome {
                        notice: notice(&notification.what),
                        refused: Some(why),
                    });
                }
                HandoverOutcome::Away(why) => {
                    let pause = self.fails(ErrorText::from(why));
                    if !waits(pause) {
                        return None;
                    }
                }
            }
        }
    }
}

impl NotifyOutcome {
    /// A notification whose content is lost.
    pub(super) fn lost(notice: Notice, why: Complaint) -> NotifyOutcome {
        NotifyOutcome {
            notice,
            refused: Some(why),
        }
    }

    /// Reports the outcome; the caller may rely on it that the receiver is not notified again.
    pub(super) fn say(self, deliverer: &Delivery) {
        let NotifyOutcome { notice, refused } = self;
        let receiver = deliverer.listener.name;
        match refused {
            None => deliverer
                .observer
                .emit(&NotificationSent { receiver, notice }),
            Some(why) => deliverer.observer.emit(&NotificationRefused {
                receiver,
                notice,
                why: ErrorText::from(why),
            }),
        }
    }
}

fn notice(what: &NotifiedEvent) -> Notice {
    match what {
        NotifiedEvent::Release { .. } => Notice::Release,
        NotifiedEvent::Withdrawn { .. } => Notice::Withdrawn,
        NotifiedEvent::Erased { .. } => Notice::Erased,
        NotifiedEvent::Expired { .. } => Notice::Expired,
        NotifiedEvent::Rejected { .. } => Notice::Rejected,
        NotifiedEvent::Approval { .. } => Notice::Approval,
        NotifiedEvent::Halted { .. } => Notice::Halted,
        NotifiedEvent::Resumed { .. } => Notice::Resumed,
    }
}
