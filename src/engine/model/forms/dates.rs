//! The form `date` (CONTRACTS 2), and its calendar: days since 1970-01-01 in the proleptic
//! Gregorian calendar, by era arithmetic without tables. No clock is read here.

use super::form_result::{FormError, FormResult};
use super::table::needed;
use super::{TaxonomyForm, TaxonomyTable};
use crate::taxonomy::MOST_NODES;
use crate::{DateLevel, Domain, Kind, LeafRule, Tree};

/// Days since 1970-01-01 of a day of the Gregorian calendar.
pub fn days_from_civil(year: i32, month: u32, day: u32) -> i32 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = ((month + 9) % 12 * 153 + 2) as i32 / 5 + day as i32 - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
pub fn civil_from_days(days: i32) -> (i32, u32, u32) {
    let days = i64::from(days) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    assert!(
        (1..=12).contains(&month) && (1..=31).contains(&day),
        "a day of the calendar"
    );
    (year as i32, month as u32, day as u32)
}

/// The days of `2020-01-31`; `None` unless the text is a day of the years 0001 to 9999 in exactly
/// this form.
pub fn parse(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    let shape = bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 {
                *byte == b'-'
            } else {
                byte.is_ascii_digit()
            }
        });
    if !shape {
        return None;
    }
    let number = |range: std::ops::Range<usize>| text[range].parse::<u32>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    if year == 0 || !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    let days = days_from_civil(year as i32, month, day);
    (civil_from_days(days) == (year as i32, month, day)).then_some(days)
}

/// `2020-01-31`.
pub fn format(days: i32) -> String {
    DateLevel::Day.label(days)
}

impl DateLevel {
    /// The label of this level's node that contains a day.
    pub fn label(self, days: i32) -> String {
        let (year, month, day) = civil_from_days(days);
        match self {
            DateLevel::Day => format!("{year:04}-{month:02}-{day:02}"),
            DateLevel::Month => format!("{year:04}-{month:02}"),
            DateLevel::Quarter => format!("{year:04}-Q{}", month.div_ceil(3)),
            DateLevel::Year => format!("{year:04}"),
            DateLevel::Decade => format!("{:04}s", year.div_euclid(10) * 10),
        }
    }

    /// A number that is equal for days of one node of this level, and grows by one from node to
    /// node.
    pub fn ordinal(self, days: i32) -> i32 {
        let (year, month, _) = civil_from_days(days);
        match self {
            DateLevel::Day => days,
            DateLevel::Month => year * 12 + month as i32 - 1,
            DateLevel::Quarter => year * 4 + (month as i32 - 1) / 3,
            DateLevel::Year => year,
            DateLevel::Decade => year.div_euclid(10),
        }
    }
}

/// Dates from `from` to `to`, one leaf per node of the first level.
pub(super) fn build(table: &TaxonomyTable) -> Result<FormResult, FormError> {
    let levels = needed(&table.date, TaxonomyForm::Date, "date")?;
    let from = day(needed(&table.from, TaxonomyForm::Date, "from")?, "from")?;
    let to = day(needed(&table.to, TaxonomyForm::Date, "to")?, "to")?;
    let Some(&finest) = levels.first() else {
        return Err(FormError::new(
            "date",
            "`date` names no level; write at least one, such as [\"month\", \"year\"]",
        ));
    };
    if levels.windows(2).any(|pair| pair[0] >= pair[1]) {
        let text =
            "the levels must be in the order day, month, quarter, year, decade, each at most once";
        return Err(FormError::new("date", text));
    }
    if from > to {
        return Err(FormError::new("from", "`from` is after `to`"));
    }
    let mut tree = Tree::new("*");
    let mut open: Vec<Option<(i32, usize)>> = vec![None; levels.len()];
    let mut nodes = 1;
    for days in from..=to {
        let mut parent = 0;
        for (at, level) in levels.iter().enumerate().rev() {
            let ordinal = level.ordinal(days);
            parent = match open[at] {
                Some((same, handle)) if same == ordinal => handle,
                _ => {
                    nodes += 1;
                    tree.add(parent, &level.label(days), 1)
                }
            };
            open[at] = Some((ordinal, parent));
        }
        if nodes > MOST_NODES {
            return Err(FormError::new(
                "to",
                format!("the domain is too large: more than {MOST_NODES} nodes"),
            ));
        }
    }
    let tree = tree
        .finish()
        .map_err(|error| FormError::of_tree("date", &error))?;
    assert_eq!(
        tree.leaves() as i32,
        finest.ordinal(to) - finest.ordinal(from) + 1,
        "a leaf for each of the finest level"
    );
    let rule = LeafRule::Dates {
        from,
        to,
        level: finest,
    };
    Ok(FormResult {
        domain: Domain { tree, rule },
        kind: Kind::Date,
        warnings: Vec::new(),
    })
}

fn day(text: &str, key: &'static str) -> Result<i32, FormError> {
    parse(text).ok_or_else(|| {
        FormError::new(
            key,
            format!("`{key}` must be a day of the calendar, written like \"2020-01-31\""),
        )
    })
}
