//! Numbers that follow from days in other columns (CONTRACTS 1, `derive`): an age from a birth day
//! and an admission, the year of a day.

use serde::{Deserialize, Serialize};

use crate::calendar::civil_from_days;

/// A number that follows from one day or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateFigure {
    /// The whole years from the first day to the second: an age.
    Years,
    /// The whole months from the first day to the second.
    Months,
    /// The days from the first day to the second.
    Days,
    /// The year of a day.
    Year,
    /// The month of a day, from 1.
    Month,
    /// The day of the month.
    Day,
}

/// A column that is computed from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivedFrom {
    /// What is computed.
    pub figure: DateFigure,
    /// The columns with the days.
    pub columns: Vec<Box<str>>,
}

impl DateFigure {
    /// The name in a feed file.
    pub fn name(self) -> &'static str {
        match self {
            DateFigure::Years => "years",
            DateFigure::Months => "months",
            DateFigure::Days => "days",
            DateFigure::Year => "year",
            DateFigure::Month => "month",
            DateFigure::Day => "day",
        }
    }

    /// The number of days that it is computed from.
    pub fn of_days(self) -> usize {
        match self {
            DateFigure::Years | DateFigure::Months | DateFigure::Days => 2,
            DateFigure::Year | DateFigure::Month | DateFigure::Day => 1,
        }
    }

    /// The number, from days since 1970-01-01.
    ///
    /// # Panics
    /// If there are not as many days as it needs.
    pub fn number(self, days: &[i32]) -> i64 {
        assert_eq!(days.len(), self.of_days(), "the days of a figure");
        let (year, month, day) = civil_from_days(days[0]);
        let last = civil_from_days(days[days.len() - 1]);
        let months = i64::from(last.0 - year) * 12 + i64::from(last.1)
            - i64::from(month)
            - i64::from(last.2 < day);
        match self {
            DateFigure::Years => months.div_euclid(12),
            DateFigure::Months => months,
            DateFigure::Days => i64::from(days[1]) - i64::from(days[0]),
            DateFigure::Year => i64::from(year),
            DateFigure::Month => i64::from(month),
            DateFigure::Day => i64::from(day),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::parse;

    #[test]
    fn ages_change_on_birthdays() {
        let day = |text: &str| parse(text).expect(text);
        for (from, to, years, months) in [
            ("1974-12-25", "2026-01-31", 51, 613),
            ("1974-12-25", "2025-12-24", 50, 611),
            ("1974-12-25", "2025-12-25", 51, 612),
            ("2000-02-29", "2001-02-28", 0, 11),
            ("2000-02-29", "2001-03-01", 1, 12),
            ("2020-01-31", "2020-02-29", 0, 0),
            ("2020-01-31", "2020-01-31", 0, 0),
            ("2020-01-31", "2020-01-30", -1, -1),
            ("2020-01-31", "2019-01-31", -1, -12),
        ] {
            let days = [day(from), day(to)];
            assert_eq!(DateFigure::Years.number(&days), years, "{from} {to}");
            assert_eq!(DateFigure::Months.number(&days), months, "{from} {to}");
            assert_eq!(DateFigure::Days.number(&days), i64::from(days[1] - days[0]));
        }
        let one = [day("2020-02-29")];
        let parts = [DateFigure::Year, DateFigure::Month, DateFigure::Day];
        assert_eq!(parts.map(|part| part.number(&one)), [2020, 2, 29]);
    }
}
