//! The days of the demo: ordinary days, one with few people, some with other people than before,
//! one on which a patient asks to be erased. How tidegate reacts is not written here.

use super::hospital::{Admission, DemoDraws};
use crate::engine::arithmetic::SmallDraws;

/// The messages of a day.
#[derive(Debug, Default)]
pub(super) struct Day {
    /// The text about it.
    pub about: Option<&'static str>,
    /// People who were not there before.
    pub new: Vec<Admission>,
    /// All messages, in their order: of the new people, of some who are sent again, and some that
    /// are broken.
    pub messages: Vec<String>,
    /// The patient who asks to be erased.
    pub gone: Option<String>,
}

/// Some people of a day: their number, and their ages if those are not the usual ones.
struct Group {
    people: u64,
    ages: Option<(u64, u64)>,
}

/// The people of a day.
fn kind(day: u64) -> (Option<&'static str>, Vec<Group>) {
    let usual = |people| Group { people, ages: None };
    let aged = |people, from, to| Group {
        people,
        ages: Some((from, to)),
    };
    match day {
        1 => (None, vec![usual(900)]),
        3 => (Some("few patients are admitted"), vec![aged(3, 96, 110)]),
        4 => (
            Some("36 patients are older than 95"),
            vec![usual(300), aged(36, 96, 110)],
        ),
        6 => (
            Some("a heat wave: most patients are in their seventies"),
            vec![aged(240, 70, 79), aged(70, 0, 110)],
        ),
        7 => (
            Some("the heat wave continues, and the other wards are closed"),
            vec![aged(300, 70, 79)],
        ),
        ERASED => (
            Some("a patient of the first day withdraws their consent"),
            vec![usual(300)],
        ),
        _ => (None, vec![usual(300)]),
    }
}

/// Draws the days.
pub(super) struct Story {
    dice: DemoDraws,
    day: u64,
    number: u64,
    known: Vec<Admission>,
}

/// The day on which a patient asks to be erased.
const ERASED: u64 = 8;
/// The last day with a text.
pub(super) const LAST_DAY: u64 = 9;

impl Story {
    /// From a seed.
    pub(super) fn new(seed: u64) -> Story {
        Story {
            dice: DemoDraws(SmallDraws::of_state(seed)),
            day: 0,
            number: 0,
            known: Vec::new(),
        }
    }

    /// The next day.
    pub(super) fn next(&mut self) -> Day {
        self.day += 1;
        let (about, groups) = kind(self.day);
        let mut day = Day {
            about,
            ..Day::default()
        };
        for group in groups {
            for _ in 0..group.people {
                self.number += 1;
                let Story { dice, number, .. } = self;
                day.new.push(match group.ages {
                    None => Admission::drawn(dice, *number, self.day),
                    Some((from, to)) => Admission::aged(dice, *number, self.day, from, to),
                });
            }
        }
        day.messages = day.new.iter().map(Admission::message).collect();
        if day.new.len() > 100 {
            self.repeats(&mut day);
            self.broken(&mut day);
        }
        self.known.extend(day.new.iter().cloned());
        day.gone = self
            .known
            .first()
            .filter(|_| self.day == ERASED)
            .map(|first| first.patient().to_owned());
        day
    }

    /// The source sends some people again, as sources do.
    fn repeats(&mut self, day: &mut Day) {
        let again = (self.known.len() as u64).min(12);
        for _ in 0..again {
            // The first one will be erased.
            let one = self.dice.between(1, self.known.len() as u64 - 1);
            let at = self.dice.between(0, day.messages.len() as u64);
            day.messages
                .insert(at as usize, self.known[one as usize].message());
        }
    }

    /// Some messages are truncated, and one names an unknown ward.
    fn broken(&mut self, day: &mut Day) {
        let cut = Admission::drawn(&mut self.dice, 0, self.day).message();
        day.messages.push(cut[..cut.len() / 2].to_owned());
        day.messages
            .push(cut.replace("\"ward\":\"", "\"ward\":\"the new "));
    }
}
