//! Intake of messages from a topic (HOUSE 3), batch by batch: each batch is appended in one entry
//! of the log with the offsets that follow from it, and only then is the next one requested.

use std::time::Instant;

use super::intake::Intake;
use super::keeper::Keeper;
use super::outcome::FeedTick;
use crate::engine::histogram::CodedRows as Decoded;
use crate::error::Result;
use crate::feed_writer::{TakenMessages, TakenPart};
use crate::ingest::Repeats;
use crate::ingest::topic::{
    Batch, DecodedBatch as Rows, FetchEvent, PartitionResult, Position, decode_sifted,
};
use crate::journal::MessageOrigin;
use crate::observe::events::{
    BatchTaken, BrokersAway, BrokersBack, ErrorText, PartitionsBegun, RegistryAway, RegistryBack,
};

/// Batches per look; ticks and requests must not wait for a topic that never ends.
const MOST: usize = 4;

impl Keeper {
    /// Appends what was fetched.
    pub(super) fn look_at_topic(&mut self) -> Result<Vec<FeedTick>> {
        for _ in 0..MOST {
            let Intake::Topic(topic) = &self.source else {
                break;
            };
            let Some(news) = topic.fetch.next() else {
                break;
            };
            match news {
                FetchEvent::Batch(batch) => self.take_batch(&batch)?,
                FetchEvent::Begins(begins) => self.take_begins(begins)?,
                FetchEvent::Away(why) => self.observer.emit(&BrokersAway {
                    why: why.map(ErrorText::from),
                }),
                FetchEvent::Back => self.observer.emit(&BrokersBack {}),
                FetchEvent::RegistryAway(why) => self.observer.emit(&RegistryAway {
                    why: ErrorText::from(why),
                }),
                FetchEvent::RegistryBack => self.observer.emit(&RegistryBack {}),
                FetchEvent::Failed(error) => return Err(error.in_file(&self.feed.file)),
            }
        }
        Ok(Vec::new())
    }

    /// The name of the topic.
    fn topic(&self) -> String {
        match &self.source {
            Intake::Topic(topic) => topic.name.clone(),
            Intake::Folder(_) => String::new(),
        }
    }

    /// Appends the offsets that partitions are read from, before any message of them.
    fn take_begins(&mut self, begins: Vec<(i32, u64, Position)>) -> Result<()> {
        let topic = self.topic();
        let part = |(
            partition,
            from,
            Position {
                topic_id,
                next,
                epoch,
            },
        ): (i32, u64, Position)| TakenPart {
            origin: MessageOrigin::Partition {
                topic: topic.clone(),
                topic_id,
                partition,
            },
            from: from.min(next),
            next,
            epoch,
            seen: 0,
            rows: 0,
            skipped: 0,
            aside: None,
            repeats: 0,
        };
        let parts: Vec<TakenPart> = begins.into_iter().map(part).collect();
        let partitions = parts.len() as u64;
        let now = self.now();
        self.writer.take(
            TakenMessages {
                parts,
                rows: self.none(),
                nulled: 0,
            },
            &now,
        )?;
        self.observer.emit(&PartitionsBegun {
            seq: self.writer.log().next() - 1,
            partitions,
        });
        Ok(())
    }

    fn none(&self) -> Decoded {
        use crate::engine::model::Role;
        let count = |role| self.writer.state().terms.columns.of(role).count();
        Decoded::empty(
            count(Role::Quasi),
            count(Role::Sensitive),
            count(Role::Identifier) > 0,
        )
    }

    /// The content of a batch.
    fn decoded(&self, topic: &str, batch: &Batch) -> Result<Rows> {
        let unwanted = self.writer.settings().unwanted;
        let (columns, hasher) = (&self.writer.state().terms.columns, self.writer.hasher());
        let knows = self.writer.knows();
        let mut repeats = knows.as_ref().map(|knows| Repeats::of(knows));
        decode_sifted(topic, batch, columns, hasher, unwanted, repeats.as_mut())
    }

    /// Appends a batch.
    fn take_batch(&mut self, batch: &Batch) -> Result<()> {
        let (begun, topic) = (Instant::now(), self.topic());
        let decoded = self.decoded(&topic, batch)?;
        let known = self
            .writer
            .state()
            .partitions
            .get(&topic)
            .cloned()
            .unwrap_or_default();
        let part = |one: PartitionResult| {
            let Position {
                topic_id,
                next: from,
                ..
            } = known[&one.partition].clone();
            TakenPart {
                origin: MessageOrigin::Partition {
                    topic: topic.clone(),
                    topic_id,
                    partition: one.partition,
                },
                from,
                next: one.next,
                epoch: one.epoch,
                seen: one.seen,
                rows: one.rows,
                skipped: one.skipped,
                repeats: one
                    .aside
                    .as_ref()
                    .map_or(0, |offer| offer.messages().len() as u64 - offer.faults()),
                aside: one
                    .aside
                    .map(|offer| (offer.messages().len() as u64, offer.bytes())),
            }
        };
        let parts: Vec<TakenPart> = decoded.partitions.into_iter().map(part).collect();
        let next: Vec<(i32, u64)> = batch
            .partitions
            .keys()
            .copied()
            .zip(parts.iter().map(|part| part.next))
            .collect();
        let partitions = parts.len() as u64;
        let now = self.now();
        let came = self.writer.take(
            TakenMessages {
                parts,
                rows: decoded.rows,
                nulled: decoded.nulled,
            },
            &now,
        )?;
        if let Intake::Topic(topic) = &self.source {
            topic.fetch.taken(&next);
        }
        self.observer.emit(&BatchTaken {
            partitions,
            seq: self.writer.log().next() - 1,
            rows: came,
            nulled: decoded.nulled,
            new_rows: self.writer.state().feed.new_rows(),
            seconds: begun.elapsed(),
        });
        self.report_spellings(decoded.spellings);
        self.bearable()
    }
}
