//! Where reading of each partition continues: at the offset of the journal, where a new feed
//! begins, or where the feed file allows. Lost messages are detected here, before anything is read.

use rdkafka::consumer::Consumer as _;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::client::refused;
use super::errors;
use super::handover::{FetchEvent, ReaderStep};
use super::id::TopicIdentity;
use super::positions::Position;
use super::reader::TopicReader;
use crate::config::Start;
use crate::error::Result;

impl TopicReader {
    /// Determines where reading of every partition continues, and begins.
    pub(super) fn begin(&mut self) -> ReaderStep<()> {
        let topic = self.topic_identity()?;
        self.is_the_one(&topic)?;
        let begins = self.places(&topic)?;
        self.id = topic.id;
        if !begins.is_empty() {
            self.pass_on(FetchEvent::Begins(begins))?;
        }
        self.assign()?;
        Ok(())
    }

    /// Checks that it is the topic that was read before, or the one that may replace it.
    fn is_the_one(&mut self, topic: &TopicIdentity) -> Result<()> {
        let known = self
            .positions
            .values()
            .map(|position| &position.topic_id)
            .find(|id| **id != topic.id)
            .cloned();
        match known {
            None => Ok(()),
            Some(_) if self.accepted.as_ref() == Some(&topic.id) => {
                self.positions.clear();
                Ok(())
            }
            Some(known) => Err(errors::recreated(&self.topic, &known, &topic.id)),
        }
    }

    /// Where reading begins in partitions that are new, or that have lost messages; all others
    /// continue where they were.
    fn places(&mut self, topic: &TopicIdentity) -> ReaderStep<Vec<(i32, u64, Position)>> {
        let new_feed = self.positions.is_empty();
        if let Some(partition) = self
            .positions
            .keys()
            .find(|partition| !topic.partitions.contains(partition))
        {
            return Err(errors::vanished(&self.topic, *partition).into());
        }
        let mut begins = Vec::new();
        for (&partition, (low, high)) in topic.partitions.iter().zip(self.marks(&topic.partitions)?)
        {
            let known = self.positions.get(&partition).map(|position| position.next);
            let next = match known {
                None if new_feed && self.start == Start::Latest => high,
                None if new_feed => low,
                // All messages of a partition that was added came after the feed had begun.
                None => self.on(partition, 0, low, high)?,
                Some(next) => self.on(partition, next, low, high)?,
            };
            if next < high {
                self.unreached.insert(partition, high);
            }
            if known != Some(next) {
                let position = Position {
                    topic_id: topic.id.clone(),
                    next,
                    epoch: None,
                };
                begins.push((partition, known.unwrap_or(next), position.clone()));
                self.positions.insert(partition, position);
                self.shared.backlog.begin([(partition, next)]);
            }
        }
        Ok(begins)
    }

    /// Where reading of a partition continues whose next offset is `next`.
    pub(super) fn on(&self, partition: i32, next: u64, low: u64, high: u64) -> Result<u64> {
        if (low..=high).contains(&next) {
            return Ok(next);
        }
        match self.resume.get(&partition) {
            Some((from, to)) if *from == next && (low..=high).contains(to) => Ok(*to),
            Some((from, to)) if *from == next => {
                Err(errors::no_way_on(&self.topic, partition, *to, low, high))
            }
            // A setting for another halt does not apply.
            _ => Err(errors::overtaken_or_shortened(
                &self.topic,
                partition,
                next,
                low,
                high,
            )),
        }
    }

    /// Other messages have the offsets of some that were accepted: only the feed file can say how
    /// to continue.
    pub(super) fn other(&mut self, partition: i32) -> ReaderStep<()> {
        self.hand_on()?;
        let (low, high) = self.marks(&[partition])?[0];
        let Position { topic_id, next, .. } = self.positions[&partition].clone();
        // It continues in this way once.
        let on = self
            .resume
            .remove(&partition)
            .filter(|(from, to)| *from == next && (low..=high).contains(to));
        let Some((_, to)) = on else {
            return Err(errors::replaced(&self.topic, partition, next, low).into());
        };
        let position = Position {
            topic_id,
            next: to,
            epoch: None,
        };
        self.positions.insert(partition, position.clone());
        self.shared.backlog.begin([(partition, to)]);
        self.pass_on(FetchEvent::Begins(vec![(partition, next, position)]))?;
        self.assign()
    }

    /// Reads all partitions from their positions: from the last message that was accepted, if its
    /// epoch is known and it still exists.
    pub(super) fn assign(&mut self) -> ReaderStep<()> {
        let partitions: Vec<i32> = self.positions.keys().copied().collect();
        let low = self.offsets(&partitions, Offset::Beginning)?;
        (self.replaced, self.again) = (None, false);
        let mut list = TopicPartitionList::new();
        for ((partition, position), low) in self.positions.iter().zip(low) {
            let last = position
                .epoch
                .and(position.next.checked_sub(1))
                .filter(|last| *last >= low);
            let offset =
                Offset::Offset(i64::try_from(last.unwrap_or(position.next)).unwrap_or(i64::MAX));
            // The offset is in the library's range.
            let _ = list.add_partition_offset(&self.topic, *partition, offset);
        }
        self.at_end.clear();
        self.consumer
            .assign(&list)
            .map_err(|error| refused(&error))?;
        self.deaf = false;
        Ok(())
    }

    /// Begins new partitions, if there are any. Messages of others in the batch stay.
    pub(super) fn widened(&mut self, topic: &TopicIdentity) -> ReaderStep<()> {
        if topic
            .partitions
            .iter()
            .all(|partition| self.positions.contains_key(partition))
        {
            return Ok(());
        }
        let begins = self.places(topic)?;
        self.pass_on(FetchEvent::Begins(begins))?;
        self.assign()
    }
}
