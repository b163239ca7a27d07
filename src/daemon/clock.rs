//! Time comes in through this door (HOUSE 2), as a value. Nothing that decides reads a clock.

/// Now, to the second, as manifests write it: `2026-11-21T10:00:00Z`.
pub fn now() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_time_has_its_form() {
        let now = super::now();
        assert!(now.len() == 20 && now.ends_with('Z') && now.as_bytes()[10] == b'T', "{now}");
    }
}
