//! Finds the schemas that messages name, before the messages are decoded: if the registry is
//! unavailable, the messages wait, so that none is treated as one without a schema. Known schemas
//! are not queried again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::avro::{SchemaKey, framed};
use super::batch::Batch;
use super::errors;
use super::handover::{FetchEvent, Handover, ReaderEnd, ReaderStep};
use super::registry::{RegistryError, SchemaRegistry};
use super::schemas::{Named, Schemas};
use crate::config;
use crate::error::{Complaint, Result};

/// The pause between two attempts.
const AGAIN: Duration = Duration::from_millis(500);
/// The most schemas that are cached; beyond that the cache is cleared.
const MOST: usize = 1 << 12;
/// How long it is assumed that a schema does not exist.
const BELIEVED: Duration = Duration::from_secs(60);
/// The most missing schemas that are queried a second time: the instances of a registry may learn a
/// schema at different times.
const TWICE: usize = 16;

/// Finds schemas, with a cache.
pub(super) struct SchemaResolver {
    registry: SchemaRegistry,
    known: BTreeMap<SchemaKey, Named>,
    /// Schemas that are assumed not to exist, and since when.
    missing: BTreeMap<SchemaKey, Instant>,
    /// Since when the registry does not answer.
    away: Option<Instant>,
}

impl SchemaResolver {
    /// Starts without schemas.
    ///
    /// # Errors
    /// A secret or a certificate cannot be read.
    pub(super) fn begin(settings: &config::RegistrySettings) -> Result<SchemaResolver> {
        let registry = SchemaRegistry::new(settings)?;
        Ok(SchemaResolver {
            registry,
            known: BTreeMap::new(),
            missing: BTreeMap::new(),
            away: None,
        })
    }

    /// The schemas that messages of a batch name.
    pub(super) fn schemas(
        &mut self,
        batch: &Batch,
        shared: &Handover,
        patience: Option<Duration>,
    ) -> ReaderStep<Schemas> {
        let keys: BTreeSet<SchemaKey> = batch
            .contents()
            .filter_map(|content| Some(framed(content)?.0))
            .collect();
        if self.known.len() + self.missing.len() + keys.len() > MOST {
            self.known.clear();
            self.missing.clear();
        }
        self.missing.retain(|_, since| since.elapsed() < BELIEVED);
        let is_new =
            |key: &&SchemaKey| !self.known.contains_key(*key) && !self.missing.contains_key(*key);
        let new: Vec<SchemaKey> = keys.iter().filter(is_new).copied().collect();
        for &key in &new {
            self.ask(key, shared, patience)?;
        }
        let none: Vec<SchemaKey> = new
            .into_iter()
            .filter(|key| self.missing.contains_key(key))
            .collect();
        if !none.is_empty() {
            std::thread::sleep(AGAIN);
        }
        for &key in none.iter().take(TWICE) {
            self.ask(key, shared, patience)?;
        }
        let mut schemas = Schemas::default();
        let found = keys
            .iter()
            .filter_map(|key| Some((*key, self.known.get(key)?.clone())));
        found.for_each(|(key, named)| schemas.add(key, named));
        Ok(schemas)
    }

    /// Queries a schema until there is an answer.
    fn ask(
        &mut self,
        key: SchemaKey,
        shared: &Handover,
        patience: Option<Duration>,
    ) -> ReaderStep<()> {
        loop {
            match self.registry.ask(key, || shared.ends()) {
                Ok(known) => {
                    if self.away.take().is_some() {
                        pass_on(shared, FetchEvent::RegistryBack)?;
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
                Err(RegistryError::Ending) => return Err(ReaderEnd::Ending),
            }
            if shared.ends() {
                return Err(ReaderEnd::Ending);
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// Handles that the registry does not answer.
    fn gone(
        &mut self,
        why: Complaint,
        shared: &Handover,
        patience: Option<Duration>,
    ) -> ReaderStep<()> {
        let since = match self.away {
            Some(since) => since,
            None => {
                pass_on(shared, FetchEvent::RegistryAway(why.clone()))?;
                *self.away.insert(Instant::now())
            }
        };
        if patience.is_some_and(|patience| since.elapsed() >= patience) {
            return Err(errors::registry_away(&why).into());
        }
        Ok(())
    }
}

fn pass_on(shared: &Handover, news: FetchEvent) -> ReaderStep<()> {
    if shared.pass_on(news) {
        Ok(())
    } else {
        Err(ReaderEnd::Ending)
    }
}
