//! Hands notifications to one receiver until it has them, and reports when it is away and when it is back.

use std::time::Duration;

use super::listeners::Listener;
use super::notification::{Notification, NotifiedEvent};
use super::receiver::HandoverOutcome;
use crate::daemon::error::Complaint;
use crate::daemon::observe::FeedObserver;
use crate::daemon::observe::events::{
    ErrorText, Notice, NotificationRefused, NotificationSent, ReceiverAway, ReceiverBack,
};

/// Between two tries: at first, and at most.
const AGAIN: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(60)];

/// What came of telling.
pub struct NotifyOutcome {
    notice: Notice,
    refused: Option<Complaint>,
}

/// The delivery of notifications to one receiver.
pub struct Delivery {
    /// The receiver.
    pub listener: Listener,
    told: FeedObserver,
    away: bool,
    pause: Duration,
}

impl Delivery {
    /// Of this receiver.
    pub fn new(listener: Listener, told: FeedObserver) -> Delivery {
        Delivery { listener, told, away: false, pause: AGAIN[0] }
    }

    /// Something has kept a notification from its receiver; how long to wait before the next try.
    pub fn fails(&mut self, why: ErrorText) -> Duration {
        if !self.away {
            self.away = true;
            self.told.emit(&ReceiverAway { receiver: self.listener.name, why });
        }
        let pause = self.pause;
        self.pause = (pause * 2).min(AGAIN[1]);
        pause
    }

    /// Nothing keeps notifications from the receiver any more.
    pub fn back(&mut self) {
        self.pause = AGAIN[0];
        if std::mem::take(&mut self.away) {
            self.told.emit(&ReceiverBack { receiver: self.listener.name });
        }
    }

    /// Tells; `None` when there was no time to. `waits` waits, and says whether there is time left.
    pub fn tell(
        &mut self,
        notification: &Notification,
        ends: &dyn Fn() -> bool,
        waits: &dyn Fn(Duration) -> bool,
    ) -> Option<NotifyOutcome> {
        loop {
            match self.listener.hand.hand(notification, ends) {
                HandoverOutcome::Told => return None,
                HandoverOutcome::Done => {
                    self.back();
                    return Some(NotifyOutcome { notice: notice(&notification.what), refused: None });
                }
                HandoverOutcome::Refused(why) => {
                    self.back();
                    return Some(NotifyOutcome { notice: notice(&notification.what), refused: Some(why) });
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
    /// There is nothing left to tell.
    pub fn lost(notice: Notice, why: Complaint) -> NotifyOutcome {
        NotifyOutcome { notice, refused: Some(why) }
    }

    /// Says so; the caller may rely on it that the receiver is not told again.
    pub fn say(self, teller: &Delivery) {
        let NotifyOutcome { notice, refused } = self;
        let receiver = teller.listener.name;
        match refused {
            None => teller.told.emit(&NotificationSent { receiver, notice }),
            Some(why) => teller.told.emit(&NotificationRefused { receiver, notice, why: ErrorText::from(why) }),
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
        NotifiedEvent::Coarsest { .. } => Notice::Coarsest,
        NotifiedEvent::Approval { .. } => Notice::Approval,
        NotifiedEvent::Halted { .. } => Notice::Halted,
        NotifiedEvent::Resumed { .. } => Notice::Resumed,
    }
}
