//! Days since 1970-01-01 in the proleptic Gregorian calendar, by era arithmetic without tables. No
//! clock is read here.

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
    let (year, month, day) = civil_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}
