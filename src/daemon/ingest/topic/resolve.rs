//! Finds the schemas that messages name, before anybody decodes them: a registry that is away is waited for with the messages
//! in hand, so that none is taken for one without a schema. What is known is not asked for again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::avro::{SchemaKey, framed};
use super::batch::Batch;
use super::errors;
use super::handover::{FetchEvent, Handover, ReaderEnd, ReaderStep};
use super::registry::{RegistryError, SchemaRegistry};
use super::schemas::{Named, Schemas};
use crate::daemon::config;
use crate::daemon::error::{Complaint, Result};

/// Between two tries.
const AGAIN: Duration = Duration::from_millis(500);
/// Schemas that are known at most; beyond that all are asked for again.
const MOST: usize = 1 << 12;
/// How long it is believed that there is no such schema.
const BELIEVED: Duration = Duration::from_secs(60);
/// Schemas that are asked for a second time when there are none such: a registry of several machines may tell one later
/// than another.
const TWICE: usize = 16;

/// Knows schemas.
pub struct SchemaResolver {
    registry: SchemaRegistry,
    known: BTreeMap<SchemaKey, Named>,
    /// Since when it is believed that there are none such.
    missing: BTreeMap<SchemaKey, Instant>,
    /// Since when no broker answers.
    away: Option<Instant>,
}

impl SchemaResolver {
    /// Knows none yet.
    ///
    /// # Errors
    /// A secret or a certificate cannot be read.
    pub fn begin(settings: &config::RegistrySettings) -> Result<SchemaResolver> {
        let registry = SchemaRegistry::new(settings)?;
        Ok(SchemaResolver { registry, known: BTreeMap::new(), missing: BTreeMap::new(), away: None })
    }

    /// The schemas that messages of a batch name.
    pub fn schemas(&mut self, batch: &Batch, shared: &Handover, patience: Option<Duration>) -> ReaderStep<Schemas> {
        let keys: BTreeSet<SchemaKey> = batch.contents().filter_map(|content| Some(framed(content)?.0)).collect();
        if self.known.len() + self.missing.len() + keys.len() > MOST {
            self.known.clear();
            self.missing.clear();
        }
        self.missing.retain(|_, since| since.elapsed() < BELIEVED);
        let is_new = |key: &&SchemaKey| !self.known.contains_key(*key) && !self.missing.contains_key(*key);
        let new: Vec<SchemaKey> = keys.iter().filter(is_new).copied().collect();
        for &key in &new {
            self.ask(key, shared, patience)?;
        }
        let none: Vec<SchemaKey> = new.into_iter().filter(|key| self.missing.contains_key(key)).collect();
        if !none.is_empty() {
            std::thread::sleep(AGAIN);
        }
        for &key in none.iter().take(TWICE) {
            self.ask(key, shared, patience)?;
        }
        let mut schemas = Schemas::default();
        let found = keys.iter().filter_map(|key| Some((*key, self.known.get(key)?.clone())));
        found.for_each(|(key, named)| schemas.add(key, named));
        Ok(schemas)
    }

    /// Asks for a schema until there is an answer.
    fn ask(&mut self, key: SchemaKey, shared: &Handover, patience: Option<Duration>) -> ReaderStep<()> {
        loop {
            match self.registry.ask(key, || shared.ends()) {
                Ok(known) => {
                    if self.away.take().is_some() {
                        tell(shared, FetchEvent::RegistryBack)?;
                    }
                    match known {
                        Some(known) => {
                            self.missing.remove(&key);
                            self.known.insert(key, Named::from(known));
                        }
                        None => _ = self.missing.insert(key, Instant::now()),
                    }
                    return Ok(());
                }
                Err(RegistryError::Away(why)) => self.gone(why, shared, patience)?,
                Err(RegistryError::Failed(error)) => return Err(error.into()),
                Err(RegistryError::Told) => return Err(ReaderEnd::Told),
            }
            if shared.ends() {
                return Err(ReaderEnd::Told);
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// No broker answers.
    fn gone(&mut self, why: Complaint, shared: &Handover, patience: Option<Duration>) -> ReaderStep<()> {
        let since = match self.away {
            Some(since) => since,
            None => {
                tell(shared, FetchEvent::RegistryAway(why.clone()))?;
                *self.away.insert(Instant::now())
            }
        };
        if patience.is_some_and(|patience| since.elapsed() >= patience) {
            return Err(errors::registry_away(&why).into());
        }
        Ok(())
    }
}

fn tell(shared: &Handover, news: FetchEvent) -> ReaderStep<()> {
    if shared.tell(news) { Ok(()) } else { Err(ReaderEnd::Told) }
}
