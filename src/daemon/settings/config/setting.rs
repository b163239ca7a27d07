//! A changed key of a feed file, as a command line writes it: `policy.k=10`, `column.zip.weight=2`,
//! and `column.zip=none`, which removes the column. Values are TOML; anything else is text.

use std::fmt;

use toml::{Table, Value};

use crate::error::{Error, ErrorCategory, Result};

/// One key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    path: Vec<String>,
    value: String,
}

/// The value that removes a column.
const NONE: &str = "none";
const COLUMN: &str = "column";

impl Setting {
    /// A setting for this key.
    pub fn new(path: &[&str], value: &str) -> Setting {
        Setting {
            path: path.iter().map(|&part| part.to_owned()).collect(),
            value: value.to_owned(),
        }
    }

    /// A setting that removes a column.
    pub fn without(column: &str) -> Setting {
        Setting::new(&[COLUMN, column], NONE)
    }

    /// Whether it adds, changes or removes a column.
    pub fn is_of_column(&self) -> bool {
        self.path[0] == COLUMN
    }

    /// Reads `key=value`, or several of them separated by spaces.
    ///
    /// # Errors
    /// The text is no setting.
    pub fn parse_all(text: &str) -> Result<Vec<Setting>> {
        let mut settings: Vec<String> = Vec::new();
        for word in text.split_inclusive(' ') {
            match settings.last_mut() {
                Some(last) if !begins(word) => last.push_str(word),
                _ => settings.push(word.to_owned()),
            }
        }
        settings.iter().map(|text| Setting::parse(text)).collect()
    }

    fn parse(text: &str) -> Result<Setting> {
        let wrong = |what: &str| {
            Error::new(ErrorCategory::Usage, format!("`{text}` {what}")).in_field("--set")
        };
        let (key, value) = text.split_once('=').ok_or_else(|| {
            wrong("is not a setting: write a key and a value, such as `policy.k=10`")
        })?;
        let parts: Vec<&str> = key.trim().split('.').map(str::trim).collect();
        if parts.len() < 2 || parts.iter().any(|part| part.is_empty()) {
            return Err(wrong(
                "names no table: write the table too, as in `policy.k=10` or `column.age.weight=2`",
            ));
        }
        let path = match parts[..] {
            // The name of a column may contain dots.
            [COLUMN, .., last] if parts.len() > 3 && value.trim() != NONE => {
                vec![
                    COLUMN.to_owned(),
                    parts[1..parts.len() - 1].join("."),
                    last.to_owned(),
                ]
            }
            [COLUMN, ..] if value.trim() == NONE => vec![COLUMN.to_owned(), parts[1..].join(".")],
            _ => parts.into_iter().map(str::to_owned).collect(),
        };
        Ok(Setting {
            path,
            value: value.trim().to_owned(),
        })
    }

    fn value(&self) -> Value {
        let written: std::result::Result<Table, _> =
            toml::from_str(&format!("value = {}", self.value));
        written
            .ok()
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| Value::String(self.value.clone()))
    }

    /// Writes it into a feed file.
    fn write(&self, file: &mut Table) -> Result<()> {
        let wrong = |what: String| {
            Error::new(ErrorCategory::Usage, format!("`{self}`: {what}")).in_field("--set")
        };
        let (first, rest) = self.path.split_first().expect("a path has parts");
        if first != COLUMN {
            return write(file, &self.path, self.value())
                .ok_or_else(|| wrong(format!("`{first}` is not a table")));
        }
        let columns = file.get_mut(COLUMN).and_then(Value::as_array_mut);
        let columns =
            columns.ok_or_else(|| wrong("the feed file declares no columns".to_owned()))?;
        let named =
            |column: &Value| column.get("name").and_then(Value::as_str) == Some(rest[0].as_str());
        let Some(at) = columns.iter().position(named) else {
            return Err(wrong(format!("the feed file has no column `{}`", rest[0])));
        };
        match (&rest[1..], columns[at].as_table_mut()) {
            ([], _) if self.value == NONE => {
                columns.remove(at);
                Ok(())
            }
            ([], _) => Err(wrong(format!(
                "name a key of the column, as in `column.{}.weight=2`, or write `none`",
                rest[0]
            ))),
            (path, Some(column)) => write(column, path, self.value())
                .ok_or_else(|| wrong(format!("`{}` is no table", path[0]))),
            (_, None) => Err(wrong("the column is not a table".to_owned())),
        }
    }
}

