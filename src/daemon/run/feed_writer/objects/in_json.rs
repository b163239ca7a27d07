//! A value of the log inside an object of the state. Entries omit absent fields, which a format
//! without field names cannot read back, so the value is stored as the JSON that it has in the log.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

pub(crate) fn serialize<T: Serialize, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = serde_json::to_string(value).map_err(ser::Error::custom)?;
    serializer.serialize_str(&text)
}

pub(crate) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    serde_json::from_str(&text).map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::super::super::state_parts::OutgoingRelease;
    use crate::engine::release::{Figure, PastRelease, Sha256};
    use crate::journal::{ApprovalRule, CandidateFile};

    #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
    struct Kept {
        #[serde(with = "super")]
        held: Option<OutgoingRelease>,
        behind: u32,
    }

    /// Checkpoints contain a held release, whether its optional fields are present or not.
    #[test]
    fn a_release_that_waits_is_read_back() {
        let (sha256, loss) = (Sha256::of(b""), Figure::real(0.0).expect("finite"));
        let staged = |rows| CandidateFile {
            stage: "s".into(),
            path: "p".into(),
            sha256,
            rows,
            span: None,
            bytes: None,
        };
        let figures = PastRelease {
            release: 1,
            rows: 2,
            classes: 1,
            smallest_class: 2,
            loss,
            refinement: None,
        };
        for files in [vec![staged(Some(2))], Vec::new()] {
            let decided = serde_json::json!({
                "release": 1, "tick": 0, "time": "2026-11-21T10:00:00Z", "files": files, "manifest": staged(None),
                "verdict": {"path": "v", "sha256": sha256}, "figures": figures
            });
            let approved = serde_json::from_value(decided).expect("a decision");
            let held = OutgoingRelease {
                approved,
                decision: sha256,
                rule: ApprovalRule::by_operator(),
                approvals: Vec::new(),
            };
            let kept = Kept {
                held: Some(held),
                behind: 7,
            };
            let bytes = postcard::to_stdvec(&kept).expect("it is written");
            assert_eq!(
                postcard::from_bytes::<Kept>(&bytes).expect("it is read"),
                kept
            );
        }
    }
}
