//! The small types of a feed file (CONTRACTS 1): periods such as `30d`, and the roots of a store.
//! Each is checked when it is parsed and remembers its text. Nothing here looks whether a place
//! exists.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A length of time as a feed file writes it: a whole number and `s`, `m`, `h`, `d` or `w`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Period(Duration);

/// Units, largest first.
const UNITS: [(char, u64); 5] = [
    ('w', 604_800),
    ('d', 86_400),
    ('h', 3600),
    ('m', 60),
    ('s', 1),
];

impl Period {
    /// A number of days.
    pub const fn days(days: u64) -> Period {
        Period(Duration::from_secs(days * 86_400))
    }

    /// A number of seconds.
    pub const fn seconds(seconds: u64) -> Period {
        Period(Duration::from_secs(seconds))
    }

    /// The length.
    pub const fn get(self) -> Duration {
        self.0
    }

    /// Whether the length is zero.
    pub const fn is_zero(self) -> bool {
        self.0.is_zero()
    }
}

impl TryFrom<String> for Period {
    type Error = String;

    fn try_from(text: String) -> Result<Period, String> {
        let wrong = || {
            "must be a length of time: a whole number and s, m, h, d or w, such as \"90m\" or \"30d\"".to_owned()
        };
        let unit = text.chars().next_back().ok_or_else(wrong)?;
        let (_, seconds) = UNITS
            .into_iter()
            .find(|(name, _)| *name == unit)
            .ok_or_else(wrong)?;
        let count = &text[..text.len() - 1];
        if count.is_empty() || !count.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let total = count
            .parse::<u64>()
            .ok()
            .and_then(|count| count.checked_mul(seconds));
        let total = total
            .filter(|total| *total <= 100 * 366 * 86_400)
            .ok_or("is longer than a hundred years")?;
        Ok(Period(Duration::from_secs(total)))
    }
}

impl From<Period> for String {
    fn from(period: Period) -> String {
        period.to_string()
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.0.as_secs();
        let fitting = |(_, seconds): &(char, u64)| total != 0 && total.is_multiple_of(*seconds);
        let (name, seconds) = UNITS.into_iter().find(fitting).unwrap_or(('s', 1));
        write!(f, "{}{name}", total / seconds)
    }
}

impl JsonSchema for Period {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Period".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+[smhdw]$" })
    }
}

/// The place of a store: a directory, or a bucket.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Root {
    /// A directory on this machine.
    Directory(PathBuf),
    /// `s3://bucket/prefix`, `gs://…`, `az://…`
    Bucket(String),
}

impl Root {
    /// Makes the path of a directory relative to `base`.
    #[must_use]
    pub fn under(self, base: &Path) -> Root {
        match self {
            Root::Directory(directory) => Root::Directory(base.join(directory)),
            Root::Bucket(bucket) => Root::Bucket(bucket),
        }
    }

    /// Whether the two are equal or one is inside the other, judging by their names.
    pub fn overlaps(&self, other: &Root) -> bool {
        match (self, other) {
            (Root::Directory(mine), Root::Directory(theirs)) => {
                let (mine, theirs) = (resolved(mine), resolved(theirs));
                mine.starts_with(&theirs) || theirs.starts_with(&mine)
            }
            (Root::Bucket(mine), Root::Bucket(theirs)) => {
                let parts = |bucket: &str| {
                    bucket
                        .split('/')
                        .filter(|part| !part.is_empty())
                        .map(str::to_owned)
                        .collect()
                };
                let (mine, theirs): (Vec<String>, Vec<String>) = (parts(mine), parts(theirs));
                mine.iter().zip(&theirs).all(|(a, b)| a == b)
            }
            _ => false,
        }
    }
}

/// An absolute path without `.` and `..`; links are not followed, since the place need not exist
/// yet.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in std::path::absolute(path)
        .unwrap_or_else(|_| path.to_path_buf())
        .components()
    {
        match part {
            Component::ParentDir => {
                resolved.pop();
            }
            part => resolved.push(part),
        }
    }
    resolved
}

impl TryFrom<String> for Root {
    type Error = String;

    fn try_from(text: String) -> Result<Root, String> {
        match text.split_once("://") {
            None if text.is_empty() => Err("is empty: write a directory, or \"s3://bucket/prefix\"".to_owned()),
            None => Ok(Root::Directory(text.into())),
            Some(("s3" | "gs" | "az", rest)) if !rest.is_empty() && !rest.starts_with('/') => Ok(Root::Bucket(text)),
            Some(_) => {
                Err("is not the place of a store: write a directory, or s3://, gs:// or az:// and a bucket".to_owned())
            }
        }
    }
}

impl JsonSchema for Root {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Root".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::{Period, Root};

    #[test]
    fn periods_come_back_as_they_mean() {
        for (written, shown) in [
            ("1d", "1d"),
            ("24h", "1d"),
            ("90m", "90m"),
            ("2s", "2s"),
            ("14d", "2w"),
            ("0s", "0s"),
        ] {
            assert_eq!(
                Period::try_from(written.to_owned()).map(|period| period.to_string()),
                Ok(shown.to_owned())
            );
        }
        for text in [
            "",
            "d",
            "1",
            "1.5h",
            "-1d",
            "1 d",
            "1y",
            "99999999999999999999s",
            "9999w",
            "1µ",
        ] {
            assert!(Period::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn one_root_inside_the_other_is_seen() {
        let root = |text: &str| Root::try_from(text.to_owned()).expect("a root");
        assert!(root("a/b").overlaps(&root("a/b/c")));
        assert!(root("./a").overlaps(&root("a/")));
        assert!(root("a/b").overlaps(&root("a/c/../b/d")));
        assert!(!root("a/b").overlaps(&root("a/bc")));
        assert!(!root("s3://one/x").overlaps(&root("s3://two/x")));
        assert!(root("s3://one").overlaps(&root("s3://one/x")));
    }
}
