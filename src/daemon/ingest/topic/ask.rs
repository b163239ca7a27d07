//! What the brokers are asked beside messages: which topic it is, and how far its partitions go. It is asked until somebody
//! answers; what cannot be right, or may not be, ends it.

use std::time::{Duration, Instant};

use rdkafka::consumer::Consumer as _;
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode as Code;

use super::handover::{End, News, Step};
use super::id::{Topic, describe};
use super::reader::Reader;
use super::told;

/// How long one answer of the brokers is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two tries.
const AGAIN: Duration = Duration::from_millis(500);
/// How often brokers must say that a topic is not there: one that has just begun may not know yet.
const SURE: u32 = 4;

impl Reader {
    /// Asks about the topic until somebody answers.
    pub(super) fn asked(&mut self) -> Step<Topic> {
        let mut missing = 0;
        loop {
            let code = match describe(self.consumer.client(), &self.topic, PATIENCE) {
                Ok(topic) => {
                    self.back()?;
                    return Ok(topic);
                }
                Err(code) => code,
            };
            if self.shared.ends() {
                return Err(End::Told);
            }
            if matches!(code, Code::UnknownTopicOrPartition | Code::UnknownTopic) {
                missing += 1;
                if missing >= SURE {
                    return Err(told::missing(&self.topic, !self.positions.is_empty()).into());
                }
            } else if let Some(error) = told::refused(&self.topic, code) {
                return Err(error.into());
            } else {
                self.gone()?;
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// The first and the last offset of a partition.
    pub(super) fn marks(&mut self, partition: i32) -> Step<(u64, u64)> {
        loop {
            match self.consumer.fetch_watermarks(&self.topic, partition, PATIENCE) {
                Ok((low, high)) => {
                    let offset = |mark: i64| u64::try_from(mark).unwrap_or_default();
                    return Ok((offset(low), offset(high)));
                }
                Err(error) => self.complained(&error)?,
            }
            if self.shared.ends() {
                return Err(End::Told);
            }
            self.gone()?;
            std::thread::sleep(AGAIN);
        }
    }

    /// Whether the topic is still the one that it was.
    pub(super) fn same(&mut self) -> Step<Topic> {
        let topic = self.asked()?;
        if self.id.is_empty() || topic.id == self.id {
            return Ok(topic);
        }
        Err(told::recreated(&self.topic, &self.id, &topic.id).into())
    }

    /// The library complains.
    pub(super) fn complained(&mut self, error: &KafkaError) -> Step<()> {
        let Some(code) = error.rdkafka_error_code() else { return Ok(()) };
        if let Some(error) = told::refused(&self.topic, code) {
            return Err(error.into());
        }
        match code {
            // Offsets that are not there: retention, another topic, a cluster that was put back.
            Code::AutoOffsetReset | Code::OffsetOutOfRange | Code::UnknownTopicOrPartition | Code::UnknownTopicId => {
                self.same()?;
                for partition in self.positions.keys().copied().collect::<Vec<_>>() {
                    let (low, high) = self.marks(partition)?;
                    self.on(partition, self.positions[&partition].next, low, high)?;
                }
                // It was so for a moment only.
                if !self.id.is_empty() {
                    self.assign()?;
                }
                Ok(())
            }
            Code::AllBrokersDown => self.gone(),
            _ => Ok(()),
        }
    }

    /// No broker answers.
    fn gone(&mut self) -> Step<()> {
        let since = match self.away {
            Some(since) => since,
            None => {
                self.tell(News::Away(self.consumer.context().last()))?;
                *self.away.insert(Instant::now())
            }
        };
        if self.patience.is_some_and(|patience| since.elapsed() >= patience) {
            return Err(told::away(&self.brokers, self.consumer.context().last()).into());
        }
        Ok(())
    }

    fn back(&mut self) -> Step<()> {
        if self.away.take().is_some() { self.tell(News::Back) } else { Ok(()) }
    }
}
