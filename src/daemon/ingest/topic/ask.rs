//! What the brokers are asked beside messages: which topic it is, and how far its partitions go. It is asked until somebody
//! answers; what cannot be right, or may not be, ends it.

use std::time::{Duration, Instant};

use rdkafka::consumer::Consumer as _;
use rdkafka::types::RDKafkaErrorCode as Code;

use super::away::Away;
use super::handover::{End, News, Step};
use super::id::{Topic, describe};
use super::reader::Reader;
use super::told;

/// How long one answer of the brokers is waited for at first: whoever waits sees only behind it that it is to end.
const SHORT: Duration = Duration::from_millis(500);
/// And at most, when they are slow.
const LONG: Duration = Duration::from_secs(5);
/// Between two tries.
const AGAIN: Duration = Duration::from_millis(500);
/// How long it is not looked whether it is to end.
const SLICE: Duration = Duration::from_millis(50);
/// How often brokers must say that a topic is not there: one that has just begun may not know yet.
const SURE: u32 = 4;

impl Reader {
    /// Asks about the topic until somebody answers.
    pub(super) fn asked(&mut self) -> Step<Topic> {
        let (mut missing, mut patience) = (0, SHORT);
        loop {
            let shared = &self.shared;
            let code = match describe(self.consumer.client(), &self.topic, patience, &|| shared.ends()) {
                Ok(topic) => {
                    self.back()?;
                    return Ok(topic);
                }
                Err(code) => code,
            };
            if matches!(code, Code::UnknownTopicOrPartition | Code::UnknownTopic) {
                missing += 1;
                if missing >= SURE {
                    return Err(told::missing(&self.topic, !self.positions.is_empty()).into());
                }
                self.listen(AGAIN)?;
            } else {
                patience = self.unanswered(code, patience)?;
            }
        }
    }

    /// The first and the last offset of a partition.
    pub(super) fn marks(&mut self, partition: i32) -> Step<(u64, u64)> {
        let mut patience = SHORT;
        loop {
            let code = match self.consumer.fetch_watermarks(&self.topic, partition, patience) {
                Ok((low, high)) => {
                    let offset = |mark: i64| u64::try_from(mark).unwrap_or_default();
                    return Ok((offset(low), offset(high)));
                }
                Err(error) => error.rdkafka_error_code().unwrap_or(Code::Fail),
            };
            patience = self.unanswered(code, patience)?;
        }
    }

    /// A question was not answered; how long the next answer is waited for.
    fn unanswered(&mut self, code: Code, patience: Duration) -> Step<Duration> {
        if let Some(error) = told::refused(&self.topic, code) {
            return Err(error.into());
        }
        // What the library knows of it comes to whoever listens.
        self.listen(AGAIN)?;
        self.gone()?;
        Ok(if code == Code::OperationTimedOut { (patience * 2).min(LONG) } else { SHORT })
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
    pub(super) fn complained(&mut self, code: Code) -> Step<()> {
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
            // Whoever does not answer messages may answer this, and then all is well.
            Code::AllBrokersDown => self.same().map(drop),
            _ => Ok(()),
        }
    }

    /// No broker answers.
    fn gone(&mut self) -> Step<()> {
        let heard = self.consumer.context().last();
        let away = self.away.get_or_insert_with(Away::begin);
        away.bears(heard.as_ref(), !self.id.is_empty())?;
        let why = heard.map(|(_, why)| why);
        if away.lasts(self.patience) {
            return Err(told::away(&self.brokers, why).into());
        }
        if away.is_to_be_told() { self.tell(News::Away(why)) } else { Ok(()) }
    }

    fn back(&mut self) -> Step<()> {
        self.consumer.context().forget();
        let told = self.away.take().is_some_and(|away| away.was_told());
        if told { self.tell(News::Back) } else { Ok(()) }
    }

    /// Listens for so long to what the library has to say, so that its complaints are known and messages that come are kept.
    fn listen(&mut self, long: Duration) -> Step<()> {
        let begun = Instant::now();
        while begun.elapsed() < long {
            if self.shared.ends() {
                return Err(End::Told);
            }
            match self.is_full() {
                true => std::thread::sleep(SLICE),
                false => self.poll(SLICE),
            }
        }
        Ok(())
    }
}
