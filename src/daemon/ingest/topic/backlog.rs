//! How far a topic is ahead of what was accepted. The age of a message is counted from when it was
//! first known to exist, and not from its timestamp, so that old records that are sent today do not
//! count as late.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most end offsets that are stored; beyond that every second one is dropped, and new ones are
/// stored half as often.
const MOST: usize = 128;

/// Offsets per partition: the ends of partitions at each query, and what was accepted.
#[derive(Debug, Default)]
pub struct Backlog(Mutex<Offsets>);

#[derive(Debug, Default)]
struct Offsets {
    taken: BTreeMap<i32, u64>,
    /// The newest end offsets.
    ends: BTreeMap<i32, u64>,
    /// End offsets that are not reached yet, with the time at which they became known, oldest
    /// first.
    ahead: VecDeque<(Instant, BTreeMap<i32, u64>)>,
    /// The smallest interval between them.
    apart: Duration,
}

impl Backlog {
    /// Partitions are read from here on, whatever was accepted before.
    pub fn begin(&self, places: impl IntoIterator<Item = (i32, u64)>) {
        self.lock().taken.extend(places);
    }

    /// All messages before these offsets were accepted.
    pub fn taken(&self, next: impl IntoIterator<Item = (i32, u64)>) {
        let offsets = &mut *self.lock();
        for (partition, next) in next {
            let known = offsets.taken.entry(partition).or_default();
            *known = next.max(*known);
        }
        offsets.forget();
    }

    /// The current end offsets of partitions.
    pub fn ends(&self, now: Instant, ends: BTreeMap<i32, u64>) {
        let offsets = &mut *self.lock();
        offsets.ends.clone_from(&ends);
        let last = offsets.ahead.back().map(|(since, _)| *since);
        if last.is_none_or(|last| now.saturating_duration_since(last) >= offsets.apart) {
            offsets.ahead.push_back((now, ends));
        }
        offsets.forget();
        if offsets.ahead.len() > MOST {
            let mut odd = false;
            offsets.ahead.retain(|_| {
                odd = !odd;
                odd
            });
            offsets.apart = offsets.ahead[1]
                .0
                .saturating_duration_since(offsets.ahead[0].0);
        }
    }

    /// The number of messages per partition that were not accepted, by the newest end offsets.
    pub fn lag(&self) -> Vec<(i32, u64)> {
        let offsets = self.lock();
        let taken = |partition| offsets.taken.get(partition).copied().unwrap_or_default();
        offsets
            .ends
            .iter()
            .map(|(partition, end)| (*partition, end.saturating_sub(taken(partition))))
            .collect()
    }

    /// For how long the oldest message that was not accepted has been known to exist.
    pub fn oldest(&self, now: Instant) -> Duration {
        self.lock()
            .ahead
            .front()
            .map_or(Duration::ZERO, |(since, _)| {
                now.saturating_duration_since(*since)
            })
    }

    fn lock(&self) -> MutexGuard<'_, Offsets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Offsets {
    /// Drops end offsets that are reached.
    fn forget(&mut self) {
        let reached = |ends: &BTreeMap<i32, u64>| {
            ends.iter()
                .all(|(partition, end)| self.taken.get(partition).is_some_and(|taken| taken >= end))
        };
        while self.ahead.front().is_some_and(|(_, ends)| reached(ends)) {
            self.ahead.pop_front();
        }
        if self.ahead.is_empty() {
            self.apart = Duration::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_is_counted_from_the_first_end_that_is_not_reached() {
        let backlog = Backlog::default();
        let begun = Instant::now();
        let at = |second| begun + Duration::from_secs(second);
        assert!(backlog.lag().is_empty() && backlog.oldest(at(9)) == Duration::ZERO);
        backlog.begin([(0, 5), (1, 0)]);
        backlog.ends(at(1), BTreeMap::from([(0, 5), (1, 0)]));
        assert_eq!(
            (backlog.lag(), backlog.oldest(at(9))),
            (vec![(0, 0), (1, 0)], Duration::ZERO)
        );
        backlog.ends(at(2), BTreeMap::from([(0, 8), (1, 0)]));
        backlog.ends(at(4), BTreeMap::from([(0, 9), (1, 7)]));
        assert_eq!(
            (backlog.lag(), backlog.oldest(at(9))),
            (vec![(0, 4), (1, 7)], Duration::from_secs(7))
        );
        backlog.taken([(0, 8)]);
        assert_eq!(
            (backlog.lag(), backlog.oldest(at(9))),
            (vec![(0, 1), (1, 7)], Duration::from_secs(5))
        );
        backlog.taken([(0, 12), (1, 7)]);
        assert_eq!(
            (backlog.lag(), backlog.oldest(at(9))),
            (vec![(0, 0), (1, 0)], Duration::ZERO)
        );
        // A partition that is read again from an earlier offset.
        backlog.begin([(1, 3)]);
        backlog.ends(at(10), BTreeMap::from([(0, 12), (1, 7)]));
        assert_eq!(
            (backlog.lag(), backlog.oldest(at(11))),
            (vec![(0, 0), (1, 4)], Duration::from_secs(1))
        );
    }

    #[test]
    fn the_oldest_end_is_never_forgotten() {
        let backlog = Backlog::default();
        let begun = Instant::now();
        backlog.begin([(0, 0)]);
        for second in 0..10_000 {
            backlog.ends(
                begun + Duration::from_secs(second),
                BTreeMap::from([(0, 1 + second)]),
            );
        }
        assert_eq!(
            backlog.oldest(begun + Duration::from_secs(10_000)),
            Duration::from_secs(10_000)
        );
        assert!(backlog.0.lock().expect("no panic").ahead.len() <= MOST);
        backlog.taken([(0, 5_000)]);
        let oldest = backlog.oldest(begun + Duration::from_secs(10_000));
        assert!(
            (Duration::from_secs(4_800)..=Duration::from_secs(5_001)).contains(&oldest),
            "{oldest:?}"
        );
    }
}