/// Whether a word begins another setting: a value may contain spaces too.
fn begins(word: &str) -> bool {
    let key = word.split_once('=').map(|(key, _)| key);
    let tables = [
        "feed.",
        "source.",
        "store.",
        "schedule.",
        "policy.",
        "column.",
        "publish.",
    ];
    key.is_some_and(|key| tables.iter().any(|table| key.starts_with(table)))
}

/// Writes a value at a path, and creates missing tables; `None` if something else is in their
/// place.
fn write(table: &mut Table, path: &[String], value: Value) -> Option<()> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        table.insert(first.clone(), value);
        return Some(());
    }
    write(
        table
            .entry(first.clone())
            .or_insert_with(|| Value::Table(Table::new()))
            .as_table_mut()?,
        rest,
        value,
    )
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.path.join("."), self.value)
    }
}

/// The text of a feed file with these settings.
///
/// # Errors
/// A setting names no key of it.
pub(super) fn written(text: &str, settings: &[Setting]) -> Result<String> {
    let broken = || Error::new(ErrorCategory::Internal, "a feed file that was read is TOML");
    let mut file: Table = toml::from_str(text).map_err(|_| broken())?;
    settings
        .iter()
        .try_for_each(|setting| setting.write(&mut file))?;
    toml::to_string(&file).map_err(|_| broken())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEED: &str = "[feed]\nname = \"f\"\n[policy]\nk = 5\n[[column]]\nname = \"a.b\"\nrole = \"quasi\"\n[[column]]\nname = \"c\"\n";

    fn with(settings: &[&str]) -> std::result::Result<Table, String> {
        let parsed = settings
            .iter()
            .map(|text| Setting::parse_all(text))
            .collect::<Result<Vec<_>>>();
        let text = parsed
            .and_then(|settings| written(FEED, &settings.concat()))
            .map_err(|error| error.text)?;
        Ok(toml::from_str(&text).expect("TOML"))
    }

    #[test]
    fn settings_take_the_place_of_what_is_written() {
        let table = with(&[
            "policy.k=10",
            "policy.search=levels",
            "policy.diversity.distinct_l = 2",
            "column.a.b.weight=2.5",
        ]);
        let table = table.expect("settings");
        assert_eq!(table["policy"]["k"].as_integer(), Some(10));
        assert_eq!(table["policy"]["search"].as_str(), Some("levels"));
        assert_eq!(
            table["policy"]["diversity"]["distinct_l"].as_integer(),
            Some(2)
        );
        assert_eq!(table["column"][0]["weight"].as_float(), Some(2.5));
        let both = with(&["policy.search=levels column.a.b.guarded=[[\"c\"], [\"d\", \"e\"]]"])
            .expect("two settings");
        assert_eq!(
            both["column"][0]["guarded"].as_array().map(Vec::len),
            Some(2)
        );
        assert_eq!(both["policy"]["search"].as_str(), Some("levels"));
        let columns = with(&["column.a.b=none"]).expect("a setting")["column"]
            .as_array()
            .cloned()
            .expect("columns");
        assert_eq!(columns.len(), 1);
        assert_eq!(
            Setting::parse("column.a.b.weight = 2")
                .expect("a setting")
                .to_string(),
            "column.a.b.weight=2"
        );
    }

    #[test]
    fn what_is_no_setting_says_what_to_write() {
        for (text, part) in [
            ("policy.k", "a key and a value"),
            ("k=10", "names no table"),
            ("column.d=none", "has no column `d`"),
            ("column.c=2", "name a key of the column"),
            ("policy.k.l=2", "is not a table"),
        ] {
            let wrong = with(&[text]).expect_err("no setting");
            assert!(wrong.contains(part) && wrong.contains(text), "{wrong}");
        }
    }
}
