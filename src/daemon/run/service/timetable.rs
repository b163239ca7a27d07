//! When ticks are due (CONTRACTS 1): at multiples of an interval since 1970, or at the times of a
//! cron pattern. The time is an argument; the clock is not read here.

use jiff::{Timestamp, ToSpan};

use crate::config::{Schedule, Ticks};

/// The newest tick that is due at `now` or before; None if every file is a tick.
pub(super) fn last(schedule: &Schedule, now: Timestamp) -> Option<Timestamp> {
    match &schedule.ticks {
        Ticks::Every(every) => {
            let length = i64::try_from(every.get().as_secs())
                .ok()
                .filter(|length| *length > 0)?;
            Timestamp::from_second(now.as_second().div_euclid(length) * length).ok()
        }
        Ticks::Cron { pattern, zone } => {
            let found = pattern
                .find_previous_occurrence(&now.to_zoned(zone.clone()), true)
                .ok()?;
            Some(found.timestamp())
        }
        Ticks::PerFile => None,
    }
}

/// The first tick after `now`; None if every file is a tick, or no tick will ever be due.
pub(super) fn next(schedule: &Schedule, now: Timestamp) -> Option<Timestamp> {
    match &schedule.ticks {
        Ticks::Every(every) => {
            let length = i64::try_from(every.get().as_secs()).ok()?;
            last(schedule, now)?.checked_add(length.seconds()).ok()
        }
        Ticks::Cron { pattern, zone } => {
            let found = pattern
                .find_next_occurrence(&now.to_zoned(zone.clone()), false)
                .ok()?;
            Some(found.timestamp())
        }
        Ticks::PerFile => None,
    }
}

/// The number of ticks due after `from` and before `to`, up to a great number.
pub(super) fn between(schedule: &Schedule, from: Timestamp, to: Timestamp) -> u64 {
    let mut ticks = std::iter::successors(next(schedule, from), |&tick| next(schedule, tick));
    ticks
        .by_ref()
        .take_while(|&tick| tick < to)
        .take(MOST)
        .count() as u64
}

/// The greatest number of ticks that are counted.
const MOST: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Approval, Approvers, Period};

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    fn check(schedule: &Schedule, now: &str, meant: [&str; 2]) {
        let now = at(now);
        assert_eq!(
            [last(schedule, now), next(schedule, now)],
            meant.map(|text| Some(at(text))),
            "at {now}"
        );
    }

    fn schedule(ticks: Ticks) -> Schedule {
        Schedule {
            ticks,
            min_records: 1,
            approval: Approval::None,
            approvers: Approvers::default(),
        }
    }

    #[test]
    fn every_is_anchored_at_multiples() {
        let daily = schedule(Ticks::Every(Period::days(1)));
        check(
            &daily,
            "2026-11-21T00:00:00Z",
            ["2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"],
        );
        check(
            &daily,
            "2026-11-21T23:59:59.9Z",
            ["2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"],
        );
        let seven = schedule(Ticks::Every(Period::seconds(7)));
        check(
            &seven,
            "1970-01-01T00:00:13Z",
            ["1970-01-01T00:00:07Z", "1970-01-01T00:00:14Z"],
        );
    }

    #[test]
    fn cron_keeps_the_clock_of_its_zone() {
        let zone = jiff::tz::TimeZone::get("Europe/Berlin").expect("a zone");
        let pattern = Box::new("30 2 * * *".parse::<croner::Cron>().expect("a pattern"));
        let nightly = schedule(Ticks::Cron { pattern, zone });
        check(
            &nightly,
            "2026-11-21T12:00:00Z",
            ["2026-11-21T01:30:00Z", "2026-11-22T01:30:00Z"],
        );
        // Summer time begins on 2026-03-29: the clock goes from 2:00 to 3:00, and the tick of that
        // night is not lost.
        let before = at("2026-03-29T00:00:00Z");
        let tick = next(&nightly, before).expect("a tick");
        assert!(tick <= at("2026-03-29T02:00:00Z"), "{tick}");
    }

    #[test]
    fn missed_ticks_are_counted() {
        let hourly = schedule(Ticks::Every(Period::seconds(3600)));
        let count = |from: &str, to: &str| between(&hourly, at(from), at(to));
        assert_eq!(count("2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z"), 0);
        assert_eq!(count("2026-11-21T00:59:59Z", "2026-11-21T04:00:00Z"), 3);
        assert_eq!(count("2026-11-21T04:00:00Z", "2026-11-21T04:00:00Z"), 0);
        assert_eq!(
            between(
                &schedule(Ticks::PerFile),
                at("2026-11-21T00:00:00Z"),
                at("2026-11-22T00:00:00Z")
            ),
            0
        );
    }

    #[test]
    fn files_have_no_timetable() {
        let files = schedule(Ticks::PerFile);
        assert_eq!(
            (
                last(&files, at("2026-11-21T12:00:00Z")),
                next(&files, at("2026-11-21T12:00:00Z"))
            ),
            (None, None)
        );
    }
}
