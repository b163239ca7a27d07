//! A simulated topic: partitions of messages with gaps in their offsets, brokers that stop
//! answering, and a reader of each process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tidegate::daemon::error::{Error, ErrorCategory};
use tidegate::daemon::ingest::topic::{Backlog, Batch, FetchBell, FetchEvent, Fetching, Position};

use super::nature::Nature;
use crate::common::random::Draw;

/// The identifier that distinguishes the topic from another one of the same name.
const ID: &str = "AAAAAAAAAAAAAAAAAAAAAA";

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// The row of a person.
    Row(u64),
    /// Not a row.
    Bad,
    /// No content.
    Empty,
}

/// A topic.
#[derive(Debug, Default)]
pub struct Topic {
    partitions: BTreeMap<i32, (BTreeMap<u64, Message>, u64)>,
    people: u64,
    /// People who send no more messages.
    settled: BTreeSet<u64>,
    /// The time until which no broker answers.
    away: Duration,
    /// The next answer is an error.
    fails: bool,
}

impl Topic {
    /// Adds messages: of new people, repeated ones, and some that are not rows.
    pub fn produces(&mut self, many: u64, draw: &mut Draw) {
        for _ in 0..many {
            let partition = draw.between(0, 2) as i32;
            let message = match draw.between(0, 19) {
                0 => Message::Bad,
                1 => Message::Empty,
                2 | 3 if self.people > 0 => {
                    let again = draw.between(0, self.people - 1);
                    if self.settled.contains(&again) {
                        Message::Bad
                    } else {
                        Message::Row(again)
                    }
                }
                _ => {
                    self.people += 1;
                    Message::Row(self.people - 1)
                }
            };
            let (messages, end) = self.partitions.entry(partition).or_default();
            *end += if draw.once_in(8) {
                draw.between(1, 5)
            } else {
                0
            };
            messages.insert(*end, message);
            *end += 1;
        }
    }

    pub fn goes_away(&mut self, until: Duration) {
        self.away = until;
    }

    pub fn fails(&mut self) {
        self.fails = true;
    }

    /// A person who sends no more messages; all their messages are before these offsets.
    pub fn settles(&mut self, next: &BTreeMap<i32, u64>, draw: &mut Draw) -> Option<u64> {
        let person = draw.between(0, self.people.checked_sub(1)?);
        let before =
            |partition: &i32, offset: u64| next.get(partition).is_some_and(|next| offset < *next);
        let all = self.partitions.iter().all(|(partition, (messages, _))| {
            messages.iter().all(|(offset, message)| {
                *message != Message::Row(person) || before(partition, *offset)
            })
        });
        (all && self.settled.insert(person)).then_some(person)
    }

    /// The people whose rows are before these offsets.
    pub fn people(&self, next: &BTreeMap<i32, u64>) -> BTreeSet<u64> {
        let mut people = BTreeSet::new();
        for (partition, (messages, _)) in &self.partitions {
            let before = messages.range(..next.get(partition).copied().unwrap_or(0));
            people.extend(before.filter_map(|(_, message)| match message {
                Message::Row(person) => Some(*person),
                _ => None,
            }));
        }
        people
    }

    /// The offsets after the last message of each partition.
    pub fn ends(&self) -> BTreeMap<i32, u64> {
        self.partitions
            .iter()
            .map(|(partition, (_, end))| (*partition, *end))
            .collect()
    }
}

/// What one process reads of the topic.
pub struct Reader {
    pub nature: Arc<Nature>,
    pub process: u32,
    known: Mutex<Known>,
    backlog: Arc<Backlog>,
}

struct Known {
    next: BTreeMap<i32, u64>,
    away: bool,
}

impl Reader {
    pub fn begin(nature: Arc<Nature>, process: u32, positions: &BTreeMap<i32, Position>) -> Reader {
        let over = u64::from(nature.passes_over());
        let next = positions
            .iter()
            .map(|(partition, position)| (*partition, position.next + over))
            .collect();
        Reader {
            nature,
            process,
            known: Mutex::new(Known { next, away: false }),
            backlog: Arc::default(),
        }
    }
}

impl Fetching for Reader {
    fn next(&self) -> Option<FetchEvent> {
        self.nature.passes(self.process);
        let now = self.nature.turns.now();
        let known = &mut *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.nature.topic(|topic, draw| {
            if topic.away > now {
                return (!std::mem::replace(&mut known.away, true))
                    .then_some(FetchEvent::Away(None));
            }
            if std::mem::take(&mut known.away) {
                return Some(FetchEvent::Back);
            }
            if std::mem::take(&mut topic.fails) {
                return Some(FetchEvent::Failed(Error::new(
                    ErrorCategory::Io,
                    "the simulated broker refuses",
                )));
            }
            let new: Vec<i32> = topic
                .partitions
                .keys()
                .filter(|at| !known.next.contains_key(at))
                .copied()
                .collect();
            if !new.is_empty() {
                known
                    .next
                    .extend(new.iter().map(|partition| (*partition, 0)));
                let at = |partition| {
                    (
                        partition,
                        0,
                        Position {
                            topic_id: ID.to_owned(),
                            next: 0,
                            epoch: None,
                        },
                    )
                };
                return Some(FetchEvent::Begins(new.into_iter().map(at).collect()));
            }
            let (mut batch, mut room) = (Batch::default(), draw.between(1, 24));
            for (partition, (messages, _)) in &topic.partitions {
                let next = known.next.get_mut(partition).expect("it has begun");
                for (offset, message) in messages.range(*next..) {
                    if room == 0 {
                        break;
                    }
                    room -= 1;
                    let content = match message {
                        Message::Row(person) => Some(super::person::message(
                            *person,
                            self.nature.measured,
                            self.nature.new_ward,
                        )),
                        Message::Bad => Some("{\"patient\": 7".to_owned()),
                        Message::Empty => None,
                    };
                    batch.push(*partition, *offset, content.as_ref().map(String::as_bytes));
                    *next = offset + 1;
                }
            }
            (!batch.is_empty()).then_some(FetchEvent::Batch(batch))
        })
    }

    fn bell(&self) -> FetchBell {
        FetchBell::default()
    }

    fn waits(&self) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        self.nature.topic(|topic, _| {
            topic.partitions.iter().any(|(at, (messages, _))| {
                messages
                    .range(known.next.get(at).copied().unwrap_or(0)..)
                    .next()
                    .is_some()
            })
        })
    }

    fn backlog(&self) -> Arc<Backlog> {
        Arc::clone(&self.backlog)
    }

    fn taken(&self, _: &[(i32, u64)]) {}
}
