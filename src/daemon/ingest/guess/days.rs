//! Notations of days (CONTRACTS 3, `init`): which one a column has, if it is unambiguous, and how a
//! day is written in it.

use super::profile::Profile;
use crate::engine::model::forms::dates;

/// The years of days that are recognised without separators.
const CENTURIES: std::ops::RangeInclusive<i32> = 1850..=2100;
/// With fewer different numbers of eight digits it is not clear that they are days.
const FEWEST_COMPACT: usize = 5;

/// The order of year, month and day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    YearMonthDay,
    DayMonthYear,
    MonthDayYear,
}

/// A notation of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Notation {
    order: Order,
    /// The separator; none in `20200131`.
    between: Option<char>,
    /// Whether days and months below ten have a leading zero.
    zeros: bool,
}

impl Notation {
    const COMPACT: Notation = Notation {
        order: Order::YearMonthDay,
        between: None,
        zeros: true,
    };

    /// The day of a text in this notation.
    fn parse(self, text: &str) -> Option<i32> {
        let parts: Vec<&str> = match self.between {
            Some(sign) => text.split(sign).collect(),
            None if text.len() == 8 && text.is_ascii() => vec![&text[..4], &text[4..6], &text[6..]],
            None => return None,
        };
        let (year, month, day) = match (self.order, parts.as_slice()) {
            (Order::YearMonthDay, &[year, month, day])
            | (Order::DayMonthYear, &[day, month, year])
            | (Order::MonthDayYear, &[month, day, year]) => (year, month, day),
            _ => return None,
        };
        let short = |text: &str| text.len() == 2 || (!self.zeros && text.len() == 1 && text != "0");
        let zero = |text: &str| text.len() == 2 && text.starts_with('0');
        if !short(month)
            || !short(day)
            || year.len() != 4
            || (!self.zeros && (zero(month) || zero(day)))
        {
            return None;
        }
        dates::parse(&format!("{year}-{month:0>2}-{day:0>2}"))
    }

    /// A day in this notation.
    pub(super) fn write(self, day: i32) -> String {
        let (year, month, day) = dates::civil_from_days(day);
        let number = |number: u32| {
            if self.zeros {
                format!("{number:02}")
            } else {
                number.to_string()
            }
        };
        let (year, month, day) = (format!("{year:04}"), number(month), number(day));
        let parts = match self.order {
            Order::YearMonthDay => [year, month, day],
            Order::DayMonthYear => [day, month, year],
            Order::MonthDayYear => [month, day, year],
        };
        parts.join(&self.between.map(String::from).unwrap_or_default())
    }
}

/// A column of days.
pub(super) enum Days {
    /// As `2020-01-31`.
    Usual {
        /// The first.
        from: i32,
        /// The last.
        to: i32,
        /// Whether a few rows contain something else.
        stray: bool,
    },
    /// In another notation.
    Written {
        /// The first.
        from: i32,
        /// The last.
        to: i32,
        /// The notation.
        notation: Notation,
    },
    /// Two notations are possible.
    Several,
}

/// The days of a column, if it contains days.
pub(super) fn of(profile: &Profile) -> Option<Days> {
    if let Some((from, to, stray)) = profile.range(dates::parse) {
        return Some(Days::Usual {
            from,
            to,
            stray: stray > 0,
        });
    }
    let span = |notation: Notation| profile.range(|value| notation.parse(value));
    if profile.trimmed().count() >= FEWEST_COMPACT
        && let Some((from, to, _)) = span(Notation::COMPACT)
        && [from, to]
            .iter()
            .all(|&day| CENTURIES.contains(&dates::civil_from_days(day).0))
    {
        return Some(Days::Written {
            from,
            to,
            notation: Notation::COMPACT,
        });
    }
    let between = profile
        .trimmed()
        .find_map(|(value, _)| value.chars().find(|c| matches!(c, '.' | '/' | '-')))?;
    let fits = |order: Order| {
        let notations = [true, false].map(|zeros| Notation {
            order,
            between: Some(between),
            zeros,
        });
        notations
            .into_iter()
            .find_map(|notation| Some((notation, span(notation)?)))
    };
    let orders = [
        Order::YearMonthDay,
        Order::DayMonthYear,
        Order::MonthDayYear,
    ];
    let mut found = orders.into_iter().filter_map(fits);
    let (notation, (from, to, _)) = found.next()?;
    // 03.04.2020 is the third of April; 03/04/2020 may be in March or April.
    match found.next() {
        Some(_) if between != '.' => Some(Days::Several),
        _ => Some(Days::Written { from, to, notation }),
    }
}
