//! The only source of time (HOUSE 2); times are passed on as values. Code that decides never reads
//! a clock.

use jiff::Timestamp;

/// The current time.
pub fn instant() -> Timestamp {
    Timestamp::now()
}

/// The current time, to the second, as in manifests: `2026-11-21T10:00:00Z`.
pub fn now() -> String {
    text(instant())
}

/// A time, to the second, as in manifests.
pub fn text(time: Timestamp) -> String {
    Timestamp::from_second(time.as_second())
        .unwrap_or(time)
        .to_string()
}

/// A time as in manifests; `None` if the text is no such time.
pub fn parse(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_time_has_its_form() {
        let now = super::now();
        assert!(
            now.len() == 20 && now.ends_with('Z') && now.as_bytes()[10] == b'T',
            "{now}"
        );
        assert_eq!(super::text(super::parse(&now).expect("a time")), now);
    }
}
