//! `[notify]` of a feed file (CONTRACTS 1): the topics and web addresses that receive notifications
//! of releases, halts and rejections, the keys that sign requests, and where requests may go.
//! Nothing is connected to or read here.

use std::path::Path;

use super::allowed_hosts::AllowedHosts;
use super::file::NotifyTable;
use super::notes::Notes;
use super::secret::{Secret, WebAddress, is_local};
use super::source::{TOPIC, is_topic};

/// `[notify]`
#[derive(Debug, Default)]
pub struct Notify {
    /// The topic for public facts about releases.
    pub topic: Option<String>,
    /// The address for public facts about releases.
    pub webhook: Option<WebhookSettings>,
    /// The topic for halts and rejections.
    pub operator_topic: Option<String>,
    /// The address for halts and rejections.
    pub operator_webhook: Option<WebhookSettings>,
    /// The permitted hosts and networks of the two addresses.
    pub reach: AllowedHosts,
    /// The proxy for requests to other machines.
    pub proxy: Option<WebAddress>,
}

/// The error for an address without encryption at another machine.
pub const UNENCRYPTED: &str =
    "notifications would travel unencrypted to another machine: write an address with https://";

/// A web address that receives notifications.
#[derive(Debug)]
pub struct WebhookSettings {
    /// The address.
    pub address: WebAddress,
    /// The key that signs requests to it.
    pub key: Secret,
}

/// Reads the table. `directory`: whether the source is one; `source`: the topic of the source.
pub(super) fn read(
    table: Option<NotifyTable>,
    directory: bool,
    source: Option<&str>,
    base: &Path,
    notes: &mut Notes,
) -> Notify {
    let Some(table) = table else {
        return Notify::default();
    };
    for (path, topic) in [
        ("notify.topic", &table.topic),
        ("notify.operator_topic", &table.operator_topic),
    ] {
        let Some(topic) = topic else { continue };
        notes.refuse_if(!is_topic(topic), path, TOPIC);
        notes.refuse_if(
            directory,
            path,
            "a topic needs the brokers of a Kafka source, but this source is a directory: use a webhook",
        );
        notes.refuse_if(
            Some(topic.as_str()) == source,
            path,
            "this is the topic of the source: use another one",
        );
    }
    apart(&table, notes);
    let private = table.private_hosts.unwrap_or_default();
    let reach = AllowedHosts::new(table.allowed_hosts.as_deref(), &private).unwrap_or_else(
        |(path, text)| {
            notes.refuse(path, text);
            AllowedHosts::default()
        },
    );
    let mut hook = |path: &str, address: Option<WebAddress>, key: Option<Secret>| {
        if let Some(address) = &address {
            judge(path, address, &reach, notes);
        }
        let (name, line) = (format!("{path}_key"), path.trim_start_matches("notify."));
        match (address, key) {
            (Some(address), Some(key)) => Some(WebhookSettings {
                address: address.under(base),
                key: key.under(base),
            }),
            (Some(_), None) => {
                let text = format!(
                    "every request is signed, so that its receiver can detect a forged one: write `{line}_key = \
                     \"file:FILE\"`, and make the key with `(umask 077; openssl rand -hex 32 > FILE)`"
                );
                notes.refuse(path, text);
                None
            }
            (None, Some(_)) => {
                notes.refuse(
                    &name,
                    format!("there is no `{line}` whose requests this key could sign: remove it"),
                );
                None
            }
            (None, None) => None,
        }
    };
    Notify {
        webhook: hook("notify.webhook", table.webhook, table.webhook_key),
        operator_webhook: hook(
            "notify.operator_webhook",
            table.operator_webhook,
            table.operator_webhook_key,
        ),
        topic: table.topic,
        operator_topic: table.operator_topic,
        proxy: table.proxy.map(|proxy| proxy.under(base)),
        reach,
    }
}

/// Receivers of public facts must not learn, or be able to sign, anything else.
fn apart(table: &NotifyTable, notes: &mut Notes) {
    let text = "halts and rejections are private and must not go to the receiver of public facts: name another one";
    let both = |a: bool, b: bool| a && b;
    let topics = both(table.topic.is_some(), table.topic == table.operator_topic);
    notes.refuse_if(topics, "notify.operator_topic", text);
    let webhooks = both(
        table.webhook.is_some(),
        table.webhook == table.operator_webhook,
    );
    notes.refuse_if(webhooks, "notify.operator_webhook", text);
    let text =
        "with one key for both, the receiver of public facts could forge a halt: make another key";
    let keys = both(
        table.webhook_key.is_some(),
        table.webhook_key == table.operator_webhook_key,
    );
    notes.refuse_if(keys, "notify.operator_webhook_key", text);
}

/// Checks that a web address in the feed file may be used; an address in another file is checked
/// when it is read.
fn judge(path: &str, address: &WebAddress, reach: &AllowedHosts, notes: &mut Notes) {
    let WebAddress::Plain(text) = address else {
        return;
    };
    if let Err(why) = reach.url(text) {
        notes.refuse(path, why);
    }
    if let Some(("http", host)) = address.host()
        && !is_local(host)
    {
        notes.refuse(path, UNENCRYPTED);
    }
}
