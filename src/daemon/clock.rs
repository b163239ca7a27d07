//! Time comes in through this door (HOUSE 2), as a value. Nothing that decides reads a clock.

use jiff::Timestamp;

/// Now.
pub fn instant() -> Timestamp {
    Timestamp::now()
}

/// Now, to the second, as manifests write it: `2026-11-21T10:00:00Z`.
pub fn now() -> String {
    text(instant())
}

/// A time, to the second, as manifests write it.
pub fn text(time: Timestamp) -> String {
    Timestamp::from_second(time.as_second()).unwrap_or(time).to_string()
}

/// A time as manifests write it; `None` if it is none.
pub fn parse(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_time_has_its_form() {
        let now = super::now();
        assert!(now.len() == 20 && now.ends_with('Z') && now.as_bytes()[10] == b'T', "{now}");
        assert_eq!(super::text(super::parse(&now).expect("a time")), now);
    }
}
