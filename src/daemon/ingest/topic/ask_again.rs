//! Asks the registry again for the schemas of messages that were set aside because it did not have
//! them, before the messages are offered again. If the registry is unavailable, everything else is
//! still decoded, and nothing is lost.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::avro::{SchemaKey, framed};
use super::registry::{RegistryError, SchemaRegistry};
use super::schemas::KnownSchema;
use crate::config;
use crate::error::{Error, ErrorCategory, Result};
use crate::set_aside::{MessageForm, Offer};

/// The limit for all answers together: the operator waits for a minute, and the feed waits
/// meanwhile.
const PATIENCE: Duration = Duration::from_secs(20);

/// The schemas that were found, and why others were not.
pub(super) type SchemaAnswers = (Vec<(SchemaKey, KnownSchema)>, Option<String>);

/// Asks for schemas.
pub fn ask_again(keys: BTreeSet<SchemaKey>, settings: &config::RegistrySettings) -> SchemaAnswers {
    if keys.is_empty() {
        return (Vec::new(), None);
    }
    // A thread of its own, because an answer must be awaited where no other runtime may be running.
    let answered = std::thread::scope(|scope| scope.spawn(|| ask(keys, settings)).join());
    answered.unwrap_or_else(|_| {
        (
            Vec::new(),
            Some("the request ended with an internal error".to_owned()),
        )
    })
}

/// Adds schemas to messages that had none, if they are among these.
pub fn learn(offer: &mut Offer, known: &[(SchemaKey, KnownSchema)]) {
    let own: BTreeSet<SchemaKey> = unknown(offer).collect();
    offer.learn(known.iter().filter(|(key, _)| own.contains(key)));
}

/// Schemas that messages name and that are not stored with them.
pub fn unknown(offer: &Offer) -> impl Iterator<Item = SchemaKey> {
    let kept = match offer.form() {
        MessageForm::Records { schemas } => Some(schemas),
        _ => None,
    };
    let named = offer
        .messages()
        .iter()
        .filter_map(|message| Some(framed(message.raw.as_ref()?.bytes())?.0));
    named.filter(move |key| kept.is_some_and(|kept| kept.iter().all(|(known, _)| known != key)))
}

/// Asks for all of them, until the time is over or no answer comes.
fn ask(keys: BTreeSet<SchemaKey>, settings: &config::RegistrySettings) -> SchemaAnswers {
    let begun = Instant::now();
    let late = || begun.elapsed() >= PATIENCE;
    let mut known = Vec::new();
    let registry = match SchemaRegistry::new(settings) {
        Ok(registry) => registry,
        Err(error) => return (known, Some(error.text)),
    };
    for key in keys {
        match registry.ask(key, late) {
            Ok(Some(answer)) => known.push((key, answer)),
            Ok(None) => {}
            Err(trouble) => return (known, Some(words(trouble))),
        }
    }
    (known, None)
}

fn words(trouble: RegistryError) -> String {
    match trouble {
        RegistryError::Away(why) => format!("the schema registry does not answer ({})", why.text()),
        RegistryError::Failed(error) => error.text,
        RegistryError::Ending => "the schema registry answers too slowly".to_owned(),
    }
}

/// Checks that a registry answers.
///
/// # Errors
/// Why it does not.
pub fn reach(settings: &config::RegistrySettings) -> Result<()> {
    // It does not matter whether this schema exists.
    match SchemaRegistry::new(settings)?.ask(SchemaKey::Id(1), || false) {
        Ok(_) => Ok(()),
        Err(RegistryError::Failed(error)) => Err(error),
        Err(trouble) => {
            let text = format!(
                "{}: start it, or correct `source.schema_registry`",
                words(trouble)
            );
            Err(Error::new(ErrorCategory::Io, text).in_field("source.schema_registry"))
        }
    }
}
