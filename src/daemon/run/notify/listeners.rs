//! The receivers of notifications that the feed file names.

use super::notification::Audience;
use super::receiver::NotificationReceiver;
use super::topic::NoticeTopic;
use super::webhook::Webhook;
use crate::config::{FeedConfig, SourcePlace};
use crate::error::Result;
use crate::observe::events::Receiver;

/// A receiver of a feed.
pub(super) struct Listener {
    /// Its name.
    pub name: Receiver,
    /// What it may know.
    pub audience: Audience,
    /// The way to deliver to it.
    pub hand: Box<dyn NotificationReceiver>,
}

/// Describes each receiver, by the key that names it, without sending anything.
///
/// # Errors
/// A secret cannot be read, or is no address.
pub fn look(feed: &FeedConfig) -> Result<Vec<(Receiver, Result<String>)>> {
    Ok(listeners(feed)?
        .into_iter()
        .map(|listener| (listener.name, listener.hand.look()))
        .collect())
}

/// The receivers that a feed file names. None is connected to yet.
///
/// # Errors
/// A secret cannot be read, or is no address.
pub(super) fn listeners(feed: &FeedConfig) -> Result<Vec<Listener>> {
    let (notify, mut found) = (&feed.services.notify, Vec::new());
    let topics = [
        (&notify.topic, Receiver::Topic, Audience::Public),
        (
            &notify.operator_topic,
            Receiver::OperatorTopic,
            Audience::Operator,
        ),
    ];
    let source = feed.services.source.as_ref().map(|source| &source.place);
    for (topic, name, audience) in topics {
        let (
            Some(topic),
            Some(SourcePlace::Kafka {
                brokers, security, ..
            }),
        ) = (topic, source)
        else {
            continue;
        };
        let hand = Box::new(NoticeTopic::new(brokers, security.as_deref(), topic)?);
        found.push(Listener {
            name,
            audience,
            hand,
        });
    }
    let webhooks = [
        (&notify.webhook, Receiver::Webhook, Audience::Public),
        (
            &notify.operator_webhook,
            Receiver::OperatorWebhook,
            Audience::Operator,
        ),
    ];
    for (hook, name, audience) in webhooks {
        let Some(hook) = hook else { continue };
        let hand = Box::new(Webhook::new(
            hook,
            notify,
            &format!("notify.{}", name.word()),
        )?);
        found.push(Listener {
            name,
            audience,
            hand,
        });
    }
    Ok(found)
}
