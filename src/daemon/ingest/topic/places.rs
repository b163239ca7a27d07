//! Where each partition is read on: at the offset of the journal, where a new feed begins, or where the feed file says that
//! it may go on. What is lost is found out here, before anything is read.

use rdkafka::consumer::Consumer as _;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::client::refused;
use super::handover::{News, Step};
use super::id::Topic;
use super::positions::Position;
use super::reader::Reader;
use super::told;
use crate::daemon::config::Start;
use crate::daemon::error::Result;

impl Reader {
    /// Looks where every partition is read on, and begins to.
    pub(super) fn begin(&mut self) -> Step<()> {
        let topic = self.asked()?;
        self.is_the_one(&topic)?;
        let begins = self.places(&topic)?;
        self.id = topic.id;
        if !begins.is_empty() {
            self.tell(News::Begins(begins))?;
        }
        self.assign()?;
        Ok(())
    }

    /// Whether it is the topic that was read before, or the one that may take its place.
    fn is_the_one(&mut self, topic: &Topic) -> Result<()> {
        let known = self.positions.values().map(|position| &position.topic_id).find(|id| **id != topic.id).cloned();
        match known {
            None => Ok(()),
            Some(_) if self.accepted.as_ref() == Some(&topic.id) => {
                self.positions.clear();
                Ok(())
            }
            Some(known) => Err(told::recreated(&self.topic, &known, &topic.id)),
        }
    }

    /// Where partitions are read on that are new, or of which messages are lost; all others are where they were.
    fn places(&mut self, topic: &Topic) -> Step<Vec<(i32, u64, Position)>> {
        let new_feed = self.positions.is_empty();
        if let Some(partition) = self.positions.keys().find(|partition| !topic.partitions.contains(partition)) {
            return Err(told::vanished(&self.topic, *partition).into());
        }
        let mut begins = Vec::new();
        for (&partition, (low, high)) in topic.partitions.iter().zip(self.marks(&topic.partitions)?) {
            let known = self.positions.get(&partition).map(|position| position.next);
            let next = match known {
                None if new_feed && self.start == Start::Latest => high,
                None if new_feed => low,
                // All of a partition that was added came after the feed had begun.
                None => self.on(partition, 0, low, high)?,
                Some(next) => self.on(partition, next, low, high)?,
            };
            if known != Some(next) {
                let position = Position { topic_id: topic.id.clone(), next };
                begins.push((partition, known.unwrap_or(next), position.clone()));
                self.positions.insert(partition, position);
            }
        }
        Ok(begins)
    }

    /// Where a partition is read on that is to be read from `next` on.
    pub(super) fn on(&self, partition: i32, next: u64, low: u64, high: u64) -> Result<u64> {
        if (low..=high).contains(&next) {
            return Ok(next);
        }
        match self.resume.get(&partition) {
            Some(resume) if (low..=high).contains(resume) => Ok(*resume),
            Some(resume) => Err(told::no_way_on(&self.topic, partition, *resume, low, high)),
            None => Err(told::overtaken_or_shortened(&self.topic, partition, next, low, high)),
        }
    }

    /// Reads all partitions from where they are.
    pub(super) fn assign(&mut self) -> Step<()> {
        let mut list = TopicPartitionList::new();
        for (partition, position) in &self.positions {
            let offset = Offset::Offset(i64::try_from(position.next).unwrap_or(i64::MAX));
            // The offset is one that the library can hold.
            let _ = list.add_partition_offset(&self.topic, *partition, offset);
        }
        self.at_end.clear();
        self.consumer.assign(&list).map_err(|error| refused(&error))?;
        Ok(())
    }

    /// Begins partitions that are not read yet, if there are any. What is in the batch by then is of others, and stays.
    pub(super) fn widened(&mut self, topic: &Topic) -> Step<()> {
        if topic.partitions.iter().all(|partition| self.positions.contains_key(partition)) {
            return Ok(());
        }
        let begins = self.places(topic)?;
        self.tell(News::Begins(begins))?;
        self.assign()
    }
}
